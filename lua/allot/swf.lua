-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Reads workload logs in the Standard Workload Format: header comments `; Key: value`, then a job
-- a line in 18 fields, -1 where a value is unknown.
--
--     local log = assert(swf.open "log.swf.gz")
--     for job in log:jobs() do print(job.id, job.run, job.processors) end
--     print(log.header.MaxProcs)
--
-- Strict: a deviation from the format is an error that names the line. Only `swf.open` does I/O.

local swf = {}

local Log = {}
Log.__index = Log

--- The fields of a job in their order; a record has them by name, unknown ones are nil.
swf.FIELDS = {
  "id", -- job number
  "submit", -- seconds since the log's start
  "wait", -- seconds between submission and start
  "run", -- seconds it ran
  "processors", -- given
  "cpu", -- average seconds of processor time used
  "memory", -- average kilobytes used by a processor
  "requested_processors",
  "requested_time",
  "requested_memory",
  "status", -- 1 completed, 0 failed, 5 cancelled, 2-4 partial executions
  "user",
  "group",
  "application",
  "queue",
  "partition",
  "preceding", -- number of the job that it waited for
  "think", -- seconds between that one's end and this one's submission
}

local DECIMAL = { cpu = true, memory = true, requested_memory = true }

--- A field's number; or nil and the reason.
local function number_of(name, text)
  local whole = text:find("^-?%d+$")
  if not whole and not (DECIMAL[name] and text:find("^-?%d+%.%d*$")) then
    local wanted = DECIMAL[name] and "a number" or "a whole number"
    return nil, ("%s: expected %s, found '%s'"):format(name, wanted, text)
  end
  local number = tonumber(text)
  if whole and math.type(number) ~= "integer" then
    return nil, ("%s: '%s' is out of range"):format(name, text)
  elseif number < 0 and number ~= -1 then
    return nil, ("%s: %s is negative (only -1, unknown, may be)"):format(name, text)
  end
  return number
end

--- A record from a job's line; nil and a message when the line is invalid.
function swf.parse(line)
  local record, count = {}, 0
  for text in line:gmatch "%S+" do
    count = count + 1
    local name = swf.FIELDS[count]
    if name then
      local number, message = number_of(name, text)
      if not number then
        return nil, ("field %d, %s"):format(count, message)
      end
      record[name] = number ~= -1 and number or nil
    end
  end
  if count ~= #swf.FIELDS then
    return nil, ("expected %d fields, found %d"):format(#swf.FIELDS, count)
  end
  return record
end

--- The line of a record, without its end.
function swf.line(record)
  local out = {}
  for i, name in ipairs(swf.FIELDS) do
    out[i] = tostring(record[name] or -1)
  end
  return table.concat(out, " ")
end

--- Stores a header comment, `Key: value`; a repeated or missing key continues the last one.
local function keep_comment(log, text)
  local key, value = (text .. " "):match "^;%s*(%a[%w_ ]-):%s+(.-)%s*$"
  key = key or log.last_key
  value = value or text:match "^;%s*(.-)%s*$"
  if key and value ~= "" then
    local before = log.header[key]
    log.header[key] = before and before .. "\n" .. value or value
    log.last_key = key
  end
end

--- A log read from `next_line`, a function that returns lines without their ends, then nil (and a
--- message when reading failed). `name` stands before line numbers in messages.
function swf.lines(next_line, name)
  return setmetatable({
    header = {}, line = 0, name = name or "swf", next_line = next_line,
  }, Log)
end

--- A log read from `next_chunk`, a function that returns parts of the text, cut anywhere, then nil.
function swf.chunks(next_chunk, name)
  local text, at, message = "", 1, nil
  local function next_line()
    while text do
      local stop = text:find("\n", at, true)
      if stop then
        local line = text:sub(at, stop - 1)
        at = stop + 1
        return line
      end
      local chunk
      text, at = text:sub(at), 1
      chunk, message = next_chunk()
      if not chunk then
        local line = text
        text = nil
        return not message and line ~= "" and line or nil, message
      end
      text = text .. chunk
    end
    return nil, message
  end
  return swf.lines(next_line, name)
end

--- The next job; nil at the end; nil and a message ("log.swf:12: field 4, ...") when the line is
--- not the format or reading failed. Comments met on the way are in `header`.
function Log:next()
  while not self.failed do
    local line, message = self.next_line()
    if not line then
      self.failed = message and self.name .. ": " .. message
      return nil, self.failed
    end
    self.line = self.line + 1
    line = line:gsub("\r$", "")
    if line:find "^%s*;" then
      keep_comment(self, line:match "^%s*(.*)$")
    elseif line:find "%S" then
      local record, why = swf.parse(line)
      self.failed = why and ("%s:%d: %s"):format(self.name, self.line, why)
      return record, self.failed
    end
  end
  return nil, self.failed
end

--- An iterator over the jobs, for `for`. Raises where `next` gives a message.
function Log:jobs()
  return function ()
    local record, message = self:next()
    if message then
      error(message, 0)
    end
    return record
  end
end

--- A whole number of the header ("MaxProcs"); nil where it is missing or not a number.
function Log:number(key)
  return math.tointeger(tonumber((self.header[key] or ""):match "^%-?%d+"))
end

--- Ends a log that `open` made. nil and a message when its program failed.
function Log:close()
  local file = self.file
  self.file, self.next_line = nil, function () end
  if not file then
    return true
  end
  local ok, _, code = file:close()
  if not ok then
    return nil, ("%s: gzip ended with status %s"):format(self.name, tostring(code))
  end
  return true
end

local function open_file(path)
  if not path:find "%.gz$" then
    return io.open(path, "rb")
  end
  local file, message = io.open(path, "rb")
  if not file then
    return nil, message
  end
  file:close()
  return io.popen("gzip -dc '" .. path:gsub("'", "'\\''") .. "'", "r")
end

--- The log in a file, which may be compressed (.gz; needs the program gzip). nil and a message
--- when it cannot be opened.
function swf.open(path)
  local file, message = open_file(path)
  if not file then
    return nil, message
  end
  local log
  log = swf.lines(function ()
    local line = file:read "l"
    if line or not log.file then
      return line
    end
    local _, why = log:close()
    return nil, why and why:sub(#log.name + 3)
  end, path:match "[^/]+$")
  log.file = file
  return log
end

return swf
