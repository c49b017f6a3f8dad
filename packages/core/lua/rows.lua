-- The value that holds a subject's rows, and what reads it.
--
-- It is a flat list, packed: tag, a, b, c, d, ends, tag, a, … A row's tag tells which policy it belongs to, never with
-- what limit; at `ends`, if not sooner, it says no more than a missing row would. Rows that a script was not asked about
-- belong to another version of the application: they are carried, unchanged, until they end.

-- Any text reads as packed numbers, but as none that end in this century. Of a row only `c` may be a text: packed entries.
local function unpack_rows(value)
  local rows = { cmsgpack.unpack(value) }
  local are_ours = #rows > 0 and #rows % WIDTH == 0
  for at = 1, #rows, WIDTH do
    local ends = rows[at + 5]
    local sum = rows[at] + rows[at + 1] + rows[at + 2] + rows[at + 4] + ends
    -- A time, and at most as long again.
    local is_end = type(ends) == 'number' and ends > LONG_AGO and ends <= 2 * MAX_SAFE
    are_ours = are_ours and is_end and rows[at + 3] and sum % 1 == 0
  end
  return are_ours and rows
end

-- Throws where it is none of ours, before anything is written: else a decision could fail with a half of it charged.
local function rows_of(value)
  local is_read, rows = pcall(unpack_rows, value)
  if not (is_read and rows) then error('the key holds no counts: delete it, or give the store another prefix') end
  return rows
end

local function read_rows(key)
  local value = call('GET', key)
  return value and rows_of(value) or {}
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
