-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Results of simulations: for people figures side by side, then consumers; and rows of CSV.

local core = require "allot.core"
local line = require "allot.text.line"

local BESIDE = 19 -- runs side by side; others stand below
local LABEL = (" "):rep(21)

--- Label, member, decimals, unit; and whether the figure is left out where all runs have 0.
local FIGURES = {
  { "jobs that ended", "ended", 0 }, { "jobs killed", "killed", 0, "", true },
  { "jobs refused", "refused", 0, "", true }, { "jobs unfinished", "unfinished", 0, "", true },
  { "utilisation", "utilisation", 1, " %" }, { "goodput", "goodput", 1, " %" },
  { "wait, mean", "wait_mean", 0, " s" }, { "wait, p50", "wait_p50", 0, " s" },
  { "wait, p95", "wait_p95", 0, " s" }, { "wait, p99", "wait_p99", 0, " s" },
  { "slowdown, mean", "slowdown_mean", 2 }, { "slowdown, p50", "slowdown_p50", 2 },
  { "slowdown, p95", "slowdown_p95", 2 }, { "slowdown, p99", "slowdown_p99", 2 },
  { "slots preempted", "preemptions", 0 }, { "jobs preempted", "preempted_jobs", 0 },
  { "slot-seconds lost", "lost", 0 }, { "slot-seconds gathered", "gathered", 0, "", true },
  { "fairness (Jain)", "fairness", 3 },
}

local CSV = {
  "jobs", "ended", "killed", "refused", "unfinished", "busy", "useful", "lost", "open", "gathered",
  "offered", "utilisation", "goodput", "wait_mean", "wait_p50", "wait_p95", "wait_p99", "wait_most",
  "slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99", "slowdown_most", "preemptions",
  "preempted_jobs", "reclaims", "reclaimed", "fairness",
}

local REAL = { utilisation = true, goodput = true, fairness = true }

-- ---- Figures side by side -----------------------------------------------------------------------

local function value_of(figure, run)
  local value = run.figures[figure[2]]
  return figure[4] == " %" and value * 100 or value
end

--- "46.6 %", followed by the difference from the first run: "(+0.3)".
local function cell(figure, run, first)
  local value, decimals = value_of(figure, run), figure[3]
  local text = ("%." .. decimals .. "f%s"):format(value, figure[4] or "")
  if run == first then return text end
  local change = value - value_of(figure, first)
  if math.abs(change) < 10 ^ -decimals / 2 then return text .. " " end
  return text .. (" (%+." .. decimals .. "f)"):format(change)
end

--- Did all runs end at the same instant?
local function end_together(runs)
  for _, run in ipairs(runs) do
    if run.counts.last ~= runs[1].counts.last then return false end
  end
  return true
end

