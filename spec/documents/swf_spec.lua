-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Workload logs: the reader, the shipped sample, and the NASA example against its log.

local swf = require "allot.swf"

local NASA = "NASA-iPSC-1993-3.1-cln.swf.gz"

local JOB = "7 100 5 60 4 55.5 -1 8 120 -1 1 3 2 9 0 -1 6 30"

--- A log from text, cut into pieces of `size` bytes.
local function log_of(text, size)
  local at = 1
  return swf.chunks(function ()
    local piece = text:sub(at, at + (size or #text) - 1)
    at = at + #piece
    return piece ~= "" and piece or nil
  end, "log.swf")
end

local function read(path)
  local file = io.open(path, "rb")
  if file then
    local text = file:read "a"
    file:close()
    return text
  end
end

local function output(command)
  local pipe = assert(io.popen(command, "r"))
  local text = pipe:read "a"
  assert(pipe:close(), command)
  return text
end

describe("swf", function ()
  it("names the 18 fields of a job; -1 is unknown", function ()
    assert.same({
      id = 7, submit = 100, wait = 5, run = 60, processors = 4, cpu = 55.5,
      requested_processors = 8, requested_time = 120, status = 1, user = 3, group = 2,
      application = 9, queue = 0, preceding = 6, think = 30,
    }, log_of(JOB):next())
  end)

  it("writes the line that it read", function ()
    assert.equal(JOB, swf.line(swf.parse(JOB)))
  end)

  it("keeps the header: repeated and continued keys are lines of one value", function ()
    local log = log_of(table.concat({
      ";  MaxProcs: 128 ", "; Information: http://a.example/", ";              http://b.example/",
      "; Note: one", "; Note: two", ";", "", JOB, "; Note: late",
    }, "\n"))
    assert.equal(7, log:next().id)
    assert.equal("http://a.example/\nhttp://b.example/", log.header.Information)
    assert.equal("one\ntwo", log.header.Note)
    assert.equal(128, log:number "MaxProcs")
    assert.is_nil(log:number "Information")
    assert.is_nil(log:number "Absent")
    assert.is_nil(log:next())
    assert.equal("one\ntwo\nlate", log.header.Note)
  end)

  it("reads the same from pieces of any size, with and without a last line end", function ()
    for _, ending in ipairs { "", "\n", "\r\n" } do
      local text = "; A: b\r\n" .. JOB .. "\n\n" .. JOB .. ending
      for size = 1, #text do
        local count = 0
        for job in log_of(text, size):jobs() do
          count = count + job.id
        end
        assert.equal(14, count)
      end
    end
  end)

  describe("tells line and field of what is not the format:", function ()
    local function fault(line)
      local log = log_of("; A: b\n" .. JOB .. "\n" .. line .. "\n" .. JOB)
      assert.is_table((log:next()))
      local record, message = log:next()
      assert.is_nil(record)
      local _, again = log:next()
      assert.equal(message, again)
      assert.same({ false, message }, { pcall(log:jobs()) })
      return message
    end

    it("too few fields", function ()
      assert.equal("log.swf:3: expected 18 fields, found 3", fault "1 2 3")
    end)
    it("too many fields", function ()
      assert.equal("log.swf:3: expected 18 fields, found 19", fault(JOB .. " 1"))
    end)
    it("a word", function ()
      assert.equal("log.swf:3: field 4, run: expected a whole number, found 'x'",
        fault((JOB:gsub(" 60 ", " x "))))
    end)
    it("a fraction where none may be", function ()
      assert.equal("log.swf:3: field 4, run: expected a whole number, found '6.5'",
        fault((JOB:gsub(" 60 ", " 6.5 "))))
    end)
    it("a negative number", function ()
      assert.equal("log.swf:3: field 3, wait: -2 is negative (only -1, unknown, may be)",
        fault((JOB:gsub(" 5 ", " -2 "))))
    end)
    it("a number beyond 64 bits", function ()
      assert.equal("log.swf:3: field 3, wait: '99999999999999999999' is out of range",
        fault((JOB:gsub(" 5 ", " 99999999999999999999 "))))
    end)
  end)

  it("tells why reading failed", function ()
    local log = swf.lines(function ()
      return nil, "disk on fire"
    end, "log.swf")
    assert.same({ nil, "log.swf: disk on fire" }, { log:next() })
  end)

  it("opens files, and tells which it cannot", function ()
    local log = assert(swf.open("examples/log/sample.swf"))
    assert.equal(1, log:next().id)
    assert.is_true(log:close())
    assert.is_nil(log:next())
    local none, message = swf.open("examples/none.swf.gz")
    assert.is_nil(none)
    assert.matches("none.swf.gz", message)
  end)
end)

describe("examples/log/sample.swf", function ()
  it("is what examples/log/sample.lua makes", function ()
    local made = output("lua5.4 " .. "examples/log/sample.lua")
    assert.equal(read("examples/log/sample.swf"), made)
  end)

  it("has the jobs that its header tells, in order, on its processors", function ()
    local log = assert(swf.open("examples/log/sample.swf"))
    local count, before = 0, 0
    for job in log:jobs() do
      count = count + 1
      assert.equal(count, job.id)
      assert.is_true(job.submit >= before and job.processors <= log:number "MaxProcs")
      before = job.submit
    end
    assert.equal(log:number "MaxJobs", count)
  end)
end)

describe("examples/nasa", function ()
  local folder = os.getenv "ALLOT_TRACES" or "../shared/traces"
  local path = folder .. "/" .. NASA

  if not read(path) then
    pending("is what make.lua makes of " .. NASA .. ": no log in ALLOT_TRACES")
    return
  end

  it("is what make.lua makes of the log", function ()
    local made = os.tmpname()
    os.remove(made)
    assert(os.execute("mkdir " .. made))
    output(("lua5.4 examples/nasa/make.lua '%s' %s"):format(path, made))
    for _, name in ipairs { "plan.json", "state-1.json", "state-2.json", "state-3.json" } do
      assert.equal(read("examples/nasa/" .. name), read(made .. "/" .. name), name)
    end
    assert(os.execute("rm -r " .. made))
  end)

  it("reads all 18,239 jobs of the log, compressed", function ()
    local log = assert(swf.open(path))
    local count, users, people = 0, {}, 0
    for job in log:jobs() do
      count = count + 1
      people = people + (users[job.user] and 0 or 1)
      users[job.user] = true
    end
    assert.equal(18239, count)
    assert.equal(69, people)
    assert.equal(128, log:number "MaxProcs")
    assert.equal(749458803, log:number "UnixStartTime")
  end)
end)
