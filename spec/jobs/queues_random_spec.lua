-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random queues and jobs: the engine does what the model does, and what no rule may break holds.

local dispatch = require "spec.support.model.queue_dispatch"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local property = require "spec.support.cases.property"
local world = require "spec.support.model.queue_world"
local room = require "spec.support.model.queue_room"

local LISTS = { "starts", "resumes", "suspends", "kills", "resizes" }

local function claim(truth, text, ...)
  if not truth then error(text:format(...), 0) end
end

--- Without pools and relations that shrinking has taken apart a case is none.
local OPTS = { runs = 400, valid = engine.valid }

local function holds(name, check, opts, runs)
  local own = runs and { runs = runs, valid = engine.valid } or OPTS
  property(name, own, check, function (seed) return gen.queues(seed, opts) end)
end

--- An order as one line.
local function line(it)
  local hosts = {}
  for host, slots in pairs(it.hosts) do hosts[#hosts + 1] = host .. "=" .. slots end
  table.sort(hosts)
  return ("%s %s %d %s %s"):format(it.job, it.queue, it.slots, table.concat(hosts, ","),
    it["for"] or "")
end

local function lines(lists)
  local out = {}
  for _, kind in ipairs(LISTS) do
    for _, it in ipairs(lists[kind]) do
      if it.job and not it.held then out[#out + 1] = kind .. " " .. line(it) end
    end
  end
  return table.concat(out, "\n")
end

local function agree(case, options, opts)
  local plan = {}
  for key, value in pairs(case.plan) do plan[key] = value end
  plan.policy = options and { use = "preemption", preempt_for = options } or plan.policy
  local said = lines((engine.cycle(plan, case.state)))
  local meant = lines((dispatch.run(case.plan, case.state, opts)))
  claim(said == meant, "the engine:\n%s\nthe model:\n%s", said, meant)
end

describe("the engine and the model agree", function ()
  holds("without pools and limits", agree, { pools = false, limits = false }, 2000)
  holds("with limits", agree, { pools = false }, 2000)
  holds("with pools", agree, nil, 2000)
  holds("where many jobs are crowded", agree, { crowded = true }, 2000)
  for keyword, opts in pairs {
    MINI_JOB = { fewest = "mini_job" }, OPTIMAL_MINI_JOB = { fewest = "optimal_mini_job" },
    LEAST_RUN_TIME = { least_run_time = true }, GROUP_MAX = { lifts = { group_max = true } },
    HOST_JLU = { lifts = { host_jlu = true } },
  } do
    holds("PREEMPT_FOR = " .. keyword, function (case) agree(case, keyword, opts) end)
  end
end)

-- ---- What no rule may break --------------------------------------------------------------------

--- The world after a decision, with the jobs of the state; and what became of them.
local function after(case)
  local decision = engine.cycle(case.plan, case.state)
  local w, fates = world.read(case.plan, case.state), {}
  for _, kind in ipairs(LISTS) do
    for _, it in ipairs(decision[kind]) do
      if it.job and not it.held then fates[it.job] = { kind = kind, order = it } end
    end
  end
  w.limits = room.limits(w)
  for _, job in ipairs(w.jobs) do
    local fate = fates[job.id]
    if fate and (fate.kind == "suspends" or fate.kind == "kills") then
      job.state = fate.kind == "suspends" and "suspended" or "gone"
    elseif fate then
      job.state = "running"
      for host, slots in pairs(fate.kind == "resumes" and {} or fate.order.hosts) do
        job.hosts[host] = (fate.kind == "resizes" and job.hosts[host] or 0) + slots
      end
      if fate.kind == "resizes" then job.slots = job.slots + fate.order.slots end
    end
  end
  return w, fates, decision
end

--- Whether a job runs; or one has its place that may preempt it, since what it made free was
--- offered from the highest queue again.
local function ahead(w, fates, job)
  local found = job.state == "running"
  for _, other in ipairs(w.jobs) do
    found = found or fates[other.id] and other.state == "running"
      and world.may(other.queue, job.queue)
  end
  return found
end

local function of_cycles(promise)
  promise("who was started, resumed or resized fits: slots, hosts, limits (P-23)", function (case)
    local w, fates = after(case)
    for _, job in ipairs(w.jobs) do
      local fate = fates[job.id]
      if fate and job.state == "running" then
        local sum = 0
        for name, slots in pairs(job.hosts) do
          local host = w.host[name]
          local had = fate.kind == "resizes" and not fate.order.hosts[name] -- it may be closed
          claim(had or host and host.slots > 0, "%s runs on %s", job.id, name)
          claim(fate.kind == "resumes" or not job.queue.hosts or job.queue.hosts[name] or
            fate.kind == "resizes", "%s runs on %s, not its queue's", job.id, name)
          claim(had or room.free_to_resume(w, host, job) >= slots, "%s: %s is too full", job.id,
            name)
          sum = sum + slots
        end
        claim(sum == job.slots, "%s has %d of %d slots", job.id, sum, job.slots)
        if fate.kind == "resumes" then job.state = "suspended" end -- asked as it was
        claim(room.allowed(w, job, job.slots), "%s is above a limit", job.id)
        job.state = "running"
      end
    end
  end)

  promise("nobody is preempted that a rule protects, or by whom it may not be", function (case)
    local w, fates = after(case)
    local by_id = {}
    for _, job in ipairs(w.jobs) do by_id[job.id] = job end
    for id, fate in pairs(fates) do
      local closed = fate.kind == "kills" and fate.order.why.code == "closed-host"
      if not closed and (fate.kind == "suspends" or fate.kind == "kills") then
        local victim, preemptor = by_id[id], by_id[fate.order["for"]]
        claim(preemptor, "%s goes for nobody", id)
        claim(not world.protected(victim), "%s is protected", id)
        claim(not victim.exclusive, "%s is exclusive", id)
        claim(world.may(preemptor.queue, victim.queue), "%s may not preempt %s", preemptor.id, id)
        claim(ahead(w, fates, preemptor), "%s does not run", preemptor.id)
      end
    end
  end)

  -- Who is told of new slots goes once it has been told (A-15).
  promise("nothing runs on hosts closed with reclaim, and nobody else goes for that (E-34)",
    function (case)
      local w, fates = after(case)
      local before = world.read(case.plan, case.state)
      for i, job in ipairs(w.jobs) do
        local fate, here = fates[job.id], world.evicted(before, before.jobs[i])
        claim(job.notifying or not world.evicted(w, job), "%s runs on", job.id)
        local goes = fate and fate.kind == "kills" and fate.order.why.code == "closed-host"
        claim(not goes == not (here and not job.notifying), "%s: %s", job.id, goes)
        claim(not goes or not fate.order["for"] and fate.order.why.closed > 0, "%s", job.id)
      end
    end)

  promise("idle slots are those of open hosts that nobody runs on", function (case)
    local w, _, decision = after(case)
    local sum = 0
    for _, host in ipairs(w.hosts) do
      local used = 0
      for _, job in ipairs(w.jobs) do
        used = used + (job.state == "running" and job.hosts[host.name] or 0)
      end
      sum = sum + math.max(0, host.slots - used)
    end
    claim(decision.groups.default.idle_left == sum, "%d, not %d",
      decision.groups.default.idle_left, sum)
  end)

  promise("nothing is decided any more in the end, without anybody coming or going", function (case)
    local state, told = case.state, {}
    for i = 1, 12 do
      local decision = engine.cycle(case.plan, state)
      told[i] = lines(decision)
      if told[i] == "" then return end
      state = engine.after(decision, { seconds = 0 })
    end
    claim(false, "still:\n%s", table.concat(told, "\nthen:\n"))
  end)

  promise("the same input gives the same bytes", function (case)
    claim(engine.text(case.plan, case.state) == engine.text(case.plan, case.state), "differs")
  end)
end

describe("after a cycle", function () of_cycles(holds) end)

--- Cases of jobs most of which have run limits, under the policy's `backfill`.
local function under(backfill, opts, runs)
  return function (name, check)
    property(name, { runs = runs or 100, valid = engine.valid }, check, function (seed)
      local case = gen.queues(seed, opts)
      case.plan.policy = { use = "preemption", backfill = backfill }
      for i, job in ipairs(case.state.jobs) do
        job.run_limit = job.run_limit or i % 4 > 0 and 100 * (seed * i % 60 + 1) or nil
      end
      return case
    end)
  end
end

for _, backfill in ipairs { "none", "easy", "conservative" } do
  describe("after a cycle with backfill = " .. backfill, function () of_cycles(under(backfill)) end)
end

--- The job with a reservation whose turn comes first, and when it begins; nil: there is none.
local function first_reserved(decision, jobs)
  local first, at, place
  for _, job in ipairs(jobs) do
    local text = table.concat((decision:explain(job.id)), "\n")
    local from = text:match "From %S+ on, in (%d+) s, %d+ slots? %a+ reserved for it"
    local turn = tonumber(text:match "Its turn is number (%d+)") or 1
    if from and (not place or turn < place) then
      first, at, place = job.id, tonumber(from), turn
    end
  end
  return first, at
end

--- Nobody comes: if the decision is carried out, the next one reserves no later for that job,
--- unless one goes before it that waited for a limit. Slices of pools follow use, so there are
--- none; and what is closed makes jobs start anew.
local function delays_none(case)
  for _, job in ipairs(case.state.jobs) do
    if job.state == "suspended" then job.ran = job.ran or 50 end
  end
  local document, decision = engine.cycle(case.plan, case.state)
  local job, at = first_reserved(decision, case.state.jobs)
  if not job or #document.kills > 0 then return end
  local state = engine.after(document, { seconds = 0 })
  local then_, again = engine.cycle(case.plan, state)
  local first, then_at = first_reserved(again, state.jobs)
  for _, it in ipairs(then_.starts) do
    if it.job == job then return end
  end
  claim(first and (first ~= job or then_at <= at), "%s: in %d s, then in %s", job, at,
    tostring(first == job and then_at))
end

for _, backfill in ipairs { "easy", "conservative" } do
  describe("with backfill = " .. backfill, function ()
    local holds_too = under(backfill, { pools = false }, 600)
    holds_too("what starts, resumes, grows or preempts delays no reservation (B-8)", delays_none)
  end)
end
