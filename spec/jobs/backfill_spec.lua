-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Backfill, rule by rule (B-1 ... B-8): who starts, who waits, and when slots are reserved.

local engine = require "spec.support.cases.engine"

local shell = require "spec.support.house.shell"

local NOW = 1000

local function plan(how, more)
  local it = { version = 1, slots = 10, policy = { use = "preemption", backfill = how },
    queues = { { name = "q" } } }
  for key, value in pairs(more or {}) do it[key] = value end
  if it.hosts then it.slots = nil end
  return it
end

local function job(id, slots, limit, more)
  local it = { id = id, queue = "q", slots = slots, run_limit = limit }
  for key, value in pairs(more or {}) do it[key] = value end
  return it
end

--- A job that has run for 60 s.
local function running(id, slots, limit, more)
  local it = job(id, slots, limit, more)
  it.state, it.started = "running", NOW - 60
  return it
end

local MARKS = { backfill = "+", preempted = "!" }

--- "a b+ | c@40 d": who starts (+: as backfill), then who waits, with reservations in so many
--- seconds; ~: behind another.
local function decided(of, jobs)
  local document, decision = engine.cycle(of, { now = NOW, jobs = jobs })
  local fates, starts, waits = engine.fates(document), {}, {}
  for _, it in ipairs(jobs) do
    local fate = fates[it.id]
    local lines = table.concat((decision:explain(it.id)), "\n")
    if fate then
      table.insert(starts, (fate.kind == "starts" and "" or fate.kind .. " ") .. it.id
        .. (MARKS[fate.order.why.code] or ""))
    elseif not it.state or it.state ~= "running" then
      local after = lines:match "From %S+ on, in (%d+) s, %d+ slots? %a+ reserved for it"
      local behind = lines:find("may not start before", 1, true)
      table.insert(waits, it.id .. (behind and "~" or "") .. (after and "@" .. after or ""))
    end
  end
  return table.concat(starts, " ") .. " | " .. table.concat(waits, " ")
end

local LONG = { running("r", 6, 160) } -- ends in 100 s

local function with(...)
  return { LONG[1], ... }
end

