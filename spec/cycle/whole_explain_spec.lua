-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Why a task waits, starts, stays or goes (C-13): sentences whose numbers are computed by hand,
--- and on random sites every number beside the decision.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen_whole = require "spec.support.cases.gen_whole"
local json = require "dkjson"
local property = require "spec.support.cases.property"
local shell = require "spec.support.house.shell"
local watch = require "spec.support.model.whole.watch"
local words = require "spec.support.model.whole.words"

local plan, state_of = case.plan, case.state
local SKIP = { pending = "skip" }

local function task(consumer, id, slots, fields)
  local out = { id = id, consumer = "/" .. consumer, slots = slots }
  for key, value in pairs(fields or {}) do out[key] = value end
  return out
end

--- Of priority 1, submitted at 4: at 10 that is 6 s ago.
local function waits(consumer, id, slots, fields)
  local out = task(consumer, id, slots, { state = "pending", submitted = 4 })
  for key, value in pairs(fields or {}) do out[key] = value end
  return out
end

local function ran(consumer, id, slots, started)
  return task(consumer, id, slots, { started = started })
end

local function later(n) return { submitted = 4 + n } end

--- What is said of each, in full.
local function says(it)
  local _, decision = engine.cycle(it.plan, it.state, nil, it.policy)
  for what, lines in pairs(it.said) do
    assert.same(lines, assert(decision:explain(what, it.group)))
  end
end

describe("explain says that a task", function ()
  -- 20 slots. /a: r has 8 of 12, t1 needs 8 more: lowered to 8. /b: t2 fits into its 8, t3 does
  -- not: lowered to 6. Of the 6 that are left t1 is not, but t3's 4 are; 2 are left in the end.
  it("starts, and what it needed for that (C-13)", function ()
    says {
      plan = plan { { "a", owned = 12 }, { "b", owned = 8 } },
      state = state_of { now = 10, tasks = { ran("a", "r", 8, 1), waits("a", "t1", 8),
        waits("b", "t2", 6), waits("b", "t3", 4, later(1)) } },
      said = {
        t1 = { "Task t1 of /a asks for 8 slots at once: priority 1, submitted 6 s ago.",
          "It waits: it does not fit whole into the quota of /a (C-13).",
          "/a has a quota of 8 slots: running tasks use 8, and 0 are left for the 8 that it needs.",
          "/a owns 12: what it cannot use whole, others may (C-13).",
          "8 are missing, of which the group has 2 left over." },
        t2 = { "Task t2 of /b asks for 6 slots at once: priority 1, submitted 6 s ago.",
          "It is number 1 of 2 pending tasks of /b.",
          "It starts now: all its slots are there (C-13).",
          "/b has a quota of 10 slots: running tasks use 0, and 10 are left for the 6 that it "
            .. "needs." },
        t3 = { "Task t3 of /b asks for 4 slots at once: priority 1, submitted 5 s ago.",
          "It is number 2 of 2 pending tasks of /b.",
          "It starts now: all its slots are there (C-13).",
          "/b has a quota of 10 slots: running tasks use 0, tasks before it 6 (t2), and 4 are left "
            .. "for the 4 that it needs." },
        ["/b"] = { "/b owns 8 slots.", "It demands 10 slots: that is its need (C-2).",
          "Its tasks start whole and can use 6 of the slots that it could get: that counts as its "
            .. "demand below (C-13).",
          "The group's 20 slots are divided among 2 first-level consumers.", "  owned: 6.",
          "  whole: 4 that were left over make its next task fit (C-13).",
          "Its quota is 10 = 6 owned + 4 whole.", "It holds 0 slots: 10 below its quota.",
          "Of the idle slots it is granted 10 now (C-5).", "These tasks start: t2, t3 (C-13)." },
      },
    }
  end)

  -- /P may have 6: a is within 4 of them, and b would be 8.
  it("waits because of a limit above its leaf (C-13)", function ()
    says {
      plan = plan { { "Q", owned = 4 },
        { "P", limit = 6, { "A", owned = 3 }, { "B", owned = 3 } } },
      state = state_of { now = 10, tasks = { waits("P/A", "a", 4), waits("P/B", "b", 4) } },
      said = { b = { "Task b of /P/B asks for 4 slots at once: priority 1, submitted 6 s ago.",
        "It waits: it does not fit whole into the quota of /P/B (C-13).",
        "/P/B has a quota of 0 slots: running tasks use 0, and 0 are left for the 4 that it needs.",
        "/P/B owns 3: what it cannot use whole, others may (C-13).",
        "The limit of /P is 6: 2 too low." } },
    }
  end)

  -- 7 are wanted, and with the third task it were 9.
  it("waits because its leaf demands less (C-13)", function ()
    says {
      plan = plan { { "A", owned = 10 } },
      state = state_of { now = 10, A = { 7 }, tasks = { waits("A", "a1", 3),
        waits("A", "a2", 3, later(1)), waits("A", "a3", 3, later(2)) } },
      said = { a3 = { "Task a3 of /A asks for 3 slots at once: priority 1, submitted 4 s ago.",
        "It is number 3 of 3 pending tasks of /A.",
        "It waits: it does not fit whole into the quota of /A (C-13).",
        "/A has a quota of 6 slots: running tasks use 0, tasks before it 6 (a1, a2), and 0 are "
          .. "left for the 3 that it needs.",
        "/A owns 10: what it cannot use whole, others may (C-13).",
        "/A demands 7 slots in all, as the state says: 2 too few." } },
    }
  end)

  -- The policy gives nobody more than he owns.
  it("waits because its policy gives no more (C-13)", function ()
    says {
      plan = plan { policy = "site.lua", { "A", owned = 5 }, { "B", owned = 5 } },
      policy = [[return policy { name = "site",
        quota = { fill "own" { by = "owned", up_to = "owned" } } }]],
      state = state_of { tasks = { task("A", "t", 6, { state = "pending" }) } },
      said = { t = { "Task t of /A asks for 6 slots at once: priority 1.",
        "It waits: it does not fit whole into the quota of /A (C-13).",
        "/A has a quota of 0 slots: running tasks use 0, and 0 are left for the 6 that it needs.",
        "/A owns 5: what it cannot use whole, others may (C-13).",
        "6 are missing: the group has so many left over, but the policy gives /A no more." } },
    }
  end)
end)

