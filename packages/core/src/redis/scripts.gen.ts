// Generated from lua/ by scripts/build-lua.mjs. Edit the parts there.

const PARTS = {
  time: `local call = redis.call
local time = call('TIME')
local micros = time[2] + 0
local now = time[1] * 1000 + (micros - micros % 1000) / 1000
`,
  'single=fixed-window': `local question = cjson.decode(ARGV[1])
local left = question[1] - now
if left < 0 or left > question[2] then return cmsgpack.pack(-1, now, -2) end
local cost, tag, limit, window = question[3], question[4], question[5], question[6]
local extra, mode = question[7], question[8]
local key = KEYS[1]
local value = call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
if found == tag and not others and not mode and cost > 0 and b > 0 and micros % 32 > 0 and c < 128 then
  local joins
  do
    joins = a <= now and now < a + window and b + cost <= limit
  end
  if joins then
    local packed = cmsgpack.pack(b + cost)
    if #value == 25 + #packed then
      call('SETRANGE', key, '14', packed)
      return cmsgpack.pack(-1, now, 0, a, b + cost, c)
    end
  end
end
local rows
if found ~= tag or others then
  a, b, c = -1, 0, 0
  if value then
local function unpack_rows(value)
  local rows = { cmsgpack.unpack(value) }
  local are_ours = #rows > 0 and #rows % 6 == 0
  for at = 1, #rows, 6 do
    local ends = rows[at + 5]
    local sum = rows[at] + rows[at + 1] + rows[at + 2] + rows[at + 4] + ends
    local is_end = type(ends) == 'number' and ends > 4294967296 and ends <= 2 * 9007199254740991
    are_ours = are_ours and is_end and rows[at + 3] and sum % 1 == 0
  end
  return are_ours and rows
end
local function rows_of(value)
  local is_read, rows = pcall(unpack_rows, value)
  if not (is_read and rows) then error('the key holds no counts: delete it, or give the store another prefix') end
  return rows
end
local function read_rows(key)
  local value = call('GET', key)
  return value and rows_of(value) or {}
end
local function find_row(rows, tag, likely)
  if rows[likely] == tag then return likely end
  for i = 1, #rows, 6 do
    if rows[i] == tag then return i end
  end
end
local function load_row(rows, at)
  if not at then return { a = -1, b = 0, c = 0, d = -1 } end
  return { a = rows[at + 1], b = rows[at + 2], c = rows[at + 3], d = rows[at + 4] }
end
    rows = rows_of(value)
    for at = 1, #rows, 6 do
      if rows[at] == tag then a, b, c = rows[at + 1], rows[at + 2], rows[at + 3] end
    end
  end
end
local moved
do
  local went_back
  if extra ~= 'first-hit' then
    local start = now - now % window
    went_back = a > start
    if a < start then b = 0 end
    a = start
  elseif b == 0 or now >= a + window then
    went_back = false
    a, b = now, 0
  else
    went_back = a > now
    if went_back then a = now end
  end
  moved = went_back
end
local wait_ms = 0
if cost > 0 and mode ~= 2 then
  do
    local wait = 0
    if cost > limit then
      wait = -1
    elseif b + cost > limit then
      wait = a + window - now
    end
    wait_ms = wait
  end
end
local allowed = wait_ms == 0
local writes = mode ~= 1 and (moved or (allowed and cost > 0))
if writes then
  do
    local cost = allowed and cost or 0
    b = b + cost
    if b > 9007199254740991 then b = 9007199254740991 end
  end
end
local reset_ms
do
  reset_ms = b > 0 and a + window - now or 0
end
if writes and not rows then
  local slack
  do
    slack = 0
  end
  local life = reset_ms + slack
  if ends and now + reset_ms <= ends and ends <= now + life and micros % 32 > 0 then
    local packed = cmsgpack.pack(tag, a, b, c, 0, ends)
    if #packed == #value then
      call('SETRANGE', key, '0', packed)
    else
      call('SET', key, packed, 'KEEPTTL')
    end
  else
    call('SET', key, cmsgpack.pack(tag, a, b, c, 0, now + life), 'PX', life > 0 and life or 1)
  end
elseif writes or (not allowed and mode ~= 1 and call('PTTL', key) == -1) then
local function write_rows(key, ours, rows, now)
  local out, last, own = {}, now + 1, {}
  for _, row in ipairs(ours) do
    own[row.tag] = true
    for _, number in ipairs({ row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends }) do out[#out + 1] = number end
    last = math.max(last, row.ends)
  end
  for at = 1, #rows, 6 do
    local ends = rows[at + 6 - 1]
    if ends > now and not own[rows[at]] and #out < 16 * 6 then
      for i = at, at + 6 - 1 do out[#out + 1] = rows[i] end
      last = math.max(last, ends)
    end
  end
  call('SET', key, cmsgpack.pack(unpack(out)), 'PX', last - now)
end
local function write_row(key, row, rows, now)
  if #rows > 6 or (rows[1] and rows[1] ~= row.tag) then return write_rows(key, { row }, rows, now) end
  call('SET', key, cmsgpack.pack(row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends), 'PX', math.max(1, row.ends - now))
end
local function heal_expiry(key, rows, now)
  if call('PTTL', key) ~= -1 then return end
  local last = now + 1
  for at = 6, #rows, 6 do last = math.max(last, rows[at]) end
  call('PEXPIRE', key, last - now)
end
  if writes then
    write_rows(key, { { tag = tag, a = a, b = b, c = c, d = 0, ends = now + reset_ms } }, rows, now)
  else
    heal_expiry(key, rows or { tag, a, b, c, 0, ends }, now)
  end
end
return cmsgpack.pack(-1, now, wait_ms, a, b, c)
`,
  'single=sliding-window': `local floor = math.floor
local min = math.min
local max = math.max
local question = cjson.decode(ARGV[1])
local left = question[1] - now
if left < 0 or left > question[2] then return cmsgpack.pack(-1, now, -2) end
local cost, tag, limit, window = question[3], question[4], question[5], question[6]
local extra, mode = question[7], question[8]
local key = KEYS[1]
local value = call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
if found == tag and not others and not mode and cost > 0 and b > 0 and micros % 32 > 0 and c < 128 then
  local joins
  do
    local spare, left = limit - b - cost, a + window - now
    joins = a <= now and left > 0 and spare >= 0 and spare * window >= c * left
  end
  if joins then
    local packed = cmsgpack.pack(b + cost)
    if #value == 25 + #packed then
      call('SETRANGE', key, '14', packed)
      return cmsgpack.pack(-1, now, 0, a, b + cost, c)
    end
  end
end
local rows
if found ~= tag or others then
  a, b, c = -1, 0, 0
  if value then
local function unpack_rows(value)
  local rows = { cmsgpack.unpack(value) }
  local are_ours = #rows > 0 and #rows % 6 == 0
  for at = 1, #rows, 6 do
    local ends = rows[at + 5]
    local sum = rows[at] + rows[at + 1] + rows[at + 2] + rows[at + 4] + ends
    local is_end = type(ends) == 'number' and ends > 4294967296 and ends <= 2 * 9007199254740991
    are_ours = are_ours and is_end and rows[at + 3] and sum % 1 == 0
  end
  return are_ours and rows
end
local function rows_of(value)
  local is_read, rows = pcall(unpack_rows, value)
  if not (is_read and rows) then error('the key holds no counts: delete it, or give the store another prefix') end
  return rows
end
local function read_rows(key)
  local value = call('GET', key)
  return value and rows_of(value) or {}
end
local function find_row(rows, tag, likely)
  if rows[likely] == tag then return likely end
  for i = 1, #rows, 6 do
    if rows[i] == tag then return i end
  end
end
local function load_row(rows, at)
  if not at then return { a = -1, b = 0, c = 0, d = -1 } end
  return { a = rows[at + 1], b = rows[at + 2], c = rows[at + 3], d = rows[at + 4] }
end
    rows = rows_of(value)
    for at = 1, #rows, 6 do
      if rows[at] == tag then a, b, c = rows[at + 1], rows[at + 2], rows[at + 3] end
    end
  end
end
local moved
do
  local start = now - now % window
  local went_back = a > start
  if went_back then
    b = max(b, min(limit, b + c))
    c = 0
  elseif a < start then
    c = a == start - window and b or 0
    b = 0
  end
  a = start
  moved = went_back
end
local wait_ms = 0
if cost > 0 and mode ~= 2 then
  do
    local left, wait = a + window - now, 0
    local spare = limit - b - cost
    if cost > limit then
      wait = -1
    elseif spare < 0 then
      wait = left + window - floor((limit - cost) * window / b)
    elseif c > 0 then
      wait = max(0, left - floor(spare * window / c))
    end
    wait_ms = wait
  end
end
local allowed = wait_ms == 0
local writes = mode ~= 1 and (moved or (allowed and cost > 0))
if writes then
  do
    local cost = allowed and cost or 0
    local used = b + cost
    b = used * window <= 9007199254740991 and used or floor(9007199254740991 / window)
  end
end
local reset_ms
do
  local left = a + window - now
  reset_ms = b > 0 and left + window or c > 0 and left or 0
end
if writes and not rows then
  local slack
  do
    slack = 0
  end
  local life = reset_ms + slack
  if ends and now + reset_ms <= ends and ends <= now + life and micros % 32 > 0 then
    local packed = cmsgpack.pack(tag, a, b, c, 0, ends)
    if #packed == #value then
      call('SETRANGE', key, '0', packed)
    else
      call('SET', key, packed, 'KEEPTTL')
    end
  else
    call('SET', key, cmsgpack.pack(tag, a, b, c, 0, now + life), 'PX', life > 0 and life or 1)
  end
elseif writes or (not allowed and mode ~= 1 and call('PTTL', key) == -1) then
local function write_rows(key, ours, rows, now)
  local out, last, own = {}, now + 1, {}
  for _, row in ipairs(ours) do
    own[row.tag] = true
    for _, number in ipairs({ row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends }) do out[#out + 1] = number end
    last = math.max(last, row.ends)
  end
  for at = 1, #rows, 6 do
    local ends = rows[at + 6 - 1]
    if ends > now and not own[rows[at]] and #out < 16 * 6 then
      for i = at, at + 6 - 1 do out[#out + 1] = rows[i] end
      last = math.max(last, ends)
    end
  end
  call('SET', key, cmsgpack.pack(unpack(out)), 'PX', last - now)
end
local function write_row(key, row, rows, now)
  if #rows > 6 or (rows[1] and rows[1] ~= row.tag) then return write_rows(key, { row }, rows, now) end
  call('SET', key, cmsgpack.pack(row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends), 'PX', math.max(1, row.ends - now))
end
local function heal_expiry(key, rows, now)
  if call('PTTL', key) ~= -1 then return end
  local last = now + 1
  for at = 6, #rows, 6 do last = math.max(last, rows[at]) end
  call('PEXPIRE', key, last - now)
end
  if writes then
    write_rows(key, { { tag = tag, a = a, b = b, c = c, d = 0, ends = now + reset_ms } }, rows, now)
  else
    heal_expiry(key, rows or { tag, a, b, c, 0, ends }, now)
  end
end
return cmsgpack.pack(-1, now, wait_ms, a, b, c)
`,
  'single=token-bucket': `local floor = math.floor
local ceil = math.ceil
local min = math.min
local max = math.max
local question = cjson.decode(ARGV[1])
local left = question[1] - now
if left < 0 or left > question[2] then return cmsgpack.pack(-1, now, -2) end
local cost, tag, limit, window = question[3], question[4], question[5], question[6]
local extra, mode = question[7], question[8]
local key = KEYS[1]
local value = call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
local rows
if found ~= tag or others then
  a, b, c = -1, 0, 0
  if value then
local function unpack_rows(value)
  local rows = { cmsgpack.unpack(value) }
  local are_ours = #rows > 0 and #rows % 6 == 0
  for at = 1, #rows, 6 do
    local ends = rows[at + 5]
    local sum = rows[at] + rows[at + 1] + rows[at + 2] + rows[at + 4] + ends
    local is_end = type(ends) == 'number' and ends > 4294967296 and ends <= 2 * 9007199254740991
    are_ours = are_ours and is_end and rows[at + 3] and sum % 1 == 0
  end
  return are_ours and rows
end
local function rows_of(value)
  local is_read, rows = pcall(unpack_rows, value)
  if not (is_read and rows) then error('the key holds no counts: delete it, or give the store another prefix') end
  return rows
end
local function read_rows(key)
  local value = call('GET', key)
  return value and rows_of(value) or {}
end
local function find_row(rows, tag, likely)
  if rows[likely] == tag then return likely end
  for i = 1, #rows, 6 do
    if rows[i] == tag then return i end
  end
end
local function load_row(rows, at)
  if not at then return { a = -1, b = 0, c = 0, d = -1 } end
  return { a = rows[at + 1], b = rows[at + 2], c = rows[at + 3], d = rows[at + 4] }
end
    rows = rows_of(value)
    for at = 1, #rows, 6 do
      if rows[at] == tag then a, b, c = rows[at + 1], rows[at + 2], rows[at + 3] end
    end
  end
end
local moved
do
  local full = limit * window
  if a == -1 then
    a, b, c = now, full, now
  end
  local went_back = a > now
  local gain = went_back and 0 or (now - a) * extra
  local missing = full - b
  if gain < missing then
    b = b + gain
  elseif missing ~= 0 then
    b = full
    c = missing > 0 and a + ceil(missing / extra) or now
  end
  a = now
  moved = went_back
end
local wait_ms = 0
if cost > 0 and mode ~= 2 then
  do
    wait_ms = cost > limit and -1 or ceil(max(0, cost * window - b) / extra)
  end
end
local allowed = wait_ms == 0
local writes = mode ~= 1 and (moved or (allowed and cost > 0))
if writes then
  do
    local cost = allowed and cost or 0
    b = max(b - cost * window, limit * window - 9007199254740991)
  end
end
local reset_ms
do
  reset_ms = ceil(max(0, limit * window - b) / extra)
end
if writes and not rows then
  local slack
  do
    slack = min(floor(window / 4), reset_ms + 1000)
  end
  local life = reset_ms + slack
  if ends and now + reset_ms <= ends and ends <= now + life and micros % 32 > 0 then
    local packed = cmsgpack.pack(tag, a, b, c, 0, ends)
    if #packed == #value then
      call('SETRANGE', key, '0', packed)
    else
      call('SET', key, packed, 'KEEPTTL')
    end
  else
    call('SET', key, cmsgpack.pack(tag, a, b, c, 0, now + life), 'PX', life > 0 and life or 1)
  end
elseif writes or (not allowed and mode ~= 1 and call('PTTL', key) == -1) then
local function write_rows(key, ours, rows, now)
  local out, last, own = {}, now + 1, {}
  for _, row in ipairs(ours) do
    own[row.tag] = true
    for _, number in ipairs({ row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends }) do out[#out + 1] = number end
    last = math.max(last, row.ends)
  end
  for at = 1, #rows, 6 do
    local ends = rows[at + 6 - 1]
    if ends > now and not own[rows[at]] and #out < 16 * 6 then
      for i = at, at + 6 - 1 do out[#out + 1] = rows[i] end
      last = math.max(last, ends)
    end
  end
  call('SET', key, cmsgpack.pack(unpack(out)), 'PX', last - now)
end
local function write_row(key, row, rows, now)
  if #rows > 6 or (rows[1] and rows[1] ~= row.tag) then return write_rows(key, { row }, rows, now) end
  call('SET', key, cmsgpack.pack(row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends), 'PX', math.max(1, row.ends - now))
end
local function heal_expiry(key, rows, now)
  if call('PTTL', key) ~= -1 then return end
  local last = now + 1
  for at = 6, #rows, 6 do last = math.max(last, rows[at]) end
  call('PEXPIRE', key, last - now)
end
  if writes then
    write_rows(key, { { tag = tag, a = a, b = b, c = c, d = 0, ends = now + reset_ms } }, rows, now)
  else
    heal_expiry(key, rows or { tag, a, b, c, 0, ends }, now)
  end
end
return cmsgpack.pack(-1, now, wait_ms, a, b, c)
`,
  words: `local FRESH, NEVER, LATE = -1, -1, -2
local ANSWER = -1
local PEEK, FORCE = 1, 2
local MAX_SAFE = 9007199254740991
local WIDTH, MAX_ROWS = 6, 16
local LONG_AGO = 4294967296
local WRAP = 4503599627370496
`,
  question: `local question = cjson.decode(ARGV[1])
local left = question[1] - now
if left < 0 or left > question[2] then return cmsgpack.pack(ANSWER, now, LATE) end
`,
  'log-blocks': `local BLOCK = 256
local SPAN = 2 * BLOCK + 2
local FEW = 4
local KEPT = 12
`,
  'quick-log': `local key, list = KEYS[1], KEYS[2]
local cost, tag, limit, window, mode = question[3], question[4], question[5], question[6], question[8]
local value = call('GET', key)
local found, a, b, c, d, ends, others
if value then found, a, b, c, d, ends, others = cmsgpack.unpack(value) end
local is_ours = found == tag and not others and a <= now
local is_quick = not mode and cost > 0 and cost <= limit and cost < WRAP and (is_ours or not value)
if is_quick and (not value or a <= now - window) then
  local entries = cmsgpack.pack(now, 0, 0, cost)
  call('SET', key, cmsgpack.pack(tag, now, cost, entries, now, now + window), 'PX', window)
  return cmsgpack.pack(ANSWER, now, 0, now, cost, window)
end
local used, fits
if is_quick and type(c) == 'string' then
  local items = { cmsgpack.unpack(c) }
  local count, first, start = #items, 3, items[1]
  used = b
  while items[first + 1] == 0 or start + items[first] <= now - window do
    used = used - items[first + 1]
    first = first + 2
  end
  local over = used + cost - limit
  if over > 0 then
    local last, gone, next_at = first, items[first + 1], nil
    local one_more = used < limit and 1 or used + 1 - limit
    while gone < over do
      if not next_at and gone >= one_more then next_at = items[last] end
      last = last + 2
      gone = gone + items[last + 1]
    end
    if call('PTTL', key) > 0 then
      local passes = start + window - now
      return cmsgpack.pack(ANSWER, now, items[last] + passes, a, used, (next_at or items[last]) + passes)
    end
  elseif used + cost < WRAP and (a == now or count - first < 2 * KEPT - 1) then
    if a == now then
      items[count] = items[count] + cost
    else
      items[count + 1], items[count + 2] = now - start, cost
      count = count + 2
    end
    local shift = items[first]
    if shift ~= 0 then
      for i = first, count, 2 do items[i] = items[i] - shift end
    end
    d = start + shift
    c = cmsgpack.pack(d, items[2], unpack(items, first, count))
    fits = true
  end
end
`,
  'quick-list': `if is_quick and type(c) == 'number' and d ~= FRESH and b > KEPT / 2 then
  local next_ms = d + window - now
  used = b
  if next_ms > 0 and used + cost == limit + 1 then
    if call('PTTL', key) > 0 and call('PTTL', list) > 0 then
      return cmsgpack.pack(ANSWER, now, next_ms, a, b, next_ms)
    end
  elseif next_ms > 0 and used + cost <= limit and used + cost < WRAP and a == now then
    local newest = call('LINDEX', list, '-1')
    if newest then
      call('LSET', list, '-1', newest + cost)
      fits = true
    end
  elseif a < now and (next_ms <= 0 or used + cost <= limit) then
    local start, is_live
    if next_ms > 0 then
      start = call('LINDEX', list, '0')
      is_live = start
    else
      local entries = call('LRANGE', list, 2 * c + 2, 2 * c + 2 * FEW + 1)
      for k = 1, #entries, 2 do
        local weight = entries[k + 1] + 0
        if weight > 0 then
          start = start or d - entries[k]
          local time = start + entries[k]
          if time > now - window then
            is_live, c, d = true, c + (k - 1) / 2, time
            break
          end
          used = used - weight
        end
      end
    end
    local after = used + cost
    if is_live and after <= limit and after < WRAP and (c + after < BLOCK or call('LLEN', list) < SPAN) then
      local length = call('RPUSH', list, now - start, cost == 1 and '1' or cost) - 2
      if length > 2 * c + 2 and length < SPAN then
        if c > 8 and 4 * c > length and now - start < 2147483648 then
          call('LTRIM', list, 2 * c + 2, -1)
          call('LPUSH', list, '0', start)
          c = 0
        end
        fits = true
      else
        call('RPOP', list, '2')
      end
    end
  end
end
if fits then
  used = used + cost
  if ends >= now + window and micros % 32 > 0 then
    local packed = cmsgpack.pack(tag, now, used, c, d, ends)
    if #packed == #value then
      call('SETRANGE', key, '0', packed)
    else
      call('SET', key, packed, 'KEEPTTL')
    end
  else
    local life = window + math.floor(window / 4)
    if type(c) == 'number' then call('PEXPIRE', list, life) end
    call('SET', key, cmsgpack.pack(tag, now, used, c, d, now + life), 'PX', life)
  end
  return cmsgpack.pack(ANSWER, now, 0, now, used, d + window - now)
end
`,
  math: `local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
`,
  rows: `local function unpack_rows(value)
  local rows = { cmsgpack.unpack(value) }
  local are_ours = #rows > 0 and #rows % WIDTH == 0
  for at = 1, #rows, WIDTH do
    local ends = rows[at + 5]
    local sum = rows[at] + rows[at + 1] + rows[at + 2] + rows[at + 4] + ends
    local is_end = type(ends) == 'number' and ends > LONG_AGO and ends <= 2 * MAX_SAFE
    are_ours = are_ours and is_end and rows[at + 3] and sum % 1 == 0
  end
  return are_ours and rows
end
local function rows_of(value)
  local is_read, rows = pcall(unpack_rows, value)
  if not (is_read and rows) then error('the key holds no counts: delete it, or give the store another prefix') end
  return rows
end
local function read_rows(key)
  local value = call('GET', key)
  return value and rows_of(value) or {}
end
local function find_row(rows, tag, likely)
  if rows[likely] == tag then return likely end
  for i = 1, #rows, WIDTH do
    if rows[i] == tag then return i end
  end
end
local function load_row(rows, at)
  if not at then return { a = FRESH, b = 0, c = 0, d = FRESH } end
  return { a = rows[at + 1], b = rows[at + 2], c = rows[at + 3], d = rows[at + 4] }
end
`,
  writing: `local function write_rows(key, ours, rows, now)
  local out, last, own = {}, now + 1, {}
  for _, row in ipairs(ours) do
    own[row.tag] = true
    for _, number in ipairs({ row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends }) do out[#out + 1] = number end
    last = math.max(last, row.ends)
  end
  for at = 1, #rows, WIDTH do
    local ends = rows[at + WIDTH - 1]
    if ends > now and not own[rows[at]] and #out < MAX_ROWS * WIDTH then
      for i = at, at + WIDTH - 1 do out[#out + 1] = rows[i] end
      last = math.max(last, ends)
    end
  end
  call('SET', key, cmsgpack.pack(unpack(out)), 'PX', last - now)
end
local function write_row(key, row, rows, now)
  if #rows > WIDTH or (rows[1] and rows[1] ~= row.tag) then return write_rows(key, { row }, rows, now) end
  call('SET', key, cmsgpack.pack(row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends), 'PX', math.max(1, row.ends - now))
end
local function heal_expiry(key, rows, now)
  if call('PTTL', key) ~= -1 then return end
  local last = now + 1
  for at = WIDTH, #rows, WIDTH do last = math.max(last, rows[at]) end
  call('PEXPIRE', key, last - now)
end
`,
  'log-entries': `local KEPT_LIST = {
  LLEN = function(items) return #items end,
  LINDEX = function(items, at) return items[(at < 0 and #items or 0) + at + 1] end,
  LRANGE = function(items, from, to) return { unpack(items, from + 1, min(to + 1, #items)) } end,
  LSET = function(items, at, number) items[(at < 0 and #items or 0) + at + 1] = number end,
  RPUSH = function(items, ...)
    for _, number in ipairs({ ... }) do items[#items + 1] = number end
  end,
  LTRIM = function(items, from, to)
    local left = { unpack(items, from + 1, (to < 0 and #items or 0) + to + 1) }
    for i = 1, #items do items[i] = left[i] end
  end,
  DEL = function(items)
    for i = 1, #items do items[i] = nil end
  end,
}
local function on_list(log, command, ...)
  if log.items then return KEPT_LIST[command](log.items, ...) end
  return call(command, log.key, ...)
end
local function open_log(row)
  local log = { key = row.key, count = 0 }
  row.log = log
  if row.a == FRESH then
    log.items = {}
  elseif type(row.c) == 'string' then
    log.items, row.c = { cmsgpack.unpack(row.c) }, 0
  end
  if row.a ~= FRESH then
    local length = on_list(log, 'LLEN')
    local rest = length % SPAN
    log.count = floor(length / SPAN) * BLOCK + max(0, rest - 2) / 2
  end
  if log.count <= row.c then
    log.stale, log.count = true, 0
    row.a, row.b, row.c, row.d = FRESH, 0, 0, FRESH
  end
  return log
end
local function number_at(log, place)
  return tonumber(on_list(log, 'LINDEX', place))
end
local function block_place(i)
  return floor(i / BLOCK) * SPAN
end
local function place_of(i)
  return block_place(i) + 2 + 2 * (i % BLOCK)
end
local function time_at(log, i)
  return number_at(log, block_place(i)) + number_at(log, place_of(i))
end
local function weight_within(log, i, j)
  if i >= j then return 0 end
  local pairs_of = on_list(log, 'LRANGE', place_of(i), place_of(j - 1) + 1)
  local sum = 0
  for k = 2, #pairs_of, 2 do sum = sum + tonumber(pairs_of[k]) end
  return sum
end
local function weight_before(log, i)
  if i == 0 and log.count == 0 then return 0 end
  local first = i - i % BLOCK
  if i == log.count and i == first then first = first - BLOCK end
  return (number_at(log, block_place(first) + 1) + weight_within(log, first, i)) % WRAP
end
local function weight_between(log, i, j)
  if i >= j then return 0 end
  if floor(i / BLOCK) == floor((j - 1) / BLOCK) then return weight_within(log, i, j) end
  return (weight_before(log, j) - weight_before(log, i)) % WRAP
end
local function first_after(log, from, time)
  local low, step = from, 1
  while low + step <= log.count and time_at(log, low + step - 1) <= time do
    low = low + step
    step = step * 2
  end
  local high = min(low + step - 1, log.count)
  while low < high do
    local middle = floor((low + high) / 2)
    if time_at(log, middle) <= time then low = middle + 1 else high = middle end
  end
  return low
end
local function drop_few(log, row, expired)
  local i = row.c
  if i >= log.count then return false end
  local last = min(place_of(i) + 2 * FEW, block_place(i) + SPAN) - 1
  local start = number_at(log, block_place(i))
  local entries = on_list(log, 'LRANGE', place_of(i), last)
  local dropped = 0
  for k = 1, #entries, 2 do
    local time, weight = start + entries[k], entries[k + 1] + 0
    if weight > 0 and time > expired then
      row.b, row.c, row.d = row.b - dropped, i + (k - 1) / 2, time
      return true
    end
    dropped = dropped + weight
  end
  return false
end
local function scan(log, i, weight, most)
  local last = min(place_of(i) + 2 * most, block_place(i) + SPAN) - 1
  local entries = on_list(log, 'LRANGE', place_of(i), last)
  for k = 1, #entries, 2 do
    weight = weight - tonumber(entries[k + 1])
    if weight <= 0 then return number_at(log, block_place(i)) + tonumber(entries[k]) end
  end
  return nil, weight
end
local function time_of(log, i, weight)
  local time = scan(log, i, weight, 8)
  if time then return time end
  local before = weight_before(log, i)
  local low, high = floor(i / BLOCK), floor((log.count - 1) / BLOCK)
  while low < high do
    local middle = ceil((low + high) / 2)
    if (number_at(log, middle * SPAN + 1) - before) % WRAP < weight then low = middle else high = middle - 1 end
  end
  if low == floor(i / BLOCK) then return (scan(log, i, weight, BLOCK)) end
  return (scan(log, low * BLOCK, weight - (number_at(log, low * SPAN + 1) - before) % WRAP, BLOCK))
end
local function newest_of(log, head)
  return log.count > head and time_at(log, log.count - 1) or FRESH
end
local function push(log, newest, now, weight)
  if newest == now then
    on_list(log, 'LSET', -1, number_at(log, -1) + weight)
    return
  end
  if log.stale then on_list(log, 'DEL') end
  if log.count % BLOCK == 0 then
    on_list(log, 'RPUSH', now, weight_before(log, log.count), 0, weight)
  else
    on_list(log, 'RPUSH', now - number_at(log, block_place(log.count)), weight)
  end
  log.stale, log.count = false, log.count + 1
end
local function bring_back(log, head, now)
  local late = first_after(log, head, now)
  if late == log.count then return end
  local weight = weight_between(log, late, log.count)
  if late == 0 then
    log.stale = true
  else
    on_list(log, 'LTRIM', 0, (late % BLOCK == 0 and block_place(late) or place_of(late)) - 1)
  end
  log.count = late
  push(log, newest_of(log, head), now, weight)
end
local function keep(log, i, now)
  if log.went_back then bring_back(log, i, now) end
  if i == log.count then
    log.stale, log.count = true, 0
    return 0
  end
  local dead = floor(i / BLOCK)
  if dead > 0 then on_list(log, 'LTRIM', dead * SPAN, -1) end
  log.count = log.count - dead * BLOCK
  return i - dead * BLOCK
end
local function lighten(log, head, time, weight)
  local i = first_after(log, head, time - 1)
  if i >= log.count or time_at(log, i) ~= time then return 0 end
  local had = number_at(log, place_of(i) + 1)
  local less = min(weight, had)
  on_list(log, 'LSET', place_of(i) + 1, had - less)
  for place = block_place(i) + SPAN, block_place(log.count - 1), SPAN do
    on_list(log, 'LSET', place + 1, (number_at(log, place + 1) - less) % WRAP)
  end
  while log.count > head and number_at(log, -1) == 0 do
    log.count = log.count - 1
    on_list(log, 'LTRIM', 0, (log.count % BLOCK == 0 and -5 or -3))
  end
  return less
end
`,
  'sliding-log': `local sliding_log = {}
function sliding_log.advance(policy, row, now)
  local log, expired = open_log(row), now - policy.window
  if (row.d == FRESH or row.d <= expired) and not drop_few(log, row, expired) then
    local head = row.c
    row.c = first_after(log, head, expired)
    row.b = row.b - weight_between(log, head, row.c)
    row.d = row.b > 0 and time_of(log, row.c, 1) or FRESH
  end
  local newest = row.c < log.count and row.a or FRESH
  log.went_back = newest > now
  row.a, row.d = min(newest, now), min(row.d, now)
  return log.went_back
end
function sliding_log.wait(policy, row, now, cost)
  if cost > policy.limit then return NEVER end
  local over = row.b + cost - policy.limit
  if over <= 0 then return 0 end
  local time = over == 1 and row.d or time_of(row.log, row.c, over)
  return min(time, now) + policy.window - now
end
local function take_in(row)
  local log = row.log
  local items = { number_at(log, 0), 0 }
  for i, number in ipairs(on_list(log, 'LRANGE', place_of(row.c), -1)) do items[i + 2] = tonumber(number) end
  call('DEL', row.key)
  log.items, log.count, row.c = items, log.count - row.c, 0
end
local function save(policy, row, now)
  local log = row.log
  row.kept = nil
  if not log.items and log.count - row.c <= KEPT / 2 and log.count <= BLOCK then take_in(row) end
  if log.items and log.count - row.c <= KEPT and log.count <= BLOCK then
    if log.count > row.c then
      row.kept = cmsgpack.pack(log.items[1], log.items[2], unpack(log.items, place_of(row.c) + 1))
    end
    return
  end
  if log.items then
    call('DEL', row.key)
    call('RPUSH', row.key, unpack(log.items))
    log.items = nil
  end
  call('PEXPIRE', row.key, max(1, row.a + policy.window - now))
end
function sliding_log.take(policy, row, now, cost)
  row.c = keep(row.log, row.c, now)
  local weight = min(cost, WRAP - 1 - row.b)
  local is_merged = row.a == now and not row.log.went_back
  if weight > 0 then
    push(row.log, row.a, now, weight)
    row.b = row.b + weight
    row.a = now
    if row.d == FRESH then row.d = now end
  end
  if row.log.items or not is_merged then save(policy, row, now) end
end
function sliding_log.give_back(policy, row, at, amount, now)
  row.c = keep(row.log, row.c, row.a)
  row.b = row.b - lighten(row.log, row.c, at, amount)
  row.a, row.d = newest_of(row.log, row.c), FRESH
  save(policy, row, now)
end
function sliding_log.next(policy, row, now)
  local remaining = max(0, policy.limit - row.b)
  return remaining < policy.limit and sliding_log.wait(policy, row, now, remaining + 1) or 0
end
function sliding_log.reset(policy, row, now)
  return row.b > 0 and row.a + policy.window - now or 0
end
`,
  'single-log': `local step = sliding_log
local policy = { limit = limit, window = window }
local rows = value and rows_of(value) or {}
local row = load_row(rows, find_row(rows, tag, 1))
row.tag, row.key = tag, list
local went_back = step.advance(policy, row, now)
local wait = (cost == 0 or mode == FORCE) and 0 or step.wait(policy, row, now, cost)
local allowed = wait == 0
local write = mode ~= PEEK and (went_back or (allowed and cost > 0))
if write then step.take(policy, row, now, allowed and cost or 0) end
if write then
  row.ends = now + step.reset(policy, row, now)
  write_row(key, row, rows, now)
elseif not allowed and mode ~= PEEK then
  heal_expiry(key, rows, now)
  heal_expiry(list, rows, now)
end
return cmsgpack.pack(ANSWER, now, wait, row.a, row.b, step.next(policy, row, now))
`,
  'step=fixed-window': `local fixed_window = {}
function fixed_window.advance(policy, row, now)
  local went_back
  if policy.extra ~= 'first-hit' then
    local start = now - now % policy.window
    went_back = row.a > start
    if row.a < start then row.b = 0 end
    row.a = start
  elseif row.b == 0 or now >= row.a + policy.window then
    went_back = false
    row.a, row.b = now, 0
  else
    went_back = row.a > now
    if went_back then row.a = now end
  end
  return went_back
end
function fixed_window.wait(policy, row, now, cost)
  local wait = 0
  if cost > policy.limit then
    wait = NEVER
  elseif row.b + cost > policy.limit then
    wait = row.a + policy.window - now
  end
  return wait
end
function fixed_window.take(policy, row, now, cost)
  row.b = row.b + cost
  if row.b > MAX_SAFE then row.b = MAX_SAFE end
end
function fixed_window.give_back(policy, row, at, amount)
  local current
  if policy.extra == 'first-hit' then
    current = at >= row.a
  else
    current = at - at % policy.window == row.a
  end
  if current then row.b = max(0, row.b - amount) end
end
function fixed_window.reset(policy, row, now)
  return row.b > 0 and row.a + policy.window - now or 0
end
`,
  'step=sliding-window': `local sliding_window = {}
function sliding_window.advance(policy, row, now)
  local window = policy.window
  local start = now - now % window
  local went_back = row.a > start
  if went_back then
    row.b = max(row.b, min(policy.limit, row.b + row.c))
    row.c = 0
  elseif row.a < start then
    row.c = row.a == start - window and row.b or 0
    row.b = 0
  end
  row.a = start
  return went_back
end
function sliding_window.wait(policy, row, now, cost)
  local limit, window = policy.limit, policy.window
  local left, wait = row.a + window - now, 0
  local spare = limit - row.b - cost
  if cost > limit then
    wait = NEVER
  elseif spare < 0 then
    wait = left + window - floor((limit - cost) * window / row.b)
  elseif row.c > 0 then
    wait = max(0, left - floor(spare * window / row.c))
  end
  return wait
end
function sliding_window.take(policy, row, now, cost)
  local used = row.b + cost
  row.b = used * policy.window <= MAX_SAFE and used or floor(MAX_SAFE / policy.window)
end
function sliding_window.give_back(policy, row, at, amount)
  local start = at - at % policy.window
  if start == row.a then
    row.b = max(0, row.b - amount)
  elseif start == row.a - policy.window then
    row.c = max(0, row.c - amount)
  end
end
function sliding_window.reset(policy, row, now)
  local left = row.a + policy.window - now
  return row.b > 0 and left + policy.window or row.c > 0 and left or 0
end
`,
  'step=token-bucket': `local token_bucket = {}
function token_bucket.advance(policy, row, now)
  local full = policy.limit * policy.window
  if row.a == FRESH then
    row.a, row.b, row.c = now, full, now
  end
  local went_back = row.a > now
  local gain = went_back and 0 or (now - row.a) * policy.extra
  local missing = full - row.b
  if gain < missing then
    row.b = row.b + gain
  elseif missing ~= 0 then
    row.b = full
    row.c = missing > 0 and row.a + ceil(missing / policy.extra) or now
  end
  row.a = now
  return went_back
end
function token_bucket.wait(policy, row, now, cost)
  return cost > policy.limit and NEVER or ceil(max(0, cost * policy.window - row.b) / policy.extra)
end
function token_bucket.take(policy, row, now, cost)
  row.b = max(row.b - cost * policy.window, policy.limit * policy.window - MAX_SAFE)
end
function token_bucket.give_back(policy, row, at, amount)
  if at >= row.c then row.b = min(policy.limit * policy.window, row.b + amount * policy.window) end
end
function token_bucket.reset(policy, row, now)
  return ceil(max(0, policy.limit * policy.window - row.b) / policy.extra)
end
`,
  steps: `local STEPS = { ['fixed-window'] = fixed_window, ['sliding-window'] = sliding_window, ['token-bucket'] = token_bucket }
`,
  policies: `local key_number = 0
local function key()
  key_number = key_number + 1
  return KEYS[key_number]
end
local function parse_policy(given)
  local kind, tag, limit, window, extra, asked = unpack(given)
  assert(tag + limit + window)
  return {
    kind = kind,
    step = assert(STEPS[kind], 'no such kind'),
    tag = tag,
    policy = { limit = limit, window = window, extra = extra },
    asked = assert(asked, 'nothing is asked'),
    key = kind == 'sliding-log' and key() or nil,
  }
end
`,
  many: `local function parse_group(question)
  local until_when, span, mode, subjects = unpack(cjson.decode(question))
  local group = { left = until_when - now, span = span, mode = mode, subjects = {} }
  for s, policies in ipairs(subjects) do
    local subject = { key = key(), entries = {} }
    group.subjects[s] = subject
    for i, given in ipairs(policies) do subject.entries[i] = parse_policy(given) end
  end
  return group
end
local function advance(group)
  local admitted = true
  for _, subject in ipairs(group.subjects) do
    subject.rows = read_rows(subject.key)
    for i, entry in ipairs(subject.entries) do
      local row = load_row(subject.rows, find_row(subject.rows, entry.tag, (i - 1) * WIDTH + 1))
      row.tag, row.key, entry.row = entry.tag, entry.key, row
      entry.went_back = entry.step.advance(entry.policy, row, now)
      local waits = entry.asked > 0 and group.mode ~= FORCE
      entry.wait = waits and entry.step.wait(entry.policy, row, now, entry.asked) or 0
      if entry.wait ~= 0 then admitted = false end
    end
  end
  return admitted
end
local function write(subject, allowed)
  local ours = {}
  for _, entry in ipairs(subject.entries) do
    local cost = allowed and entry.asked or 0
    if cost > 0 or entry.went_back then
      entry.step.take(entry.policy, entry.row, now, cost)
      entry.row.ends = now + entry.step.reset(entry.policy, entry.row, now)
      ours[#ours + 1] = entry.row
    end
  end
  if #ours > 0 then
    write_rows(subject.key, ours, subject.rows, now)
  elseif not allowed then
    heal_expiry(subject.key, subject.rows, now)
    for _, entry in ipairs(subject.entries) do
      if entry.key then heal_expiry(entry.key, subject.rows, now) end
    end
  end
end
local function reply_to(group, reply)
  if group.left < 0 or group.left > group.span then
    reply[#reply + 1] = cmsgpack.pack(LATE)
    return
  end
  local allowed = advance(group)
  for _, subject in ipairs(group.subjects) do
    if group.mode ~= PEEK then write(subject, allowed) end
    for _, entry in ipairs(subject.entries) do
      local step, row = entry.step, entry.row
      local last = step.next and step.next(entry.policy, row, now) or row.c
      reply[#reply + 1] = cmsgpack.pack(entry.wait, row.a, row.b, last)
    end
  end
end
local groups, reply = {}, { cmsgpack.pack(ANSWER, now) }
for i, question in ipairs(ARGV) do groups[i] = parse_group(question) end
for _, group in ipairs(groups) do reply_to(group, reply) end
return table.concat(reply)
`,
  'steps+log': `local STEPS = { ['fixed-window'] = fixed_window, ['sliding-window'] = sliding_window, ['token-bucket'] = token_bucket, ['sliding-log'] = sliding_log }
`,
  settle: `local _, _, at, mark_life, policies = unpack(question)
local value, mark = key(), key()
local entries, rows, ours = {}, read_rows(value), {}
for i, given in ipairs(policies) do entries[i] = parse_policy(given) end
local function load(entry)
  local found = find_row(rows, entry.tag, 1)
  if entry.asked == 0 or (entry.asked < 0 and not found) then return end
  local row = load_row(rows, found)
  row.tag, row.key, entry.row = entry.tag, entry.key, row
  entry.step.advance(entry.policy, row, now)
end
local function settle(entry)
  local step, policy, row, more = entry.step, entry.policy, entry.row, entry.asked
  if not row then return end
  if more > 0 then
    step.take(policy, row, now, more)
  else
    step.give_back(policy, row, at, -more, now)
  end
  row.ends = now + step.reset(policy, row, now)
  ours[#ours + 1] = row
end
for _, entry in ipairs(entries) do load(entry) end
if call('SET', mark, '1', 'NX', 'PX', mark_life) then
  for _, entry in ipairs(entries) do settle(entry) end
  if #ours > 0 then write_rows(value, ours, rows, now) end
end
return cmsgpack.pack(ANSWER, now, 1)
`,
  repay: `local _, _, mark_life, given_subjects = unpack(question)
local mark = key()
local REPAY = {}
REPAY['fixed-window'] = function(policy, row, at, amount)
  if policy.extra == 'first-hit' then
    if row.replayed then fixed_window.advance(policy, row, at) elseif now - at >= policy.window then return false end
  elseif at - at % policy.window ~= row.a then
    return false
  end
  fixed_window.take(policy, row, now, amount)
  return true
end
REPAY['sliding-window'] = function(policy, row, at, amount)
  local start = at - at % policy.window
  if start == row.a then
    sliding_window.take(policy, row, now, amount)
  elseif start == row.a - policy.window then
    row.c = min(row.c + amount, floor(MAX_SAFE / policy.window))
  else
    return false
  end
  return true
end
REPAY['sliding-log'] = function(policy, row, at, amount)
  if now - at >= policy.window then return false end
  sliding_log.take(policy, row, now, amount)
  return true
end
REPAY['token-bucket'] = function(policy, row, at, amount)
  if row.replayed then token_bucket.advance(policy, row, max(at, row.a)) end
  token_bucket.take(policy, row, now, amount)
  return true
end
local function parse_subject(policies)
  local subject = { key = key(), entries = {} }
  for i, given in ipairs(policies) do subject.entries[i] = parse_policy(given) end
  return subject
end
local function load(subject)
  subject.rows = read_rows(subject.key)
  for _, entry in ipairs(subject.entries) do
    entry.found = find_row(subject.rows, entry.tag, 1)
    local row = load_row(subject.rows, entry.found)
    row.tag, row.key, entry.row = entry.tag, entry.key, row
    entry.step.advance(entry.policy, row, now)
  end
end
local function set_back(entry, first)
  local policy, row = entry.policy, entry.row
  if entry.kind == 'token-bucket' and row.b == policy.limit * policy.window then
    if not entry.found then row.c = first end
    row.a = max(first, row.c)
    row.replayed = true
  elseif policy.extra == 'first-hit' then
    row.replayed = row.b == 0
  end
end
local function charge(entry)
  local policy, row, step, counts = entry.policy, entry.row, entry.step, false
  set_back(entry, min(now, entry.asked[1][1]))
  for _, part in ipairs(entry.asked) do
    if REPAY[entry.kind](policy, row, min(now, part[1]), part[2]) then counts = true end
  end
  if row.replayed then step.advance(policy, row, now) end
  local reset = step.reset(policy, row, now)
  row.ends = now + reset
  return counts and reset > 0
end
local function pay(subject)
  local ours = {}
  for _, entry in ipairs(subject.entries) do
    if #entry.asked > 0 and charge(entry) then ours[#ours + 1] = entry.row end
  end
  if #ours > 0 then write_rows(subject.key, ours, subject.rows, now) end
end
local subjects, skipped = {}, 0
for s, policies in ipairs(given_subjects) do subjects[s] = parse_subject(policies) end
for _, subject in ipairs(subjects) do
  subject.ok = pcall(load, subject)
  if not subject.ok then skipped = skipped + 1 end
end
if not call('SET', mark, '1', 'NX', 'PX', mark_life) then return cmsgpack.pack(ANSWER, now, 0) end
for _, subject in ipairs(subjects) do
  if subject.ok and not pcall(pay, subject) then skipped = skipped + 1 end
end
return cmsgpack.pack(ANSWER, now, skipped)
`,
} as const