describe("backfill", function ()
  it("is first fit where nothing else is said (B-1)", function ()
    local jobs = with(job("a", 8, 10), job("b", 3), job("c", 1))
    assert.equal("b c | a", decided(plan(), jobs))
    assert.equal("b c | a", decided(plan "first_fit", jobs))
  end)

  it("none: no job starts behind one that waits for slots (B-1)", function ()
    assert.equal("a | b c~", decided(plan "none", with(job("a", 2), job("b", 8, 10), job("c", 1))))
    assert.equal("b | a", decided(plan "none", with(job("a", 11), job("b", 4)))) -- a never fits
  end)

  it("none: no job grows or resumes where the first that waits could start (B-1)", function ()
    local r = running("r", 6, 160, { resize = { grow = 3 } })
    assert.equal("resizes r | ", decided(plan "none", { r }))
    assert.equal(" | a", decided(plan "none", { r, job("a", 8) }))
    local queues = { { name = "q" }, { name = "high", priority = 9, preemptive = true } }
    local s = job("s", 4, 10, { state = "suspended", ran = 5 })
    r = running("r", 6, 160, { queue = "high" })
    -- high may take what s has, so s would pass a; what s keeps from a queue is not for that.
    assert.equal(" | s~ a", decided(plan("none", { queues = queues }),
      { r, s, job("a", 8, 10, { queue = "high" }) }))
    queues[2].preemptive = nil
    assert.equal("resumes s | a", decided(plan("none", { queues = queues }),
      { r, s, job("a", 8, 10, { queue = "high" }) }))
  end)

  it("none: a job whose hosts are another queue's bars none, as it never starts (B-1)", function ()
    local of = plan("none", { queues = { { name = "q" }, { name = "x" } },
      hosts = { h1 = { slots = 4 }, h2 = { slots = 4 } } })
    local jobs = { running("r", 2, 160, { hosts = { h2 = 2 } }), job("a", 7, 10), job("b", 1) }
    assert.equal(" | a b~", decided(of, jobs))
    local state = { now = NOW, jobs = jobs, hosts = { h1 = { exclusive_to = "/x" } } }
    local document, decision = engine.cycle(of, state)
    assert.equal("b", document.starts[1].job)
    assert.truthy(decision:explain("a")[2]:find("fewer slots than the job asks for", 1, true))
  end)

  it("easy reserves for the first that waits, until when enough end (B-2)", function ()
    assert.equal(" | a@100 b", decided(plan "easy", with(job("a", 8, 10), job("b", 5, 10))))
    local jobs = { running("r", 4, 160), running("s", 4, 90), job("a", 6, 10), job("b", 7, 10) }
    assert.equal(" | a@30 b", decided(plan "easy", jobs))
    assert.equal(" | a@30 b@100", decided(plan "conservative", jobs))
  end)

  it("lets jobs pass that end by then, or need only what is left over then (B-3)", function ()
    local a = job("a", 8, 10)
    assert.equal("b+ | a@100", decided(plan "easy", with(a, job("b", 4, 100))))
    assert.equal(" | a@100 b~", decided(plan "easy", with(a, job("b", 4, 101))))
    assert.equal("b+ | a@100", decided(plan "easy", with(a, job("b", 2, 101))))
    assert.equal("b+ | a@100", decided(plan "easy", with(a, job("b", 2))))
    assert.equal("b+ | a@100 c~", decided(plan "easy", with(a, job("b", 2), job("c", 1))))
    assert.equal("b+ c+ | a@100", decided(plan "easy", with(a, job("b", 2), job("c", 1, 100))))
  end)

  it("conservative reserves for all that wait (B-2)", function ()
    -- b would run on the 2 slots beside a from 100 on; c would use them too long.
    local jobs = with(job("a", 8, 50), job("b", 5, 10), job("c", 4, 120))
    assert.equal(" | a@100 b@150 c~@150", decided(plan "conservative", jobs))
    assert.equal(" | a@100 b c~", decided(plan "easy", jobs))
    jobs = with(job("a", 8, 50), job("b", 10, 50), job("c", 2, 150), job("d", 2, 151))
    assert.equal("c+ | a@100 b@150 d~@200", decided(plan "conservative", jobs))
    assert.equal("c+ | a@100 b d~", decided(plan "easy", jobs))
    table.remove(jobs, 4)
    jobs[4] = job("d", 2, 151)
    assert.equal("d+ | a@100 b", decided(plan "easy", jobs))
  end)

  it("takes a job without a run limit to run for ever, unless its queue has one (B-4)", function ()
    assert.equal("b | a", decided(plan "easy", { running("r", 6), job("a", 8, 10), job("b", 4) }))
    local queues = { { name = "q", runlimit = 10 } }
    assert.equal(" | a@540 b~", decided(plan("easy", { queues = queues }),
      { running("r", 6), job("a", 8, 10), job("b", 4) }))
    -- The next may have a reservation where the first has none.
    assert.equal(" | a b@100 c~", decided(plan "easy",
      { running("r", 1), running("s", 6, 160), job("a", 10, 10), job("b", 9, 10), job("c", 3) }))
  end)

  it("takes a job beyond its run limit to run twice as long, and again (B-4)", function ()
    local function after(limit)
      local jobs = { running("r", 6, limit), job("a", 8, 10) }
      return decided(plan "easy", jobs):match "a@(%d+)"
    end
    -- It has run 60 s: of a limit of 61 s one is left; 60 become 120, 30 become 60 and then 120.
    assert.same({ "1", "60", "58", "60", "3", "4" },
      { after(61), after(60), after(59), after(30), after(63), after(1) })
  end)

  it("counts slots of hosts together that the same queues may use (B-5)", function ()
    local hosts = { h1 = { slots = 4 }, h2 = { slots = 4 } }
    local r = running("r", 4, 160, { hosts = { h1 = 4 } })
    local s = running("s", 2, 360, { hosts = { h2 = 2 } })
    assert.equal("b+ | a@100", decided(plan("easy", { hosts = hosts }),
      { r, s, job("a", 4, 10), job("b", 2) }))
    local queues = { { name = "q" }, { name = "one", hosts = { "h2" } } }
    -- a needs h1 alone, so h2 is free for b; a2 would need both.
    assert.equal("b+ | a@100", decided(plan("easy", { hosts = hosts, queues = queues }),
      { r, s, job("a", 4, 10), job("b", 2, 500, { queue = "one" }) }))
    assert.equal(" | a@100 b~", decided(plan("easy", { hosts = hosts, queues = queues }),
      { r, s, job("a", 6, 10), job("b", 2, 500, { queue = "one" }) }))
  end)

  it("reserves whole hosts for an exclusive job (B-5)", function ()
    local hosts = { h1 = { slots = 4 }, h2 = { slots = 4 } }
    local r = running("r", 1, 160, { hosts = { h1 = 1 } })
    local s = running("s", 1, 360, { hosts = { h2 = 1 } })
    local x = job("x", 2, 10, { exclusive = true })
    assert.equal("b+ | x@100", decided(plan("easy", { hosts = hosts }),
      { r, s, x, job("b", 3, 500) }))
    assert.equal(" | x@100 b~", decided(plan("easy", { hosts = hosts }),
      { r, s, x, job("b", 4, 500) }))
    assert.equal("b+ | x@100", decided(plan("easy", { hosts = hosts }),
      { r, s, x, job("b", 4, 100) }))
    -- An exclusive job that runs has all slots of its host.
    r = running("r", 1, 160, { hosts = { h1 = 1 }, exclusive = true })
    assert.equal(" | a@100 b~", decided(plan("easy", { hosts = hosts }),
      { r, s, job("a", 7, 10), job("b", 1, 500) }))
  end)

  it("easy reserves nothing for a job that waits for a limit, and delays none for it (B-6)",
    function ()
      local of = plan("easy", { queues = { { name = "q", ujob_limit = 6 } } })
      local jobs = { running("r", 6, 160, { user = "ann" }), job("a", 4, 10, { user = "ann" }),
        job("b", 4, 500, { user = "bob" }) }
      assert.equal("b | a", decided(of, jobs))
      assert.equal("b | a", decided(plan("none", { queues = of.queues }), jobs))
    end)

  it("conservative reserves for a job from when on its limit lets it start (B-2)", function ()
    local of = plan("conservative", { queues = { { name = "q", ujob_limit = 6 } } })
    local r, a = running("r", 6, 160, { user = "ann" }), job("a", 4, 10, { user = "ann" })
    assert.equal("b+ | a@100", decided(of, { r, a, job("b", 4, 500, { user = "bob" }) }))
    -- It would be above its limit beside a: so it is behind it.
    assert.equal(" | a@100 c@110", decided(of, { r, a, job("c", 3, 10, { user = "ann" }) }))
  end)

  it("lets no job behind use up what a limit lets the one before it have (B-3)", function ()
    local function limited(how, of, b, c)
      local queues = { { name = "q" }, { name = "o", priority = 2 } }
      for key, value in pairs(of) do queues[1][key] = value end
      local r = running("r", 14, 160, { queue = "o" })
      local a = job("a", 8, 10, { user = "ann" })
      return decided(plan(how, { slots = 20, queues = queues }), { r, a, b, c })
    end
    -- 12 slots are free beside a, but the queue may have 10; 2 beside a.
    local b, c = job("b", 4, 1000, { user = "ann" }), job("c", 2, 1000, { user = "ann" })
    assert.equal("b+ c+ | a@100", limited("easy", {}, b, c))
    assert.equal("c+ | a@100 b~", limited("easy", { qjob_limit = 10 }, b, c))
    assert.equal("c+ | a@100 b~", limited("easy", { ujob_limit = 10 }, b, c))
    assert.equal("b+ c+ | a@100", limited("easy", { ujob_limit = 10 },
      job("b", 4, 1000, { user = "bob" }), c))
    -- One that is over by then would make it wait for its limit, and lose its reservation (B-6).
    b.run_limit = 100
    assert.equal("c+ | a@100 b~", limited("easy", { qjob_limit = 10 }, b, c))
    assert.equal("b+ c+ | a@100", limited("conservative", { qjob_limit = 10 }, b, c))
  end)

  it("... nor a number of jobs, a resource or the slots of a pool (B-3)", function ()
    local function beside(more, ...)
      more.slots = 20
      return decided(plan("easy", more),
        { running("r", 14, 160, { queue = "o" }), job("a", 8, 10, { resources = more.resources
          and { lic = 4 } }), ... })
    end
    local function queues(of)
      local q = { name = "q" }
      for key, value in pairs(of or {}) do q[key] = value end
      return { q, { name = "o", priority = 2 } }
    end
    local limits = { { name = "few", queues = { "q" }, jobs = 2 } }
    assert.equal("b+ | a@100 c~", beside({ queues = queues(), limits = limits }, job("b", 1),
      job("c", 1)))
    assert.equal("c+ | a@100 b~", beside({ queues = queues(), resources = { lic = 5 } },
      job("b", 1, 500, { resources = { lic = 2 } }), job("c", 1, 500, { resources = { lic = 1 } })))
    local pool = { slot_pool = "p", slot_share = 100, max_slots_in_pool = 10 }
    assert.equal("c+ | a@100 b~", beside({ queues = queues(pool) }, job("b", 3, 500),
      job("c", 2, 500)))
  end)

  it("... nor a limit on each host (B-5)", function ()
    local of = plan("easy", { hosts = { h1 = { slots = 4 }, h2 = { slots = 4 } },
      queues = { { name = "q", hjob_limit = 3 }, { name = "o", priority = 2 } } })
    local r = running("r", 2, 160, { queue = "o", hosts = { h1 = 2 } })
    local s = running("s", 2, 160, { queue = "o", hosts = { h2 = 2 } })
    assert.equal(" | a@100 b~", decided(of, { r, s, job("a", 6, 10), job("b", 1) }))
    assert.equal("b+ | a@100", decided(of, { r, s, job("a", 5, 10), job("b", 1) }))
    -- On h1 two more jobs of q may not have four slots.
    assert.equal(" | a@100 b~", decided(of, { r, s, job("a", 5, 10), job("b", 2) }))
  end)

  it("goes through all queues in the order of turns (B-1)", function ()
    local queues = { { name = "q" }, { name = "high", priority = 9 } }
    local jobs = with(job("b", 4, 101), job("c", 4, 100), job("a", 8, 10, { queue = "high" }))
    assert.equal("c+ | b~ a@100", decided(plan("easy", { queues = queues }), jobs))
  end)

  it("comes after preemption (B-7)", function ()
    local queues = { { name = "q" }, { name = "high", priority = 9, preemptive = true } }
    local jobs = with(job("a", 8, 10, { queue = "high" }), job("b", 2, 100))
    -- b may not have the slots that r keeps until a ends.
    assert.equal("suspends r! a! | b@10", decided(plan("easy", { queues = queues }), {
      running("r", 6, 160), jobs[2], jobs[3] }))
  end)

  it("resumes a job beside what is reserved (B-7)", function ()
    local queues = { { name = "q" }, { name = "high", priority = 9 } }
    local function resumed(limit)
      return decided(plan("easy", { queues = queues }), { running("r", 6, 160),
        job("s", 4, limit, { state = "suspended", ran = 50 }),
        job("a", 6, 10, { queue = "high" }) })
    end
    -- a sees only 6 slots, as s keeps 4: both have theirs at 100.
    assert.equal("resumes s | a@100", resumed(1000))
  end)

  it("does not resume a job on slots that its preemptor has reserved (B-7)", function ()
    local queues = { { name = "q" }, { name = "high", priority = 9, preemptive = true } }
    local function resumed(limit, slots)
      return decided(plan("easy", { queues = queues }), {
        running("r", 6, 160, { queue = "high" }),
        job("s", 4, limit, { state = "suspended", ran = 50 }),
        job("a", slots, 10, { queue = "high" }) })
    end
    assert.equal("resumes s | a@100", resumed(150, 8))
    assert.equal(" | s~ a@100", resumed(151, 8))
    assert.equal("resumes s | a@100", resumed(151, 6))
  end)

  it("lets a job preempt only beside what is reserved (B-7)", function ()
    local queues = { { name = "q" }, { name = "high", priority = 9, preemptive = true },
      { name = "top", priority = 99 } }
    local function preempted(limit, slots, ends)
      queues[1].terminate_when = ends
      return decided(plan("easy", { queues = queues }), { running("r", 6, 160, { queue = "top" }),
        running("s", 4, 160), job("a", slots, 10, { queue = "top" }),
        job("b", 4, limit, { queue = "high" }) })
    end
    assert.equal("suspends s! b! | a@100", preempted(100, 6))
    assert.equal(" | a@100 b~", preempted(101, 6))
    -- s would keep its slots from a, which needs them once s has ended.
    assert.equal(" | a@100 b~", preempted(100, 7))
    assert.equal("kills s! b! | a@100", preempted(100, 8, { "PREEMPT" }))
    assert.equal(" | a@100 b~", preempted(101, 8, { "PREEMPT" }))
  end)

  it("lets no job run on kept slots if the one before it then lacks others (B-7)", function ()
    -- t keeps 4 of 10 slots from a, but not from b. Beside b on these, 2 of 6 would be a's.
    local queues = { { name = "q" }, { name = "high", priority = 9, preemptive = true },
      { name = "top", priority = 99 } }
    local function started(limit)
      return decided(plan("easy", { queues = queues }), { running("r", 6, 160, { queue = "top" }),
        job("t", 4, 500, { state = "suspended", ran = 5 }), job("a", 6, 10, { queue = "top" }),
        job("b", 4, limit, { queue = "high" }) })
    end
    assert.equal("b+ | t a@100", started(100))
    assert.equal("resumes t | a@100 b~", started(101))
  end)

  it("lets jobs grow only beside what is reserved (B-7)", function ()
    local function grown(limit)
      local r = running("r", 6, limit, { resize = { grow = 8 } })
      return decided(plan "easy", { r, running("s", 2, 160), job("a", 4, 10) })
    end
    assert.equal("resizes r | a@100", grown(160))
    assert.equal(" | a@100", grown(1000))
  end)

  it("names the reservation that binds, and what is lacking beside it", function ()
    local function told(of, jobs, id)
      local _, decision = engine.cycle(of, { now = NOW, jobs = jobs })
      return table.concat((decision:explain(id)), "\n")
    end
    -- Beside a, from 100 on, 2 slots are left, beside b, from 150 on, 1.
    local jobs = { running("r", 5, 160), job("a", 8, 50), job("b", 9, 50), job("d", 2, 200),
      job("e", 3, 200) }
    local text = told(plan "conservative", jobs, "e")
    assert.truthy(text:find("a waits before it, and has 8 slots reserved from 1970-01-01T00:18:20Z "
      .. "on, in 100 s. This job may run for 200 s: beside it that one would have too few of these "
      .. "slots (B-3).", 1, true), text)
    text = told(plan "conservative", jobs, "d")
    assert.truthy(text:find("b waits before it, and has 9 slots reserved", 1, true), text)
    local queues = { { name = "q", qjob_limit = 10 }, { name = "o", priority = 2 } }
    text = told(plan("easy", { slots = 20, queues = queues }), {
      running("r", 14, 160, { queue = "o" }), job("a", 8, 10), job("b", 4) }, "b")
    assert.truthy(text:find('This job has no run limit: with it the limit "qjob_limit of q" would '
      .. "not let that one start (B-3).", 1, true), text)
  end)

  it("tells of an exclusive job's reservation with the slots of its hosts", function ()
    local hosts = { h1 = { slots = 4 }, h2 = { slots = 4 } }
    local _, decision = engine.cycle(plan("easy", { hosts = hosts }), { now = NOW, jobs = {
      running("r", 1, 160, { hosts = { h1 = 1 } }), running("s", 1, 360, { hosts = { h2 = 1 } }),
      job("x", 2, 10, { exclusive = true }) } })
    local text = table.concat((decision:explain "x"), "\n")
    assert.truthy(text:find("in 100 s, 4 slots are reserved for it, of whole hosts:", 1, true),
      text)
  end)

  it("reserves nothing once all have started", function ()
    assert.equal("a | ", decided(plan "conservative", with(job("a", 4, 10))))
  end)
end)

