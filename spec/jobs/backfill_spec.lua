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

  it("takes a job beyond its run limit to end in the next second (B-4)", function ()
    local jobs = { running("r", 6, 30), job("a", 8, 10), job("b", 4, 2), job("c", 4, 1) }
    assert.equal("c+ | a@1 b~", decided(plan "easy", jobs))
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

  it("reserves nothing for a job that waits for a limit, and delays none for it (B-6)", function ()
    local of = plan("easy", { queues = { { name = "q", ujob_limit = 6 } } })
    local jobs = { running("r", 6, 160, { user = "ann" }), job("a", 4, 10, { user = "ann" }),
      job("b", 4, 500, { user = "bob" }) }
    assert.equal("b | a", decided(of, jobs))
    assert.equal("b | a", decided(plan("none", { queues = of.queues }), jobs))
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
    local function preempted(limit)
      return decided(plan("easy", { queues = queues }), { running("r", 6, 160),
        running("s", 4, 160), job("a", 8, 10, { queue = "top" }),
        job("b", 4, limit, { queue = "high" }) })
    end
    assert.equal("suspends s! b! | a@100", preempted(100))
    assert.equal(" | a@100 b~", preempted(101))
  end)

  it("lets jobs grow only beside what is reserved (B-7)", function ()
    local function grown(limit)
      local r = running("r", 6, limit, { resize = { grow = 8 } })
      return decided(plan "easy", { r, running("s", 2, 160), job("a", 4, 10) })
    end
    assert.equal("resizes r | a@100", grown(160))
    assert.equal(" | a@100", grown(1000))
  end)

  it("reserves nothing once all have started", function ()
    assert.equal("a | ", decided(plan "conservative", with(job("a", 4, 10))))
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
