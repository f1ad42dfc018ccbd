-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The bridge on random clusters of a fake Slurm that also fails: what it may never do, and that
--- all settles; that the fewest jobs go where the plan says so. ALLOT_RUNS=n runs so many clusters,
--- ALLOT_SEED=n exactly that one.

local core = require "allot.core"
local fake = require "spec.support.slurm.fake"
local least = require "spec.support.slurm.least"
local property = require "spec.support.cases.property"
local world = require "spec.support.slurm.world"

local STORY, CALM, QUIET = 30, 600, 20 -- passes of 2 s

-- ---- Cases --------------------------------------------------------------------------------------

local function random_of(seed)
  local state = seed * 2654435761 % 2147483647 + 1
  return function (low, high)
    state = state * 48271 % 2147483647
    return low + state % (high - low + 1)
  end
end

local function draw_accounts(draw, size)
  local accounts, left = {}, size
  for i = 1, draw(2, 5) do
    local parent = i > 2 and draw(1, 3) == 1 and accounts[draw(1, 2)] or nil
    local owned = draw(0, math.max(0, left // 2))
    left = left - owned
    accounts[i] = { name = "x" .. i, parent = parent and parent.name, owned = owned,
      limit = draw(1, 5) == 1 and math.max(owned, draw(1, size)) or nil, grace = draw(0, 3) * 2 }
  end
  return accounts
end

local KINDS = { "submit", "submit", "submit", "submit", "submit", "late", "nonsense", "columns",
  "crash", "save", "drain", "resume", "restart", "deaf" }

local function draw_event(draw, leaves)
  local kind = KINDS[draw(1, #KINDS)]
  return { at = draw(1, STORY), kind = kind, node = draw(1, 4), job = kind == "submit" and {
    account = leaves[draw(1, #leaves)], cpus = draw(1, 6), run = draw(1, 3) == 1 and 100000
      or draw(1, 40), array = draw(1, 4) == 1 and draw(2, 6) or nil,
    throttle = draw(1, 2) == 1 and draw(1, 3) or nil, batch = draw(1, 8) > 1,
    requeue = draw(1, 8) > 1, held = draw(1, 12) == 1, priority = draw(1, 3) * 1000 } }
end

local function leaves_of(accounts)
  local inner, list = {}, {}
  for _, account in ipairs(accounts) do
    if account.parent then inner[account.parent] = true end
  end
  for _, account in ipairs(accounts) do
    if not inner[account.name] then list[#list + 1] = account.name end
  end
  return list
end

local function make(seed)
  local draw = random_of(seed)
  local case = { nodes = draw(2, 4), cpus = draw(2, 8), story = {}, fewest = draw(1, 2) == 1 }
  case.accounts = draw_accounts(draw, case.nodes * case.cpus)
  local leaves = leaves_of(case.accounts)
  for i = 1, draw(4, 25) do case.story[i] = draw_event(draw, leaves) end
  return case
end

--- The plan of a case: inner accounts own what their children own, and what is left of their own.
local function plan_of(case)
  local rows, top = {}, core.list()
  for _, account in ipairs(case.accounts) do
    rows[account.name] = { name = account.name, owned = account.owned, grace = account.grace }
    local parent = account.parent and rows[account.parent]
    if parent then
      parent.children = parent.children or core.list()
      parent.children[#parent.children + 1] = rows[account.name]
      parent.owned = parent.owned + account.owned
    else
      top[#top + 1] = rows[account.name]
    end
  end
  for _, account in ipairs(case.accounts) do
    local row = rows[account.name]
    if account.limit and not row.children then row.limit = account.limit end
  end
  return { version = 1, slots = case.nodes * case.cpus, consumers = top,
    policy = { use = "hybrid", preemption = case.fewest and "fewest" or "most_recent" } }
end

-- ---- What must hold -----------------------------------------------------------------------------

local function rows_of(decision)
  local rows = {}
  for _, row in ipairs(decision.groups.default.consumers) do rows[row.path:match "[^/]+$"] = row end
  return rows
end

--- The whole slots of "10/3".
local function owned_of(row)
  local over, under = row.owned:match "^(%d+)/?(%d*)$"
  return math.tointeger(tonumber(over)) // (math.tointeger(tonumber(under)) or 1)
end

--- A job that goes is one that may.
local function check_requeues(before, commands)
  for _, line in ipairs(commands) do
    for name in (line:match "^scontrol requeue (.*)$" or ""):gmatch "[^,]+" do
      local job = before[name]
      assert(job, line .. ": no such job ran")
      assert(job.batch and job.requeue, line .. ": the job cannot be requeued")
    end
  end
end

--- Who gives back had more than it owned when that was ordered.
local function check_orders(decision)
  local rows = rows_of(decision)
  for _, reclaim in ipairs(decision.reclaims) do
    local row = rows[reclaim.consumer:match "[^/]+$"]
    assert(row.allocated > owned_of(row), reclaim.consumer .. " gives back what it owns")
  end
end

--- The leaves that give back, as the search has them: what a leaf gives is the policy's, which jobs
-- go for that is to be the least.
local function givers_of(decision, flights, truth)
  local list, givers, going = {}, {}, {}
  for _, flight in ipairs(flights) do
    for _, id in ipairs(flight.tasks) do going[id] = true end
  end
  for i, reclaim in ipairs(decision.reclaims) do
    list[i] = { owes = reclaim.slots, jobs = {}, free = 0, went = #(reclaim.tasks or {}),
      holds = reclaim.slots, keeps = 0 }
    givers[reclaim.consumer] = list[i]
  end
  for _, task in ipairs(truth.tasks) do
    local giver = task.state == "running" and not going[task.id] and givers[task.consumer]
    if giver then
      giver.jobs[#giver.jobs + 1], giver.free = task.slots, giver.free + task.slots
    end
  end
  return list
end

--- No fewer jobs than those that go would free as much.
local function check_fewest(decision, flights, truth)
  for _, giver in ipairs(givers_of(decision, flights, truth)) do
    local fewest = least.to_free({ giver }, math.min(giver.owes, giver.free))
    assert(giver.went == fewest, ("%d jobs go, %d would do"):format(giver.went, fewest or -1))
  end
end

local function running_jobs(slurm)
  local jobs = {}
  for _, job in ipairs(slurm.jobs) do
    if job.state == "RUNNING" then jobs[job.id .. (job.task and "_" .. job.task or "")] = job end
  end
  return jobs
end

local function happen(it, event)
  local slurm = it.slurm
  if event.kind == "submit" then slurm:submit(event.job)
  elseif event.kind == "save" then slurm:save()
  elseif event.kind == "crash" then slurm:crash()
  elseif event.kind == "drain" then slurm:drain((event.node - 1) % #slurm.nodes + 1)
  elseif event.kind == "resume" then slurm:resume((event.node - 1) % #slurm.nodes + 1)
  elseif event.kind == "restart" then it:begin()
  elseif event.kind == "deaf" then it.deaf = not it.deaf
  else slurm.fault = event.kind end
end

local function step(it)
  local before = running_jobs(it.slurm)
  local commands = it:pass()
  check_requeues(before, commands)
  if it.decision then check_orders(it.decision) end
  it.slurm:tick(2)
  local used = 0
  for i, node in ipairs(it.slurm.nodes) do
    assert(node.used <= node.cpus, "node " .. i .. " has more than it has")
    used = used + node.used
  end
  return commands
end

--- At rest every leaf has what it owns, as far as it wants that and whole jobs allow it.
local function check_rest(it, case)
  local rows, size = rows_of(it.decision), it.slurm:size()
  local over = 0
  for _, account in ipairs(case.accounts) do
    local row = rows[account.name]
    local used = it.slurm:used(account.name)
    local limit = it.slurm.accounts[account.name].limit
    assert(limit == math.max(row.quota, owned_of(row)),
      ("%s: ceiling %s, quota %d, owns %s"):format(account.name, tostring(limit), row.quota,
        row.owned))
    over = math.max(over, used - limit)
  end
  assert(size >= 0)
  return over
end

local function run(case)
  local parents = {}
  for _, account in ipairs(case.accounts) do parents[account.name] = account.parent or "root" end
  local it = world.new(plan_of(case), fake.new { nodes = case.nodes, cpus = case.cpus,
    accounts = parents })
  it.heed = case.fewest and check_fewest
  for pass = 1, STORY do
    for _, event in ipairs(case.story) do
      if event.at == pass then happen(it, event) end
    end
    step(it)
  end
  it.deaf, it.slurm.fault = false, nil
  local quiet, last = 0, nil
  for _ = 1, CALM do
    local commands = step(it)
    quiet, last = #commands == 0 and quiet + 1 or 0, commands[#commands] or last
    if quiet == QUIET then break end
  end
  assert(quiet == QUIET, "the bridge still acts: " .. tostring(last))
  check_rest(it, case)
end

-- ---- Shrinking ----------------------------------------------------------------------------------

local function fails(case)
  local good, why = pcall(run, case)
  return not good and tostring(why)
end

local function shrunk(case)
  local at = 1
  while at <= #case.story do
    local event = table.remove(case.story, at)
    if not fails(case) then
      table.insert(case.story, at, event)
      at = at + 1
    end
  end
  return case
end

describe("the bridge on random clusters", function ()
  it("never requeues what it may not, and settles", function ()
    local only = tonumber(os.getenv "ALLOT_SEED" or "")
    for seed = only or 1, only or property.runs(2000) do
      if fails(make(seed)) then
        local case = shrunk(make(seed))
        error(("ALLOT_SEED=%d: %s\n%s"):format(seed, fails(case) or "?",
          core.encode(case, { indent = 1 })), 0)
      end
    end
  end)
end)
