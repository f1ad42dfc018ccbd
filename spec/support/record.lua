-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Writes down what is said to those who run specs: every message of a diagnostic that the module
-- gives, every error that is caught, and what commands print. A helper of busted (.busted), which
-- does nothing unless ALLOT_CENSUS names a folder for it. census.lua reads what is there.

local folder = os.getenv "ALLOT_CENSUS"
if not folder then return end

local shell = require "spec.support.shell"
local file
local seen = {} -- seeded cases say the same over and over

local function record(text)
  if seen[text] then return end
  seen[text] = true
  if not file then
    local pipe = assert(io.popen(("mktemp %s/XXXXXXXX"):format(folder)))
    file = assert(io.open(pipe:read "l", "wb"))
    pipe:close()
  end
  file:write(text, "\n")
  file:flush()
end

local function record_results(made, message, list)
  if made == nil and type(message) == "string" then record(message) end
  for _, findings in ipairs { message, list } do
    for _, finding in ipairs(type(findings) == "table" and findings or {}) do
      if type(finding) == "table" and finding.message then
        record(finding.message .. (finding.hint and "; " .. finding.hint or ""))
      end
    end
  end
  return made, message, list
end

local core = require "allot.core"
for name, made in pairs(core) do
  if type(made) == "function" then
    core[name] = function (...) return record_results(made(...)) end
  end
end
for _, kind in ipairs { "plan", "decision", "policy" } do
  local meta = debug.getregistry()["allot." .. kind]
  for name, method in pairs(meta and meta.__index or {}) do
    meta.__index[name] = function (...) return record_results(method(...)) end
  end
end

local caught = pcall
local function record_error(fine, message, ...)
  if not fine and type(message) == "string" then record(message) end
  return fine, message, ...
end
function _G.pcall(...) return record_error(caught(...)) end -- luacheck: ignore 122

local run = shell.run
function shell.run(line)
  local status, out, err = run(line)
  if status ~= 0 or err ~= "" then record(err .. out) end
  return status, out, err
end
