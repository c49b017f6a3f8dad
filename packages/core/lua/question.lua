-- When a script may charge. ARGV begins with a time, after which nobody waits for the answer, and a list in JSON: the first
-- of it is for how long before that the question may come. A server that is before that had its clock set back.
local question = cjson.decode(ARGV[2])
local left = ARGV[1] - now
if left < 0 or left > question[1] then return cmsgpack.pack(ANSWER, now, LATE) end
