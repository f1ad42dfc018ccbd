-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot simulate` as a command: logs, mapping, side by side, forms, errors.

local json = require "dkjson"
local shell = require "spec.support.house.shell"
local simulation = require "spec.support.cases.simulation"

local swf = simulation.swf
local NASA = (os.getenv "ALLOT_TRACES" or "../shared/traces")
  .. "/NASA-iPSC-1993-3.1-cln.swf.gz"

local PLAN = [[{"version": 1, "slots": 4, "consumers": [
  {"name": "g1", "owned": 2, "children": [{"name": "u1", "owned": 2}, {"name": "u2"}]},
  {"name": "q7", "owned": 2}]}]]
local QUEUES = [[{"version": 1, "slots": 4, "queues": [{"name": "night"}, {"name": "day"}]}]]
local LOG = swf(1, 0, 10, 4, 1, 1) .. swf(2, 4, 10, 2, 9, 9, 7)

local function run(files, words)
  return simulation.run(files, words)
end

--- Runs a log that must be refused with these words.
local function refused(wanted, status, log, words, files)
  local all = { ["plan.json"] = PLAN, log = log }
  for name, text in pairs(files or {}) do all[name] = text end
  local code, out, err = run(all, words or "plan.json log")
  assert.truthy(err:find(wanted, 1, true), err)
  assert.equal(status, code)
  assert.equal("", out)
end

local function gzip(text)
  local at = shell.directory()
  shell.write(at .. "/log", text)
  os.execute("gzip -9 -n " .. at .. "/log")
  local bytes = shell.read(at .. "/log.gz")
  shell.remove(at)
  return bytes
end

describe("a log", function ()
  local files = { ["plan.json"] = PLAN, log = LOG, gz = gzip(LOG) }
  files.two = gzip(swf(1, 0, 10, 4, 1, 1)) .. gzip(swf(2, 4, 10, 2, 9, 9, 7))

  it("is read plain, compressed, compressed in parts, and from standard input", function ()
    local status, plain, err = run(files, "plan.json log")
    assert.equal("", err)
    assert.equal(0, status)
    for _, name in ipairs { "gz", "two" } do
      local _, out = run(files, "plan.json " .. name)
      assert.equal(plain, (out:gsub("^%w+", "log")))
    end
    local _, out = run(files, "plan.json - < gz")
    assert.equal(plain, (out:gsub("^<stdin>", "log")))
    local _, again = run(files, "plan.json log")
    assert.equal(plain, again)
  end)

  it("may have decimals, comments, blank lines and carriage returns", function ()
    local log = "; UnixStartTime: 1000\r\n;\n\n; Queue: 0 night\n"
      .. "  1 0.75 -1 10.9 2 -1.00 -1 2 -1 -1 1 1 1 -1 7 -1 -1 -1\r\n"
    local first = simulation.of(PLAN, log)
    assert.equal(1000, first.counts.first)
    assert.equal(20, first.figures.useful)
  end)

  it("may tell of jobs in parts, which are those of the job before", function ()
    local part = (swf(1, 0, 10, 4, 1, 1):gsub(" 1 1 1 ", " 2 1 1 "))
    local later = (part:gsub("^1 0 ", "1 -1 "):gsub(" 2 1 1 ", " 3 1 1 "))
    local first, answer = simulation.of(PLAN, swf(1, 0, 20, 4, 1, 1) .. part .. later
      .. swf(2, 4, 10, 2, 9, 9, 7))
    assert.equal(2, first.counts.arrivals)
    assert.equal(100, first.figures.useful)
    assert.equal(2, answer.trace.others)
    refused("the job 1 was submitted in line 1 already", 3, swf(1, 0, 10, 4, 1, 1):rep(2))
  end)

  it("may begin with UTF-8's mark, and have bytes of any kind in comments", function ()
    local log = "\xef\xbb\xbf; UnixStartTime: 77\n; Computer: K\xf6ln\t\xff\n"
      .. LOG:gsub(" ", "\t ")
    assert.equal(77, simulation.of(PLAN, (log:gsub("\n$", ""))).counts.first)
  end)

  it("whose records are not in the order of time is put into it", function ()
    local first, answer = simulation.of(PLAN, swf(1, 9, 1, 1, 1, 1) .. swf(2, 5, 1, 1, 1, 1))
    assert.equal(5, first.counts.first)
    assert.equal("W-order", answer.warnings[1].code)
    assert.equal(2, answer.warnings[1].line)
  end)

  it("that is damaged is refused", function ()
    local bytes = gzip(LOG:rep(50))
    refused("the compressed data ends in its middle", 3, bytes:sub(1, -30))
    refused("[E-gzip]", 3, bytes:sub(1, 20) .. "xxxxxxxxx" .. bytes:sub(30))
    refused(".: error: cannot be read: Is a directory [E-io]", 5, "", "plan.json .")
    refused("missing: error: cannot be read: No such file", 5, "", "plan.json missing")
  end)

  it("without a job in it is refused, and one that stands before the plan", function ()
    refused("no job of log takes part [E-nothing]\n  hint: the log has no jobs", 3,
      "; Version: 2\n")
    refused("log.swf is a log, where a plan is expected", 2, LOG, "log.swf plan.json")
  end)

  it("that is no SWF is refused at its place", function ()
    refused("log:1:3: error: the time of submission is a number, not \"x\" [E-swf]", 3,
      (swf(1, 0, 1, 1):gsub("^1 0", "1 x")))
    refused("the job's number is a whole number, not \"1.5\"", 3,
      (swf(1, 0, 1, 1):gsub("^1", "1.5")))
    refused("the run time is -2, at least -1 is allowed", 3, swf(1, 0, -2, 1))
    refused("the number of processors is 99999999999, at most 1000000000 is allowed", 3,
      swf(1, 0, 1, 99999999999))
    refused("the line has 3 fields, 18 are needed", 3, "1 2 3\n")
    local _, _, err = run({ ["plan.json"] = PLAN, log = "a text, and no log\nat all\n" },
      "plan.json log")
    assert.equal(2, select(2, err:gsub("error:", ""))) -- once a line
    refused("the time of submission is not known", 3, swf(1, -1, 1, 1))
    refused("log:2: error: the job 1 was submitted in line 1 already [E-duplicate]", 3,
      swf(1, 0, 1, 1) .. swf(1, 5, 1, 1))
    refused("the line has a byte 0 in it [E-trace]", 3, "1 \0 3\n")
    refused("a line has more than 1 MiB [E-trace-line]", 3, ("1 "):rep(600000))
  end)

  it("of events is refused likewise", function ()
    local function event(text) return '{"at": 1, "event": ' .. text .. "}\n" end
    refused('log:1:30: error: found the unknown key "idd" [E-unknown-key]', 3,
      event '"submit", "idd": "a"')
    refused('did you mean "id"?', 3, event '"submit", "idd": "a"')
    refused('"id" is missing [E-missing]', 3, event '"submit"')
    refused("found the number -1, allowed an integer 0 ... 1000000000 [E-range]", 3,
      event '"demand", "consumer": "/q7", "slots": -1')
    refused('found true, allowed false, "drain" or "reclaim" [E-range]', 3,
      event '"host", "name": "h", "slots": 1, "closed": true')
    refused("found the number 7, allowed a string [E-type]", 3, event '"submit", "id": 7')
    refused('found "", allowed 1 ... 200 bytes [E-range]', 3, event '"submit", "id": ""')
    refused("found the number 2000000000, allowed an integer -1000000000 ... 1000000000", 3,
      event '"submit", "id": "a", "priority": 2000000000')
    refused('found the string "soon", allowed Unix seconds or a time like "2026-01-31T08', 3,
      '{"at": "soon", "event": "submit"}\n')
    refused('found the key "id" again, allowed once in an object', 3,
      event '"submit", "id": "a", "id": "b"')
    refused("`event` is a text", 3, event "7")
    refused("`event` is missing", 3, '{"at": 1}\n')
    refused("a line of an event log is an object", 3, '{"at": 1, "event": "tea"}\n[1]\n')
    refused("[E-syntax]", 3, '{"at": 1,\n')
    refused("the job a was submitted in line 1 already", 3,
      event '"submit", "id": "a", "run": 1, "consumer": "/q7"'
      .. event '"submit", "id": "a", "run": 1, "consumer": "/q7"')
    refused("the plan does not know the host h", 3, event '"host", "name": "h"')
    refused('the plan has no resource group "x"', 3, event '"slots", "slots": 1, "group": "x"')
    refused("queues have no demand of their own", 3,
      event '"demand", "consumer": "night", "slots": 1', "queues.json log",
      { ["queues.json"] = QUEUES })
  end)

  it("of nothing simulates nothing, and says so", function ()
    refused("nothing was simulated: no job of log takes part [E-nothing]", 3, "; empty\n")
    refused("[E-nothing]", 3, LOG, "plan.json log --from 100")
  end)
end)

describe("jobs find their consumers", function ()
  it("by group and user, by queue, by the only leaf named so", function ()
    local first = simulation.of(PLAN, swf(1, 0, 5, 1, 1, 1) .. swf(2, 0, 5, 1, 8, 8, 7)
      .. swf(3, 0, 5, 1, 2, 3))
    assert.equal(1, simulation.consumer(first, "/g1/u1").jobs)
    assert.equal(1, simulation.consumer(first, "/q7").jobs)
    assert.equal(1, simulation.consumer(first, "/g1/u2").jobs)
  end)

  it("by the queue's name in the header of the log, else by the group", function ()
    local plan = { ["plan.json"] = QUEUES,
      log = "; Queue: 1 night\n" .. swf(1, 0, 5, 1, 1, 1, 1) }
    local status = run(plan, "plan.json log")
    assert.equal(0, status)
    plan.log = swf(1, 0, 5, 1, 1, 1, 3)
    local code, _, err = run(plan, "plan.json log")
    assert.equal(3, code)
    assert.truthy(err:find("the plan has no queue for this job: none of q3, g1", 1, true), err)
  end)

  it("or are told, once, with the way out", function ()
    local _, _, err = run({ ["plan.json"] = PLAN,
      log = swf(1, 0, 5, 1, 5, 1) .. swf(2, 0, 5, 1, 5, 1) }, "plan.json log")
    assert.truthy(err:find("log:1: error: the plan has no leaf for this job: none of /g1/u5, /u5, "
      .. "/g1 [E-map]", 1, true), err)
    assert.truthy(err:find("hint: the nearest is /g1/u", 1, true), err)
    assert.truthy(err:find("--map FILE.lua", 1, true), err)
    assert.falsy(err:find("log:2", 1, true), err)
    assert.truthy(err:find("log: error: 2 of 2 records have such faults [E-map]", 1, true), err)
    local many = {}
    for i = 1, 40 do many[i] = swf(i, 0, 5, 1, 100 + i, 1) end
    _, _, err = run({ ["plan.json"] = PLAN, log = table.concat(many) }, "plan.json log")
    assert.equal(9, select(2, err:gsub("error:", "")), err)
    assert.truthy(err:find("40 of 40 records have such faults", 1, true), err)
    refused("nothing in the log says whose jobs are these", 3, swf(1, 0, 5, 1))
  end)

  it("as a function says", function ()
    local map = [[
      return function (job)
        if job.slots == 9 then return false end
        if job.user == nil then return "/q7" end
        return { consumer = "/g1/u" .. job.user, queue = job.run > 5 and "night" or "day",
          priority = 2, rigid = job.slots > 2, run = job.run * 2, session = "s" }
      end]]
    local log = swf(1, 0, 5, 1, 1) .. swf(2, 0, 5, 9, 1) .. swf(3, 0, 5, 1)
    local first = simulation.of(PLAN, log, "--map map.lua", { ["map.lua"] = map })
    assert.equal(1, first.counts.left_out)
    assert.equal(10, simulation.consumer(first, "/g1/u1").useful)
    assert.equal(5, simulation.consumer(first, "/q7").useful)
    first = simulation.of(QUEUES, swf(1, 0, 5, 1, 1) .. swf(2, 0, 6, 1, 1), "--map map.lua",
      { ["map.lua"] = map })
    assert.equal(12, simulation.consumer(first, "/night").useful)
    assert.equal(10, simulation.consumer(first, "/day").useful)
  end)

  it("unless the function is wrong", function ()
    local function wrong(wanted, status, text)
      refused(wanted, status, LOG, "plan.json log --map map.lua", { ["map.lua"] = text })
    end
    local function body(text) return "return function (job)\n" .. text .. "\nend" end
    wrong("map.lua:2:1: error: log:1: unknown field of a job 'usr'", 4, body "return job.usr")
    wrong("did you mean 'user'?", 4, body "return job.usr")
    wrong("unknown key of the mapping 'cosumer'", 4, body 'return { cosumer = "/a" }')
    wrong("the mapping's 'consumer' is a text, not a number", 4, body "return { consumer = 1 }")
    wrong("the mapping's 'slots' is a whole number, not a string", 4,
      body 'return { slots = "1" }')
    wrong("the mapping's 'rigid' is true or false, not a number", 4, body "return { rigid = 1 }")
    wrong("the mapping returned a number", 4, body "return 7")
    wrong("[E-policy-budget]", 4, body "while true do end")
    wrong("is only read", 4, body "job.user = 1")
    wrong("[E-policy-syntax]", 3, "return function (")
    wrong("the file returns a table, not a function of a job [E-map]", 3, "return {}")
    wrong("the plan has no consumer \"/g1/u3\"", 3, body 'return "/g1/u3"')
    wrong('hint: consumers are leaves: "/a/b"', 3, body 'return "astronomy"')
    refused('the plan has no queue "lunch" [E-map]\n  hint: queues are those of the plan', 3, LOG,
      "queues.json log --map map.lua",
      { ["queues.json"] = QUEUES, ["map.lua"] = body 'return { queue = "lunch" }' })
    wrong("/g1 has consumers below it", 3, body 'return "/g1"')
    wrong("a priority is 1 ... 10000, not 0", 3, body 'return { consumer = "/q7", priority = 0 }')
    wrong("at most 1000000000", 3, body 'return { consumer = "/q7", slots = 1 << 40 }')
    wrong("a session's name has at most 200 bytes", 3,
      body 'return { consumer = "/q7", session = ("x"):rep(201) }')
    wrong('the plan has no resource group "x"', 3, body 'return { consumer = "/q7", group = "x" }')
  end)
end)

describe("side by side", function ()
  local files = { ["plan.json"] = PLAN, ["queues.json"] = QUEUES, log = LOG,
    ["map.lua"] = 'return function () return { queue = "night" } end',
    ["fair.lua"] = 'return policy { name = "fair", quota = { fill "fair" { by = 1 } } }\n' }

  it("policies and plans stand in columns, with differences to the first", function ()
    local status, out, err = run(files, "plan.json queues.json log --map map.lua --policy hybrid "
      .. "--policy fair.lua --policy hybrid:evenly=true")
    assert.truthy(err:find('policy "fair" does not read ownership', 1, true), err)
    assert.equal(0, status)
    assert.truthy(out:find("hybrid +fair.lua +hybrid:evenly=true +queues\n"), out)
    assert.truthy(out:find("slot%-seconds lost +8 .* 0 %(%-8%)\n"), out)
  end)

  it("say when each ends, where they end at different times", function ()
    local plan = '{"version": 1, "slots": %d, "consumers": [{"name": "u1", "owned": 2}]}'
    local two = { log = swf(1, 0, 10, 4, 1, 1), a = plan:format(4), b = plan:format(2) }
    local _, out = run(two, "a b log")
    assert.matches("\nfrom 1970%-01%-01T00:00:00Z, 4 slots on average\n", out)
    assert.matches("\nlast instant +1970%-01%-01T00:00:10Z +1970%-01%-01T00:00:20Z\n", out)
    _, out = run(two, "a a log")
    assert.matches("\n1970%-01%-01T00:00:00Z to 1970%-01%-01T00:00:10Z, 4 slots on average\n", out)
    assert.is_nil(out:find("last instant", 1, true))
    local _, _, err = run(two, "a a log --policy share_ratio")
    assert.equal(1, select(2, err:gsub("W%-owned", ""))) -- once, though both plans have it
  end)

  it("options behind a policy's name are its own", function ()
    refused('policy "hybrid" has no option "evenlyy"', 3, LOG,
      "plan.json log --policy hybrid:evenlyy=true")
    refused("--policy:1:8: error: policy \"hybrid\" has no option \"evenlyy\"", 3, LOG,
      "plan.json log --policy hybrid:evenlyy=true")
    refused('--policy:1:20: error: option "evenly" of policy "hybrid" is true or false', 3, LOG,
      "plan.json log --policy hybrid:evenly=true,evenly=3")
    refused("allot: error: there is no policy \"hybird\"", 3, LOG, "plan.json log --policy hybird")
  end)

  it("as CSV a row for the whole and each consumer", function ()
    local _, out = run(files, "plan.json log --all --format csv")
    local head, whole, first = out:match("^([^\n]*)\n([^\n]*)\n([^\n]*)\n")
    assert.truthy(head:find("^run,consumer,jobs,ended,"))
    assert.truthy(whole:find("^hybrid,/,2,2,0,0,0,68,60,8,"), whole)
    assert.truthy(first:find("^hybrid,/g1,1,1,"), first)
    local _, commas = head:gsub(",", "")
    for line in out:gmatch "[^\n]+" do
      assert.equal(commas, select(2, line:gsub(",", "")))
    end
  end)

  it("as JSON with counts and the policy", function ()
    local _, out = run(files, "plan.json log --format json")
    local answer = assert(json.decode(out))
    assert.equal("allot/simulation/v1", answer.schema)
    assert.equal("hybrid", answer.runs[1].policy.name)
    assert.equal(64, #answer.runs[1].policy.sha256)
    assert.equal(2, answer.trace.records)
    assert.equal(2, #answer.runs[1].consumers)
  end)
end)

describe("what cannot be simulated", function ()
  it("is said", function ()
    local leases = [[{"version": 1, "hosts": {"h": {"slots": 2}}, "queues": [{"name": "a"}],
      "leases": [{"name": "l", "provider": "p", "consumer": "c", "hosts": {"h": 2}}]}]]
    refused("has lease contracts with another cluster, of which a log says nothing", 3, LOG,
      "leases.json log", { ["leases.json"] = leases })
    refused("no consumer or queue that could get slots", 3, LOG, "none.json log",
      { ["none.json"] = '{"version": 1, "slots": 1, "consumers": []}' })
    refused("--from is Unix seconds or a time like", 2, LOG, "plan.json log --from noon")
    refused("usage: allot simulate PLAN... TRACE", 2, LOG, "plan.json")
    refused("[E-policy-run]", 4, LOG, "plan.json log --policy bad.lua", { ["bad.lua"] =
      'return policy { name = "bad", quota = { fill "a" { by = function (owned) '
      .. 'return owned.x end } } }\n' })
  end)

  it("jobs that wait when it is over are told of", function ()
    local _, answer = simulation.of(
      '{"version": 1, "slots": 4, "consumers": [{"name": "u1", "limit": 0}, {"name": "u2"}], '
      .. '"windows": [{"from": "08:00", "to": "09:00", "slots": 3}]}', swf(1, 0, 10, 4, 1))
    assert.equal("W-unfinished", answer.warnings[1].code)
    assert.truthy(answer.warnings[1].message:find("the simulation was over before", 1, true))
  end)

  it("a policy that takes back and forth is told of, and ends", function ()
    local files = { ["pong.lua"] = [[
      return policy { name = "pong", quota = { fill "all" {
        by = function (allocated) return allocated >= 3 and 0 or 1 end } } }
    ]] }
    local plan = '{"version": 1, "slots": 6, "consumers": [{"name": "u1"}, {"name": "u2"}, '
      .. '{"name": "u3"}]}'
    local log = swf(1, 0, 10, 3, 1)
    for user = 1, 3 do log = log .. swf(1 + user, 4, 10, 6, user) end
    local first, answer = simulation.of(plan, log, "--policy pong.lua", files)
    assert.equal(4, first.figures.ended + first.figures.unfinished)
    assert.truthy(first.counts.unsettled > 0)
    assert.equal("W-unsettled", answer.warnings[1].code)
  end)
end)

-- A policy whose cycles take 300,000 steps a row.
local SLOW = [[
return policy { name = "slow", quota = { fill "all" { by = function (owned, demand)
  local n = owned + demand
  for i = 1, 300000 do n = n + i end
  return n > 0 and 1 or 2
end } } }
]]

describe("on a terminal", function ()
  it("it shows how far it is, and nowhere else", function ()
    if not os.execute "command -v script >/dev/null" then return pending "script is not there" end
    local at = shell.directory()
    local lines = {}
    for i = 1, 120 do lines[i] = swf(i, i, 100, 1 + i % 3, 1 + i % 2, 1) end
    shell.write(at .. "/log", table.concat(lines))
    shell.write(at .. "/plan.json", PLAN)
    shell.write(at .. "/slow.lua", SLOW)
    local words = ("%s simulate %s/plan.json %s/log --policy %s/slow.lua"):format(
      shell.allot, at, at, at)
    local _, shown = shell.run(("script -qec '%s' /dev/null"):format(words))
    local _, _, quiet = shell.run(words)
    shell.remove(at)
    assert.truthy(shown:find("slow.lua %[#*%.*%] +%d+ %%  %d+ of 120 records, %d+ a second, "
      .. "%d+:%d%d left"), shown:sub(1, 400))
    assert.equal("", quiet)
  end)
end)

describe("an interrupt", function ()
  it("ends it with what it came to", function ()
    local at = shell.directory()
    local lines = {}
    for i = 1, 20000 do lines[i] = swf(i, i, 1000, 1 + i % 3, 1 + i % 2, 1) end
    shell.write(at .. "/log", table.concat(lines))
    shell.write(at .. "/plan.json", PLAN)
    shell.write(at .. "/slow.lua", SLOW) -- to the end would take minutes on any machine
    -- An interrupt before the command listens to it (bit 1 of SigCgt) would end it, or be lost.
    local status, out, err = shell.run(([[
      %s simulate %s/plan.json %s/log --policy %s/slow.lua --format json & p=$!
      until [ "$(cat /proc/$p/comm)" = allot ] && grep -q '^SigCgt:.*[2367abef]$' /proc/$p/status
      do kill -0 $p || break; sleep 0.05; done
      kill -INT $p; wait $p]]):format(shell.allot, at, at, at))
    shell.remove(at)
    assert.equal(1, status, err)
    assert.truthy(out:find('"W%-interrupted"'), out:sub(1, 400))
  end)
end)

describe("the log of NASA", function ()
  it("plays under hybrid, share ratio and queue pools", function ()
    if not shell.exists(NASA) then return pending "no log in ALLOT_TRACES" end
    local status, out = shell.run(("%s simulate examples/nasa/plan.json examples/nasa/pools.json "
      .. "%s --format json --policy hybrid --policy share_ratio"):format(shell.allot, NASA))
    assert.equal(0, status)
    local answer = assert(json.decode(out))
    assert.equal(3, #answer.runs)
    for _, it in ipairs(answer.runs) do
      local figures = it.figures
      assert.equal(18239, figures.jobs)
      assert.equal(18239, figures.ended)
      assert.equal(474238015, figures.useful)
      assert.equal(figures.busy, figures.useful + figures.lost)
      assert.equal(0, it.counts.unsettled)
    end
  end)
end)
