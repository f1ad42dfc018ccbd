-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Measurements: calls pass documents to the host and return its timings (core/bench/bench.h).

local measure = {}
measure.__index = measure

function measure.new(host)
  local count = tonumber(host.option "repeat" or nil)
  return setmetatable({ host = host, count = count, clock = host.clock }, measure)
end

--- The answer to a call of the host; a failed call ends the tool.
function measure:call(name, text)
  local answer, _, status = self.host.call(name, text)
  return answer or error { status = status }
end

--- The same, with formatted words; returns the numbers of the answer.
function measure:numbers(name, format, ...)
  local list = {}
  for word in self:call(name, format and format:format(...)):gmatch "%S+" do
    list[#list + 1] = tonumber(word)
  end
  return list
end

--- Reports a failure; ends the tool with an exit status.
function measure:fail(status, code, message, hint)
  self.host.say { severity = "error", code = code, message = message, hint = hint }
  error { status = status }
end

--- The best and the median of sorted samples, times a scale.
function measure.time(samples, scale)
  table.sort(samples)
  local count, by = #samples, scale or 1
  local median = samples[count // 2 + 1]
  if count % 2 == 0 then median = (samples[count // 2] + median) / 2 end
  return { best = samples[1] * by, median = median * by }
end

--- How often slow measurements, and those with cold memory, are repeated.
function measure:few()
  return (self.count + 2) // 3
end

function measure:cycles(stage, scale)
  return measure.time(self:numbers("cycle", "%s %d", stage, self.count), scale)
end

return measure
