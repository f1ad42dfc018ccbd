-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `fill "label" { by = , up_to = , order = , level = }`: divides slots over siblings.
--
-- `by` is the proportion (default 1: equally), `up_to` the most that a row takes (default: its
-- need), `order` the order of rows (default: all at once). Both amounts are a column's name, a
-- whole number, or a function of columns; `up_to` may also be `percent "NAME"`, of the slots that
-- siblings divide, `part`, the planned share, or `held`, the slots of it or beyond it in use
-- (part.lua). `level = true` raises what rows have in all, with earlier fills, in proportion to
-- `by` (C-15). Slices of a pool go up to a `percent`; with `again` the slots left over are sliced
-- again, until none are left.

local placed = require "allot.language.placed"
local names = require "allot.language.names"
local order = require "allot.language.order"
local amount = require "allot.language.amount"
local part = require "allot.language.part"

local KEYS = { "by", "up_to", "order", "level", "again" }

local function make(place, label, spec)
  if type(spec) ~= "table" then
    return nil, ("fill needs a table { by = , up_to = , order = }, not a %s"):format(type(spec))
  end
  if label and not names.valid(label, "-") then
    return nil, ("a fill's label is a name (letters, digits, '_', '-'), not '%s'"):format(label)
  end
  local word = type(spec.up_to) == "table" and spec.up_to.kind
  local shares = spec.up_to == part.part or spec.up_to == part.held or word == "percent"
  local faults, fault = {}
  local function note(text) faults[#faults + 1] = { text } end
  names.strangers(spec, KEYS, "key of fill", faults)
  amount.faults(spec, shares and { "by" } or { "by", "up_to" }, faults)
  if spec.up_to == part.part and spec.order ~= nil then
    note "up_to = part is what all get at once: it goes in no order"
  end
  for _, key in ipairs { "level", "again" } do
    if spec[key] ~= nil and type(spec[key]) ~= "boolean" then
      note(("%s is true or false, not a %s"):format(key, type(spec[key])))
    end
  end
  local made = {
    kind = "fill", label = label, by = spec.by or 1, up_to = spec.up_to, at = place,
    level = spec.level or nil, again = spec.again or nil,
  }
  if spec.order ~= nil then
    made.order, fault = order.keys(place, spec.order)
    if fault then note(fault) end
  end
  if #faults > 0 then return nil, faults end
  return made
end

return placed(function (place, first)
  if type(first) ~= "string" then return make(place, nil, first) end
  return placed(function (rest, spec) return make(rest, first, spec) end)
end)
