-- The server's clock in whole milliseconds. Called once a script: a second reading may differ from the first.
local function server_now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
