-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan of Slurm's associations: `sacctmgr dump CLUSTER file=FILE`, or what
--- `sacctmgr show assoc [tree] -P` prints. Accounts become branches, users leaves, Fairshare their
--- share, GrpTRES their limit.

local lsf = require "allot.import.lsf"

local slurm = {}

local PARENT = "2147483647" -- as a dump has Fairshare=parent

-- Keys of a dump that say nothing about slots, one note for all.
local QUIET = { description = true, organization = true, defaultaccount = true, defaultqos = true,
  adminlevel = true, coordinator = true, ["def qos"] = true }
-- Columns of `show assoc` that are no settings.
local COLUMNS = { Cluster = true, Account = true, User = true, Partition = true, Share = true,
  ParentName = true, GrpTRES = true, ID = true, LFT = true, RGT = true, Priority = true }

--- Is a text one of these?
function slurm.is(text)
  text = text:gsub("^\xef\xbb\xbf", "")
  for line in text:gmatch "[^\n]+" do
    if line:find "^%s*Cluster%s+%-%s" or line:find "^Cluster|Account|User" or
       line:find "^Account|User" then
      return true
    end
    if line:find "%S" and not line:find "^%s*#" then return false end
  end
  return false
end

-- ---- Lines --------------------------------------------------------------------------------------

--- A value at `at`: bare up to a colon, or quoted. The value, where it ends.
local function value_at(line, at)
  local mark = line:match("^['\"]", at)
  if mark then
    local stop = line:find(mark, at + 1, true)
    if stop then return line:sub(at + 1, stop - 1), stop + 1 end
  end
  local stop = line:find("[:#]", at) or #line + 1
  return (line:sub(at, stop - 1):gsub("%s+$", "")), stop
end

