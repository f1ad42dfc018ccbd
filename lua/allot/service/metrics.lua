-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A service's /metrics, in Prometheus' text format 0.0.4. Times are in seconds.

local core = require "allot.core"

local ESCAPES = { ["\n"] = "\\n", ['"'] = '\\"', ["\\"] = "\\\\" }
local KINDS = { "owned", "demand", "quota", "allocated", "in_flight" }

-- ---- Values -------------------------------------------------------------------------------------

--- A member of the service's status, by its path; nil: it is missing.
local function find(of, path)
  for name in path:gmatch "[^.]+" do
    of = type(of) == "table" and of[name] or nil
  end
  return of
end

--- Microseconds as seconds.
local function seconds(us)
  return ("%d.%06d"):format(us // 1000000, us % 1000000)
end

--- The number at a path; microseconds ("_us") as seconds.
local function number(of, path)
  local value = find(of, path) or 0
  return path:find "_us" and seconds(value) or ("%d"):format(value)
end

local function flag(value)
  return value and "1" or "0"
end

--- Samples that differ in one label: {label's value, path}, or the path's last name is the value.
local function by(label, prefix, rows)
  return function(of)
    local samples = {}
    for i, row in ipairs(rows) do
      local word, path = row[1] or row, row[2] or row
      samples[i] = { { { label, word } }, number(of, prefix .. "." .. path) }
    end
    return samples
  end
end

-- ---- Samples of their own -----------------------------------------------------------------------

local function cycle_seconds(of)
  local samples, count = {}, 0
  for i, took in ipairs(of.took) do
    count = count + took
    local bound = of.bounds[i] and seconds(of.bounds[i]) or "+Inf"
    samples[i] = { { { "le", bound } }, ("%d"):format(count), "_bucket" }
  end
  samples[#samples + 1] = { {}, number(of, "cycle_us"), "_sum" }
  samples[#samples + 1] = { {}, ("%d"):format(count), "_count" }
  return samples
end

local function policies(of)
  local samples = {}
  for i, it in ipairs(of.policies) do
    samples[i] = {
      { { "group", it.group }, { "policy", it.policy }, { "sha256", it.sha256 or "" } }, "1" }
  end
  return samples
end

--- Samples of the functions of policies, whose file and place tell them apart.
local function functions(member, text)
  return function(of)
    local samples = {}
    for i, it in ipairs(of.status.functions) do
      local labels = { { "file", it.file }, { "function", it["function"] },
        { "line", ("%d"):format(it.line) } }
      samples[i] = { labels, text(it[member]) }
    end
    return #samples > 0 and samples
  end
end

local function total(name)
  return function(of)
    if not of.groups then return end
    local samples = {}
    for i, view in ipairs(of.groups) do
      samples[i] = { { { "group", view.group } }, ("%d"):format(view.totals[name]) }
    end
    return samples
  end
end

local function consumers(of)
  if not of.groups then return end
  local samples = {}
  for _, view in ipairs(of.groups) do
    for _, row in ipairs(view.branch.rows) do
      for _, kind in ipairs(KINDS) do
        samples[#samples + 1] = {
          { { "group", view.group }, { "consumer", row.path }, { "kind", kind } },
          ("%d"):format(row[kind] // 1) }
      end
    end
  end
  return samples
end

local function left_out(of)
  local branch = of.groups and of.groups[1] and of.groups[1].branch
  return branch and ("%d"):format(branch.of - #branch.rows)
end

local function shadowed(path)
  return function(of) return of.status.shadow and number(of, "status.shadow." .. path) end
end

local function shadow_rows(of)
  return of.status.shadow and by("kind", "status.shadow.rows", of.kinds)(of)
end

local function http(of)
  return of.status.http and by("outcome", "status.http",
    { { "done", "requests" }, { "refused", "refused" } })(of)
end

-- ---- The metrics --------------------------------------------------------------------------------

--- Name, help, and a path or what makes a value or samples: {labels, value, suffix}. A counter's
--- name ends in _total.
local METRICS = {
  { "events_total", "Events entered.", "status.since_start.events" },
  { "events_refused_total", "Events that were wrong.", "status.since_start.refused" },
  { "events_repeated_total", "Events whose key was known.", "status.since_start.repeated" },
  { "cycles_total", "Cycles, by how they ended.", function(of)
    local since = of.status.since_start
    return {
      { { { "outcome", "done" } }, ("%d"):format(since.cycles - since.failed_cycles) },
      { { { "outcome", "failed" } }, ("%d"):format(since.failed_cycles) } }
  end },
  { "decisions_total", "Decisions that ordered something.", "status.since_start.decisions" },
  { "connections_total", "Clients that connected.", "status.since_start.connections" },
  { "turned_away_total", "Clients that were turned away.", "status.since_start.turned_away" },
  { "wrong_tokens_total", "Words that were said for the token and are not.",
    "status.since_start.wrong_tokens" },
  { "connections", "Clients that are connected.", "status.clients" },
  { "subscribers", "Clients that decisions are told to.", "status.subscribers" },
  { "decisions_missed_total", "Decisions that subscribers were too slow for.",
    "status.since_start.missed" },
  { "event_number", "The last event's number.", "status.event" },
  { "decision_number", "The last decision's number.", "status.decision" },
  { "uptime_seconds", "Since the service was made.", "uptime_us" },
  { "healthy", "1: /healthz says ok.", function(of) return flag(of.status.healthy) end },
  { "leading", "1: it leads its store; 0: it stands by.",
    function(of) return flag(of.status.role == "leading") end },
  { "behind_events", "Events of the leader that it has not read yet.", function(of)
    return of.status.behind and number(of, "status.behind")
  end },
  { "store_ok", "1: what is written gets to the disk.",
    function(of) return flag(not of.status.store.error) end },
  { "store_batches_total", "Commits.", "status.store.batches" },
  { "store_rows_total", "Rows written.", "status.store.rows" },
  { "store_waiting_bytes", "Bytes that wait for the disk.", "status.store.waiting_bytes" },
  { "store_commit_seconds_longest", "The slowest commit since it was asked.",
    "status.store.slowest_us" },
  { "tasks", "Tasks that run.", function(of)
    return ("%d"):format(of.status.books.tasks - of.status.books.pending)
  end },
  { "tasks_pending", "Tasks that wait.", "status.books.pending" },
  { "sessions", "Sessions.", "status.books.sessions" },
  { "jobs", "Jobs of queues.", "status.books.jobs" },
  { "reclaims_in_flight", "Reclaims whose slots are on their way.", "status.books.reclaims" },
  { "oldest_wait_seconds",
    "How long the one that waited longest has: a leaf for what it demands (since the service "
      .. "began at most), a reclaim in flight for its slots, a pending job.",
    by("of", "waits", { "demand", "reclaim", "job" }) },
  { "reclaims_overdue", "Reclaims in flight behind their deadline.", "waits.overdue" },
  { "build_info", "The version, as a label.", function(of)
    return { { { { "version", of.status.version } }, "1" } }
  end },
  { "plan_info", "The plan that decides, as a label.", function(of)
    return { { { { "sha256", of.status.plan.sha256 } }, "1" } }
  end },
  { "policy_info", "The policy of each group, as labels.", policies },
  { "policy_instructions", "Lua instructions that 1000 rows took at most.", "instructions" },
  { "policy_memory_bytes", "Memory that policies took at once at most.", "memory" },
  { "policy_function_seconds_total", "Processor time that functions of policies took, about.",
    functions("us", seconds) },
  { "policy_function_rows_total", "Rows that they computed.",
    functions("rows", function(rows) return ("%d"):format(rows) end) },
  { "consumers", "Consumers of the plan.", "status.books.consumers" },
  { "cycle_seconds", "How long cycles took.", cycle_seconds, "histogram" },
  { "cycle_seconds_longest", "The longest cycle.", "status.since_start.cycle_us_most" },
  { "orders_total", "Orders of decisions, by what they order.", by("order", "orders", {
    { "grant", "grants" }, { "reclaim", "reclaims" }, { "kill", "kills" }, { "start", "starts" },
    { "suspend", "suspends" }, { "resume", "resumes" } }) },
  { "granted_slots_total", "Slots granted.", "orders.granted" },
  { "reclaimed_slots_total", "Slots reclaimed.", "orders.reclaimed" },
  { "slots", "Slots of the group.", total "slots" },
  { "idle_slots", "Idle slots.", total "idle" },
  { "demand_slots", "Slots that are wanted.", total "demand" },
  { "allocated_slots", "Slots that are held.", total "allocated" },
  { "lent_slots", "Own slots that others use.", total "lent" },
  { "borrowed_slots", "Slots of others that are used.", total "borrowed" },
  { "shared_slots", "Slots of pools that are used.", total "shared" },
  { "reserved_slots", "Slots that are never lent.", total "reserve" },
  { "consumer_slots", "Slots of consumers of the first level, by what they are.", consumers },
  { "consumers_left_out", "First-level consumers beyond those with metrics of their own.",
    left_out },
  { "clock_behind_seconds", "By how much the clock is behind the time, which stands still.",
    "status.clock.behind" },
  { "clock_set_back_total", "How often the time was set back to the clock's.",
    "status.clock.set_back" },
  { "reload_total", "Reloads by what came of them.", by("result", "status.reload.total",
    { "swapped", "refused", "unchanged", "fell_back" }) },
  { "reload_last_success_timestamp_seconds", "When another version took over.",
    "status.reload.active.since" },
  { "reload_healthy", "0: the files on disk were refused.",
    function(of) return flag(not of.status.reload.error) end },
  { "reload_stands_in", "1: an earlier version decides, since that on disk failed.",
    function(of) return flag(of.status.reload.stands_in) end },
  { "reload_rolled_back", "1: a version that was rolled back to decides, not the files.",
    function(of) return flag(of.status.reload.rolled_back) end },
  { "reload_waits", "1: a change waits to be confirmed.",
    function(of) return flag(of.status.reload.waits) end },
  { "reload_waiting_slots", "Slots that the waiting change would take.",
    "status.reload.waits.reclaims" },
  { "shadow_running", "1: a shadow decides beside.",
    function(of) return flag(find(of, "status.shadow.state") == "running") end },
  { "shadow_cycles_total", "Cycles that the shadow decided too.", shadowed "cycles" },
  { "shadow_differing_total", "... and decided otherwise.", shadowed "differ" },
  { "shadow_skipped_total", "Cycles that it left out.", shadowed "skipped" },
  { "shadow_failed_total", "Cycles in which it failed.", shadowed "failed" },
  { "shadow_rows_total", "Rows of decisions that differ.", shadow_rows },
  { "http_answers_total", "Answers of the live view, by outcome.", http },
  { "viewers", "WebSockets that are open.",
    function(of) return of.status.http and number(of, "status.http.viewers") end },
}

-- ---- The text -----------------------------------------------------------------------------------

local function labels_of(labels)
  if #labels == 0 then return "" end
  local texts = {}
  for i, it in ipairs(labels) do
    texts[i] = ('%s="%s"'):format(it[1], it[2]:gsub('[\n"\\]', ESCAPES))
  end
  return "{" .. table.concat(texts, ",") .. "}"
end

local function add_metric(lines, of, name, help, what, kind)
  local value = type(what) == "string" and number(of, what) or type(what) ~= "string" and what(of)
  if not value then return end
  kind = kind or name:find "_total$" and "counter" or "gauge"
  lines[#lines + 1] = ("# HELP allot_%s %s\n# TYPE allot_%s %s"):format(name, help, name, kind)
  for _, sample in ipairs(type(value) == "table" and value or { { {}, value } }) do
    lines[#lines + 1] = ("allot_%s%s%s %s"):format(name, sample[3] or "", labels_of(sample[1]),
      sample[2])
  end
end

local metrics = {}

--- The metrics of a service's status (view/status.c), which is JSON.
function metrics.run(host, args)
  local of, lines = assert(core.decode(args[1])), {}
  for _, metric in ipairs(METRICS) do add_metric(lines, of, table.unpack(metric, 1, 4)) end
  host.out(table.concat(lines, "\n") .. "\n")
  return 0
end

return metrics
