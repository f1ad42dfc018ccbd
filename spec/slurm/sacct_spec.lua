-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- sacct's output as a log of jobs: requeues, arrays, heterogeneous jobs, steps, ids used again.

local core = require "allot.core"
local sacct = require "allot.slurm.sacct"
local shell = require "spec.support.house.shell"

local HEADER = "JobIDRaw|JobID|Account|User|Partition|QOS|AllocTRES|Submit|Eligible|Start|End"
  .. "|ElapsedRaw|State"
local PLAN = core.encode { version = 1, slots = 16, consumers = core.list {
  { name = "eng", children = core.list { { name = "alice" }, { name = "q1st" } } },
  { name = "sci" } } }

--- A row: number, id, account, user, CPUs, submitted, eligible, started, ended, state.
local function row(number, id, account, user, cpus, submit, eligible, start, stop, state)
  local ran = type(stop) == "number" and type(start) == "number" and stop - start or 0
  return table.concat({ number, id, account, user, "batch", "normal",
    cpus and "billing=9,cpu=" .. cpus .. ",node=1" or "", submit, eligible, start, stop, ran,
    state }, "|")
end

local function log(...)
  local text, left, line = sacct.log(HEADER .. "\n" .. table.concat({ ... }, "\n") .. "\n", PLAN)
  if not text then return nil, left, line end
  local jobs = {}
  for each in text:gmatch "[^\n]+" do jobs[#jobs + 1] = core.decode(each) end
  return jobs, left
end

describe("a log of sacct's", function ()
  it("has jobs at the time at which they could start, with what they used", function ()
    local jobs, left = log(row(1, "1", "eng", "alice", 4, 100, 110, 120, 150, "COMPLETED"),
      row(2, "2", "sci", "carol", 2, 90, 90, 95, 99, "CANCELLED by 0"))
    assert.same({}, left)
    assert.same({ at = 110, event = "submit", id = "1", consumer = "/eng/alice", slots = 4,
      run = 30, user = "alice", group = "eng", queue = "normal", partition = "batch" }, jobs[2])
    assert.same({ "2", "/sci", 4 }, { jobs[1].id, jobs[1].consumer, jobs[1].run })
  end)

  it("has no consumer where the plan has none, and names as plans have them", function ()
    local jobs = log(row(1, "1", "eng", "bob", 1, 100, 100, 100, 101, "COMPLETED"),
      row(2, "2", "eng", "1st", 1, 100, 100, 100, 101, "COMPLETED"))
    assert.same({ [2] = "/eng/q1st" }, { jobs[1].consumer, jobs[2].consumer })
  end)

  it("counts records of a requeued job as one, and of an id used again as two", function ()
    local jobs = log(row(7, "7", "sci", "c", 2, 100, 100, 110, 120, "REQUEUED"),
      row(7, "7", "sci", "c", 2, 120, 126, 130, 190, "COMPLETED"),
      row(7, "7", "sci", "c", 3, 500, 500, 510, 515, "FAILED"))
    assert.same({ { 100, 60 }, { 500, 5 } },
      { { jobs[1].at, jobs[1].run }, { jobs[2].at, jobs[2].run } })
  end)

  it("puts parts of heterogeneous jobs together, and leaves steps out", function ()
    local jobs = log(row(8, "8+0", "sci", "c", 1, 100, 100, 110, 120, "COMPLETED"),
      row("8.batch", "8+0.batch", "sci", "", 1, 110, 110, 110, 120, "COMPLETED"),
      row(9, "8+1", "sci", "c", 3, 100, 100, 110, 125, "COMPLETED"))
    assert.equal(1, #jobs)
    assert.same({ "8", 4, 15 }, { jobs[1].id, jobs[1].slots, jobs[1].run })
  end)

  it("leaves jobs out that did not run to an end, and counts them", function ()
    local jobs, left = log(row(1, "1", "sci", "c", nil, 100, 100, "Unknown", "Unknown", "PENDING"),
      row(2, "2", "sci", "c", 2, 100, 100, 110, "Unknown", "RUNNING"),
      row(3, "3", "sci", "c", nil, 100, 100, 110, 110, "CANCELLED by 0"),
      row(4, "4", "sci", "c", 2, 100, 100, 110, 120, "REQUEUED"))
    assert.same({}, jobs)
    assert.same({ PENDING = 1, RUNNING = 1, CANCELLED = 1, REQUEUED = 1 }, left)
  end)

  it("is played by simulate", function ()
    local folder = shell.directory()
    shell.write(folder .. "/plan.json", PLAN)
    shell.write(folder .. "/month.txt", HEADER .. "\n"
      .. row(1, "1", "eng", "alice", 4, 100, 100, 100, 150, "COMPLETED") .. "\n"
      .. row(2, "2", "sci", "c", nil, 100, 100, "Unknown", "Unknown", "PENDING") .. "\n")
    local status, out, err = shell.command("simulate", "--rigid", folder .. "/plan.json",
      folder .. "/month.txt", "--format", "json")
    assert.equal(0, status, err)
    assert.truthy(err:find("jobs that did not run to an end are left out: 1 PENDING", 1, true), err)
    assert.equal(1, core.decode(out).runs[1].counts.arrivals, out)
    shell.remove(folder)
  end)

  it("is refused as a whole where a line makes no sense", function ()
    local folder = shell.directory()
    local good = row(1, "1", "eng", "alice", 4, 100, 100, 100, 150, "COMPLETED")
    for text, why in pairs {
      ["JobIDRaw|JobID\n"] = ":1: error: the column Account is missing [E-sacct]",
      [HEADER .. "\n" .. good .. "|x\n"] = ":2: error: found 14 columns, expected 13 [E-sacct]",
      [HEADER .. "\n" .. good .. "\n" .. good:gsub("|150|", "|2026-11-22T14:47:05|") .. "\n"]
        = ':3: error: End is "2026-11-22T14:47:05", no number of seconds: ask with '
        .. "SLURM_TIME_FORMAT=%s [E-sacct]",
    } do
      shell.write(folder .. "/month.txt", text)
      local status, out, err = shell.command("simulate", "examples/first/plan.json",
        folder .. "/month.txt")
      assert.equal(3, status)
      assert.equal("", out)
      assert.truthy(err:find(why, 1, true), err)
    end
    shell.remove(folder)
  end)
end)
