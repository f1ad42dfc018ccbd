-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan of EGO's consumer trees, as ConsumerTrees.xml of IBM Spectrum Symphony has them.
--
-- Nobody here has seen such a file. Its shape and a few words are known from public descriptions
-- and scripts; WORDS has all others as they were guessed, and an import names those that it read.

local hours = require "allot.import.hours"
local lsf = require "allot.import.lsf"
local tree = require "allot.import.tree"
local xml = require "allot.import.xml"

local ego = {}

local ONE = 1000000 -- a share, in millionths
local MOST = 1000000000

-- Elements below a Consumer, by path: the plan's column, what it takes, whether the word is known
-- rather than guessed. A TimeWindow may stand around any of them and is no part of the path.
local WORDS = {
  ["ConsumerProperties/ReclaimGracePeriod"] = { "grace", "number" },
  ["ConsumerProperties/Rebalance"] = { "rebalance", "boolean" },
  ["DistributionPolicies/Rank"] = { "rank", "number" },
  ["DistributionPolicies/SharingPolicy/Shares ratio"] = { "share", "share", known = true },
  ["DistributionPolicies/SharingPolicy/Shares limit"] = { "share_limit", "number" },
  ["DistributionPolicies/OwnershipPolicy/Owned"] = { "owned", "number" },
  ["DistributionPolicies/OwnershipPolicy/Reserved"] = { "reserve", "number" },
  ["DistributionPolicies/LendingPolicy/Limit"] = { "lend_limit", "number" },
  ["DistributionPolicies/LendingPolicy/ConsumerPath"] = { "lend", "path" },
  ["DistributionPolicies/BorrowingPolicy/Limit"] = { "borrow_limit", "number" },
  ["DistributionPolicies/BorrowingPolicy/ConsumerPath"] = { "borrow", "path" },
}
local WINDOW = { name = "TimeWindow", from = "StartTime", to = "EndTime" } -- guessed
local PLACEMENT = { [""] = "stacked", EqualFreeSlot = "balanced" } -- of DistributeBy

--- Is a text such a file?
function ego.is(text)
  return xml.root(text) ~= nil and (text:find "<[%w_:]*DistributionTree[%s/>]" ~= nil
    or text:find "<[%w_:]*ConsumerHierarchy[%s/>]" ~= nil)
end

-- ---- Words --------------------------------------------------------------------------------------

local TAKE = {}

function TAKE.number(text)
  local number = text:find "^%d+$" and math.tointeger(tonumber(text))
  return number and number <= MOST and number or nil, "a whole number from 0 to 1000000000"
end

function TAKE.boolean(text)
  local word = text:lower()
  if word == "true" or word == "false" then return word == "true" end
  return nil, "true or false"
end

function TAKE.share(text)
  return tree.millionths(text), "a number of at most six decimals"
end

function TAKE.path(text)
  return text ~= "" and text or nil, "a consumer's path"
end