describe("explain says of a list that is strict", function ()
  it("behind whom a task waits, and why that one does (C-13)", function ()
    says {
      plan = plan { { "A", owned = 6 }, { "B", owned = 4 } },
      state = state_of { now = 10, B = { 4, 4 }, tasks = { waits("A", "a1", 8),
        waits("A", "a2", 3, { submitted = 7 }), waits("A", "a3", 2, { priority = 7 }) } },
      -- a3 starts, a1 needs 8 of the 4 behind it: /A uses 2, and of the 4 that are left a1 is not.
      said = { a2 = { "Task a2 of /A asks for 3 slots at once: priority 1, submitted 3 s ago.",
        "It is number 3 of 3 pending tasks of /A.",
        'It waits behind a1: nothing starts before the first task that does not fit whole, since '
          .. '`pending` is "strict" (C-13).',
        "/A has a quota of 2 slots: running tasks use 0, tasks before it 2 (a3), and 0 are left "
          .. "for the 8 that a1 needs.",
        "/A owns 6: what it cannot use whole, others may (C-13).",
        "8 are missing, of which the group has 4 left over." },
        ["/A"] = { "/A owns 6 slots.", "It demands 13 slots: that is its need (C-2).",
          "Its tasks start whole and can use 2 of the slots that it could get: that counts as its "
            .. "demand below (C-13).",
          "The group's 10 slots are divided among 2 first-level consumers.", "  owned: 2.",
          "Its quota is 2 = 2 owned.", "It holds 0 slots: 2 below its quota.",
          "Of the idle slots it is granted 2 now (C-5).", "These tasks start: a3 (C-13).",
          "2 of its tasks wait, a1 first." } },
    }
  end)

  -- Of 5 slots a1 keeps 3; a2 goes, and 3 are its quota.
  it("that nothing starts behind a task that has to go (C-13)", function ()
    says {
      plan = plan { { "A", owned = 5 }, { "B", owned = 5 } },
      state = state_of { now = 10, B = { 5, 3 }, tasks = { ran("A", "a1", 3, 1),
        ran("A", "a2", 4, 5), waits("A", "a3", 1) } },
      said = { a3 = { "Task a3 of /A asks for 1 slot: priority 1, submitted 6 s ago.",
        "It waits behind a2, which runs and is to go: it does not fit into the quota any more.",
        'Nothing starts behind a task that is to go, since `pending` is "strict" (C-13).',
        "/A has a quota of 3 slots: the tasks that may stay use 3, and a2 has 4." },
        a2 = { "a2 runs on 4 slots of /A, for 5 s.", "It is reclaimed.",
          "/A gives 2 slots back; the tasks that go for that hold 4 slots (C-8).",
          "Candidates are ordered by ran; it is number 1 of 2 candidates.",
          "The first that stays is a1.", "  What decides is ran, smallest first: 5 against 9.",
          "  With ran above 9, a1 would go first.", "It would stay if /A gave 2 less." } },
    }
  end)

  it("nor behind one that is on its way out (C-6, C-13)", function ()
    says {
      plan = plan { { "A", owned = 5 } },
      state = state_of { now = 10, tasks = { ran("A", "a1", 2, 1), waits("A", "a2", 1) },
        reclaims = { { id = "r", consumer = "/A", slots = 2, tasks = { "a1" } } } },
      said = { a2 = { "Task a2 of /A asks for 1 slot: priority 1, submitted 6 s ago.",
        "It waits behind a1, which runs and is to go: a reclaim in flight names it (C-6).",
        'Nothing starts behind a task that is to go, since `pending` is "strict" (C-13).' } },
    }
  end)

  it("nor behind one whose host is closed (C-13, E-34)", function ()
    says {
      plan = plan { hosts = { h = { slots = 4 }, g = { slots = 4 } }, { "A", owned = 8 } },
      state = state_of { now = 10, hosts = { h = { slots = 4, closed = "reclaim" } }, tasks = {
        task("A", "a1", 2, { host = "h", started = 5 }), waits("A", "a2", 1) } },
      said = { a2 = { "Task a2 of /A asks for 1 slot: priority 1, submitted 6 s ago.",
        "It waits behind a1, which runs and is to go: its host is closed with reclaim (E-34).",
        'Nothing starts behind a task that is to go, since `pending` is "strict" (C-13).' } },
    }
  end)
end)