--- Title, name and keys of "Title - 'name'[:Key=value]..."; nil: it is no such line.
local function entry_of(line)
  local title, at = line:match "^%s*(%a+)%s+%-%s+()"
  if not title then return nil end
  local entry = { title = title:lower(), keys = {}, order = {} }
  entry.name, at = value_at(line, at)
  while at do
    local key, from = line:match("^%s*:%s*([%w_]+)%s*=()", at)
    if not key then break end
    local value
    value, at = value_at(line, from)
    entry.keys[key:lower()] = value
    entry.order[#entry.order + 1] = key
  end
  entry.rest = line:match("^%s*([^%s#].*)", at)
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
  local before = parent.known[key]
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
  local number = math.tointeger(tonumber(text))
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

local function limit_of(text, node, resource, note)
  local limit
  for name, number in (text or ""):gmatch "([^=,%s]+)=(%d+)" do
    if name == resource then
      limit = math.tointeger(tonumber(number))
    else
      note(node.place, ("%s: GrpTRES %s=%s is not carried over: a limit is of slots"):format(
        node.raw, name, number))
    end
  end
  return limit
end

local function node_of(raw, user, keys, place, with)
  local node = { raw = raw, user = user, place = place,
    partition = keys.partition ~= "" and keys.partition or nil }
  node.share = share_of(keys.fairshare or keys.share, node, with.note, with.fail)
  node.limit = limit_of(keys.grptres, node, with.resource, with.note)
  if keys.grpcpus and with.resource == "cpu" then
    node.limit = node.limit or math.tointeger(tonumber(keys.grpcpus))
  end
  return node
end

-- ---- A dump -------------------------------------------------------------------------------------

local CARRIED = { fairshare = true, grptres = true, grpcpus = true, partition = true }

local function read_dump(file, tree, with)
  local parent, number = nil, 0
  for line in (file.text .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    local place = { file = file.name, line = number, col = 1 }
    local says = line:find "%S" and not line:find "^%s*#"
    local entry = says and entry_of((line:gsub("\r$", "")))
    if entry and entry.title == "parent" then
      parent = tree.accounts[entry.name]
      if not parent then
        with.fail(place, ("parent %s is not known: parents stand before what is below them")
          :format(entry.name))
      end
    elseif entry and (entry.title == "account" or entry.title == "user") then
      if not parent then
        with.note(place, ("%s stands ahead of every Parent: it is below root"):format(entry.name))
      end
      add(tree, parent or tree.root,
        node_of(entry.name, entry.title == "user", entry.keys, place, with), with.note)
    elseif says and not (entry and entry.title == "cluster") then
      with.fail(place, "expected Cluster, Parent, Account or User")
    end
    if entry and entry.rest then
      with.note(place, ("%q is not read: a value with a colon stands in quotes"):format(entry.rest))
    end
    for _, key in ipairs(entry and entry.order or {}) do
      local top = entry.title == "cluster" and key:lower() ~= "qos"
      if not CARRIED[key:lower()] and not top then count(tree, key, place) end
    end
  end
end

-- ---- show assoc ---------------------------------------------------------------------------------

local function split(line)
  local fields = {}
  for field in (line .. "|"):gmatch "([^|]*)|" do fields[#fields + 1] = field end
  return fields
end

local function row_of(header, line)
  local fields, row = split(line), {}
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

local function read_assoc(file, tree, with)
  local header, number, stack = nil, 0, {}
  for line in (file.text .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    line = line:gsub("\r$", "")
    local place = { file = file.name, line = number, col = 1 }
    local row, fields
    if header and line:find "%S" then row, fields = row_of(header, line) end
    local name = row and row.Account:gsub("^ +", "")
    if not header then
      header = split(line)
    elseif fields then
      with.fail(place, ("%d columns, the header has %d (a name with | in it?)"):format(fields,
        #header))
    elseif row and (name ~= "root" or row.User ~= "") then
      local parent = above(tree, row, stack)
      if not parent then
        with.fail(place, ("parent %s is not known: parents stand before what is below them")
          :format(row.ParentName or name))
      else
        local keys = { share = row.Share, grptres = row.GrpTRES, partition = row.Partition }
        local user = row.User ~= ""
        local node = node_of(user and row.User or name, user, keys, place, with)
        add(tree, parent, node, with.note)
        if not user then stack[#row.Account:match "^ *"] = node end
        for _, column in ipairs(header) do
          if not COLUMNS[column] and row[column] ~= "" then count(tree, column, place) end
        end
      end
    end
  end
end

-- ---- The plan -----------------------------------------------------------------------------------

local function name_of(node, taken, with)
  local name = node.raw:gsub("[^%w_-]", "_")
  name = (name:find "^%a" and name or "q" .. name):sub(1, 128)
  if node.twice and node.partition then
    name = name .. "-" .. node.partition:gsub("[^%w_-]", "_")
  end
  if name ~= node.raw and not node.twice then
    with.note(node.place, ("%s becomes %s: names match [A-Za-z][A-Za-z0-9_-]{0,127}"):format(
      node.raw:find "[^%w_.-]" and "'" .. node.raw .. "'" or node.raw, name))
  end
  if taken[name] then
    with.fail(node.place, ("%s and %s become the same name, %s"):format(taken[name], node.raw,
      name))
  end
  taken[name] = node.raw
  return name
end

--- Users that stand twice below an account, by partition.
local function find_twins(children, with)
  local first = {}
  for _, node in ipairs(children) do
    local before = node.user and first[node.raw]
    if before then
      before.twice, node.twice = true, true
      with.note(before.place, ("%s is here several times, by partition"):format(node.raw))
    elseif node.user then
      first[node.raw] = node
    end
  end
  for _, node in ipairs(children) do
    if node.partition and not node.twice then
      with.note(node.place, ("%s is of partition %s alone: a plan does not say it"):format(node.raw,
        node.partition))
    end
  end
end

--- An account with Fairshare=parent has its children's shares, which count beside its siblings.
local function sum_parents(node, note)
  for _, child in ipairs(node.children) do sum_parents(child, note) end
  if node.with_parent and not node.user and #node.children > 0 then
    node.share = 0
    for _, child in ipairs(node.children) do node.share = node.share + child.share end
    note(node.place, ("%s: Fairshare=parent: its children count beside its siblings; its share is "
      .. "the sum of theirs"):format(node.raw))
  end
end

--- Who has 0 runs when nobody else wants slots; a plan's share of 0 gets nothing.
local function raise_zeros(children, note)
  local some = false
  for _, node in ipairs(children) do some = some or node.share == 0 end
  if not some then return end
  for _, node in ipairs(children) do
    if node.share == 0 then
      note(node.place, ("%s has Fairshare 0: it runs when no other wants slots; its siblings' "
        .. "shares are taken times 1000, its own is 1"):format(node.raw))
      node.share, node.raised = 1, true
    else
      node.share = node.share * 1000
    end
  end
end

local function rows_of(parent, with)
  local rows, taken = {}, {}
  find_twins(parent.children, with)
  raise_zeros(parent.children, with.note)
  for i, node in ipairs(parent.children) do
    local row = { name = name_of(node, taken, with), limit = node.limit,
      share = (node.share ~= 1 or node.raised) and node.share or nil }
    with.at[row] = { row = node.place }
    if #node.children > 0 then row.children = rows_of(node, with) end
    rows[i] = row
  end
  return rows
end

--- Settings that say nothing about slots get one note together.
local function note_keys(tree, with)
  local quiet = {}
  for key in pairs(tree.quiet) do quiet[#quiet + 1] = key end
  table.sort(quiet)
  if #quiet > 0 then
    with.note(with.head, table.concat(quiet, ", ") .. (#quiet > 1 and " are" or " is")
      .. " not carried over")
  end
  for _, key in ipairs(tree.order) do
    local of = tree.keys[key]
    with.note(of.place, ("%s is not carried over%s"):format(key,
      of.times > 1 and (" (%d times)"):format(of.times) or ""))
  end
end

--- A plan of files, its notes (fatal ones are errors), and where its parts come from. `options`:
-- slots of the cluster, the TRES that a slot is.
function slurm.of(files, options)
  local notes, with = {}, { resource = options.resource or "cpu", at = {},
    head = { file = files[1].name, line = 1, col = 1 } }
  function with.note(place, said, fatal)
    notes[#notes + 1] = { file = place.file, line = place.line, col = place.col,
      text = lsf.legible(said), fatal = fatal, order = #notes }
  end
  function with.fail(place, said) with.note(place, said, true) end
  local tree = new_tree()
  for _, file in ipairs(files) do
    file.text = file.text:gsub("^\xef\xbb\xbf", "")
    local read = file.text:find "^%s*Cluster|" and read_assoc
      or file.text:find "^Account|" and read_assoc or read_dump
    read(file, tree, with)
  end
  sum_parents(tree.root, with.note)
  local consumers = rows_of(tree.root, with)
  note_keys(tree, with)
  table.sort(notes, function (a, b)
    if a.file ~= b.file then return a.order < b.order end
    if a.line ~= b.line then return a.line < b.line end
    return a.order < b.order
  end)
  if not options.slots then
    with.fail(with.head, "--slots says how large the cluster is: associations do not")
  end
  with.note(with.head, "Slurm orders jobs by shares and by past use; in the plan the ratio holds "
    .. "among those who want slots now (policy share_ratio)")
  return { version = 1, slots = options.slots, consumers = consumers, policy = {
    use = "share_ratio", adjust_share_to_workload = true, reclaim_shared = false } }, notes, with.at
end

return slurm
