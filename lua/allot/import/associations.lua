-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slurm's associations as a tree of accounts and users: of `sacctmgr dump CLUSTER file=FILE`, or
--- of what `sacctmgr show assoc [tree] -P` prints.

local tree_of = require "allot.import.tree"

local associations = {}

local PARENT = "2147483647" -- as a dump has Fairshare=parent

-- Keys of a dump that say nothing about slots, one note for all.
local QUIET = { description = true, organization = true, defaultaccount = true, defaultqos = true,
  adminlevel = true, coordinator = true, ["def qos"] = true }
-- Columns of `show assoc` that are no settings.
local COLUMNS = { Cluster = true, Account = true, User = true, Partition = true, Share = true,
  Fairshare = true, ParentName = true, GrpTRES = true, ID = true, LFT = true, RGT = true,
  Priority = true }

--- The columns of a header, a set; nil: the line is none.
local function header_of(line)
  local fields, set = tree_of.split(line), {}
  for _, name in ipairs(fields) do set[name] = true end
  return set.Account and set.User and fields or nil, set
end

--- Is a text one of these? "dump", "assoc" or nil.
function associations.is(text)
  for _, line in tree_of.lines { text = text } do
    if line:find "^%s*Cluster%s+%-%s" then return "dump" end
    if header_of(line) and not line:find("JobID", 1, true) then return "assoc" end
    if line:find "%S" and not line:find "^%s*#" then return nil end
  end
  return nil
end

-- ---- Lines --------------------------------------------------------------------------------------

--- A value at `at`: bare up to a colon, or quoted. The value, where it ends; nil: the quote is not
-- closed.
local function value_at(line, at)
  local mark = line:match("^['\"]", at)
  if mark then
    local stop = line:find(mark, at + 1, true)
    if not stop then return nil, at end
    return line:sub(at + 1, stop - 1), stop + 1
  end
  local stop = line:find("[:#]", at) or #line + 1
  return (line:sub(at, stop - 1):gsub("%s+$", "")), stop
end

