-- Every command is called by this name, which is looked up once.
local call = redis.call
-- The server's clock in whole milliseconds, read once a script: a second reading may differ from the first.
local time = call('TIME')
local micros = time[2] + 0
local now = time[1] * 1000 + (micros - micros % 1000) / 1000
