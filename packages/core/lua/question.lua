-- When a script may charge. ARGV is a list in JSON. It begins with a time, after which nobody waits for the answer, and with
-- for how long before that the question may come: a server that is before that had its clock set back.
local question = cjson.decode(ARGV[1])
local left = question[1] - now
if left < 0 or left > question[2] then return cmsgpack.pack(ANSWER, now, LATE) end
