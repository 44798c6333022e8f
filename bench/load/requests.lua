-- Requests for wrk, each with its own Idempotency-Key and amount. The arguments after `--` are: file with a secret key
-- in each line, method, prefix of the idempotency keys (or "-"), number of requests until their numbers repeat (or 0),
-- body (or "-"), paths…

local count = 0
local method, keys, cycle, bodyBefore, bodyAfter, head
local paths, secretKeys = {}, {}

function init(args)
  local body
  method, keys, cycle, body = args[2], args[3], tonumber(args[4]), args[5]
  for secretKey in io.lines(args[1]) do secretKeys[#secretKeys + 1] = secretKey end
  for index = 6, #args do paths[#paths + 1] = args[index] end
  head = " HTTP/1.1\r\nHost: " .. wrk.headers["Host"]
  if body ~= "-" then
    local form = body:sub(1, 1) ~= "{"
    bodyBefore, bodyAfter = body:match("^(.-)#(.*)$")
    head = head .. "\r\nContent-Type: application/"
      .. (form and "x-www-form-urlencoded" or "json")
  end
end

function request()
  local number = count
  count = count + 1
  if cycle > 0 then number = number % cycle end
  local text = method .. " " .. paths[number % #paths + 1] .. head
    .. "\r\nAuthorization: Bearer " .. secretKeys[number % #secretKeys + 1]
  if keys ~= "-" then text = text .. "\r\nIdempotency-Key: " .. keys .. number end
  if not bodyBefore then return text .. "\r\n\r\n" end
  -- From 0.50 to 1,000.49, which is below the amount triggers of the simulator.
  local body = bodyBefore .. (50 + number % 100000) .. bodyAfter
  return text .. "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"succeeded":%d,"failed":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f}\n',
    summary.requests - errors.status,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
