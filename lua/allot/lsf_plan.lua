-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan from sections of LSF's files; what it cannot carry over is noted, line by line.

local lsf = require "allot.lsf"
local keys = require "allot.lsf_keys"
local site = require "allot.lsf_site"

local plan = {}

--- The entries of a row as a plan has them, by the table of keywords.
local function carry(row, known, note)
  local out = {}
  for _, entry in ipairs(row) do
    local of, at = known[entry.key], entry.value
    local text = lsf.plain(at.text)
    if of and entry.key == "JOB_CONTROLS" or of and entry.key == "PREEMPTION" then
      text = at.text
    end
    if not of then
      note(at, at.col, entry.key .. " is not carried over")
    elseif text then
      local value, why = of[2](text)
      if why then note(at, at.col, ("%s = %s: %s"):format(entry.key, at.text, why)) end
      if value ~= nil and out[of[1]] ~= nil then
        note(at, at.col, entry.key .. " is stated again; this one holds")
      end
      if value ~= nil then out[of[1]] = value end
    end
  end
  return out
end

local function named(row, made, what, note)
  if made.name then return true end
  note(row, 1, ("this %s has no name, so it is not carried over"):format(what))
end

local SECTIONS = {}

function SECTIONS.queue(out, section, note)
  for _, row in ipairs(section.rows) do
    local made = carry(row, keys.queue, note)
    if named(row, made, "queue", note) then out.queues[#out.queues + 1] = made end
  end
end

function SECTIONS.application(out, section, note)
  for _, row in ipairs(section.rows) do
    local made = carry(row, keys.application, note)
    if named(row, made, "application", note) then
      out.applications = out.applications or {}
      out.applications[made.name] = made
      made.name = nil
    end
  end
end

--- What a list of queues says of preemption goes to the policy, the rest to `params`.
function SECTIONS.parameters(out, section, note)
  for _, row in ipairs(section.rows) do
    for key, value in pairs(carry(row, keys.parameters, note)) do
      out.params = out.params or {}
      out.params[key] = value
    end
  end
end

for name, read in pairs(site) do SECTIONS[name] = read end

--- Files { name, text } as a plan, and the notes: { file, line, col, text } in the files' order.
function plan.of(files)
  local out, notes = { version = 1, queues = {} }, {}
  local function note(place, col, text)
    notes[#notes + 1] = { file = place.file, line = place.line, col = col, text = text }
  end
  for _, file in ipairs(files) do
    for _, section in ipairs(lsf.sections(file.name, file.text, note)) do
      local read = SECTIONS[section.name]
      if read then
        read(out, section, note)
      else
        note(section, 1, ("section %s is not carried over"):format(section.name))
      end
    end
  end
  site.settle(out, note)
  if #out.queues == 0 then out.queues = nil end
  return out, notes
end

return plan
