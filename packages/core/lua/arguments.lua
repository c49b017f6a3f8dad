-- Arguments and keys in their order, for scripts that are asked of a list of things.
local argument, key_number = 0, 0
local function text()
  argument = argument + 1
  return ARGV[argument]
end
local function number()
  return assert(tonumber(text()), 'a number is missing')
end
local function key()
  key_number = key_number + 1
  return KEYS[key_number]
end