describe("a simulation with a job that runs far beyond its limit", function ()
  it("decides as often as the estimate doubles, not each minute (B-4)", function ()
    local folder = shell.directory()
    shell.write(folder .. "/plan.json", [[{"version": 1, "slots": 10, "queues": [{"name": "q"}],
      "policy": {"use": "preemption", "backfill": "easy"}}]])
    shell.write(folder .. "/log", table.concat({
      '{"at": 0, "event": "submit", "id": "a", "run": 2000000, "slots": 6, "queue": "q", '
        .. '"run_limit": 60}',
      '{"at": 1, "event": "submit", "id": "b", "run": 10, "slots": 8, "queue": "q", '
        .. '"run_limit": 10}',
    }, "\n"))
    local status, out = shell.run(("%s simulate %s/plan.json %s/log --format json")
      :format(shell.allot, folder, folder))
    shell.remove(folder)
    assert.equal(0, status)
    -- Both come, 60 s, 120 s, ... 60 * 2^15 s, and both end.
    local cycles = tonumber(out:match '"cycles": (%d+)')
    assert.is_true(cycles >= 18 and cycles <= 22, cycles)
  end)
end)

-- ---- The example's table ------------------------------------------------------------------------

local FOLDER = "examples/queues/backfill/"
local NASA = (os.getenv "ALLOT_TRACES" or "../shared/traces")
  .. "/NASA-iPSC-1993-3.1-cln.swf.gz"

