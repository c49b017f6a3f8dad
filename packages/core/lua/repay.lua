-- Charges what was admitted without this server, as far as it would still count now had it been charged then: what belongs
-- to a window that has ended is left out. A mark makes it happen at most once.
-- KEYS: mark; for each subject its value, then a list for each of its logs.
-- ARGV: as a question: until, span, life of the mark, subjects; a subject: policies; asked of each are its parts; a part, the oldest
-- first: when, how much. Reply, packed: ANSWER, now, LATE; or now, subjects that could not be charged.
local _, _, mark_life, given_subjects = unpack(question)
local mark = key()

-- One part of what is owed: true where it counts still.
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

-- An entry can't be put between others: it counts from now on.
REPAY['sliding-log'] = function(policy, row, at, amount)
  if now - at >= policy.window then return false end
  sliding_log.take(policy, row, now, amount)
  return true
end

-- What has run over since pays.
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

-- A row that says nothing, as a full bucket, is set back to when it was charged first, and brought to now again. One that
-- was charged meanwhile does not tell what it was like before.
local function set_back(entry, first)
  local policy, row = entry.policy, entry.row
  if entry.kind == 'token-bucket' and row.b == policy.limit * policy.window then
    -- Without a row it has been full for ever.
    if not entry.found then row.c = first end
    row.a = max(first, row.c)
    row.replayed = true
  elseif policy.extra == 'first-hit' then
    row.replayed = row.b == 0
  end
end

-- False where nothing of it counts: then the row stays as it was, and what a clock set back left in it is for the next call.
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

-- A value that is not ours is nobody else's matter. All is read before anything is written.
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
