-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A decision about queues for people: tables of queues and resources, the orders, and jobs that
-- wait; and contracts.

local core = require "allot.core"
local grid = require "allot.text.grid"
local line = require "allot.text.line"

local SMALL, SHOWN, HOSTS = 20, 40, 6 -- queues and resources, orders, hosts shown without --all
local NAME_MOST, NAME_MIN, POOL_MIN, ROOM = 32, 10, 6, 100 -- characters
local count = grid.count

local function places(list)
  local out = {}
  list = list or out
  for i = 1, math.min(#list, HOSTS) do
    out[i] = line.safe(list[i].name) .. (#list > 1 and (" (%d)"):format(list[i].slots) or "")
  end
  return (#list > 0 and " on " or "") .. table.concat(out, ", ")
    .. (#list > HOSTS and (" and %d more hosts"):format(#list - HOSTS) or "")
end

-- ---- Queues -------------------------------------------------------------------------------------

local NAME, POOL = 1, 2
local QUEUES = {
  { title = "queue", left = true }, { title = "pool", left = true, optional = true },
  { title = "prio" }, { title = "slice", optional = true }, { title = "pending" },
  { title = "running" }, { title = "susp", optional = true }, { title = "starts" },
  { title = "resumes", optional = true }, { title = "grows", optional = true },
  { title = "preempt", optional = true }, { title = "after" },
}

local function cells(it)
  return {
    it.name, it.pool or "", tostring(it.priority), count(it.slice), tostring(it.pending),
    tostring(it.running), count(it.suspended), tostring(it.started), count(it.resumed),
    count(it.grown), count(it.preempted),
    tostring(it.running + it.started + it.resumed + it.grown - it.preempted),
  }
end

--- Cuts names to fit the terminal, or 100 columns, but never numbers.
local function put_queues(host, plan, look)
  local of, left_out = grid.new(QUEUES), 0
  local all, room = look.all or plan.queues <= SMALL, look.width > 0 and look.width or ROOM
  for it in host.rows "queues" do
    if all or it.pending ~= 0 or it.running ~= 0 or it.suspended ~= 0 then
      grid.add(of, cells(it))
    else
      left_out = left_out + 1
    end
  end
  grid.measure(of)
  for i = NAME, POOL do of.width[i] = math.min(of.width[i], NAME_MOST) end
  grid.narrow(of, POOL, POOL_MIN, room)
  grid.narrow(of, NAME, NAME_MIN, room)
  grid.put(of, host, look.color)
  if left_out > 0 then host.out(("(and %d without jobs: --all)\n"):format(left_out)) end
  host.out "(slots; running: before this cycle, after: after it)\n"
  for it in host.rows "pools" do
    host.out(("pool %s: %s, %d used by its queues, %d free\n"):format(it.name,
      line.count(it.slots, "slot"), it.used, it.free))
  end
end

-- ---- Resources: what jobs hold of them, before a cycle and behind it ----------------------------

local RESOURCES = {
  { title = "resource", left = true }, { title = "total" }, { title = "used" },
  { title = "starts", optional = true }, { title = "preempt", optional = true },
  { title = "after" }, { title = "free" }, { title = "jobs waiting", optional = true },
}

local function add(of, row, column)
  for _, it in ipairs(row.resources) do
    of[it.name][column] = of[it.name][column] + it.slots
  end
end

local function ends(order)
  return order.action == "kill" or order.action == "requeue"
end

--- Suspended jobs keep their resources; waiting jobs ask for theirs. A job that ends by its
-- preemption releases its resources.
local function put_resources(host, look, jobs, orders)
  local of, names = {}, {}
  for it in host.rows "resources" do
    names[#names + 1] = it.name
    of[it.name] = { total = it.amount, used = 0, starts = 0, preempted = 0, waiting = 0 }
  end
  if #names == 0 then return end
  for _, job in ipairs(jobs) do
    if job.state ~= "pending" then
      add(of, job, "used")
    elseif job.lacks then
      of[job.lacks].waiting = of[job.lacks].waiting + 1
    end
  end
  for _, order in ipairs(orders) do
    if order.kind == "start" then
      add(of, order, "starts")
    elseif (order.kind == "suspend" or order.kind == "kill") and ends(order) then
      add(of, order, "preempted")
    end
  end
  local table, left_out = grid.new(RESOURCES), 0
  for _, name in ipairs(names) do
    local it = of[name]
    local after = it.used + it.starts - it.preempted
    if look.all or #names <= SMALL or it.used ~= 0 or it.starts ~= 0 or it.waiting ~= 0 then
      grid.add(table, { name, tostring(it.total), tostring(it.used), count(it.starts),
        count(it.preempted), tostring(after),
        tostring(math.max(it.total - after, 0)), -- a plan may have been cut to less than jobs hold
        count(it.waiting) })
    else
      left_out = left_out + 1
    end
  end
  grid.measure(table)
  table.width[1] = math.min(table.width[1], NAME_MOST)
  host.out "\n"
  grid.put(table, host, look.color)
  if left_out > 0 then host.out(("(and %d that no job asks for: --all)\n"):format(left_out)) end
end

-- ---- Orders -------------------------------------------------------------------------------------

local ACTIONS = {
  suspend = "suspend", checkpoint = "checkpoint and suspend", requeue = "kill and requeue",
  kill = "kill",
}

local function job_text(id, queue)
  return ("job %s (queue %s)"):format(line.safe(id), queue)
end

local function going(it)
  local out = { ": the job that its slots are reserved for is due" }
  if it.by then
    out[1] = ", for " .. job_text(it.by, it.by_queue)
  elseif it.closed > 0 then
    out[1] = (", %d of them on closed hosts (%s)"):format(it.closed, it.reason)
  end
  if it.cancelled > 0 then
    out[#out + 1] = ("; %s cancelled"):format(line.count(it.cancelled, "new slot"))
  end
  if it.preempted > 1 then
    out[#out + 1] = ("; preempted %d times with this"):format(it.preempted)
  end
  if it.held then out[#out + 1] = "; once it was notified of its new slots" end
  return table.concat(out)
end

local function order_text(it)
  local goes = it.kind == "suspend" or it.kind == "kill"
  local why = goes and going(it) or it.reason == "preempted" and ", others make room"
    or it.reason ~= "free" and (" (%s)"):format(it.reason) or ""
  return ("  %s %s%s: %d%s slot%s%s\n"):format(goes and ACTIONS[it.action] or it.kind,
    job_text(it.job, it.queue), places(it.places), it.slots, it.kind == "grow" and " more" or "",
    it.slots == 1 and "" or "s", why)
end

local function put_orders(host, orders, all)
  local shown = (all or #orders <= SHOWN) and #orders or SHOWN
  if #orders > 0 then host.out "\norders, to be carried out in this order:\n" end
  for i = 1, shown do host.out(order_text(orders[i])) end
  if #orders > shown then host.out(("  (and %d more: --all)\n"):format(#orders - shown)) end
end

-- ---- Jobs that wait -----------------------------------------------------------------------------

local function put_waiting(host, jobs)
  local counts, texts, sum, last = {}, {}, 0, 0
  for _, job in ipairs(jobs) do
    if job.why > 0 then
      counts[job.why], texts[job.why] = (counts[job.why] or 0) + 1, job.text
      sum, last = sum + 1, math.max(last, job.why)
    end
  end
  if sum > 0 then
    host.out(("\n%s wait%s (allot explain PLAN STATE JOB):\n"):format(line.count(sum, "job"),
      sum == 1 and "s" or ""))
  end
  for why = 1, last do
    if counts[why] then host.out(("  %d: %s\n"):format(counts[why], texts[why])) end
  end
end

-- ---- Contracts ----------------------------------------------------------------------------------

local function side_text(role, it)
  return ("  %s %s: %d available, %d used, %d idle%s\n"):format(role, line.safe(it.name),
    it.available, it.used, it.available - it.used,
    it.demand and (", %d wanted"):format(it.demand) or "")
end

local function put_lease(host, it)
  host.out(("contract %s: %s, %s, %s since %s\n"):format(line.safe(it.name),
    line.count(it.size, "slot"), it.shared and "shared" or "exclusive", it.phase,
    core.time(it.since)))
  host.out(side_text("provider", it.provider) .. side_text("consumer", it.consumer))
  host.out(it.moved > 0 and ("  %s moved to the %s%s (%s)\n"):format(line.count(it.moved, "slot"),
    it.to, places(it.places), it.reason) or ("  nothing moves (%s)\n"):format(it.reason))
end

local function rows(host, kind)
  local list = {}
  for row in host.rows(kind) do list[#list + 1] = row end
  return list
end

local queues = {}

--- Queues, orders, jobs that wait, and contracts; look: as of allot.text.consumers.
function queues.put(host, plan, look)
  if plan.queues > 0 then
    local jobs, orders = rows(host, "jobs"), rows(host, "orders")
    put_queues(host, plan, look)
    put_resources(host, look, jobs, orders)
    put_orders(host, orders, look.all)
    put_waiting(host, jobs)
  end
  for i, lease in ipairs(rows(host, "leases")) do
    if i > 1 or plan.queues > 0 then host.out "\n" end
    put_lease(host, lease)
  end
end

return queues
