-- One log of one subject, where `quick-log` has not answered.
local step = sliding_log
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
