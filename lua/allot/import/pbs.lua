-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan of OpenPBS' tree of shares: `resource_group`, and beside it `sched_config`.

local tree = require "allot.import.tree"

local pbs = {}

local ROOTS = { root = true, TREEROOT = true }
local LONGEST = 255 -- bytes of a line that OpenPBS reads

-- Keys of sched_config that concern the tree: true, or the default, which says nothing.
local CONFIG = { fairshare_usage_res = true, fairshare_decay_time = true,
  fairshare_decay_factor = true, fairshare_entity = "euser", fair_share = "true",
  fairshare_enforce_no_shares = "true" }

local function comment(line) return not line:find "%S" or line:find "^%s*[#*]" end

local function words_of(line)
  local words = {}
  for word in line:gmatch "%S+" do words[#words + 1] = word end
  return words
end

local function setting_of(line)
  return line:match "^%s*([%w_]+)%s*:%s*(%S+)"
end

--- Is a text such a tree? Its first line stands below the root.
function pbs.is(text)
  for _, line in tree.lines { text = text } do
    if not comment(line) then
      local words = words_of(line)
      return #words >= 4 and ROOTS[words[3]] ~= nil and words[2]:find "^%d+$" ~= nil
    end
  end
  return false
end

-- ---- Files --------------------------------------------------------------------------------------

--- OpenPBS logs what does not fit, and leaves it out.
local function add(nodes, words, place, with)
  local name, id, parent, shares = words[1], words[2], words[3], words[4]
  local function leave(why) with.note(place, ("%s is not carried over: %s"):format(name, why)) end
  if #words < 4 then return leave "NAME, ID, PARENT and SHARES are four words" end
  if not id:find "^%d+$" then return leave(("ID = %s is no whole number"):format(id)) end
  local share = math.tointeger(tonumber(shares))
  if not share or share < 0 then
    return leave(("SHARES = %s is no whole number"):format(shares))
  end
  local above = ROOTS[parent] and nodes.root or nodes[parent]
  if not above then
    return leave(("its parent %s is not known (OpenPBS leaves it out, too)"):format(parent))
  end
  local before = nodes[name]
  if before then
    local where = before.place.file == place.file and "" or before.place.file .. ", "
    return with.note(place, ("%s is stated again: %sline %d holds (names are unique in the whole "
      .. "tree)"):format(name, where, before.place.line))
  end
  local node = { raw = name, share = share, place = place, children = {} }
  nodes[name] = node
  above.children[#above.children + 1] = node
end

local function read_tree(file, nodes, with)
  for number, line in tree.lines(file) do
    local place = { file = file.name, line = number }
    if #line > LONGEST then
      with.note(place, "OpenPBS reads the first 255 bytes of a line")
      line = line:sub(1, LONGEST)
    end
    if not comment(line) then add(nodes, words_of(line), place, with) end
  end
end

--- The settings that the tree needs; notes of those that a plan does not say.
local function read_config(file, settings, with)
  for number, line in tree.lines(file) do
    local key, value = setting_of(line) -- no comment is one
    local place = { file = file.name, line = number }
    if key == "unknown_shares" then
      settings.unknown = math.tointeger(tonumber(value))
      if not settings.unknown then
        with.fail(place, ("unknown_shares = %s is no whole number"):format(value))
      elseif settings.unknown > 0 then
        with.note(place, 'unknown_shares makes the group "unknown", first in the tree')
      end
      settings.unknown_place = place
    elseif key and CONFIG[key] then
      settings[key] = value:lower()
      if CONFIG[key] == true then
        with.note(place, key .. " is not carried over: usage of the past")
      elseif CONFIG[key] ~= value:lower() and key == "fairshare_entity" then
        with.note(place, "fairshare_entity is not carried over: a plan's leaves are as they are "
          .. "named")
      end
    end
  end
  if settings.fair_share ~= "true" then
    with.note({ file = file.name, line = 1 },
      "fair_share is off, so OpenPBS does not use the tree; the plan does")
  end
end

-- ---- The plan -----------------------------------------------------------------------------------

local function rows_of(parent, settings, with)
  local rows, taken = {}, {}
  local last = settings.fairshare_enforce_no_shares == "false"
  tree.fit_shares(parent.children, last and "SHARES" or nil, with)
  for i, node in ipairs(parent.children) do
    local row = { name = tree.name(node.raw, node.place, taken, with), share = node.share }
    if #node.children > 0 then row.children = rows_of(node, settings, with) end
    with.at[row], rows[i] = { row = node.place }, row
  end
  return rows
end

--- A plan of files, its notes, and where its parts come from; as slurm.of.
function pbs.of(files, options)
  local with, settings = tree.with(files), {}
  local nodes = { root = { children = {} } }
  local trees = {}
  for _, file in ipairs(files) do
    if pbs.is(file.text) then trees[#trees + 1] = file else read_config(file, settings, with) end
  end
  if (settings.unknown or 0) > 0 then
    add(nodes, { "unknown", "1", "root", tostring(settings.unknown) }, settings.unknown_place, with)
  end
  for _, file in ipairs(trees) do read_tree(file, nodes, with) end
  local consumers = rows_of(nodes.root, settings, with)
  if not options.slots then
    with.fail(with.head, "--slots says how large the cluster is: resource_group does not")
  end
  with.note(with.head, "OpenPBS orders jobs by usage of the past and shares, and takes nothing "
    .. "back for it: policy share_ratio, without reclaim_shared")
  return { version = 1, slots = options.slots, consumers = consumers, policy = {
    use = "share_ratio", adjust_share_to_workload = true, reclaim_shared = false } },
    with.notes(), with.at
end

return pbs