describe("explain says of a list that is no longer strict", function ()
  -- Of 6 slots a2 and a3 use 5; with a1's 8 it were 13 of the 6 that /B leaves.
  it("who is taken though a task waits (C-13)", function ()
    says {
      plan = plan { options = SKIP, { "A", owned = 6 }, { "B", owned = 4 } },
      state = state_of { now = 10, B = { 4, 4 }, tasks = { waits("A", "a1", 8),
        waits("A", "a2", 3, later(1)), waits("A", "a3", 2, later(2)) } },
      said = { a1 = { "Task a1 of /A asks for 8 slots at once: priority 1, submitted 6 s ago.",
        "It is number 1 of 3 pending tasks of /A.",
        "It waits: it does not fit whole into the quota of /A (C-13).",
        "/A has a quota of 5 slots: running tasks use 0, and 5 are left for the 8 that it needs.",
        'Tasks behind it take 5 of these, since `pending` is "skip" (a2, a3).',
        "/A owns 6: what it cannot use whole, others may (C-13).",
        "8 are missing, of which the group has 1 left over." } },
    }
  end)

  -- a1, a3 and a4 use all 5; a2 goes for the 2 that /B lacks.
  it("that slots come once others go (C-13)", function ()
    says {
      plan = plan { options = SKIP, { "A", owned = 5 }, { "B", owned = 5 } },
      state = state_of { now = 10, B = { 5, 3 }, tasks = { ran("A", "a1", 3, 1),
        ran("A", "a2", 4, 5), waits("A", "a3", 1), waits("A", "a4", 1, later(1)) } },
      said = { a4 = { "Task a4 of /A asks for 1 slot: priority 1, submitted 5 s ago.",
        "It is number 2 of 2 pending tasks of /A.",
        "It waits: it fits into the quota of /A, but its slots are not all there (C-13).",
        "/A has a quota of 5 slots: running tasks use 3, tasks before it 1 (a3), and 1 is left for "
          .. "the 1 that it needs.",
        "0 are held for it, and 1 is to come.",
        "/A holds 7 slots, 2 above its quota: these have to go first." } },
    }
  end)
end)