--- Counts what is not carried over, of which there is one note for a path.
local function pass_over(site, path, place)
  local passed = site.passed[path]
  if not passed then
    passed = { count = 0, place = place }
    site.passed[path], site.passed[#site.passed + 1] = passed, path
  end
  passed.count = passed.count + 1
end

--- Attributes that an import reads; all others are passed over.
local ATTRIBUTES = { ConsumerName = true, Type = true, StartTime = true, EndTime = true }

local function pass_attributes(site, element, path)
  local names = {}
  for name in pairs(element.of) do
    if not ATTRIBUTES[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do pass_over(site, path .. " " .. name, element.place) end
end

--- Whether words begin with a path.
local function leads(path)
  for word in pairs(WORDS) do
    if word:sub(1, #path + 1) == path .. "/" then return true end
  end
  return false
end

--- Columns that windows of a plan do not change.
local ONCE = { grace = true, rank = true, rebalance = true }

--- Elements that several policies have, and are named with the policy.
local COMMON = { Limit = true, ConsumerPath = true }

local function take_word(site, node, element, path, to)
  local column, kind = table.unpack(WORDS[path])
  local name = COMMON[element.name] and path:match "%a+/%a+$" or element.name
  local value, allowed = TAKE[kind](element.text)
  site.read[path] = true
  if to.from and ONCE[column] then
    site.with.note(element.place, ("%s: %s of a TimeWindow is not carried over: a plan has one of "
      .. "all hours"):format(node.raw, name))
  elseif value == nil then
    site.with.fail(element.place, ("%s: %s %s, allowed %s"):format(node.raw, name,
      element.text == "" and "is empty" or element.text, allowed))
  elseif kind == "path" then
    to[column] = to[column] or { place = element.place }
    table.insert(to[column], value)
  elseif to[column] ~= nil then
    site.with.note(element.place, ("%s: %s is stated again: the first holds"):format(node.raw,
      name))
  else
    to[column] = value
  end
end

--- Reads the elements below one of a consumer; `to`: its columns, to.windows those of hours.
local function read_words(site, node, element, path, to, always)
  for _, child in ipairs(element.children) do
    local below = path .. child.name
    local word = child.of.Type and below .. " " .. child.of.Type or below
    if child.name ~= "Consumer" then pass_attributes(site, child, below) end
    if child.name == WINDOW.name then
      local window = hours.read(child, WINDOW, site.with)
      if window then table.insert(always.windows, window) end
      site.windows = true
      read_words(site, node, child, path, window or {}, always)
    elseif WORDS[word] then
      take_word(site, node, child, word, to)
    elseif leads(below) then
      if child.text ~= "" then pass_over(site, below .. ": " .. child.text, child.place) end
      read_words(site, node, child, below .. "/", to, always)
    elseif child.name ~= "Consumer" or path ~= "" then
      pass_over(site, word, child.place)
    end
  end
  return to
end

--- Notes a limit of a policy that names nobody: then the plan lends to, or borrows from, everybody.
local function note_limits(site, node, columns, place)
  for _, it in ipairs { { "lend", "LendingPolicy" }, { "borrow", "BorrowingPolicy" } } do
    if columns[it[1] .. "_limit"] and not columns[it[1]] then
      site.with.note(place, ("%s: %s/Limit without a ConsumerPath is read as of everybody"):format(
        node.raw, it[2]))
    end
  end
end

local function columns_of(site, node, element)
  local always = { windows = {} }
  read_words(site, node, element, "", always, always)
  note_limits(site, node, always, element.place)
  hours.check(always.windows, node.raw, site.with)
  return always
end

-- ---- Trees --------------------------------------------------------------------------------------

--- Calls each(element, name) for the consumers that an element has as children; `once`: they are
--- walked again, with notes.
local function each_consumer(site, element, once, each)
  for _, child in ipairs(element.children) do
    local name = child.name == "Consumer" and lsf.trim(child.of.ConsumerName or "")
    if name == "" and not once then
      site.with.note(child.place, "a Consumer without ConsumerName is not carried over")
    elseif name and name ~= "" then
      if not once then pass_attributes(site, child, "Consumer") end
      each(child, name)
    end
  end
end

--- Adds the consumers of an element to a node of the hierarchy; `own`: whether to read what they
--- say of themselves.
local function read_hierarchy(site, element, node, own)
  each_consumer(site, element, not own, function (child, name)
    local made = { raw = name, place = child.place, children = {}, by = {}, own = {} }
    if node.by[name] then
      if own then
        site.with.note(child.place, name .. " is stated again: the first holds")
      end
    else
      node.by[name], node.children[#node.children + 1] = made, made
      made.own = own and columns_of(site, made, child) or {}
    end
    read_hierarchy(site, child, node.by[name], own)
  end)
end

--- What a tree of a resource group says of consumers, by node.
local function read_policies(site, element, node, said)
  each_consumer(site, element, false, function (child, name)
    local of = node.by[name]
    if not of then
      site.with.note(child.place, name .. " is not in ConsumerHierarchy: EGO does not recognize "
        .. "it; not carried over")
    elseif said[of] then
      site.with.note(child.place, name .. " is stated again: the first holds")
    else
      said[of] = columns_of(site, of, child)
      said[of].place = child.place
      read_policies(site, child, of, said)
    end
  end)
end

local function read_tree(site, element, root)
  local made = { place = element.place, said = {}, placement = "stacked" }
  for _, child in ipairs(element.children) do
    if child.name == "ResourceGroupName" and made.raw then
      site.with.note(child.place, ("%s has several resource groups: its slots are theirs in sum")
        :format(made.raw))
    elseif child.name == "ResourceGroupName" then
      made.raw = child.text
    elseif child.name == "PolicyParameter" and child.of.ParameterName == "DistributeBy" then
      made.placement, made.by, made.by_place = PLACEMENT[child.text], child.text, child.place
    elseif child.name ~= "Consumer" then
      local which = child.of.ParameterName
      pass_over(site, which and child.name .. " " .. which or child.name, child.place)
    end
  end
  made.raw = made.raw or element.of.DistributionTreeName or "default"
  made.name = tree.name(made.raw, element.place, site.groups, site.with)
  read_policies(site, element, root, made.said)
  site.trees[#site.trees + 1] = made
end

--- Paths of the plan, and nodes by the paths that EGO has.
local function name_nodes(site, node)
  local taken = {}
  for _, child in ipairs(node.children) do
    child.name = tree.name(child.raw, child.place, taken, site.with)
    child.path, child.full = node.path .. "/" .. child.name, node.full .. "/" .. child.raw
    site.at[child.full] = child
    name_nodes(site, child)
  end
end

local function read_top(site, top, root)
  local hierarchy, trees = nil, {}
  for _, child in ipairs(top.children) do
    if child.name == "DistributionTree" then
      trees[#trees + 1] = child
    elseif child.name == "ConsumerHierarchy" then
      hierarchy = true
      read_hierarchy(site, child, root, true)
    else
      pass_over(site, child.name, child.place)
    end
  end
  for _, it in ipairs(hierarchy and {} or trees) do read_hierarchy(site, it, root, false) end
  name_nodes(site, root)
  for _, it in ipairs(trees) do read_tree(site, it, root) end
end

-- ---- Columns ------------------------------------------------------------------------------------

--- The consumers of a list, by their paths in the plan.
local function peers_of(site, list)
  local paths = {}
  for _, raw in ipairs(list) do
    local node = site.at[raw:sub(1, 1) == "/" and raw or "/" .. raw]
    if node then
      paths[#paths + 1] = node.path
    else
      site.with.note(list.place, ("%s is no consumer of the hierarchy: not carried over"):format(
        raw))
    end
  end
  return paths
end

--- Whole shares of siblings; who is not in the tree of a group has no share of it.
local function share(site, node, of)
  local numbers, list = {}, {}
  for i, child in ipairs(node.children) do
    numbers[i] = of[child] and (of[child].share or ONE) or 0
  end
  for i, whole in ipairs(tree.lowest(numbers)) do
    local child = node.children[i]
    list[i] = { raw = child.raw, place = child.place, share = whole }
  end
  if #list > 0 then tree.fit_shares(list, nil, site.with) end
  return list
end

--- The columns of all consumers in a tree at a time, by path, with what children own as `below`;
--- the slots that the first level owns.
local function put_columns(site, it, at, node, out, listed)
  local of, owned = {}, 0
  for _, child in ipairs(node.children) do
    of[child] = it.said[child] and hours.at(it.said[child], at)
  end
  for i, row in ipairs(share(site, node, of)) do
    local child, columns = node.children[i], { share = row.share }
    for key, value in pairs(of[child] or {}) do
      local list = type(value) == "table"
      listed[value] = listed[value] or list and peers_of(site, value) or nil
      local none = list and not listed[value][1]
      if key ~= "share" and key ~= "rank" and not none then
        columns[key] = listed[value] or value
      end
    end
    out[child.path] = columns
    local below = of[child] and put_columns(site, it, at, child, out, listed) or 0
    columns.owned = columns.owned or below
    columns.below = #child.children > 0 and below or nil
    owned = owned + columns.owned
  end
  return owned
end

--- How many slots a tree's group has: as the options say, or what the first level owns at every
--- hour.
local function slots_of(site, it, options, always)
  for _, group in ipairs(options.groups) do
    local alone = #site.trees == 1 and #options.groups == 1
    if (alone or group.name == it.name) and group.slots then return group.slots end
  end
  if always and always > 0 then return always end
  local group = #site.trees > 1 and it.name .. "=" or ""
  site.with.fail(it.place, ("--slots %sN says how many slots %s has: %s"):format(group, it.raw,
    always and "the file does not" or "what is owned differs by the hour"))
  return 0
end

-- Columns that need not be stated, and what takes them back in a window.
local DEFAULTS = { owned = 0, reserve = 0, lend = false, borrow = false, share = 1 }
local LIMITS = { lend_limit = true, borrow_limit = true, share_limit = true }

local function same(one, other)
  if type(one) ~= "table" or type(other) ~= "table" then return one == other end
  return table.concat(one, "\n") == table.concat(other, "\n")
end

--- What columns of a consumer at one time differ from those that hold otherwise.
local function difference(now, base)
  local out = {}
  for key, value in pairs(now) do
    if key ~= "below" and not same(value, base[key]) then out[key] = value end
  end
  for key in pairs(base) do
    if now[key] == nil then out[key] = LIMITS[key] and MOST or DEFAULTS[key] end
  end
  return next(out) and out
end

--- The columns that hold the longest, `base`, and windows of what differs from them.
local function spread(site, root, it)
  local listed, pieces, always = {}, hours.pieces(it.said), nil
  for i, piece in ipairs(pieces) do
    piece.columns = {}
    local owned = put_columns(site, it, piece.from, root, piece.columns, listed)
    if i == 1 then always = owned elseif always ~= owned then always = nil end
  end
  local base, windows = hours.split(pieces, function (one, other)
    for path, columns in pairs(one.columns) do
      if difference(columns, other.columns[path]) then return false end
    end
    return true
  end)
  return base.columns, windows, always
end

-- ---- The plan -----------------------------------------------------------------------------------

--- Tells what the hierarchy says of a consumer and trees should.
local function note_own(site, node)
  local names = {}
  for key in pairs(node.own) do
    if key ~= "grace" and key ~= "rebalance" and key ~= "windows" then names[#names + 1] = key end
  end
  for _, window in ipairs(node.own.windows or {}) do
    for key in pairs(window) do
      if key ~= "from" and key ~= "to" and key ~= "place" then names[#names + 1] = key end
    end
  end
  table.sort(names)
  for _, key in ipairs(names) do
    site.with.note(node.place, ("%s: %s in ConsumerHierarchy is not carried over: trees say it")
      :format(node.path, key))
  end
end

--- A consumer's own row; its rank is that of the first tree that says one.
local function rows_of(site, node)
  local rows = {}
  for i, child in ipairs(node.children) do
    local row = { name = child.name, grace = child.own.grace }
    note_own(site, child)
    if child.own.rebalance == false then row.rebalance = false end
    for _, it in ipairs(site.trees) do
      local rank = it.said[child] and it.said[child].rank
      if rank and child.rank and rank ~= child.rank then
        site.with.note(it.said[child].place, ("%s: rank %d in %s is not carried over: a plan has "
          .. "one, %d"):format(child.path, rank, it.raw, child.rank))
      end
      child.rank = child.rank or rank
    end
    row.rank = child.rank ~= 0 and child.rank or nil
    if #child.children > 0 then row.children = rows_of(site, child) end
    child.row, site.with.at[row], rows[i] = row, { row = child.place }, row
  end
  return rows
end

--- Columns as a plan states them: those of a group keep their shares.
local function stated(columns, keep)
  local out = {}
  for key, value in pairs(columns) do
    local default = DEFAULTS[key] == value and not (keep and key == "share")
    if key ~= "below" and not default then out[key] = value end
  end
  if columns.owned == columns.below then out.owned = nil end
  return out
end

local function put_windows(plan, group, windows, base)
  for _, window in ipairs(windows) do
    local made = { from = window.from, to = window.to, group = group, consumers = {} }
    for path, columns in pairs(window.columns) do
      made.consumers[path] = difference(columns, base[path]) or nil
    end
    plan.windows = plan.windows or {}
    table.insert(plan.windows, made)
  end
end

local function put_tree(site, root, it, plan, options)
  local base, windows, always = spread(site, root, it)
  local slots, consumers = slots_of(site, it, options, always), {}
  for _, window in ipairs(windows) do
    for _, columns in pairs(window.columns) do
      site.owns = site.owns or (columns.owned or 0) > 0
    end
  end
  for _, node in pairs(site.at) do
    local columns = base[node.path]
    if columns then
      if columns.owned > 0 then site.owns = true end
      if columns.owned > (columns.below or columns.owned) then
        site.with.note(node.place, ("%s owns %d in %s, its consumers %d: the rest is its pool")
          :format(node.path, columns.owned, it.raw, columns.below))
      end
      consumers[node] = stated(columns, #site.trees > 1)
    end
  end
  local group = { slots = slots, consumers = {} }
  for node, columns in pairs(consumers) do
    if #site.trees > 1 then
      group.consumers[node.path] = next(columns) and columns or nil
    else
      for key, value in pairs(columns) do node.row[key] = value end
    end
  end
  if #site.trees > 1 then plan.groups[it.name] = group else plan.slots = slots end
  put_windows(plan, #site.trees > 1 and it.name or "default", windows, base)
end

--- Where slots go: a plan says it of all groups at once.
local function put_placement(site, plan)
  local balanced, first = 0, nil
  for _, it in ipairs(site.trees) do
    if not it.placement then
      site.with.note(it.by_place, ("%s: DistributeBy %s is not carried over"):format(it.raw, it.by))
    end
    if it.placement == "balanced" then balanced, first = balanced + 1, first or it end
  end
  if first and balanced == #site.trees then
    plan.options = { placement = "balanced" }
  elseif first then
    site.with.note(first.by_place, ("%s: DistributeBy EqualFreeSlot is not carried over: "
      .. "\"placement\" is of all groups, and others pack"):format(first.raw))
  end
end

-- ---- Notes --------------------------------------------------------------------------------------

--- What was read as guessed; nothing understood at all is no plan.
local function tell(site)
  local guessed = {}
  for _, path in ipairs(site.passed) do
    local passed = site.passed[path]
    site.with.note(passed.place, ("%s is not carried over%s"):format(path,
      passed.count > 1 and (" (%d times)"):format(passed.count) or ""))
  end
  for path in pairs(site.read) do
    if not WORDS[path].known then guessed[#guessed + 1] = path:gsub("^%a+/", "") end
  end
  if site.windows then guessed[#guessed + 1] = WINDOW.name end
  table.sort(guessed)
  if not next(site.read) then
    site.with.fail(site.trees[1] and site.trees[1].place or site.with.head, "no word of this "
      .. "file's policies is known: no file of EGO was seen when they were written down (WORDS in "
      .. "allot/import/ego.lua)")
  elseif guessed[1] then
    site.with.note(site.with.head, ("no file of EGO was seen when this was written: compare what "
      .. "was guessed (%s) with the console"):format(table.concat(guessed, ", ")))
  end
  if site.windows then
    site.with.note(site.with.head, "hours are UTC's unless the plan's \"timezone\" says where "
      .. "they are")
  end
end

--- A plan of files, its notes, and where its parts come from; as slurm.of.
function ego.of(files, options)
  local with, plan = tree.with(files), { version = 1, consumers = {} }
  local site = { with = with, trees = {}, groups = {}, at = {}, passed = {}, read = {} }
  local root = { path = "", full = "", children = {}, by = {} }
  for _, file in ipairs(files) do
    local top = xml.read(file, options.markup, with)
    if not top then return plan, with.notes(), with.at end
    read_top(site, top, root)
  end
  if #site.trees == 0 then with.fail(with.head, "there is no DistributionTree") end
  plan.consumers = rows_of(site, root)
  if #site.trees > 1 then plan.groups = {} end
  for _, it in ipairs(site.trees) do put_tree(site, root, it, plan, options) end
  put_placement(site, plan)
  plan.policy = site.owns and "ownership" or "share_ratio"
  tell(site)
  return plan, with.notes(), with.at
end

return ego