local function figures_text(runs, from)
  local last = math.min(#runs, from + BESIDE - 1)
  local rows = { { LABEL } }
  for i = from, last do rows[1][i - from + 2] = runs[i].name end
  if not end_together(runs) then
    rows[2] = { "last instant" }
    for i = from, last do rows[2][i - from + 2] = core.time(runs[i].counts.last) end
  end
  for _, figure in ipairs(FIGURES) do
    local says = not figure[5]
    for _, run in ipairs(runs) do says = says or value_of(figure, run) ~= 0 end
    local row = { figure[1] }
    for i = from, last do row[i - from + 2] = cell(figure, runs[i], runs[1]) end
    if says then rows[#rows + 1] = row end
  end
  return line.grid(rows)
end

-- ---- Consumers ----------------------------------------------------------------------------------

--- Where the plan counts use, functions of a consumer: its part of what it and its siblings used,
-- and the part that the plan states, by `owned`, or by `share` where no sibling owns any (C-14).
local function uses(run)
  if not (run.consumers[1] and run.consumers[1].share) then return nil end
  local function above(it) return it.path:match "^(.*)/" end
  local sums = {}
  for _, it in ipairs(run.consumers) do
    local sum = sums[above(it)] or { busy = 0, owned = 0, share = 0 }
    for member, value in pairs(sum) do sum[member] = value + it[member] end
    sums[above(it)] = sum
  end
  local function part(it, member)
    local sum = sums[above(it)][member]
    return ("%.1f"):format(sum > 0 and it[member] / sum * 100 or 0)
  end
  return function (it) return part(it, "busy") end, function (it)
    return part(it, sums[above(it)].owned > 0 and "owned" or "share")
  end
end

local function put_consumers(host, run)
  local width = #"consumer"
  for _, it in ipairs(run.consumers) do width = math.max(width, #it.path) end
  width = math.min(width, 60)
  local used, planned = uses(run)
  local function pair(a, b) return used and (" %6s %6s"):format(a, b) or "" end
  host.out(("\n%s\n%s %8s %6s%s %9s %9s %9s %9s %9s %12s %8s\n"):format(run.name,
    line.left("consumer", width), "jobs", "busy %", pair("used %", "plan %"), "wait s", "p95",
    "slowdown", "p95", "preempted", "lost", "fairness"))
  for _, it in ipairs(run.consumers) do
    if it.jobs > 0 or it.busy > 0 then
      host.out(("%s %8d %6.1f%s %9.0f %9.0f %9.2f %9.2f %9d %12d %8.3f\n"):format(
        line.left(it.path, width), it.jobs, it.utilisation * 100,
        used and pair(used(it), planned(it)) or "", it.wait_mean, it.wait_p95,
        it.slowdown_mean, it.slowdown_p95, it.preemptions, it.lost, it.fairness))
    end
  end
end

--- Where nobody waits there is nothing to decide.
local function put_idle(host, runs)
  for _, run in ipairs(runs) do
    if run.figures.jobs == 0 or run.figures.wait_most > 0 or run.figures.preemptions > 0 then
      return
    end
  end
  host.out "\nnobody ever waits: there are enough slots at every instant, so no policy makes a "
  host.out "difference; a plan with fewer slots does\n"
end

local function put_head(host, of)
  local run = of.runs[1]
  local counts, offered = run.counts, run.figures.offered
  local seconds = counts.last - counts.first
  host.out(("%s: %d jobs%s%s\n%s, %s%d slots on average\n\n"):format(
    line.safe(of.trace.file), counts.arrivals,
    counts.outside > 0 and (", %d at other times"):format(counts.outside) or "",
    counts.left_out > 0 and (", %d left out"):format(counts.left_out) or "",
    (end_together(of.runs) and "%s to %s" or "from %s"):format(core.time(counts.first),
      core.time(counts.last)),
    offered < math.maxinteger and "" or "more than ", seconds > 0 and offered // seconds or 0))
end

-- ---- CSV ----------------------------------------------------------------------------------------

local function field(text)
  return text:find '[,"\r\n]' and '"' .. text:gsub('"', '""') .. '"' or text
end

local function put_row(host, run, path, figures)
  local cells = { field(run.name), field(path) }
  for _, name in ipairs(CSV) do
    local real = REAL[name] or name:find "^wait_" or name:find "^slowdown_"
    cells[#cells + 1] = (real and "%.9g" or "%d"):format(figures[name])
  end
  host.out(table.concat(cells, ",") .. "\n")
end

local function put_csv(host, of)
  host.out("run,consumer," .. table.concat(CSV, ",") .. "\n")
  for _, run in ipairs(of.runs) do
    put_row(host, run, "/", run.figures)
    for _, it in ipairs(run.consumers) do put_row(host, run, it.path, it) end
  end
end

local simulate = {}

function simulate.show(host)
  local of = core.decode(host.call "document")
  if host.option "format" == "csv" then return put_csv(host, of) end
  put_head(host, of)
  for from = 1, #of.runs, BESIDE do host.out(figures_text(of.runs, from)) end
  put_idle(host, of.runs)
  for _, run in ipairs(of.runs) do put_consumers(host, run) end
end

return simulate
