-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan of HTCondor's accounting groups with quotas: its configuration files, or what
--- `condor_config_val -dump` prints.

local lsf = require "allot.import.lsf"
local tree = require "allot.import.tree"

local condor = {}

local MILLION = 1000000
local UNREAD = { ["include"] = true, ["use"] = true, ["if"] = true, ["elif"] = true,
  ["else"] = true, ["endif"] = true }
-- Keys beside the groups' quotas: what they are by default, which says nothing.
local OTHERS = {
  GROUP_AUTOREGROUP = "false", GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = "1", GROUP_SORT_EXPR = "",
  NEGOTIATOR_CONSIDER_PREEMPTION = "true", NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = "",
}

--- Is a text such a configuration?
function condor.is(text)
  for _, line in tree.lines { text = text } do
    if line:upper():find "^%s*[%w_]*%.?GROUP_NAMES%s*=" then return true end
  end
  return false
end

-- ---- Definitions --------------------------------------------------------------------------------

--- The lines of a file, continued ones as one: `pieces` has each piece's text and line.
local function logical(file)
  local list, held = {}, nil
  for number, line in tree.lines(file) do
    local remark = line:find "^%s*#" ~= nil
    local head = not remark and line:match "^(.*)\\%s*$"
    if not (remark and held) and (held or not remark) then
      held = held or { line = number, pieces = {} }
      held.pieces[#held.pieces + 1] = { text = head or line, line = number }
      if not head then list[#list + 1], held = held, nil end
    end
  end
  list[#list + 1] = held
  for _, it in ipairs(list) do
    local texts = {}
    for i, piece in ipairs(it.pieces) do texts[i] = piece.text end
    it.text = table.concat(texts, " ")
  end
  return list
end

--- The line of a file in which a word of a definition stands.
local function line_of(definition, word)
  for _, piece in ipairs(definition.pieces) do
    for found in piece.text:gmatch "[^%s,]+" do
      if found == word then return piece.line end
    end
  end
  return definition.line
end

local function key_of(text)
  local name, rest = text:match "^%s*([%w_.%-]+)%s*=%s*(.*)$"
  if not name then return nil end
  return (name:upper():gsub("^NEGOTIATOR%.", "")), lsf.trim(rest)
end

--- The value with its own former value in place of $(itself).
local function with_itself(value, name, before)
  return (value:gsub("%$%(([%w_.]+)%)", function (other)
    return other:upper() == name and (before and before.value or "") or nil
  end))
end

local function define(found, it, file, with)
  local place = { file = file.name, line = it.line }
  local name, value = key_of(it.text)
  if not name then
    local word = it.text:match "^%s*@?(%a+)"
    if word and UNREAD[word:lower()] then
      with.note(place, ("%s is not read; name what it brings besides"):format(lsf.trim(it.text)))
    end
    return
  end
  local before = found[name]
  if before and name:find "^GROUP_" then
    with.note(before.place, ("%s is stated again in line %d, which holds"):format(before.name,
      it.line))
  end
  found[name] = { name = it.text:match "[%w_.%-]+", place = place, line = it.line,
    pieces = it.pieces, value = with_itself(value, name, before) }
  if not before then found[#found + 1] = name end
end

--- All definitions by name in capitals, and their names in order; the last of a name holds.
local function read(files, with)
  local found = {}
  for _, file in ipairs(files) do
    for _, it in ipairs(logical(file)) do
      if it.text:find "%S" and not it.text:find "^%s*%[" then define(found, it, file, with) end
    end
  end
  return found
end

local DEEP, MANY = 50, 10000 -- names inside names, and names in all

--- Why the next name cannot be replaced; nil: it can.
local function wrong_with(found, path, of)
  found.replaced = (found.replaced or 0) + 1
  if #path >= DEEP or found.replaced > MANY then return "names too many others" end
  for _, before in ipairs(path) do
    if before == of then
      local names = {}
      for i, it in ipairs(path) do names[i] = it.name end
      return ("is defined by itself (%s, %s)"):format(table.concat(names, ", "), of.name)
    end
  end
end

--- A text with $(OTHER) and $(OTHER:default) in it replaced, inside the names of `path`; nil, and
-- why not.
local function replaced(found, text, path)
  local why
  local out = text:gsub("%$(%b())", function (inner)
    local other, default = inner:match "^%(([%w_.]+):?(.*)%)$"
    if not other or why then return nil end
    local of = found[other:upper()] or { name = other, value = default }
    why = wrong_with(found, path, of)
    if why then return nil end
    path[#path + 1] = of
    local value, fault = replaced(found, of.value, path)
    path[#path], why = nil, fault
    return value
  end)
  if why then return nil, why end
  return out
end

--- A name's value; nil, and why it has none.
local function expand(found, name)
  local of = found[name]
  if not of then return "" end
  local text, why = replaced(found, of.value, { of })
  return text and lsf.trim(text), why
end

local function check_values(found, with)
  for _, name in ipairs(found) do
    local _, why = expand(found, name)
    if why then return with.fail(found[name].place, found[name].name .. " " .. why) end
  end
end

-- ---- Groups -------------------------------------------------------------------------------------

--- A quota of a group in millionths; nil: it has none of this kind.
local function quota(found, key, most, with)
  local of = found[key]
  if not of then return nil end
  of.used = true
  local text = expand(found, key)
  local number = text and tree.millionths(text)
  if text and not number then
    with.fail(of.place, ("%s = %s is no number"):format(of.name, text))
  elseif number and most and number > most then
    with.fail(of.place, ("%s = %s, allowed 0 to 1"):format(of.name, text))
  end
  return number or 0
end

local TRUTHS = { ["true"] = true, yes = true, t = true, ["1"] = true,
  ["false"] = false, no = false, f = false, ["0"] = false }

local function truth(found, key, default, with)
  local of = found[key]
  if not of then return default end
  of.used = true
  local text = expand(found, key) or ""
  if TRUTHS[text:lower()] == nil then
    with.fail(of.place, ("%s = %s is neither true nor false"):format(of.name, text))
  end
  return TRUTHS[text:lower()]
end

local function names_of(found)
  local list, given = {}, expand(found, "GROUP_NAMES") or ""
  for name in given:gmatch "[^%s,]+" do list[#list + 1] = name end
  table.sort(list, function (a, b)
    local x, y = a:lower(), b:lower()
    if x ~= y then return x < y end
    return a < b
  end)
  return list
end

--- The tree of groups; HTCondor leaves out those without a parent, and the second of a name.
local function groups_of(found, with)
  local root, known = { children = {}, raw = "<none>" }, {}
  local surplus = truth(found, "GROUP_ACCEPT_SURPLUS", false, with)
  local definition = found.GROUP_NAMES
  definition.used = true
  for _, name in ipairs(names_of(found)) do
    local place = { file = definition.place.file, line = line_of(definition, name) }
    local upper = name:upper()
    local above = name:match "^(.*)%."
    local parent = not above and root or known[above:upper()]
    if upper == "<NONE>" then
      with.note(place, "<none> is not carried over: the name is HTCondor's own")
    elseif not parent then
      with.note(place, ("%s is not carried over: its parent %s is not in GROUP_NAMES (HTCondor "
        .. "leaves it out, too)"):format(name, above))
    elseif known[upper] then
      with.note(place, ("%s is listed again: HTCondor leaves it out, too"):format(name))
    else
      local node = { raw = name:match "[^.]+$", path = name, place = place, children = {},
        static = quota(found, "GROUP_QUOTA_" .. upper, nil, with),
        dynamic = quota(found, "GROUP_QUOTA_DYNAMIC_" .. upper, MILLION, with),
        surplus = truth(found, "GROUP_ACCEPT_SURPLUS_" .. upper, surplus, with) }
      known[upper] = node
      parent.children[#parent.children + 1] = node
    end
  end
  return root
end

--- Divides a group's slots among its groups: static quotas first, dynamic ones divide what these
-- leave; the rest is for its own jobs.
local function share_out(node, slots)
  local static, dynamic, first, second = 0, 0, {}, {}
  for i, it in ipairs(node.children) do
    first[i], second[i] = it.static or 0, not it.static and it.dynamic or 0
    static, dynamic = static + first[i], dynamic + second[i]
  end
  first[#first + 1] = math.max(0, slots * MILLION - static)
  second[#second + 1] = math.max(0, MILLION - dynamic)
  local fixed = tree.divide(slots, first)
  local parts = tree.divide(fixed[#fixed], second)
  for i, it in ipairs(node.children) do
    it.slots = fixed[i] + parts[i]
    share_out(it, it.slots)
  end
  node.own = #node.children > 0 and parts[#parts] or 0
end

-- ---- The plan -----------------------------------------------------------------------------------

local function rows_of(parent, path, with)
  local rows, taken = {}, {}
  for i, node in ipairs(parent.children) do
    local row = { name = tree.name(node.raw, node.place, taken, with), owned = node.slots,
      limit = not node.surplus and node.slots or nil }
    if #node.children > 0 then row.children = rows_of(node, path .. row.name .. "/", with) end
    with.at[row], rows[i] = { row = node.place }, row
  end
  if parent.own > 0 then
    local name = tree.name(path == "/" and "none" or "direct", with.head, taken, with)
    rows[#rows + 1] = { name = name, owned = parent.own }
    with.note(with.head, path == "/"
      and ("%d slots are no group's: /%s, for jobs without a group"):format(parent.own, name)
      or ("%s has %d slots beyond its groups': %s%s, for jobs of the group itself"):format(
        parent.path, parent.own, path, name))
  end
  return rows
end

--- Notes of all that concerns groups and that a plan does not say.
local function note_others(found, with)
  for _, name in ipairs(found) do
    local of, default = found[name], OTHERS[name]
    local concerns = default or name:find "^GROUP_"
    if concerns and not of.used and (expand(found, name) or ""):lower() ~= default then
      local group = name:match "^GROUP_QUOTA_DYNAMIC_(.+)" or name:match "^GROUP_QUOTA_(.+)"
        or name:match "^GROUP_ACCEPT_SURPLUS_(.+)"
      with.note(of.place, of.name .. " is not carried over"
        .. (not default and group and ": GROUP_NAMES has no such group" or ""))
    end
  end
end

local function slots_of(root, options, with)
  if options.slots then return options.slots end
  local sum = 0
  for _, it in ipairs(root.children) do sum = sum + (it.static or 0) end
  if sum < MILLION then
    with.fail(with.head, "--slots says how large the cluster is: no group has a static quota")
  end
  return sum // MILLION
end

--- A plan of files, its notes, and where its parts come from; as slurm.of.
function condor.of(files, options)
  local with = tree.with(files)
  local found = read(files, with)
  check_values(found, with)
  local root = groups_of(found, with)
  local slots = slots_of(root, options, with)
  share_out(root, slots)
  note_others(found, with)
  local consumers = rows_of(root, "/", with)
  with.note(with.head, "static quotas are scaled with the cluster in a plan; HTCondor scales them "
    .. "down only, and takes nothing back unless PREEMPTION_REQUIREMENTS says so")
  return { version = 1, slots = slots, policy = "hybrid", consumers = consumers }, with.notes(),
    with.at
end

return condor
