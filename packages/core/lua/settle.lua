-- Corrects what a subject was charged at `at` by a difference for each policy: up as a charge that asks nobody, down only as
-- far as the charge still counts. A policy that is no longer known gets nothing back. A mark makes it happen at most once.
-- KEYS: value, mark, then a list for each log.
-- ARGV: as a question: until, span, at, life of the mark, policies; asked of each is the difference.
-- Reply, packed: ANSWER, now, LATE; or now, 1.
local _, _, at, mark_life, policies = unpack(question)
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

-- All is read before the mark is set: what fails is tried again.
for _, entry in ipairs(entries) do load(entry) end
if call('SET', mark, '1', 'NX', 'PX', mark_life) then
  for _, entry in ipairs(entries) do settle(entry) end
  if #ours > 0 then write_rows(value, ours, rows, now) end
end
return cmsgpack.pack(ANSWER, now, 1)
