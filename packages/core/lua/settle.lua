-- Corrects what a subject was charged at `at` by a difference for each policy: up as a charge that asks nobody, down only as
-- far as the charge still counts. A policy that is no longer known gets nothing back. A mark makes it happen at most once.
-- KEYS: value, mark, then a list for each log.
-- ARGV: at, not before, not after, life of the mark, policies; a policy: kind, tag, limit, window, extra, difference.
-- Reply: now, LATE; or now, 1.
local value, mark = key(), key()
local at, not_before, not_after, mark_life = number(), number(), number(), number()
if now < not_before or now > not_after then return { now, LATE } end

local function parse_policy()
  local entry = { step = assert(STEPS[text()], 'no such kind'), tag = number() }
  entry.policy = { limit = number(), window = number() }
  local extra = text()
  entry.policy.extra = tonumber(extra) or extra
  entry.more = number()
  if entry.step == STEPS['sliding-log'] then entry.key = key() end
  return entry
end

local entries, rows, ours = {}, read_rows(value), {}
for i = 1, number() do entries[i] = parse_policy() end

local function settle(entry)
  local step, policy, more = entry.step, entry.policy, entry.more
  local found = find_row(rows, entry.tag, 1)
  if more == 0 or (more < 0 and not found) then return nil end
  local row = load_row(rows, found)
  row.tag, row.key = entry.tag, entry.key
  step.advance(policy, row, now)
  if more > 0 then
    step.take(policy, row, now, more)
  else
    step.give_back(policy, row, at, -more, now)
  end
  row.ends = now + step.reset(policy, row, now)
  return row
end

if redis.call('SET', mark, '1', 'NX', 'PX', mark_life) then
  for _, entry in ipairs(entries) do ours[#ours + 1] = settle(entry) end
  if #ours > 0 then write_rows(value, ours, rows, now) end
end
return { now, 1 }
