-- Names that every algorithm uses.
local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