--- "8 s, 23753 s | ...": mean and longest wait, way by way.
local function waits(map)
  local words, shown = {}, {}
  for _, how in ipairs { "none", "first_fit", "easy", "conservative" } do
    words[#words + 1] = "--policy preemption:backfill=" .. how
  end
  local status, out = shell.run(("%s simulate %snasa.json %s --map %s%s.lua --format csv %s")
    :format(shell.allot, FOLDER, NASA, FOLDER, map, table.concat(words, " ")))
  assert.equal(0, status)
  local keys, lines = {}, out:gmatch "[^\n]+"
  for key in lines():gmatch "[^,]+" do keys[#keys + 1] = key end
  for line in lines do
    local row, i = {}, 0
    for value in line:gmatch "[^,]+" do
      i = i + 1
      row[keys[i]] = value
    end
    if row.consumer == "/" then
      shown[#shown + 1] = ("%.0f s, %s s"):format(row.wait_mean, row.wait_most)
    end
  end
  return table.concat(shown, " | ")
end

describe("the log of NASA", function ()
  it("has the waits that the example shows", function ()
    if not shell.exists(NASA) then return pending "no log in ALLOT_TRACES" end
    local text = shell.read(FOLDER .. "README.md")
    assert.truthy(text:find("| as recorded | " .. waits "limits" .. " |", 1, true))
    assert.truthy(text:find("| half as long again | " .. waits "longer" .. " |", 1, true))
  end)
end)