/** A script: its text, and its SHA-1 with a `#!lua` line in front and (for servers before 7.0) without. */
export interface Script {
  readonly text: string
  readonly sha: string
  readonly plainSha: string
}

export type ScriptName = 'fixed-window' | 'sliding-window' | 'token-bucket' | 'sliding-log' | 'counters' | 'all' | 'settle' | 'repay'

export const SCRIPTS: { readonly [K in ScriptName]: Script } = {
  'fixed-window': {
    text: PARTS.time + PARTS['single=fixed-window'],
    sha: '8c893b91ac913f22055efc9c731266950595c60d',
    plainSha: 'b6b3c44bc14a24890f33dd809ca5ac6dea1db4f4',
  },
  'sliding-window': {
    text: PARTS.time + PARTS['single=sliding-window'],
    sha: 'fcc7e5f501791b8e7cc18904d9367c0383f381e2',
    plainSha: 'ce0167f47b546d2da0b3d8ba0529bdb2db3f5668',
  },
  'token-bucket': {
    text: PARTS.time + PARTS['single=token-bucket'],
    sha: 'be6c1036b8d9b1db7fd85781e172f3a992555085',
    plainSha: 'c66625b22ac2653eecf39dd183780e3ab23cf306',
  },
  'sliding-log': {
    text: PARTS.time + PARTS.words + PARTS.question + PARTS['log-blocks'] + PARTS['quick-log'] + PARTS['quick-list'] + PARTS.math + PARTS.rows + PARTS.writing + PARTS['log-entries'] + PARTS['sliding-log'] + PARTS['single-log'],
    sha: '1d56a8a3f97d412fa8d9347641d86dd4ecb4df18',
    plainSha: 'abe246314d293e645bef3558257e2569b41c642b',
  },
  counters: {
    text: PARTS.time + PARTS.words + PARTS.math + PARTS.rows + PARTS.writing + PARTS['step=fixed-window'] + PARTS['step=sliding-window'] + PARTS['step=token-bucket'] + PARTS.steps + PARTS.policies + PARTS.many,
    sha: 'e73a1bf59c549ab52817b0879f8edd8604095eeb',
    plainSha: 'f5ffae6f440895911193ff41bd37992e13a3bb96',
  },
  all: {
    text: PARTS.time + PARTS.words + PARTS.math + PARTS.rows + PARTS.writing + PARTS['step=fixed-window'] + PARTS['step=sliding-window'] + PARTS['step=token-bucket'] + PARTS['log-blocks'] + PARTS['log-entries'] + PARTS['sliding-log'] + PARTS['steps+log'] + PARTS.policies + PARTS.many,
    sha: '427c54d7b0eef61a6ec9ef6fa3003149da7d87dc',
    plainSha: 'c8e4f10f57105612beb189e5a1a565ab2c11d9b6',
  },
  settle: {
    text: PARTS.time + PARTS.words + PARTS.question + PARTS.math + PARTS.rows + PARTS.writing + PARTS['step=fixed-window'] + PARTS['step=sliding-window'] + PARTS['step=token-bucket'] + PARTS['log-blocks'] + PARTS['log-entries'] + PARTS['sliding-log'] + PARTS['steps+log'] + PARTS.policies + PARTS.settle,
    sha: '173bb8d86f9a2b093efb41421f141a9158bdfe2e',
    plainSha: '1e9beb79669df83df5132ccbc9b5ba5b92225084',
  },
  repay: {
    text: PARTS.time + PARTS.words + PARTS.question + PARTS.math + PARTS.rows + PARTS.writing + PARTS['step=fixed-window'] + PARTS['step=sliding-window'] + PARTS['step=token-bucket'] + PARTS['log-blocks'] + PARTS['log-entries'] + PARTS['sliding-log'] + PARTS['steps+log'] + PARTS.policies + PARTS.repay,
    sha: '6851926e73600eb9d953f525e2bb53f3143b674d',
    plainSha: 'f8d155679349124d118f4b615eafc397fc22144c',
  },
}