--- Title, name and keys of "Title - 'name'[:Key=value]..."; nil: it is no such line. `open`: the
-- column of a quote that nothing closes.
local function entry_of(line)
  local title, at = line:match "^%s*(%a+)%s+%-%s+()"
  if not title then return nil end
  local entry = { title = title:lower(), keys = {}, order = {} }
  entry.name, at = value_at(line, at)
  if not entry.name then entry.open = at end
  while not entry.open do
    local key, from = line:match("^%s*:%s*([%w_]+)%s*=()", at)
    if not key then break end
    local value
    value, at = value_at(line, from)
    if not value then entry.open = at end
    entry.keys[key:lower()] = value
    entry.order[#entry.order + 1] = key
  end
  entry.rest = not entry.open and line:match("^%s*([^%s#].*)", at)
  return entry
end

-- ---- The tree -----------------------------------------------------------------------------------

local function new_tree()
  local root = { children = {}, known = {} }
  return { root = root, accounts = { root = root }, keys = {}, order = {}, quiet = {} }
end

--- Counts a key that is not carried over; its first place gets the note.
local function count(tree, key, place)
  if QUIET[key:lower()] then
    tree.quiet[key] = true
  elseif not tree.keys[key] then
    tree.keys[key] = { place = place, times = 1 }
    tree.order[#tree.order + 1] = key
  else
    tree.keys[key].times = tree.keys[key].times + 1
  end
end

--- Adds an account or a user; the first of two with the same name holds.
local function add(tree, parent, node, note)
  local key = (node.user and "user " or "account ") .. node.raw
    .. (node.partition and "|" .. node.partition or "")
  local before = parent.known[key] or not node.user and tree.accounts[node.raw]
  if before == tree.root then return end
  if before then
    return note(node.place, ("%s is stated again: line %d holds"):format(node.raw,
      before.place.line))
  end
  node.children, node.known, parent.known[key] = {}, {}, node
  parent.children[#parent.children + 1] = node
  if not node.user then tree.accounts[node.raw] = node end
end

local function share_of(text, node, note, fail)
  local lower = (text or ""):lower()
  if lower == "" then return 1 end
  if lower == "parent" or lower == PARENT then
    node.with_parent = true
    if node.user then
      note(node.place, ("%s: Fairshare=parent counts as 1 among its siblings"):format(node.raw))
    end
    return 1
  end
  local number = lower:find "^%-?%d+$" and math.tointeger(tonumber(lower))
  if not number then
    fail(node.place, ('Fairshare=%s is no whole number, nor "parent"'):format(text))
    return 1
  end
  if number < 0 then
    note(node.place, ("%s: Fairshare=%s is as if it were not set: 1"):format(node.raw, text))
    return 1
  end
  return number
end

local UNITS = { [""] = 1, M = 1, K = 1 / 1024, G = 1024, T = 1024 ^ 2, P = 1024 ^ 3 }

--- An amount as Slurm writes it, memory in MiB; nil where it is none.
local function amount_of(name, text)
  local digits, unit = text:match "^(%-?%d+%.?%d*)(%a?)$"
  local times = digits and (name == "mem" and UNITS[unit:upper()] or unit == "" and 1)
  return times and math.tointeger(math.floor(tonumber(digits) * times)) or nil
end

--- The limits of an association by group, of those TRES that slots are.
local function limits_of(text, node, with)
  local limits = {}
  for part in (text or ""):gmatch "[^,]+" do
    local name, number = part:match "^%s*([^=]+)=%s*(.-)%s*$"
    local known = false
    for i, group in ipairs(with.groups) do
      if name and name:lower() == group.tres then
        known, limits[i] = true, amount_of(group.tres, number)
        if not limits[i] then
          with.fail(node.place, ("%s: GrpTRES=%s is no amount"):format(node.raw, part))
        elseif limits[i] < 0 then
          limits[i] = nil -- -1 clears a limit
        end
      end
    end
    if not known then
      with.note(node.place, ("%s: GrpTRES %s is not carried over: a limit is of slots"):format(
        node.raw, part))
    end
  end
  return limits
end

local function node_of(raw, user, keys, place, with)
  local node = { raw = raw, user = user, place = place,
    partition = keys.partition ~= "" and keys.partition or nil }
  if raw == "" then with.fail(place, "a name is missing") end
  node.share = share_of(keys.fairshare or keys.share, node, with.note, with.fail)
  local old = keys.grpcpus and "cpu=" .. keys.grpcpus -- of dumps before GrpTRES
  node.limits = limits_of(keys.grptres or old, node, with)
  return node
end

--- Associations of another cluster are not below the same root.
local function check_cluster(name, tree, place, with)
  tree.cluster = tree.cluster or name
  if name == tree.cluster then return true end
  if not tree.mixed then
    with.fail(place, ("associations of two clusters, %s and %s: choose one (sacctmgr ... "
      .. "where cluster=%s)"):format(tree.cluster, name, tree.cluster))
  end
  tree.mixed = true
  return false
end

-- ---- A dump -------------------------------------------------------------------------------------

local EXPECTED = "expected Cluster, Parent, Account or User, as Account - 'name':Key=value"
local CARRIED = { fairshare = true, grptres = true, grpcpus = true, partition = true }

--- An account or a user below the parent.
local function read_entry(entry, tree, parent, place, with)
  if not parent then
    with.note(place, ("%s stands ahead of every Parent: it is below root"):format(entry.name))
  end
  add(tree, parent or tree.root,
    node_of(entry.name, entry.title == "user", entry.keys, place, with), with.note)
end

--- What a line of a dump states; the parent of the next lines.
local function read_line(entry, tree, parent, place, with)
  if entry.open then
    with.fail({ file = place.file, line = place.line, col = entry.open },
      "the quote is not closed")
  elseif entry.title == "cluster" then
    check_cluster(entry.name, tree, place, with)
  elseif entry.title == "parent" then
    parent = tree.accounts[entry.name]
    if not parent then
      with.fail(place, ("parent %s is not known: parents stand before what is below them")
        :format(entry.name))
    end
  elseif entry.title == "account" or entry.title == "user" then
    read_entry(entry, tree, parent, place, with)
  else
    with.fail(place, EXPECTED)
  end
  if entry.rest then
    with.note(place, ("%q is not read: a value with a colon stands in quotes"):format(entry.rest))
  end
  for _, key in ipairs(entry.order) do
    local top = entry.title == "cluster" and key:lower() ~= "qos"
    if not CARRIED[key:lower()] and not top then count(tree, key, place) end
  end
  return parent
end

local function read_dump(file, tree, with)
  local parent
  for number, line in tree_of.lines(file) do
    local place = { file = file.name, line = number, col = 1 }
    if line:find "%S" and not line:find "^%s*#" then
      local entry = entry_of(line)
      if entry then
        parent = read_line(entry, tree, parent, place, with)
      else
        with.fail(place, EXPECTED)
      end
    end
  end
end

-- ---- show assoc ---------------------------------------------------------------------------------

local function row_of(header, line)
  local fields, row = tree_of.split(line), {}
  if #fields ~= #header then return nil, #fields end
  for i, name in ipairs(header) do row[name] = fields[i] end
  return row
end

--- The account that a row stands below: by ParentName, else by the blanks ahead of its name.
local function above(tree, row, stack)
  if row.User ~= "" then return tree.accounts[(row.Account:gsub("^ +", ""))] end
  if row.ParentName then return tree.accounts[row.ParentName] end
  return stack[#row.Account:match "^ *" - 1] or tree.root
end

local function read_row(row, header, tree, stack, place, with)
  local name, user = row.Account:gsub("^ +", ""), row.User ~= ""
  if row.Cluster and not check_cluster(row.Cluster, tree, place, with) then return end
  if name == "root" and not user then return end
  local parent = above(tree, row, stack)
  if not parent then
    return with.fail(place, ("parent %s is not known: parents stand before what is below them")
      :format(user and name or row.ParentName))
  end
  local keys = { share = row.Share or row.Fairshare, grptres = row.GrpTRES,
    partition = row.Partition }
  local node = node_of(user and row.User or name, user, keys, place, with)
  add(tree, parent, node, with.note)
  if not user then stack[#row.Account:match "^ *"] = node end
  for _, column in ipairs(header) do
    if not COLUMNS[column] and row[column] ~= "" then count(tree, column, place) end
  end
end

--- Says which columns are missed. Without ParentName, blanks ahead of the names say what is below
-- what (show assoc tree).
local function check_header(file, set, place, with)
  if not set.ParentName and not file.text:find "\n[^|]*|? +[^|]" then
    with.fail(place, "what is below what is not said: sacctmgr show assoc tree -P, or a column "
      .. "ParentName")
  end
  if not set.Share and not set.Fairshare then
    with.note(place, "the column Share is missing: all shares are 1")
  end
end

local function read_assoc(file, tree, with)
  local header, stack = nil, {}
  for number, line in tree_of.lines(file) do
    local place = { file = file.name, line = number, col = 1 }
    if not header then
      local set
      header, set = header_of(line)
      if header then check_header(file, set, place, with) end
    elseif line:find "%S" then
      local row, fields = row_of(header, line)
      if row then
        read_row(row, header, tree, stack, place, with)
      else
        with.fail(place, ("%d columns, the header has %d (a name with | in it?)"):format(fields,
          #header))
      end
    end
  end
end

-- ---- All of them --------------------------------------------------------------------------------

--- The tree of files: `root`, a node { raw, user, partition, share, limits, children, place }, and
-- the keys that say something else. `with`: groups, and note and fail of a place.
function associations.read(files, with)
  local tree = new_tree()
  for _, file in ipairs(files) do
    local read = associations.is(file.text) == "assoc" and read_assoc or read_dump
    read(file, tree, with)
  end
  return tree
end

return associations
