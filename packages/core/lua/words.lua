-- Numbers and words of the wire.
local FRESH, NEVER, LATE = -1, -1, -2
-- Begins every answer: packed it is a byte that no text has.
local ANSWER = -1
local PEEK, FORCE = 1, 2
local MAX_SAFE = 9007199254740991
local WIDTH, MAX_ROWS = 6, 16
-- No server's clock is before this, but that of one which does not know the time: 1970, in milliseconds.
local LONG_AGO = 4294967296
-- Weights of a log are added up modulo this.
local WRAP = 4503599627370496
