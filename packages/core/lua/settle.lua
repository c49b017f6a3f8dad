-- Corrects what was charged at `at` by a difference for each policy: up as a charge that asks nobody, down only as far
-- as the charge still counts. A subject that is no longer known gets nothing back.
-- KEYS: for each subject its value, then a list for each of its logs.
-- ARGV: at, not before, not after, subjects; a subject: policies; a policy: kind, tag, limit, window, extra, difference.
-- Reply: now, LATE; or now, 1.
local now = server_now()
local argument, key_number = 0, 0
local function text()
  argument = argument + 1
  return ARGV[argument]
end
local function number()
  return assert(tonumber(text()), 'a number is missing')
end
local function key()
  key_number = key_number + 1
  return KEYS[key_number]
end

local at, not_before, not_after = number(), number(), number()
if now < not_before or now > not_after then return { now, LATE } end

local function parse_policy()
  local entry = { step = assert(STEPS[text()], 'no such kind'), tag = number() }
  entry.policy = { limit = number(), window = number() }
  local extra = text()
  entry.policy.extra = tonumber(extra) or extra
  entry.more = number()
  entry.key = entry.step == STEPS['sliding-log'] and key() or nil
  return entry
end

local subjects = {}
for s = 1, number() do
  subjects[s] = { key = key(), entries = {} }
  for i = 1, number() do subjects[s].entries[i] = parse_policy() end
end

local function settle(entry, rows)
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

for _, subject in ipairs(subjects) do
  local rows, ours = read_rows(subject.key), {}
  for _, entry in ipairs(subject.entries) do ours[#ours + 1] = settle(entry, rows) end
  if #ours > 0 then write_rows(subject.key, ours, rows, now) end
end
return { now, 1 }
