-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan from sections of LSF's files; lines that it cannot carry over are noted.

local lsf = require "allot.import.lsf"
local hosts = require "allot.import.hosts"
local keys = require "allot.import.keys"
local limit = require "allot.import.limit"
local resource = require "allot.import.resource"
local row_of = require "allot.import.row"
local site = require "allot.import.site"
local users = require "allot.import.users"

local plan = {}

--- The entries of a row as a plan has them, by the table of keywords.
local function carry(row, known, note, before)
  local out, stated = {}, before or {}
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
      local was = value ~= nil and stated[of[1]]
      if was then
        note(was, was.col, ("%s is stated again in %s:%d, which holds"):format(entry.key, at.file,
          at.line))
      end
      if value ~= nil then out[of[1]], stated[of[1]] = value, at end
    end
  end
  return out
end

local function named(row, made, what, note)
  if made.name then return true end
  note(row, 1, ("this %s has no name, so it is not carried over"):format(what))
end

local SECTIONS = {}

--- A queue's hosts: an unknown host is an error, since the queue would have other hosts, or all; a
--- queue with `none` sends its jobs elsewhere.
local function set_hosts(made, at, known, note, fail)
  local list = made.hosts
  made.hosts = nil
  if #list == 1 and list[1] == "none" then
    made.qjob_limit = 0
    note(at, at.col, "HOSTS = none: no job of the queue runs here")
    return
  end
  for i = #list, 1, -1 do
    if list[i] == "none" then table.remove(list, i) end
  end
  local out = site.known_hosts(list, known, at, note, fail)
  if known.list[1] then made.hosts = out end -- else `all` has no meaning
end

function SECTIONS.queue(out, section, note, known, fail)
  for _, row in ipairs(section.rows) do
    local stated = {}
    local made = carry(row, keys.queue, note, stated)
    if made.hosts then set_hosts(made, stated.hosts, known.hosts, note, fail) end
    if named(row, made, "queue", note) then
      out.queues[#out.queues + 1] = made
      known.at[made] = { row = row, keys = stated }
    end
  end
end

function SECTIONS.application(out, section, note, known)
  for _, row in ipairs(section.rows) do
    local stated = {}
    local made = carry(row, keys.application, note, stated)
    if named(row, made, "application", note) then
      out.applications = out.applications or {}
      row_of.note_again(known.stated, "application", made.name, row, note)
      out.applications[made.name] = made
      known.at[made] = { row = row, keys = stated }
      made.name = nil
    end
  end
end

--- Preemption keys of a list of queues go to the policy, the rest to `params`.
function SECTIONS.parameters(out, section, note, known)
  for _, row in ipairs(section.rows) do
    resource.remember(out, row)
    for key, value in pairs(carry(row, keys.parameters, note, known.stated.parameters)) do
      out.params = out.params or {}
      out.params[key] = value
      known.at[out.params] = { keys = known.stated.parameters }
    end
  end
end

for _, name in ipairs { "host", "hostgroup", "hostexport", "hostpartition" } do
  SECTIONS[name] = site[name]
end
SECTIONS.usergroup, SECTIONS.user = users.group, users.user
SECTIONS.limit = limit.section
SECTIONS.resourcemap, SECTIONS.resource = resource.map, resource.shared
SECTIONS.reservationusage = resource.reserved

local MOST_NOTES = 10000 -- of a file; then only their number

--- Three functions: one adds a note, one a fatal error, and one returns both, in the order of files
--- and lines.
local function notebook(files)
  local notes, count, cut, place_of = {}, {}, {}, {}
  for i, file in ipairs(files) do place_of[file.name] = place_of[file.name] or i end
  local function fail(place, col, text)
    notes[#notes + 1] = {
      file = place.file, line = place.line, col = col, text = lsf.legible(text), fatal = true,
      order = #notes,
    }
  end
  local function note(place, col, text)
    local n = (count[place.file] or 0) + 1
    count[place.file] = n
    if n <= MOST_NOTES then
      notes[#notes + 1] = {
        file = place.file, line = place.line, col = col, text = lsf.legible(text),
        order = #notes,
      }
    else
      cut[place.file] = cut[place.file] or place.line
    end
  end
  local function all()
    for name, line in pairs(cut) do
      notes[#notes + 1] = {
        file = name, line = line, col = 1, order = #notes,
        text = ("and %d more, from here on"):format(count[name] - MOST_NOTES),
      }
    end
    table.sort(notes, function (a, b)
      if a.file ~= b.file then return place_of[a.file] < place_of[b.file] end
      if a.line ~= b.line then return a.line < b.line end
      if a.col ~= b.col then return a.col < b.col end
      return a.order < b.order
    end)
    return notes
  end
  return note, fail, all
end

--- Files { name, text } as a plan; the notes: { file, line, col, text } in the files' order,
--- `fatal` where there can be no plan; and where tables of the plan come from: by table
--- { row, keys }, as text.lua wants them.
function plan.of(files)
  local out, sections = { version = 1, queues = {} }, {}
  local note, fail, all = notebook(files)
  for _, file in ipairs(files) do
    for _, section in ipairs(lsf.sections(file.name, file.text, note)) do
      sections[#sections + 1] = section
    end
  end
  local known = {
    hosts = hosts.known(sections), members = site.members(sections), at = {},
    queues = limit.all_queues(sections),
    users = users.all_groups(sections), stated = { parameters = {} },
  }
  for _, section in ipairs(sections) do
    local read = SECTIONS[section.name]
    if read then
      read(out, section, note, known, fail)
    else
      note(section, 1, ("section %s is not carried over"):format(section.name))
    end
  end
  users.settle(out, note, known)
  resource.settle(out, note, sections)
  site.settle(out, note, known)
  if #out.queues == 0 then out.queues = nil end
  return out, all(), known.at
end

return plan
