-- What a thread of `wrk` does: asks the requests of a file in turns, beginning at a place of its own.
-- A line of the file is method, path, body and headers (`name: value`), separated by tabs.

local requests, nth, threads = {}, 0, 0

function setup(thread)
  thread:set("offset", threads * 7)
  threads = threads + 1
end

function init(arguments)
  for line in io.lines(arguments[1]) do
    local fields = {}
    for field in (line .. "\t"):gmatch("([^\t]*)\t") do fields[#fields + 1] = field end
    local headers = {}
    for at = 4, #fields do
      local name, value = fields[at]:match("^(.-): (.*)$")
      headers[name] = value
    end
    local body = fields[3] ~= "" and fields[3] or nil
    requests[#requests + 1] = wrk.format(fields[1], fields[2], headers, body)
  end
end

function request()
  nth = nth + 1
  return requests[(offset + nth) % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '{"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "max": %f, "refused": %d, "lost": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency.max / 1e3, errors.status, lost))
end