describe("explain says of slots that are held", function ()
  -- /A may have 6: a1 starts on one of the 2 that are idle, and one is held.
  it("for whom, and who gives back the rest (C-6, C-13)", function ()
    says {
      plan = plan { { "A", owned = 6 }, { "B", owned = 4, grace = 30 } },
      state = state_of { now = 10, B = { 8, 8 }, tasks = { waits("A", "a1", 1),
        waits("A", "a2", 5, later(1)) } },
      said = { a2 = { "Task a2 of /A asks for 5 slots at once: priority 1, submitted 5 s ago.",
        "It is number 2 of 2 pending tasks of /A.",
        "It waits: it fits into the quota of /A, but its slots are not all there (C-13).",
        "/A has a quota of 6 slots: running tasks use 0, tasks before it 1 (a1), and 5 are left "
          .. "for the 5 that it needs.",
        "1 is held for it, and 4 are to come.", "/B gives 4 back for /A, within 30 s (C-6)." },
        ["/A"] = { "/A owns 6 slots.", "It demands 6 slots: that is its need (C-2).",
          "The group's 10 slots are divided among 2 first-level consumers.", "  owned: 6.",
          "Its quota is 6 = 6 owned.", "It holds 0 slots: 6 below its quota.",
          "Of the idle slots it is granted 1 now (C-5).", "These tasks start: a1 (C-13).",
          "Held idle for it: 1, until a2 can start with all slots (C-13).",
          "1 of its tasks waits: a2.", "/B gives 4 back for it, within 30 s (C-6)." } },
    }
  end)

  it("that the rest is on its way (C-6, C-13)", function ()
    says {
      plan = plan { { "A", owned = 4 }, { "B", owned = 4 } },
      state = state_of { now = 10, tasks = { ran("B", "b1", 4, 5), ran("B", "b2", 2, 6),
        waits("A", "t", 4) }, reclaims = { { id = "r", consumer = "/B", slots = 2,
        tasks = { "b2" }, deadline = 100, ["for"] = { { consumer = "/A", slots = 2 } } } } },
      said = { t = { "Task t of /A asks for 4 slots at once: priority 1, submitted 6 s ago.",
        "It waits: it fits into the quota of /A, but its slots are not all there (C-13).",
        "/A has a quota of 4 slots: running tasks use 0, and 4 are left for the 4 that it needs.",
        "2 are held for it, and 2 are to come.",
        "2 are on the way to /A from earlier reclaims (C-6)." } },
    }
  end)

  it("why nobody gives the rest (C-8, C-13)", function ()
    says {
      plan = plan { policy = "site.lua", { "A", owned = 4 }, { "B", owned = 4 } },
      policy = [[return policy { name = "site", guards = { min_run_time(60) },
        quota = { fill "own" { by = "owned", up_to = "owned" }, fill "rest" { by = 1 } } }]],
      state = state_of { now = 10, tasks = { ran("B", "b1", 6, 5), waits("A", "t", 4) } },
      said = { t = { "Task t of /A asks for 4 slots at once: priority 1, submitted 6 s ago.",
        "It waits: it fits into the quota of /A, but its slots are not all there (C-13).",
        "/A has a quota of 4 slots: running tasks use 0, and 4 are left for the 4 that it needs.",
        "2 are held for it, and 2 are to come.",
        "It still lacks 2: what others are over is held back by guards or damping." } },
    }
  end)
end)

