-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The hosts in LSF's files, and those that a word means: a name, a group, `node[1-4,7]`,
--- `node*`, and each of these after `~`.

local lsf = require "allot.import.lsf"
local row_of = require "allot.import.row"

local hosts = {}

local MOST = 100000 -- names that one word may mean

--- The numbers of "1-4,07": as texts, with the zeros that the first of a range begins with. Or nil.
local function numbers_of(inner)
  local out = {}
  for part in (inner:gsub("%s", "") .. ","):gmatch "([^,]*)," do
    local first, last = part:match "^(%d+)%-(%d+)$"
    first = first or part:match "^%d+$"
    last = last or first
    local from, to = math.tointeger(tonumber(first)), math.tointeger(tonumber(last))
    if not from or not to or to < from or to - from >= MOST then return nil end
    local form = first:find "^0" and "%0" .. #first .. "d" or "%d"
    for number = from, to do out[#out + 1] = form:format(number) end
    if #out > MOST then return nil end
  end
  return out
end

--- Names that a word with brackets means; itself, without any; nil: it is of another form.
function hosts.expand(word)
  local names = { "" }
  local at = 1
  while at <= #word do
    local open = word:find("[", at, true)
    local close = open and word:find("]", open, true)
    if open and not close then return nil end
    local numbers = open and numbers_of(word:sub(open + 1, close - 1)) or { "" }
    if open and not numbers_of(word:sub(open + 1, close - 1)) then return nil end
    if #names * #numbers > MOST then return nil end
    local head, more = word:sub(at, (open or 0) - 1), {}
    for _, name in ipairs(names) do
      for _, number in ipairs(numbers) do more[#more + 1] = name .. head .. number end
    end
    names, at = more, open and close + 1 or #word + 1
  end
  return names
end

--- A name's pattern for Lua, whose `*` is any text.
local function pattern_of(name)
  return "^" .. name:gsub("%W", "%%%0"):gsub("%%%*", ".*") .. "$"
end

-- ---- What is known ---------------------------------------------------------------------------

local function add_host(known, name)
  if not known.is_host[name] then
    known.is_host[name] = true
    known.list[#known.list + 1] = name
  end
end

--- Names of hosts that only words about hosts mention.
local function add_mentioned(known, words)
  for _, word in ipairs(words) do
    local bare = word:gsub("^~", ""):gsub("[+!]%d*$", "")
    local names = bare:find "[@*!]" == nil and hosts.expand(bare) or {}
    for _, name in ipairs(names) do
      if not known.is_group[name] and not hosts.words[name] then add_host(known, name) end
    end
  end
end

--- Words that are not host names.
hosts.words = { all = true, others = true, none = true, default = true, allremote = true }

local MENTION = {
  { "hostgroup", "GROUP_MEMBER" }, { "queue", "HOSTS" }, { "limit", "HOSTS" },
  { "limit", "PER_HOST" }, { "hostexport", "PER_HOST" },
}

local function add_stated(known, sections)
  row_of.each(sections, "hostgroup", "GROUP_NAME", function (name) known.is_group[name] = true end)
  row_of.each(sections, "host", "HOST_NAME", function (name, row)
    known.default = name == "default" and row or known.default
    if name == "default" or known.is_group[name] then return end
    for _, each in ipairs(hosts.expand(name) or {}) do add_host(known, each) end
  end)
end

--- Hosts (`list`, in their order; `is_host`) and groups (`is_group`) that the files know. With a
--- row of `default`, hosts of lsf.cluster, or else hosts named anywhere, are known, too.
function hosts.known(sections)
  local known = { list = {}, is_host = {}, is_group = {} }
  add_stated(known, sections)
  if not known.default then return known end
  local clustered = false
  row_of.each(sections, "host", "HOSTNAME", function (name)
    clustered = true
    add_mentioned(known, { name })
  end)
  for _, of in ipairs(clustered and {} or MENTION) do
    row_of.each(sections, of[1], of[2], function (text) add_mentioned(known, lsf.words(text)) end)
  end
  return known
end

-- ---- What a word means -----------------------------------------------------------------------

--- The known hosts and groups that a word without `~` means, nil if there are none; and the word's
--- fault.
local function meant(word, known)
  if word == "all" or known.is_group[word] or known.is_host[word] then return { word } end
  if word:find("@", 1, true) or word == "allremote" then
    return nil, "is of another cluster, which a plan does not know"
  end
  local out, unknown = {}, nil
  for _, name in ipairs(hosts.expand(word) or {}) do
    local pattern = name:find("*", 1, true) and pattern_of(name)
    for _, host in ipairs(pattern and known.list or {}) do
      if host:find(pattern) then out[#out + 1] = host end
    end
    if known.is_host[name] then out[#out + 1] = name elseif not pattern then unknown = name end
  end
  if not out[1] then return nil, "is no host or group of these files" end
  return out, unknown and ("names %s, which is no host of these files"):format(unknown)
end

--- Of a list the words as a plan has them; what is wrong with others: { word, why, lost } each,
--- `lost` where a host that was named is left out; and whether any is named, or only excluded.
function hosts.of(list, known)
  local out, wrong, named = {}, {}, false
  for _, word in ipairs(list) do
    local bare, sign = word:gsub("^~", ""), word:sub(1, 1) == "~" and "~" or ""
    local names, why = meant(bare, known)
    named = named or sign == ""
    for _, name in ipairs(names or {}) do out[#out + 1] = sign .. name end
    if why then wrong[#wrong + 1] = { word, why, not names and sign == "" } end
  end
  return out, wrong, named
end

return hosts
