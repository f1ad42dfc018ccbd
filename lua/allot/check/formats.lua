-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Findings of `allot check` for people and programs: text, json, github, junit and sarif.
--
-- A checked file is { file, kind, counts, cases, seed, checks = { {id, text, failed} ... },
-- findings, status }. A finding's `text` is its message with its subject, `whole` also has the
-- hint.

local coverage = require "allot.fixture.coverage"
local findings_of = require "allot.check.findings"
local sarif = require "allot.check.sarif"

local formats = {}

--- All findings of all files.
local function all_of(files)
  local out = {}
  for _, file in ipairs(files) do table.move(file.findings, 1, #file.findings, #out + 1, out) end
  return out
end

-- Text -----------------------------------------------------------------------------------------

-- Queues are consumers, too, but are reported separately.
local function count_words(file)
  local out, counts = {}, file.counts or {}
  for _, kind in ipairs { "consumer", "queue", "lease" } do
    local count = counts[kind]
    if count and not (kind == "consumer" and (counts.queue or counts.lease)) then
      out[#out + 1] = (", %d %s%s"):format(count, kind, count == 1 and "" or "s")
    end
  end
  return table.concat(out)
end

--- Words in lines of at most 100 columns, each behind `margin`.
local function wrapped(first, margin, words)
  local lines, line = {}, first
  for i, word in ipairs(words) do
    local piece = word .. (i < #words and "," or "")
    if #line + #piece + 1 > 100 then
      lines[#lines + 1] = line
      line = margin .. piece
    else
      line = line .. " " .. piece
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

--- A property that holds, and in how many cases it had something to say.
local function kept_property(check)
  local name = check.id == check.text and ("\"%s\""):format(check.id) or check.id
  if check.spoke == 0 then return name .. " (no case spoke for it)" end
  return ("%s (%d case%s)"):format(name, check.spoke, check.spoke == 1 and "" or "s")
end

--- The checks that hold, invariants as one.
local function kept(file)
  local words, invariants = {}, 0
  for _, check in ipairs(file.checks) do
    if check.property and not check.failed then
      words[#words + 1] = kept_property(check)
    elseif not check.failed and (check.id == "rest" or check.id == "same-answer") then
      words[#words + 1] = check.text
    elseif not check.failed then
      invariants = invariants + 1
    end
  end
  if invariants > 0 then
    table.insert(words, 1, ("%d invariants of the core"):format(invariants))
  end
  return words
end

local function put_cases(core, out, file)
  if not file.complete then
    out(("  stopped after %d random cases, seed %d\n"):format(file.cases, file.seed))
    return
  end
  local of = (file.kind == "plan" or file.given) and "states"
    or ("cases of %d plans"):format(file.plans)
  if file.part then
    of = ("states of parts of it, %d of its %d leaves each"):format(file.part.leaves, file.part.all)
  end
  local count = file.late and ("%d of %d"):format(file.cases, file.runs) or file.cases
  out(("  %s%s random %s, seed %d%s\n"):format(file.given and "the live state, and " or "", count,
    of, file.seed, file.late and ": the time was up (--seconds)" or ""))
  local words = kept(file)
  if #words > 0 then
    out(wrapped("  hold:", "       ", words) .. "\n")
  end
  local shares = findings_of.shares(core, file.use)
  out(("  of its budget it takes %d%% of instructions, %d%% of memory at most\n"):format(
    math.max(shares.instructions, shares.loading), shares.memory))
end

--- ", but ..." where random cases fail.
local function count_failed(file)
  local failed = 0
  for _, check in ipairs(file.checks or {}) do
    if check.failed then failed = failed + 1 end
  end
  if failed == 0 and file.cases and not file.complete then
    return ", but does not run on every plan"
  end
  return failed == 0 and "" or (", but %d of %d checks fail%s"):format(failed, #file.checks,
    failed == 1 and "s" or "")
end

--- A summary of what was checked; findings are printed separately.
function formats.text(core, files, out)
  for _, file in ipairs(files) do
    if file.valid then
      out(("%s: %s is valid%s%s%s\n"):format(file.file, file.kind,
        file.inside and " in the live " .. file.inside or "", count_words(file),
        count_failed(file)))
      if file.cases then put_cases(core, out, file) end
      if file.coverage then
        out("  " .. coverage.words(file.coverage, file.file):gsub("\n", "\n  ") .. "\n")
      end
    end
  end
end

-- JSON -----------------------------------------------------------------------------------------

local KEYS = {
  "severity", "code", "rule", "file", "line", "col", "path", "message", "hint", "source", "case",
  "command",
}

local function listed(core, findings, severity)
  local out = core.list {}
  for _, finding in ipairs(findings) do
    if finding.severity == severity then
      local row = {}
      for _, key in ipairs(KEYS) do row[key] = finding[key] end
      row.line, row.col = finding.line or 0, finding.col or 0
      out[#out + 1] = row
    end
  end
  return out
end

local function checked(core, file)
  local row = { file = file.file, kind = file.kind }
  for kind, count in pairs(file.counts or {}) do row[kind .. "s"] = count end
  if file.coverage then
    local missed = core.list {}
    for i, line in ipairs(file.coverage.missed) do missed[i] = line end
    row.coverage = {
      percent = file.coverage.percent, ran = file.coverage.ran, all = file.coverage.all,
      missed = missed,
    }
  end
  if not file.cases then return row end
  row.cases, row.plans, row.seed, row.checks = file.cases, file.plans, file.seed, core.list {}
  row.runs, row.part, row.live = file.runs, file.part, file.given and true or nil
  for i, check in ipairs(file.checks) do
    row.checks[i] = {
      id = check.id, text = check.text, holds = not check.failed, cases = check.cases,
      property = check.property ~= nil, spoke = check.property and check.spoke or nil,
    }
  end
  row.budget = findings_of.shares(core, file.use)
  return row
end

function formats.json(core, files, out)
  local rows, findings = core.list {}, all_of(files)
  for i, file in ipairs(files) do rows[i] = checked(core, file) end
  out(core.encode {
    schema = "allot/check/v1", checked = rows, findings = listed(core, findings, "error"),
    warnings = listed(core, findings, "warning"),
  } .. "\n")
end

-- GitHub ---------------------------------------------------------------------------------------

local function escaped(text, also)
  text = text:gsub("%%", "%%25"):gsub("\r", "%%0D"):gsub("\n", "%%0A")
  if also then text = text:gsub(":", "%%3A"):gsub(",", "%%2C") end
  return text
end

--- Lines that workflows turn into annotations.
function formats.github(_, files, out)
  for _, finding in ipairs(all_of(files)) do
    local where = {}
    if finding.file then where[1] = "file=" .. escaped(finding.file, true) end
    if finding.file and (finding.line or 0) > 0 then
      where[#where + 1] = "line=" .. finding.line
      if (finding.col or 0) > 0 then where[#where + 1] = "col=" .. finding.col end
    end
    where[#where + 1] = "title=" .. escaped(finding.code, true)
    out(("::%s %s::%s\n"):format(finding.severity, table.concat(where, ","),
      escaped(finding.whole)))
  end
end

-- JUnit ----------------------------------------------------------------------------------------

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

--- Text for XML: characters that XML forbids become "?".
local function xml(text)
  return (text:gsub('[&<>"]', ENTITIES):gsub("[%z\1-\8\11\12\14-\31]", "?")
    :gsub("[\t\r\n]", function (c) return ("&#%d;"):format(c:byte()) end))
end

local function place_of(finding)
  local out = finding.file or "allot"
  if (finding.line or 0) > 0 then out = out .. ":" .. finding.line end
  if (finding.line or 0) > 0 and (finding.col or 0) > 0 then out = out .. ":" .. finding.col end
  return out
end

local function put_testcase(out, file, name, faults, kind)
  out(('    <testcase classname="%s" name="%s"'):format(xml(file.file), xml(name)))
  if #faults == 0 then return out "/>\n" end
  out ">\n"
  for _, finding in ipairs(faults) do
    out(('      <%s type="%s" message="%s">%s</%s>\n'):format(kind, xml(finding.code),
      xml(finding.text), xml(place_of(finding) .. ": " .. finding.whole), kind))
  end
  out "    </testcase>\n"
end

--- The cases of a file: one for validity and running, and one for each check.
local function testcases(file)
  local rest, by_rule, cases = {}, {}, {}
  for _, finding in ipairs(file.findings) do
    if finding.severity == "error" then
      local rule = finding.status == 1 and finding.rule or nil
      local list = rule and by_rule[rule] or rest
      if rule and not by_rule[rule] then
        list = {}
        by_rule[rule] = list
      end
      list[#list + 1] = finding
    end
  end
  cases[1] = { name = "is valid and runs", faults = rest, kind = "error" }
  for _, check in ipairs(file.checks or {}) do
    cases[#cases + 1] = {
      name = check.id, faults = by_rule[check.property or check.id] or {}, kind = "failure",
    }
  end
  return cases
end

local function count_of(cases, kind)
  local count = 0
  for _, case in ipairs(cases) do
    if case.kind == kind and #case.faults > 0 then count = count + 1 end
  end
  return count
end

function formats.junit(_, files, out)
  out '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="allot check">\n'
  for _, file in ipairs(files) do
    local cases = testcases(file)
    out(('  <testsuite name="%s" tests="%d" failures="%d" errors="%d">\n'):format(xml(file.file),
      #cases, count_of(cases, "failure"), count_of(cases, "error")))
    for _, case in ipairs(cases) do put_testcase(out, file, case.name, case.faults, case.kind) end
    out "  </testsuite>\n"
  end
  out "</testsuites>\n"
end

-- SARIF ----------------------------------------------------------------------------------------

function formats.sarif(core, files, out)
  local successful = true
  for _, file in ipairs(files) do successful = successful and file.status <= 1 end
  out(sarif.text(core, all_of(files), successful))
end

return formats
