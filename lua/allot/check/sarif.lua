-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Findings of `allot check` as SARIF 2.1.0, for code scanning.

local codes = require "allot.reference.api.codes"

local sarif = {}

local SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

--- A code's meaning in a sentence, from the table of codes.
local function about(id)
  for _, row in ipairs(codes) do
    if row[1] == id then return row[2] end
  end
  return id
end

--- The rules of findings, in order, and the place of each from 0.
local function rules_of(core, findings)
  local rules, places = {}, {}
  for _, finding in ipairs(findings) do
    local id = finding.code
    if not places[id] then
      rules[#rules + 1] = {
        id = id, name = (id:gsub("^%u%-", ""):gsub("%-(%l)", string.upper)),
        shortDescription = { text = about(id) },
        help = { text = about(id) .. " (allot help " .. id .. ")" },
        defaultConfiguration = { level = finding.severity },
      }
      places[id] = #rules - 1
    end
  end
  return core.list(rules), places
end

--- A path as a URI reference.
local function uri_of(path)
  return (path:gsub("[^%w%-%._~/]", function (c) return ("%%%02X"):format(c:byte()) end))
end

local function location_of(finding)
  local place = { artifactLocation = { uri = uri_of(finding.file) } }
  if finding.line and finding.line > 0 then
    local col = finding.col and finding.col > 0 and finding.col or nil
    place.region = {
      startLine = finding.line, startColumn = col,
      endColumn = col and finding.width and col + finding.width or nil,
      snippet = finding.source and { text = finding.source } or nil,
    }
  end
  return { physicalLocation = place }
end

local function result_of(core, finding, places)
  return {
    ruleId = finding.code, ruleIndex = places[finding.code], level = finding.severity,
    message = { text = finding.whole },
    locations = finding.file and core.list { location_of(finding) } or nil,
    properties = finding.rule ~= finding.code and { rule = finding.rule } or nil,
  }
end

--- The document's text.
function sarif.text(core, findings, successful)
  local rules, places = rules_of(core, findings)
  local results = core.list {}
  for i, finding in ipairs(findings) do results[i] = result_of(core, finding, places) end
  return core.encode({
    version = "2.1.0", ["$schema"] = SCHEMA,
    runs = core.list {
      {
        tool = {
          driver = {
            name = "allot", version = core.version, semanticVersion = core.version, rules = rules,
          },
        },
        columnKind = "utf16CodeUnits",
        invocations = core.list { { executionSuccessful = successful } },
        results = results,
      },
    },
  }, { indent = 2 }) .. "\n"
end

return sarif
