-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Guarantees of every cycle over queues, under any policy. A check gets plan, state, decision and
--- the jobs once it is carried out; it returns nothing, or the subject and a message.

local queues = {}

local KINDS = { "starts", "resumes", "resizes", "suspends", "kills" }

--- Hosts are not overfull, and exclusive jobs run alone.
function queues.hosts_fit(plan, _, _, jobs)
  local used, on, alone = {}, {}, {}
  for _, job in ipairs(jobs) do
    for host, slots in pairs(job.state == "running" and job.hosts or {}) do
      used[host], on[host] = (used[host] or 0) + slots, (on[host] or 0) + 1
      if job.exclusive then alone[host] = job.id end
    end
  end
  for host, slots in pairs(used) do
    local there = (plan.hosts or {})[host]
    if not there then
      return host, "jobs run on it, but there is no such host"
    elseif slots > there.slots then
      return host, ("%d of its %d slots are used"):format(slots, there.slots)
    elseif alone[host] and on[host] > 1 then
      return host, ("%s is not alone on it"):format(alone[host])
    end
  end
end

--- A job gets at most one order.
function queues.jobs_once(_, _, decision)
  local seen = {}
  for _, kind in ipairs(KINDS) do
    for _, order in ipairs(decision[kind] or {}) do
      if order.job and seen[order.job] then
        return order.job, ("it is among %s and among %s"):format(seen[order.job], kind)
      end
      if order.job then seen[order.job] = kind end
    end
  end
end

--- Jobs are preempted for a job that starts or resumes, or waits for them.
function queues.preempted_for(_, state, decision)
  local known = {}
  for _, job in ipairs(state.jobs or {}) do known[job.id] = true end
  for _, order in ipairs(decision.suspends or {}) do
    if order["for"] and not known[order["for"]] then
      return order.job, ("it is suspended for %s, which there is not"):format(order["for"])
    end
  end
end

queues.ALL = {
  { id = "hosts-fit", text = "no host is overfull", check = queues.hosts_fit },
  { id = "jobs-once", text = "one thing is decided about a job", check = queues.jobs_once },
  { id = "preempted-for", text = "jobs make room for jobs that there are",
    check = queues.preempted_for },
}

return queues
