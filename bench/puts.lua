-- Registers a product with each request: PUT /v1/levels/01/GTIN, with a GTIN that was not there before.

local headers, number = {}, 0

local function gtin()
  local digits = string.format("0952%09d", number)
  local sum = 0
  for place = 1, 13 do
    sum = sum + tonumber(digits:sub(place, place)) * (place % 2 == 1 and 3 or 1)
  end
  return digits .. (10 - sum % 10) % 10
end

function init(arguments)
  headers = { ["Authorization"] = "Bearer " .. arguments[1], ["Content-Type"] = "application/json" }
  number = tonumber(arguments[2])
end

function request()
  number = number + 1
  local product = gtin()
  local body = string.format(
    '{"anchor":"/01/%s","itemDescription":"Product %d","links":[{"linkType":"gs1:defaultLink","href":"https://brand.example/%s",'
      .. '"title":"Page"},{"linkType":"gs1:pip","href":"https://brand.example/%s","title":"Page","hreflang":["en"]}]}',
    product, number, product, product)
  return wrk.format("PUT", "/v1/levels/01/" .. product, headers, body)
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"errors":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration, failed, latency:percentile(50), latency:percentile(99), latency.max))
end
