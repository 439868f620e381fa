-- As requests.lua, but each connection rests between two requests, as clients do that are not a benchmark: what one of them
-- waits for is then the server, not the others.

dofile(debug.getinfo(1, "S").source:match("@(.*/)") .. "requests.lua")

function delay()
  return math.random(1, 12) -- milliseconds
end
