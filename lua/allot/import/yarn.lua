-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan of YARN's queues: capacity-scheduler.xml or an allocation file, and yarn-site.xml beside.

local capacity = require "allot.import.capacity"
local fair = require "allot.import.fair"
local lsf = require "allot.import.lsf"
local tree = require "allot.import.tree"
local xml = require "allot.import.xml"

local yarn = {}

local DEEP = 20 -- names inside names

--- Is a text one of these?
function yarn.is(text)
  local root = xml.root(text)
  return root == "configuration" or root == "allocations"
end

--- The properties of a configuration: a later one replaces an earlier one that was not final.
local function read_properties(top, found, with)
  for _, property in ipairs(top.children) do
    local _, name = xml.child(property, "name")
    local _, value = xml.child(property, "value")
    local final = xml.child(property, "final")
    name, value = name or property.of.name, value or property.of.value
    if property.name ~= "property" then
      with.note(property.place, ("%s is not read; name what it brings besides"):format(
        property.name))
    elseif name and name ~= "" and not (found[name] and found[name].final) then
      if not found[name] then found[#found + 1] = name end
      found[name] = { value = lsf.trim(value or ""), place = property.place,
        final = final and final.text == "true" }
    end
  end
end

--- The value of a property with ${other} in it replaced; nil: there is none.
local function value_of(found, name, with, depth)
  local property = found[name]
  if not property then return nil end
  return (property.value:gsub("%${([^}]*)}", function (other)
    if other:find "^env%." then
      with.note(property.place, ("${%s} is not read: the environment is the service's"):format(
        other))
      return ""
    end
    if depth < DEEP then return value_of(found, other, with, depth + 1) end
  end))
end

--- A plan of files, its notes, and where its parts come from; as slurm.of.
function yarn.of(files, options)
  local with, found, allocations = tree.with(files), {}, nil
  for _, file in ipairs(files) do
    local top = xml.read(file, options.markup, with)
    if not top then return { version = 1, consumers = {} }, with.notes(), with.at end
    if top.name == "allocations" then
      allocations = allocations or top
    else
      read_properties(top, found, with)
    end
  end
  local site = { with = with, found = found, group_slots = {},
    memory = options.groups[1].tres == "memory",
    setting = function (name) return value_of(found, name, with, 0) end }
  for _, group in ipairs(options.groups) do
    site.group_slots[group.name or "default"] = group.slots
  end
  site.slots = site.group_slots.default
  if not site.slots and (allocations or not capacity.slots(site)) then
    with.fail(with.head, "--slots says how large the cluster is: queues do not")
    site.slots = 0
  end
  local plan = allocations and fair.plan(site, allocations) or capacity.plan(site)
  return plan, with.notes(), with.at
end

return yarn
