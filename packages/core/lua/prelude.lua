-- The value that holds a subject's rows.
--
-- It is a flat list, packed: tag, a, b, c, d, ends, tag, a, … A row's tag tells which policy it belongs to, never with
-- what limit; at `ends`, if not sooner, it says no more than a missing row would. Rows that a script was not asked about
-- belong to another version of the application: they are carried, unchanged, until they end.

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max

local function read_rows(key)
  local value = call('GET', key)
  return value and { cmsgpack.unpack(value) } or {}
end

-- Where the row with that tag begins, looking first where it mostly is.
local function find_row(rows, tag, likely)
  if rows[likely] == tag then return likely end
  for i = 1, #rows, WIDTH do
    if rows[i] == tag then return i end
  end
end

-- A row may be given `kept`, which is written in place of its `c`.
local function load_row(rows, at)
  if not at then return { a = FRESH, b = 0, c = 0, d = FRESH } end
  return { a = rows[at + 1], b = rows[at + 2], c = rows[at + 3], d = rows[at + 4] }
end

-- Ours first, then those carried. A value always gets its expiry with it: no key can lack one.
local function write_rows(key, ours, rows, now)
  local out, last, own = {}, now + 1, {}
  for _, row in ipairs(ours) do
    own[row.tag] = true
    for _, number in ipairs({ row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends }) do out[#out + 1] = number end
    last = max(last, row.ends)
  end
  for at = 1, #rows, WIDTH do
    local ends = rows[at + WIDTH - 1]
    if ends > now and not own[rows[at]] and #out < MAX_ROWS * WIDTH then
      for i = at, at + WIDTH - 1 do out[#out + 1] = rows[i] end
      last = max(last, ends)
    end
  end
  call('SET', key, cmsgpack.pack(unpack(out)), 'PX', last - now)
end

-- The same where nothing has to be carried, which is the common case.
local function write_row(key, row, rows, now)
  if #rows > WIDTH or (rows[1] and rows[1] ~= row.tag) then return write_rows(key, { row }, rows, now) end
  call('SET', key, cmsgpack.pack(row.tag, row.a, row.b, row.kept or row.c, row.d, row.ends), 'PX', max(1, row.ends - now))
end

-- A refusal writes nothing, but a key that has lost its expiry gets one again, for as long as a row says anything.
local function heal_expiry(key, rows, now)
  if call('PTTL', key) ~= -1 then return end
  local last = now + 1
  for at = WIDTH, #rows, WIDTH do last = max(last, rows[at]) end
  call('PEXPIRE', key, last - now)
end
