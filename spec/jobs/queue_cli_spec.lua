-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The command on plans with queues and contracts: what `run`, `explain` and `check` print.

local document = require "spec.support.cases.document"
local shell = require "spec.support.house.shell"

local json = require "dkjson"

local PLAN = {
  version = 1, hosts = { h1 = { slots = 4 }, h2 = { slots = 4 } },
  queues = {
    { name = "high", priority = 9, preemptive = { "low" }, hosts = { "h1" } },
    { name = "low", priority = 2 },
    { name = "batch", priority = 1, slot_pool = "P", slot_share = 50 },
  },
  leases = { { name = "L", provider = "P", consumer = "C", slots = 10 } },
}
local STATE = {
  now = 1000,
  jobs = {
    { id = "7", queue = "low", state = "running", hosts = { h1 = 4 }, started = 100 },
    { id = "8", queue = "low", state = "running", hosts = { h2 = 2 }, started = 100 },
    { id = "17", queue = "high", slots = 3 },
    { id = "18", queue = "batch", slots = 2 },
    { id = "19", queue = "batch", slots = 9 },
  },
  leases = {
    L = {
      provider = { available = 9, used = 3 }, consumer = { available = 1, used = 1 },
      phase = "ok", since = 100,
    },
  },
}

describe("the command and queues", function ()
  local directory, plan, state

  setup(function ()
    directory = shell.directory()
    plan, state = directory .. "/plan.json", directory .. "/state.json"
    shell.write(plan, document.encode(PLAN))
    shell.write(state, document.encode(STATE))
  end)
  teardown(function () shell.remove(directory) end)

  local function run(...)
    local words = { shell.allot, ... }
    for i, word in ipairs(words) do words[i] = shell.quote(word) end
    local pipe = assert(io.popen(table.concat(words, " ") .. " 2>&1"))
    local text = pipe:read("a")
    local _, _, code = pipe:close()
    return text, code
  end

  local function has(text, words)
    assert.truthy(text:find(words, 1, true), words .. " is not in:\n" .. text)
  end

  it("run prints queues, orders in their order, who waits, and both sides of contracts", function ()
    local text, code = run("run", plan, state)
    assert.equal(0, code)
    has(text, "queue  pool  prio  slice  pending  running  starts  preempt  after\n")
    has(text, "high            9               3        0       3               3\n")
    has(text, "low             2               0        6       0        4      2\n")
    local goes = text:find("suspend job 7 (queue low) on h1: 4 slots, for job 17 (queue high)", 1,
      true)
    local comes = text:find("start job 17 (queue high) on h1: 3 slots, others make room", 1, true)
    assert.truthy(goes and comes and goes < comes, text)
    has(text, "start job 18 (queue batch)")
    has(text, "1 job waits (allot explain PLAN STATE JOB):\n")
    has(text, "contract L: 10 slots, shared, ")
    -- L-6: the provider has 6 idle, the consumer none: they go over.
    has(text, "provider P: 3 available, 3 used, 0 idle\n")
    has(text, "consumer C: 7 available, 1 used, 6 idle\n")
    has(text, "6 slots moved to the consumer (provider-idle)\n")
    for line in text:gmatch "[^\n]*" do assert.is_true(#line <= 100, line) end
  end)

  it("run prints what jobs hold of resources, before and behind the cycle (P-42)", function ()
    local held, wants = { lic = 2 }, { lic = 3, disk = 1 }
    shell.write(directory .. "/r.plan.json", document.encode {
      version = 1, slots = 20, resources = { lic = 5, disk = 7 },
      params = { preemptable_resources = { "lic" } },
      queues = { { name = "high", priority = 9, preemptive = true },
        { name = "low", terminate_when = "PREEMPT" } },
    })
    shell.write(directory .. "/r.state.json", document.encode { now = 1000, jobs = {
      { id = "1", queue = "low", state = "running", started = 9, resources = held },
      { id = "2", queue = "low", state = "suspended", started = 9, resources = held },
      { id = "3", queue = "high", resources = wants },
      { id = "4", queue = "low", resources = wants },
    } })
    local text, code = run("run", directory .. "/r.plan.json", directory .. "/r.state.json")
    assert.equal(0, code)
    has(text, "\nresource  total  used  starts  preempt  after  free  jobs waiting\n")
    has(text, "\nlic           5     4       3        2      5     0             1\n")
    has(text, "\ndisk          7     0       1               1     6\n")
  end)

  it("run --format json says the same", function ()
    local text = run("run", "--format", "json", plan, state)
    local decision = assert(json.decode(text))
    assert.equal("7", decision.suspends[1].job)
    assert.equal("17", decision.suspends[1]["for"])
    assert.equal("preempted", decision.suspends[1].why.code)
    assert.equal(9, decision.suspends[1].why.by_priority)
    assert.same({ h1 = 3 }, decision.starts[1].hosts)
    assert.equal(4, decision.queues.low.preempted)
    assert.equal(7, decision.leases.L.consumer.available)
    assert.equal("consumer", decision.leases.L.to)
    for _, key in ipairs { "resumes", "resizes", "kills", "grants", "reclaims", "loans" } do
      assert.same({}, decision[key], key)
    end
  end)

  it("run cuts names, not numbers, to 100 columns", function ()
    local wide, long = directory .. "/wide.json", ("q"):rep(60)
    shell.write(wide, document.encode {
      version = 1, slots = 9000000, queues = {
        { name = long .. "1", priority = 900000000, slot_pool = ("p"):rep(60), slot_share = 50 },
        { name = long .. "2", priority = 5, preemptive = true }, { name = long .. "3" },
      },
    })
    local now = directory .. "/now.json"
    shell.write(now, document.encode { now = 1, jobs = {
      { id = "1", queue = long .. "1", slots = 4000000 },
      { id = "2", queue = long .. "2", slots = 9000000 },
      { id = "3", queue = long .. "3", slots = 8000000, state = "running" },
      { id = "4", queue = long .. "3", slots = 900000, state = "suspended" },
    } })
    local text = run("run", wide, now)
    local rows = 0
    for line in text:gmatch "[^\n]*" do
      if line:find "^qqq" then
        rows = rows + 1
        assert.is_true(#line <= 100, line)
      end
    end
    assert.equal(3, rows)
    has(text, "900000000")
    has(text, "8000000")
  end)

  it("explain tells of queues and of jobs", function ()
    local text, code = run("explain", plan, state, "/high")
    assert.equal(0, code)
    has(text, "/high is a queue of PRIORITY 9.")
    has(text, "Its jobs may preempt those of 1 queue (P-7): /low.")
    has(run("explain", plan, state, "/batch"), "Its SLOT_SHARE is 50 % of")
    has(run("explain", plan, state, "7"), "job 17")
    has(run("explain", plan, state, "19"), "19")
    text, code = run("explain", plan, state, "20")
    assert.equal(2, code)
    has(text, "the state has no job 20, and the plan has no lease of that name [E-unknown-job]")
    has(run("explain", plan, state, "L"), "P has 6 idle and C 0")
  end)

  it("check counts queues and contracts", function ()
    has(run("check", plan), "plan is valid, 3 queues, 1 lease\n")
    local text = run("check", "--format", "json", plan)
    local checked = assert(json.decode(text)).checked[1]
    assert.same({ 3, 3, 1 }, { checked.consumers, checked.queues, checked.leases })
  end)

  it("bench measures queues", function ()
    local text, code = run("bench", "--shape", "queues/plain", "--repeat", "1")
    assert.equal(0, code)
    assert.truthy(text:find("\nplain +200000 +1000 +1000 "), text)
    for line in text:sub(text:find("\nqueues", 1, true) + 1):gmatch "[^\n]+" do
      assert.is_true(#line <= 100, line)
    end
    local measured =
      json.decode((run("bench", "--shape", "queues/plain", "--repeat", "1", "--format", "json")))
    assert.equal(1, #measured.queues)
    local row = measured.queues[1]
    assert.same({ "plain", 200000, 1000, 1000 }, { row.name, row.jobs, row.starts, row.victims })
    assert.is_true(row.cycle_s.best > 0 and row.cycle_s.best <= row.cycle_s.median)
    assert.is_true(row.cycle_cold_s.best > 0 and row.stream_cold_s.best > 0)
    assert.is_true(row.state_bytes_per_job > 0 and row.cycle_bytes_per_job > 0)
    assert.equal(200000, measured.queue_documents.jobs)
    assert.is_true(measured.queue_documents.state_s.best > 0)
    text, code = run("bench", "--shape", "queues/plein")
    assert.equal(2, code)
    has(text, "no shape queues/plein [E-usage]")
  end)
end)

--- What is said of a policy that fails while it is asked who may preempt whom: status, line, code.
local function failing(directory, body, window)
  local policy = directory .. "/who.lua"
  shell.write(policy, 'return policy {\n  name = "who", preempts = function (high, low)\n    '
    .. body .. "\n  end,\n}\n")
  shell.write(directory .. "/who.json", document.encode {
    version = 1, slots = 4, policy = window and "preemption" or "who.lua",
    windows = window and { { from = "08:00", to = "09:00", policy = "who.lua" } } or nil,
    queues = { { name = "hi", priority = 2 }, { name = "lo" } },
  })
  shell.write(directory .. "/who.state", document.encode { now = 1 })
  local status, out, err =
    shell.run(("%s run %s/who.json %s/who.state"):format(shell.allot, directory, directory))
  assert.equal("", out)
  local line, rest = err:match("^" .. policy:gsub("%p", "%%%0") .. ":(%d+):5: error: ([^\n]*)")
  return status, tonumber(line), rest or err
end

describe("a relation that fails", function ()
  it("is told at its line of the policy's file, with exit status 4", function ()
    local directory = shell.directory()
    local function told(code, words, body, window)
      local status, line, text = failing(directory, body, window)
      assert.same({ 4, 3 }, { status, line }, text)
      assert.truthy(text:find("queues hi and lo: " .. words, 1, true), text)
      assert.truthy(text:find("[" .. code .. "]", 1, true), text)
    end
    told("E-policy-run", "no answer", 'error("no answer")')
    told("E-policy-run", "no answer", 'error("no answer")', true)
    told("E-policy-budget", "the policy runs for more than", "while true do end")
    told("E-policy-memory", "a string of more than",
      "local s = ('x'):rep(4096) for _ = 1, 20 do s = s .. s end")
    -- An answer that is none is told where the function begins.
    local status, line, text = failing(directory, "return 7")
    shell.remove(directory)
    assert.same({ 4, nil }, { status, line })
    assert.matches("who%.lua:2:3: error: .*returned a number, not true or false", text)
  end)
end)
