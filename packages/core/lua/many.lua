-- Any number of groups; a group is one decision over the policies of one or more subjects: all are charged, or none.
-- KEYS: for each subject its value, then a list for each of its logs.
-- ARGV: for each group as a question: until, span, mode, subjects; a subject: policies; asked of each is its cost.
-- Reply, packed: ANSWER, now; a group: LATE, or for each policy wait, a, b, c; in place of a log's c its next. A group is allowed
-- where nothing waits.

local function parse_group(question)
  local until_when, span, mode, subjects = unpack(cjson.decode(question))
  local group = { left = until_when - now, span = span, mode = mode, subjects = {} }
  for s, policies in ipairs(subjects) do
    local subject = { key = key(), entries = {} }
    group.subjects[s] = subject
    for i, given in ipairs(policies) do subject.entries[i] = parse_policy(given) end
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
      local waits = entry.asked > 0 and group.mode ~= FORCE
      entry.wait = waits and entry.step.wait(entry.policy, row, now, entry.asked) or 0
      if entry.wait ~= 0 then admitted = false end
    end
  end
  return admitted
end

local function write(subject, allowed)
  local ours = {}
  for _, entry in ipairs(subject.entries) do
    local cost = allowed and entry.asked or 0
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
  if group.left < 0 or group.left > group.span then
    reply[#reply + 1] = cmsgpack.pack(LATE)
    return
  end
  local allowed = advance(group)
  for _, subject in ipairs(group.subjects) do
    if group.mode ~= PEEK then write(subject, allowed) end
    for _, entry in ipairs(subject.entries) do
      local step, row = entry.step, entry.row
      local last = step.next and step.next(entry.policy, row, now) or row.c
      reply[#reply + 1] = cmsgpack.pack(entry.wait, row.a, row.b, last)
    end
  end
end

-- Everything is parsed before anything is written. Each policy's answer is packed by itself: a function takes only so many
-- arguments, and would throw after the writes.
local groups, reply = {}, { cmsgpack.pack(ANSWER, now) }
for i, question in ipairs(ARGV) do groups[i] = parse_group(question) end
for _, group in ipairs(groups) do reply_to(group, reply) end
return table.concat(reply)
