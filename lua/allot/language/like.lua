-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `like = "hybrid"`: a policy that states only its differences from a ready-made one.
--
-- Its declarations (attributes of consumers and tasks, options, requirements, sessions, damping)
-- join those of the ready-made policy and replace those of the same name. Any other key replaces
-- the ready-made policy's. Properties are not inherited: a policy states its own.

local names = require "allot.language.names"
local ready = require "allot.language.ready"

local JOINED = {
  "attributes", "options", "task_attributes", "requirements", "sessions", "damping",
}

local function joined(base, own)
  if base == nil or type(own) ~= "table" then return own == nil and base or own end
  local all = {}
  for name, spec in pairs(base) do all[name] = spec end
  for name, spec in pairs(own) do all[name] = spec end
  return all
end

--- The complete table of a policy, as `policy` takes it; or nil and a fault.
return function (spec)
  local base = type(spec.like) == "string" and ready(spec.like) or nil
  if not base then
    return nil, "like: " .. names.unknown("ready-made policy", spec.like, ready())
  end
  local all = {}
  for key, value in pairs(base.said) do all[key] = value end
  for key, value in pairs(spec) do all[key] = value end
  for _, key in ipairs(JOINED) do all[key] = joined(base.said[key], spec[key]) end
  all.name, all.doc, all.properties = spec.name, spec.doc, spec.properties
  return all
end
