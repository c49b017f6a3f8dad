-- The entries of one sliding log: a list of pairs (time, weight), oldest first, one for each millisecond charged.
--
-- They stand in blocks of BLOCK. A block is led by a pair of its own: the time that its entries count from, which keeps
-- them small, and the weight of all entries before it (modulo WRAP: only differences matter), so that a sum over many
-- entries is a subtraction. `head` entries of the first may be dead: they are cut off by whole blocks, and of a log that is
-- one block by what makes a call quick.
--
-- What would be a short list stands in the row itself, packed, in place of `c`.

-- What commands do to a list, done to one that stands in the row.
local KEPT_LIST = {
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

-- Without a row nothing is known of the list, and one that is shorter than the row says was evicted: both are empty.
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

-- Weight of entries i to j − 1, which stand in one block.
local function weight_within(log, i, j)
  if i >= j then return 0 end
  local pairs_of = on_list(log, 'LRANGE', place_of(i), place_of(j - 1) + 1)
  local sum = 0
  for k = 2, #pairs_of, 2 do sum = sum + tonumber(pairs_of[k]) end
  return sum
end

-- Weight before entry i, modulo WRAP.
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

-- Index of the first entry from `from` on that is later than `time`. Gallops: mostly few have expired.
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

-- Mostly few have expired: one look at the first entries tells what has, what it weighed, and what is the oldest now that
-- weighs something. False when it takes more than that.
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

-- Goes through pairs from entry i of its block, at most `most` of them: the time at which `weight` is reached, or nil and
-- what is missing.
local function scan(log, i, weight, most)
  local last = min(place_of(i) + 2 * most, block_place(i) + SPAN) - 1
  local entries = on_list(log, 'LRANGE', place_of(i), last)
  for k = 1, #entries, 2 do
    weight = weight - tonumber(entries[k + 1])
    if weight <= 0 then return number_at(log, block_place(i)) + tonumber(entries[k]) end
  end
  return nil, weight
end

-- Time of the entry with which the weight counted from entry i reaches `weight`. Mostly it is among the first.
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

-- Adds weight at `now`, no earlier than `newest`, the time of the last entry.
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

-- Brings entries later than `now` together at `now`.
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

-- Cuts off what is before entry i, by whole blocks; the index that entry i has then.
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

-- Takes weight, as far as there is, from the entry of that time; says how much. The last entry always weighs something.
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
