-- Sends the paths of a file, in order, over and over. Requests are made before the clock starts, so that wrk spends the
-- same little on each, whatever the path and the server.

local requests = {}
local sent = 0

function init(arguments)
  for path in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
end

function request()
  sent = sent % #requests + 1
  return requests[sent]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"errors":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration, failed, latency:percentile(50), latency:percentile(99), latency.max))
end
