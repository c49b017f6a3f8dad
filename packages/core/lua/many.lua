-- Any number of groups; a group is one decision over the policies of one or more subjects: all are charged, or none.
-- KEYS: for each subject its value, then a list for each of its logs.
-- ARGV: mode, groups; a group: not before, not after, subjects; a subject: policies; a policy: kind, tag, limit, window,
-- extra, cost. Reply: now; a group: LATE, or allowed and for each policy wait, a, b, c; in place of a log's c its next.
local mode = text()

local function parse_policy(subject)
  local entry = { step = assert(STEPS[text()], 'no such kind'), tag = number() }
  entry.policy = { limit = number(), window = number() }
  local extra = text()
  entry.policy.extra = tonumber(extra) or extra
  entry.cost = number()
  entry.key = entry.step == STEPS['sliding-log'] and key() or nil
  subject.entries[#subject.entries + 1] = entry
end

local function parse_group()
  local group = { not_before = number(), not_after = number(), subjects = {} }
  for s = 1, number() do
    local subject = { key = key(), entries = {} }
    group.subjects[s] = subject
    for _ = 1, number() do parse_policy(subject) end
  end
  return group
end

-- Loads every row and brings it to now; true when every policy admits. Writes nothing.
local function advance(group)
  local admitted = true
  for _, subject in ipairs(group.subjects) do
    subject.rows = read_rows(subject.key)
    for i, entry in ipairs(subject.entries) do
      local row = load_row(subject.rows, find_row(subject.rows, entry.tag, (i - 1) * WIDTH + 1))
      row.tag, row.key, entry.row = entry.tag, entry.key, row
      entry.went_back = entry.step.advance(entry.policy, row, now)
      local asked = entry.cost > 0 and mode ~= FORCE
      entry.wait = asked and entry.step.wait(entry.policy, row, now, entry.cost) or 0
      if entry.wait ~= 0 then admitted = false end
    end
  end
  return admitted
end

local function write(subject, allowed)
  local ours = {}
  for _, entry in ipairs(subject.entries) do
    local cost = allowed and entry.cost or 0
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
  if now < group.not_before or now > group.not_after then
    reply[#reply + 1] = LATE
    return
  end
  local allowed = advance(group)
  reply[#reply + 1] = allowed and 1 or 0
  for _, subject in ipairs(group.subjects) do
    if mode ~= PEEK then write(subject, allowed) end
    for _, entry in ipairs(subject.entries) do
      local step, row = entry.step, entry.row
      local last = step.next and step.next(entry.policy, row, now) or row.c
      for _, value in ipairs({ entry.wait, row.a, row.b, last }) do reply[#reply + 1] = value end
    end
  end
end

-- Everything is parsed before anything is written: an error after a write would keep the write.
local groups, reply = {}, { now }
for g = 1, number() do groups[g] = parse_group() end
for _, group in ipairs(groups) do reply_to(group, reply) end
return reply
