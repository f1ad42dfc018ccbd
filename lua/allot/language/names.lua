-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Names: valid ones, unknown ones, and the nearest known one.

local names = {}

local function least(a, b, c)
  if b < a then a = b end
  if c < a then a = c end
  return a
end

--- Edits (a letter more, less or other, two neighbours swapped) from one name to another, ignoring
--- case.
function names.distance(a, b)
  a, b = a:lower(), b:lower()
  local above2, above
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    above2, above, row = above, row, { [0] = i }
    local letter, before = a:byte(i), i > 1 and a:byte(i - 1)
    for j = 1, #b do
      local same = letter == b:byte(j)
      row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (same and 0 or 1))
      if before and j > 1 and letter == b:byte(j - 1) and before == b:byte(j) then
        row[j] = least(row[j], above2[j - 2] + 1, row[j])
      end
    end
  end
  return row[#b]
end

--- The nearest of a list of names, or nil when none is near, as allot_nearest has it. A name that
--- differs only in case is nearer still.
function names.nearest(name, list)
  if #name == 0 or #name > 128 then return nil end
  local best = 2 * ((#name < 4 and 1 or #name < 9 and 2 or #name // 3) + 1)
  local nearest
  for _, candidate in ipairs(list) do
    local edits = names.distance(name, candidate)
    local score = 2 * edits + (edits == 0 and candidate ~= name and 1 or 0)
    if score < best and edits < math.max(#name, #candidate) then
      nearest, best = candidate, score
    end
  end
  return nearest
end

--- "unknown column 'ownd'; known are owned, reserve; did you mean 'owned'?"
function names.unknown(what, name, list)
  local known = #list > 0 and "; known are " .. table.concat(list, ", ") or ""
  if type(name) ~= "string" then return ("unknown %s %s%s"):format(what, tostring(name), known) end
  local near = names.nearest(name, list)
  local meant = near and ("; did you mean '%s'?"):format(near) or ""
  return ("unknown %s '%s'%s%s"):format(what, name, known, meant)
end

function names.has(list, name)
  for _, known in ipairs(list) do
    if known == name then return true end
  end
  return false
end

--- Adds to `faults` a fault for each key of a table that is not among `known`, in the form of
--- placed.lua.
function names.strangers(spec, known, what, faults)
  local strange = {}
  for key in pairs(spec) do
    if not names.has(known, key) then strange[#strange + 1] = key end
  end
  table.sort(strange, function (a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(strange) do
    faults[#faults + 1] = { names.unknown(what, key, known) }
  end
end

--- The first such fault, or nil.
function names.stranger(spec, known, what)
  local faults = {}
  names.strangers(spec, known, what, faults)
  return faults[1] and faults[1][1]
end

--- A letter, then letters, digits, `_` (and characters of `also`), 128 at most.
function names.valid(name, also)
  if type(name) ~= "string" or #name == 0 or #name > 128 then return false end
  for i = 1, #name do
    local c = name:sub(i, i)
    local letter = (c >= "a" and c <= "z") or (c >= "A" and c <= "Z")
    local digit = c == "_" or (c >= "0" and c <= "9") or c == also
    if not letter and (i == 1 or not digit) then return false end
  end
  return true
end

return names