describe("explain says of slots of several groups", function ()
  local function of(cpu, gpu)
    return { cpu = { slots = cpu, consumers = { ["/A"] = { owned = cpu } } },
      gpu = { slots = gpu, consumers = { ["/A"] = { owned = gpu } } } }
  end

  -- a1 has one gpu of one: a2 lacks it, though cpu has the 2 that it needs left over.
  it("in which of them a task does not fit (C-13)", function ()
    says {
      plan = plan { groups = of(6, 1), { "A" } },
      state = state_of { now = 10, tasks = { waits("A", "a1", { cpu = 2, gpu = 1 }),
        waits("A", "a2", { cpu = 2, gpu = 1 }, later(1)) } },
      said = { a1 = {
        "Task a1 of /A asks for 2 slots of cpu and 1 slot of gpu at once: priority 1, submitted 6 "
          .. "s ago.",
        "It is number 1 of 2 pending tasks of /A.",
        "It starts now: all its slots are there (C-13).",
        "In cpu /A has a quota of 2 slots: running tasks use 0, and 2 are left for the 2 that it "
          .. "needs.",
        "In gpu /A has a quota of 1 slot: running tasks use 0, and 1 is left for the 1 that it "
          .. "needs." },
        a2 = {
          "Task a2 of /A asks for 2 slots of cpu and 1 slot of gpu at once: priority 1, submitted "
            .. "5 s ago.",
          "It is number 2 of 2 pending tasks of /A.",
          "It waits: it does not fit whole into the quota of /A (C-13).",
          "In cpu /A has a quota of 2 slots: running tasks use 0, tasks before it 2 (a1), and 0 "
            .. "are left for the 2 that it needs.",
          "/A owns 6: what it cannot use whole, others may (C-13).",
          "2 are missing, which cpu has left over.",
          "In gpu /A has a quota of 1 slot: running tasks use 0, tasks before it 1 (a1), and 0 are "
            .. "left for the 1 that it needs.",
          "1 is missing, of which gpu has 0 left over." } },
    }
  end)

  -- Of 3 and 1: a1, the last to go, lacks a gpu and goes; so a2 has its 3.
  it("that a task goes in all, and another stays (C-13)", function ()
    says {
      plan = plan { groups = of(3, 1), { "A" } },
      state = state_of { now = 10, tasks = { ran("A", "a1", { cpu = 1, gpu = 2 }, 1),
        ran("A", "a2", { cpu = 3 }, 5) } },
      said = { a1 = { "a1 runs on 1 slot of cpu and 2 slots of gpu of /A, for 9 s.",
        "It is reclaimed, with its slots of all groups (C-13).",
        "In cpu /A gives 1 slot back; the tasks that go for that hold 1 slot (C-8).",
        "Candidates are ordered by ran; it is number 2 of 2 candidates.",
        "In gpu /A gives 1 slot back; the tasks that go for that hold 2 slots (C-8).",
        "Candidates are ordered by ran; it is number 1 of 1 candidates.",
        "From the last of the candidates on, each stays that fits into what is left of every "
          .. "group: it does not (C-13)." },
        a2 = { "a2 runs on 3 slots of /A, for 5 s.", "It stays.",
          "In cpu /A gives 1 slot back; the tasks that go for that hold 1 slot (C-8).",
          "Candidates are ordered by ran; it is number 1 of 2 candidates.",
          "From the last of the candidates on, each stays that fits into what is left of every "
            .. "group: it does (C-13)." } },
    }
  end)

  -- 4 of 3 cpus run and 2 of 3 gpus: a1, the last to go, stays, and a2 lacks a cpu.
  it("in which group a task goes, and nothing of the others (C-13)", function ()
    says {
      plan = plan { groups = of(3, 3), { "A" } },
      state = state_of { now = 10, tasks = { ran("A", "a1", { cpu = 1, gpu = 1 }, 1),
        ran("A", "a2", { cpu = 3, gpu = 1 }, 5) } },
      said = { a2 = { "a2 runs on 3 slots of cpu and 1 slot of gpu of /A, for 5 s.",
        "It is reclaimed, with its slots of all groups (C-13).",
        "In cpu /A gives 1 slot back; the tasks that go for that hold 3 slots (C-8).",
        "Candidates are ordered by ran; it is number 1 of 2 candidates.",
        "From the last of the candidates on, each stays that fits into what is left of every "
          .. "group: it does not (C-13)." } },
    }
  end)
end)

