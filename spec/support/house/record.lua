-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hears what is said to specs (heard.lua): every diagnostic that the module gives, and what
-- commands print. A helper of busted (.busted). Errors that are raised a spec hands on itself:
-- nothing may stand between `pcall` and its caller, whose line words blame.

if not os.getenv "ALLOT_DIAGNOSTICS" then return end

local record = require "spec.support.house.heard"
local shell = require "spec.support.house.shell"

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

local run = shell.run
function shell.run(line)
  local status, out, err = run(line)
  if status ~= 0 or err ~= "" then record(err .. out) end
  return status, out, err
end
