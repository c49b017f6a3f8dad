-- The server's clock in whole milliseconds. Called once a script: a second reading may differ from the first.
local function server_now()
  local time = redis.call('TIME')
  local micros = time[2] + 0
  return time[1] * 1000 + (micros - micros % 1000) / 1000
end