describe("explain finds", function ()
  local PLAN = '{"consumers": [{"name": "a", "owned": 4}, {"name": "t1", "owned": 4}]}'
  local STATE = [[{"now": 10, "tasks": [
    {"id": "t1", "consumer": "/a", "slots": 3, "state": "pending"},
    {"id": "t2", "consumer": "/a", "slots": 3, "state": "pending", "submitted": 1}]}]]
  local folder, files
  setup(function ()
    folder = shell.directory()
    shell.write(folder .. "/plan.json", PLAN)
    shell.write(folder .. "/state.json", STATE)
    files = { folder .. "/plan.json", folder .. "/state.json" }
  end)
  teardown(function () shell.remove(folder) end)

  local function explain(what, ...)
    return shell.command("explain", files[1], files[2], what, ...)
  end

  it("a task and a consumer of the same name apart (C-13)", function ()
    local status, task_text = explain "t1"
    assert.equal(0, status)
    assert.matches("^Task t1 of /a asks for 3 slots at once: priority 1%.\n", task_text)
    local _, consumer_text = explain "/t1"
    assert.matches("^/t1 owns 4 slots%.\n", consumer_text)
  end)

  it("a task, in JSON as in text (C-13)", function ()
    local _, text = explain "t2"
    local status, out = explain("t2", "--format", "json")
    local document = json.decode(out)
    assert.same({ 0, "allot/explain/v1", "t2" }, { status, document.schema, document.task })
    assert.equal(text, table.concat(document.lines, "\n") .. "\n")
  end)

  it("what a wrong id may have meant", function ()
    local status, out, err = explain "t9"
    assert.same({ 2, "" }, { status, out })
    assert.matches("the state has no task t9 [E-unknown-task]\n  hint: did you mean t1?", err, 1,
      true)
    assert.matches("hint: did you mean /a?", (select(3, explain "a")), 1, true)
    assert.matches("hint: a consumer's path begins with /", (select(3, explain "zzzzzz")), 1, true)
    local _, decision = engine.cycle(json.decode(PLAN), (json.decode(STATE)))
    local _, message = decision:explain "t9"
    assert.equal("there is no task, job or contract t9; did you mean t1?", message)
    _, message = decision:explain "zzzzzz"
    assert.equal("there is no task, job or contract zzzzzz", message)
  end)

  it("the same in a session", function ()
    local _, text = explain "t2"
    local _, said = shell.command("repl", files[1], files[2], "--eval", 'explain "t2"')
    assert.equal(text, said)
  end)
end)

describe("what is said of tasks agrees with the decision", function ()
  local function agrees(name, runs, opts, make)
    property(name .. " (C-13)", { runs = runs, valid = engine.valid }, function (it)
      watch.lives(it, function (state)
        local document, decision = engine.cycle(it.plan, state, nil, it.policy)
        words.judge(it.plan, state, document, decision)
        return document
      end, opts)
    end, make)
  end

  agrees("hybrid", 600, {}, gen_whole.case)
  agrees("hybrid, what is reclaimed on its way", 200, { later = true, restless = true },
    gen_whole.case)
  agrees("hybrid, demands stated", 200, {}, gen_whole.stated)
  agrees("random policies", 150, { free = true, restless = true }, gen_whole.site)
end)
