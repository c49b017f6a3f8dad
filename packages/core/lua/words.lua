-- Numbers and words of the wire.
local FRESH, NEVER, LATE = -1, -1, -1
local PEEK, FORCE = '1', '2'
local MAX_SAFE = 9007199254740991
local WIDTH, MAX_ROWS = 6, 16
