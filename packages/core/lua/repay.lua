-- Charges what was admitted without this server, as far as it would still count now had it been charged then: what belongs
-- to a window that has ended is left out. A mark makes it happen at most once.
-- KEYS: mark; for each subject its value, then a list for each of its logs.
-- ARGV: life of the mark, not before, not after, subjects; a subject: policies; a policy: kind, tag, limit, window, extra,
-- parts; a part, the oldest first: when, how much. Reply: now, LATE; or now, subjects that could not be charged.
local mark = key()
local mark_life, not_before, not_after = number(), number(), number()
if now < not_before or now > not_after then return { now, LATE } end

local REPAY = {}

REPAY['fixed-window'] = function(policy, row, at, amount)
  if policy.extra == 'first-hit' then
    if row.replayed then fixed_window.advance(policy, row, at) elseif now - at >= policy.window then return end
  elseif at - at % policy.window ~= row.a then
    return
  end
  fixed_window.take(policy, row, now, amount)
end

REPAY['sliding-window'] = function(policy, row, at, amount)
  local start = at - at % policy.window
  if start == row.a then
    sliding_window.take(policy, row, now, amount)
  elseif start == row.a - policy.window then
    row.c = min(row.c + amount, floor(MAX_SAFE / policy.window))
  end
end

-- An entry can't be put between others: it counts from now on.
REPAY['sliding-log'] = function(policy, row, at, amount)
  if now - at < policy.window then sliding_log.take(policy, row, now, amount) end
end

-- What has run over since pays.
REPAY['token-bucket'] = function(policy, row, at, amount)
  if row.replayed then token_bucket.advance(policy, row, max(at, row.a)) end
  token_bucket.take(policy, row, now, amount)
end

local function parse_policy()
  local kind = text()
  local entry = { kind = kind, step = assert(STEPS[kind], 'no such kind'), tag = number(), parts = {} }
  entry.policy = { limit = number(), window = number() }
  local extra = text()
  entry.policy.extra = tonumber(extra) or extra
  for p = 1, number() do entry.parts[p] = { at = min(now, (number())), amount = number() } end
  if kind == 'sliding-log' then entry.key = key() end
  return entry
end

local function parse_subject()
  local subject = { key = key(), entries = {} }
  for i = 1, number() do subject.entries[i] = parse_policy() end
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

local function charge(entry)
  local policy, row, step = entry.policy, entry.row, entry.step
  set_back(entry, entry.parts[1].at)
  for _, part in ipairs(entry.parts) do REPAY[entry.kind](policy, row, part.at, part.amount) end
  if row.replayed then step.advance(policy, row, now) end
  local reset = step.reset(policy, row, now)
  row.ends = now + reset
  return reset > 0
end

-- A value that is not ours is nobody else's matter. All is read before anything is written.
local subjects, skipped = {}, 0
for s = 1, number() do subjects[s] = parse_subject() end
for _, subject in ipairs(subjects) do
  subject.ok = pcall(load, subject)
  if not subject.ok then skipped = skipped + 1 end
end
if not redis.call('SET', mark, '1', 'NX', 'PX', mark_life) then return { now, 0 } end
for _, subject in ipairs(subjects) do
  local ours = {}
  for _, entry in ipairs(subject.entries) do
    if subject.ok and #entry.parts > 0 and charge(entry) then ours[#ours + 1] = entry.row end
  end
  if #ours > 0 then write_rows(subject.key, ours, subject.rows, now) end
end
return { now, skipped }
