-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hosts, users, limits and exports of LSF's files, as a plan has them.

local lsf = require "allot.lsf"

local site = {}

local function cell(row, key)
  for _, entry in ipairs(row) do
    if entry.key == key then return lsf.plain(entry.value.text), entry.value end
  end
end

local function number_at(row, key, note)
  local text, at = cell(row, key)
  local number = text and math.tointeger(tonumber(text))
  if text and not number then
    note(at, at.col, ("%s = %s: no whole number, so it is not carried over"):format(key, at.text))
  end
  return number
end

--- Notes every key of a row that is not among `known`, where it says anything.
local function note_others(row, known, note)
  for _, entry in ipairs(row) do
    if not known[entry.key] and lsf.plain(entry.value.text) then
      local at = entry.value
      note(at, at.col, entry.key .. " is not carried over")
    end
  end
end

--- Of a list of hosts those that these files know; others are noted.
function site.known_hosts(list, known, at, note)
  local out = {}
  for _, word in ipairs(list) do
    local name = word:gsub("^~", "")
    if name == "all" or known[name] then
      out[#out + 1] = word
    else
      note(at, at.col, ("'%s' is no host or group of these files, so it is not carried over")
        :format(name))
    end
  end
  return out[1] and out or nil
end

--- Hosts that have a row, and groups that have one of them, by name.
function site.all_hosts(sections)
  local known = {}
  for _, kind in ipairs { "host", "hostgroup" } do
    for _, section in ipairs(sections) do
      for _, row in ipairs(section.name == kind and section.rows or {}) do
        local name = cell(row, kind == "host" and "HOST_NAME" or "GROUP_NAME")
        local has = kind == "host" and name ~= "default"
        for _, word in ipairs(lsf.words(cell(row, "GROUP_MEMBER") or "")) do
          has = has or word == "all" or known[word]
        end
        if name and has then known[name] = true end
      end
    end
  end
  return known
end

local HOST = { HOST_NAME = true, MXJ = true, ["JL/U"] = true }

--- MXJ is a host's slots; `!` is its number of processors, which only LSF knows.
function site.host(out, section, note)
  for _, row in ipairs(section.rows) do
    local name, at = cell(row, "HOST_NAME")
    local slots, mxj = cell(row, "MXJ")
    note_others(row, HOST, note)
    if name == "default" or not name then
      note(at or row, 1, "hosts that are not named are not carried over")
    elseif slots == "!" or not slots then
      note(mxj or row, mxj and mxj.col or 1, name
        .. " has as many slots as processors, which the file does not say: 1 is taken")
      slots = 1
    else
      slots = number_at(row, "MXJ", note)
    end
    if name and slots and name ~= "default" then
      out.hosts = out.hosts or {}
      out.hosts[name] = { slots = slots, jl_u = number_at(row, "JL/U", note) }
    end
  end
end

--- Of a list of users those that are named: a plan knows no others, so not who `all` are.
local function named_users(list, _, at, note)
  local out = {}
  for _, word in ipairs(list) do
    if word == "all" or word:find "^[~!]" then
      note(at, at.col, ("'%s': a plan's groups are of users by name"):format(word))
    else
      out[#out + 1] = word
    end
  end
  return out[1] and out or nil
end

local GROUP = { GROUP_NAME = true, GROUP_MEMBER = true }

local function groups(key, check)
  return function (out, section, note, known)
    for _, row in ipairs(section.rows) do
      local name = cell(row, "GROUP_NAME")
      local members, at = cell(row, "GROUP_MEMBER")
      note_others(row, GROUP, note)
      local list = name and members and check(lsf.words(members), known, at, note)
      if list then
        out[key] = out[key] or {}
        out[key][name] = list
      else
        note(row, 1, ("%s has no members, so it is not carried over"):format(name or "a group"))
      end
    end
  end
end

site.hostgroup = groups("host_groups", site.known_hosts)
site.usergroup = groups("user_groups", named_users)

-- ---- Limits ----------------------------------------------------------------------------------

local LISTS = {
  QUEUES = "queues", USERS = "users", HOSTS = "hosts",
  PER_QUEUE = "per_queue", PER_USER = "per_user", PER_HOST = "per_host",
}
local COUNTS = { SLOTS = "slots", JOBS = "jobs", SLOTS_PER_PROCESSOR = "slots_per_processor" }

local LIMIT = { NAME = true }
for key in pairs(LISTS) do LIMIT[key] = true end
for key in pairs(COUNTS) do LIMIT[key] = true end

--- Whom a limit is about, by one of its lists; false: a plan cannot say it.
local function limit_list(row, key, hosts, note)
  local text, at = cell(row, key)
  local all = key:find "^PER" and true or nil
  if not text then return nil end
  if text == "all" then return all end
  local list = lsf.words(text)
  if key:find "HOST" then return site.known_hosts(list, hosts, at, note) or false end
  for _, word in ipairs(list) do
    if word == "all" or word:find "^~" then
      note(at, at.col, ("%s = %s: a plan has names, or all"):format(key, at.text))
      return false
    end
  end
  return list
end

local function limit_count(row, key, note)
  local text, at = cell(row, key)
  local number = key == "SLOTS_PER_PROCESSOR" and tonumber(text)
  if number and number >= 0 and number <= 1000000 then return number end
  number = text and number_at(row, key, note)
  if number and number >= 0 and number <= 1000000000 then return number end
  if number then note(at, at.col, ("%s = %s: out of range"):format(key, at.text)) end
end

function site.limit(out, section, note, hosts)
  for _, row in ipairs(section.rows) do
    local made = { name = cell(row, "NAME") or ("limit%d"):format(row.line) }
    local sayable, counts = true, 0
    note_others(row, LIMIT, note)
    for key, word in pairs(LISTS) do
      local list = limit_list(row, key, hosts, note)
      if list == false then sayable = false else made[word] = list end
    end
    for key, word in pairs(COUNTS) do
      made[word] = limit_count(row, key, note)
      counts = counts + (made[word] and 1 or 0)
    end
    if sayable and counts == 1 then
      out.limits = out.limits or {}
      out.limits[#out.limits + 1] = made
    else
      local why = not sayable and "whom it is about, a plan cannot say"
        or counts == 0 and "it limits nothing that a plan counts" or "it counts more than one thing"
      note(row, 1, ("%s is not carried over: %s"):format(made.name, why))
    end
  end
end

-- ---- Exports ---------------------------------------------------------------------------------

--- ([cluster, shares] ...), with the outer parentheses or without (L-1).
local function distribution(text)
  local out = {}
  for cluster, shares in text:gmatch "%[%s*([^,%s%[%]]+)%s*,%s*(%d+)%s*%]" do
    out[#out + 1] = { cluster, math.tointeger(tonumber(shares)) }
  end
  return out[1] and out
end

local EXPORT = {
  PER_HOST = true, SLOTS = true, RES_SELECT = true, NHOSTS = true, DISTRIBUTION = true, TYPE = true,
}

function site.hostexport(out, section, note, hosts)
  for _, row in ipairs(section.rows) do
    out.leases = out.leases or {}
    local made = { name = ("export%d"):format(#out.leases + 1), provider = "local" }
    local per_host, at = cell(row, "PER_HOST")
    local kind = cell(row, "TYPE")
    made.per_host = per_host and site.known_hosts(lsf.words(per_host), hosts, at, note)
    made.slots = per_host and number_at(row, "SLOTS", note)
    made.res_select = not per_host and (cell(row, "RES_SELECT") or "type==any") or nil
    made.nhosts = number_at(row, "NHOSTS", note)
    made.type = kind and kind:lower() == "shared" and "shared" or "exclusive"
    for _, entry in ipairs(row) do
      if entry.key == "DISTRIBUTION" then made.distribution = distribution(entry.value.text) end
    end
    note_others(row, EXPORT, note)
    if made.distribution and per_host and not (made.per_host and made.slots) then
      note(row, 1, "this export says no hosts and slots that are known, so it is not carried over")
    elseif made.distribution then
      out.leases[#out.leases + 1] = made
    else
      note(row, 1, "an export without DISTRIBUTION gives nobody anything")
    end
  end
end

-- ---- Altogether ------------------------------------------------------------------------------

--- Preemption, if anybody says anything of it; else pools or leases alone.
local function policy_of(out)
  local params, pooled = out.params or {}, false
  for _, queue in ipairs(out.queues) do
    if queue.preemption then return "preemption" end
    pooled = pooled or queue.slot_pool ~= nil
  end
  if params.preempt_for or params.preempt_jobtype then return "preemption" end
  return pooled and "queue_pool" or #out.queues == 0 and "shared_lease" or "preemption"
end

--- What only all files together tell: the policy and its options, and the delay of leases.
function site.settle(out)
  local params = out.params or {}
  for _, lease in ipairs(out.leases or {}) do
    lease.reclaim_delay = params.mc_reclaim_delay and params.mc_reclaim_delay * 60
  end
  out.policy = policy_of(out)
  for _, key in ipairs { "preempt_for", "preempt_jobtype" } do
    if params[key] then
      out.policy = type(out.policy) == "table" and out.policy or { use = out.policy }
      out.policy[key], params[key] = params[key], nil
    end
  end
  params.mc_reclaim_delay = nil
  out.params = next(params) and params
  out.leases = out.leases and out.leases[1] and out.leases
end

return site
