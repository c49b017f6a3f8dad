-- What scripts are asked of a list of things: keys in their order, and policies.
local key_number = 0

local function key()
  key_number = key_number + 1
  return KEYS[key_number]
end

-- Of the list kind, tag, limit, window, extra, and what is asked of it. Throws where one is missing: an error after a write
-- would keep the write.
local function parse_policy(given)
  local kind, tag, limit, window, extra, asked = unpack(given)
  assert(tag + limit + window)
  return {
    kind = kind,
    step = assert(STEPS[kind], 'no such kind'),
    tag = tag,
    policy = { limit = limit, window = window, extra = extra },
    asked = assert(asked, 'nothing is asked'),
    key = kind == 'sliding-log' and key() or nil,
  }
end
