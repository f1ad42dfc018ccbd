-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A run's failures as diagnostics: what broke, where, and how to reproduce it.

local places = require "allot.check.places"

local findings = {}

-- Places ---------------------------------------------------------------------------------------

local function lines_of(text)
  local out = {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do out[#out + 1] = (line:gsub("\r$", "")) end
  return out
end

--- Puts a place into a finding: a line of a policy, and where in it (default: its first letter).
local function place(finding, file, text, line, col, width)
  local lines = type(text) == "table" and text or text and line and lines_of(text)
  local source = line and lines and lines[line]
  finding.file = file
  if not source then return finding end
  finding.line, finding.source = line, source
  finding.col, finding.width = col or (source:find "%S" or 1), width
  return finding
end

--- The place of a text in another, or in its lines, as a quoted word: line, column, width.
local function find_quoted(text, word)
  for number, line in ipairs(type(text) == "table" and text or lines_of(text)) do
    local from, to = line:find('"' .. word .. '"', 1, true)
    if from then return number, from, to - from + 1 end
  end
end

--- The line of the fill that gives a consumer most beyond its own slots, if there is one.
local function blamed_line(failure)
  local it, policy = failure.decided, failure.check.policy
  if not it or not failure.blamed then return nil end
  policy = policy or it.target.policies(it.plan)[1]
  local label, most = nil, 0
  for _, group in ipairs(it.view.groups) do
    local row = group.rows[failure.blamed]
    for name, slots in pairs(row and row.parts or {}) do
      local mine = name ~= "reserved" and name ~= "owned"
      local first = slots > most or slots == most and (not label or name < label)
      if mine and slots > 0 and first then
        label, most = name, slots
      end
    end
  end
  for i, fill in ipairs(policy and policy.declared.quota or {}) do
    if label == (fill.label or "fill" .. i) then return places.line(fill.at), policy end
  end
end

-- Words ----------------------------------------------------------------------------------------

--- "it owns 4" of /a is "/a owns 4".
local function about(path, text)
  if not path or path == "" then return text end
  local rest = text:match "^it (.*)$"
  if rest then return path .. " " .. rest end
  rest = text:match "^its (.*)$"
  return rest and path .. "'s " .. rest or path .. ": " .. text
end

local function message_of(failure)
  local check, text = failure.check, about(failure.path, failure.text)
  if check.own then return ("the property \"%s\" does not hold: %s"):format(check.id, text) end
  if check.property then return ("%s is not kept: %s"):format(check.property, text) end
  if check.code == "E-invariant" then return ("not so: %s; %s"):format(check.text, text) end
  return text
end

--- Hints for what scripts may not do: each a part of a message, and its hint.
local HINTS = {
  { "unknown name 'os'", "a policy has no clock and no environment: the same plan and state must "
    .. "give the same answer, so what it needs to know stands in them" },
  { "unknown name 'io'", "a policy reads and writes no files: what it needs to know stands in the "
    .. "plan, as an attribute of consumers" },
  { "unknown name 'debug'", "a policy computes numbers from columns; it has no debug library" },
  { "unknown name 'load", "a policy loads no other code: write the function in the file" },
  { "unknown name 'setmetatable'", "tables of a policy are plain: use functions and local tables" },
  { "unknown name 'coroutine'", "a function of a policy is called row by row; it runs to its end" },
  { "function of math 'random", "a policy throws no dice: the same plan and state must give the "
    .. "same answer" },
  { "no module '", "a policy is one file: only \"allot\" can be required" },
  { "assignment to global", "write local in front of it" },
  { "instructions", "a loop does not end, or does too much for one row: go over the columns of "
    .. "this row alone" },
  { "nested deeper", "a function calls itself without end: write it as a loop with a bound" },
  { "would make more than", "a policy computes with numbers: strings are for names and messages" },
  { "preempt each other", "of two queues let one preempt the other, and not both: higher "
    .. "\"priority\"" },
  { "bytes of memory", "a function keeps or builds too much: it is called for every row, and needs "
    .. "numbers, no large tables" },
  { "a string of more than", "a policy computes with numbers: strings are for names and messages" },
  { "a float", "integers only: a // b divides without a rest" },
  { "is the whole row", "name a column (allot help columns), or read one: row.owned" },
  { "not a whole number", "return a whole number in every case, also where a condition fails" },
  { "a number here is", "amounts are 0 to 1000000000: bound it with math.max and math.min" },
  { "divide by zero", "a divisor is 0 in this case: divide by math.max(1, n)" },
  { "attempt to perform 'n", "a divisor is 0 in this case: divide by math.max(1, n)" },
  { "attempt to", "in this case a value is nil or of another type: follow the case below" },
}

--- A hint for a message without one.
function findings.hint(message)
  for _, it in ipairs(HINTS) do
    if message:find(it[1], 1, true) then return it[2] end
  end
end

-- Cases ----------------------------------------------------------------------------------------

local function slug(text)
  local out = text:lower():gsub("[^%w]+", "-"):gsub("^%-+", ""):gsub("%-+$", "")
  return out:sub(1, 48)
end

local function base_name(path)
  return path:match "([^/]+)$" or path
end

--- A copy of a plan with its policies renamed by `rename`.
local function renamed(value, rename)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, inner in pairs(value) do
    if key == "policy" and type(inner) == "string" then
      out[key] = rename(inner)
    elseif key == "use" and type(inner) == "string" then
      out[key] = rename(inner)
    else
      out[key] = renamed(inner, rename)
    end
  end
  return out
end

--- Writes a case as files for `allot run`, and returns the folder; or nil and a message.
local function write_case(target, host, out, name, case)
  local folder = out .. "/" .. slug(target.name) .. "-" .. slug(name)
  local written, fault = {}, nil
  local function write(file, text)
    local ok, message = host.write(folder .. "/" .. file, text)
    if not ok then fault = fault or folder .. "/" .. file .. ": " .. tostring(message) end
  end
  local plan = renamed(case.plan, function (use)
    if target.core.ready(use) or not target.texts[use] then return use end
    written[base_name(use)] = target.texts[use]
    return base_name(use)
  end)
  plan.version = 1
  for file, text in pairs(written) do write(file, text) end
  write("plan.json", target.core.encode(plan, { indent = 2 }) .. "\n")
  write("state.json", target.core.encode(case.state, { indent = 2 }) .. "\n")
  return not fault and folder or nil, fault
end

local function see_it(folder)
  return ("allot run %s/plan.json %s/state.json"):format(folder, folder)
end

local function add_case(finding, target, host, opts, name, case)
  local folder, fault = write_case(target, host, opts.out, name, case)
  if not folder then
    opts.fault = opts.fault or fault
    return finding
  end
  finding.case, finding.command = folder, see_it(folder)
  finding.hint = (finding.hint and finding.hint .. "; " or "") .. "see it: " .. finding.command
  return finding
end

-- Findings -------------------------------------------------------------------------------------

local function of_failure(target, host, opts, failure)
  local check = failure.check
  local finding = {
    severity = "error", code = check.code, rule = check.property or check.id, status = 1,
    path = failure.path, message = message_of(failure), hint = check.hint, help = check.text,
  }
  local decided = failure.decided
  local policy = check.policy or decided and decided.target.policies(failure.case.plan)[1]
  local line, blamed = blamed_line(failure)
  if line then
    place(finding, blamed.file, blamed.text, line)
  elseif check.at then
    place(finding, policy.file, policy.text, (places.line(check.at)))
  elseif policy and check.key and policy.text:find("%f[%w_]" .. check.key .. "%s*=") then
    local before = policy.text:sub(1, policy.text:find("%f[%w_]" .. check.key .. "%s*="))
    local _, line_number = before:gsub("\n", "")
    local column = #before:match "[^\n]*$"
    place(finding, policy.file, policy.text, line_number + 1, column, #check.key)
  elseif policy and check.property then
    place(finding, policy.file, policy.text, find_quoted(policy.text, check.property))
  elseif policy then
    place(finding, policy.file, policy.text, find_quoted(policy.text, policy.declared.name))
  end
  return add_case(finding, target, host, opts, check.id, failure.case)
end

local REMEMBERS = "of the case below alone it does not fail: the policy keeps something from "
  .. "call to call, which grows"

--- If a random plan is invalid, its policy is at fault: its relation of queues, if it has one.
local function blame_policy(finding, target)
  finding.line, finding.col, finding.width, finding.source, finding.file = nil, nil, nil, nil, nil
  for file, text in pairs(target.texts) do
    for number, line in ipairs(lines_of(text)) do
      local from, to = line:find "%f[%w]preempts%s*="
      if from and not finding.file then place(finding, file, text, number, from, to - from + 1) end
    end
    finding.file = finding.file or file
  end
end

--- The diagnostics of a report as findings; `status` is the resulting exit status.
function findings.of_report(report, status)
  local out = {}
  for i, each in ipairs(report or {}) do
    local finding = { status = each.severity == "error" and status(each.code) or 0 }
    for key, value in pairs(each) do finding[key] = value end
    finding.rule = each.code
    local hint = each.severity == "error" and findings.hint(each.message)
    -- A newcomer's word has no similar existing name.
    if hint and not finding.hint then
      finding.hint, finding.message = hint, each.message:gsub("; known are .*", "")
    end
    out[i] = finding
  end
  return out
end

--- A run's findings. opts: out, the folder for cases; `fault` is set when one cannot be
-- written. `status(code)` is the exit status of a diagnostic.
function findings.of_run(target, host, opts, run, status)
  local out = {}
  for _, failure in ipairs(run.failures) do
    out[#out + 1] = of_failure(target, host, opts, failure)
  end
  if run.broken then
    local list = findings.of_report(run.broken.raised.report, status)
    for _, finding in ipairs(list) do
      if finding.severity == "error" then
        finding.rule, finding.status = "runs", finding.status > 3 and finding.status or 1
        if not run.broken.alone then finding.hint = REMEMBERS end
        if finding.file == "plan.json" then blame_policy(finding, target) end
        add_case(finding, target, host, opts, "runs", run.broken.case)
        out[#out + 1] = finding
        break
      end
    end
  end
  return out
end

-- Warnings -------------------------------------------------------------------------------------

local WORDS = {
  instructions = "a function takes %d%% of the instructions that 1000 rows may (%d of %d)",
  loading = "reading the file takes %d%% of the instructions that it may (%d of %d)",
  memory = "it takes %d%% of the memory that it may (%d of %d bytes)",
}

--- The most that a policy used of its budgets, in percent, rounded up.
function findings.shares(core, use)
  local out, may = {}, core.limits
  for key in pairs(WORDS) do
    local most = may[key] or may.instructions
    out[key] = ((use[key] or 0) * 100 + most - 1) // most
  end
  return out
end

--- Warnings of budgets used above half.
function findings.of_use(core, file, use)
  local out, shares = {}, findings.shares(core, use)
  for _, key in ipairs { "instructions", "loading", "memory" } do
    if shares[key] > 50 then
      out[#out + 1] = {
        severity = "warning", code = "W-budget", rule = "budget", status = 0, file = file,
        message = WORDS[key]:format(shares[key], use[key], core.limits[key]
          or core.limits.instructions),
        hint = "a larger site takes it over: do less for a row",
      }
    end
  end
  return out
end

--- Warnings of text that has no effect (idle.lua).
function findings.of_idle(file, text, list)
  for _, it in ipairs(list) do
    it.severity, it.rule, it.status = "warning", it.code, 0
    place(it, file, text, places.at(text, it.at, it.width))
  end
  return list
end

--- Warnings of consumers that never get a slot.
function findings.of_unreachable(file, text, paths)
  local out, lines = {}, lines_of(text)
  for i, path in ipairs(paths) do
    local finding = {
      severity = "warning", code = "W-unreachable", rule = "unreachable", status = 0, path = path,
      message = path .. " never gets a slot, though it alone asks for some",
      hint = "its limit or that of a branch above is 0, or the policy has no fill for who owns and "
        .. "shares nothing",
    }
    out[i] = place(finding, file, lines, find_quoted(lines, base_name(path)))
  end
  return out
end

return findings
