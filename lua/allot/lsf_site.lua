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
    if slots and name ~= "default" then
      out.hosts = out.hosts or {}
      out.hosts[name] = { slots = slots, jl_u = number_at(row, "JL/U", note) }
    end
  end
end

local function groups(key, name_key, member_key)
  return function (out, section, note)
    for _, row in ipairs(section.rows) do
      local name, members = cell(row, name_key), cell(row, member_key)
      note_others(row, { [name_key] = true, [member_key] = true }, note)
      if name and members then
        out[key] = out[key] or {}
        out[key][name] = lsf.words(members)
      elseif name then
        note(row, 1, ("%s has no members, so it is not carried over"):format(name))
      end
    end
  end
end

site.hostgroup = groups("host_groups", "GROUP_NAME", "GROUP_MEMBER")
site.usergroup = groups("user_groups", "GROUP_NAME", "GROUP_MEMBER")

-- ---- Limits ----------------------------------------------------------------------------------

local LISTS = {
  QUEUES = "queues", USERS = "users", HOSTS = "hosts",
  PER_QUEUE = "per_queue", PER_USER = "per_user", PER_HOST = "per_host",
}
local COUNTS = { SLOTS = "slots", JOBS = "jobs", SLOTS_PER_PROCESSOR = "slots_per_processor" }

function site.limit(out, section, note)
  for _, row in ipairs(section.rows) do
    local made = { name = cell(row, "NAME") or ("limit%d"):format(row.line) }
    local known, counts = { NAME = true }, false
    for key, word in pairs(LISTS) do
      local text = cell(row, key)
      known[key] = true
      if text then made[word] = lsf.words(text) end
      if text == "all" then made[word] = key:find "^PER" and true or nil end
    end
    for key, word in pairs(COUNTS) do
      known[key] = true
      if cell(row, key) then made[word], counts = number_at(row, key, note), true end
    end
    note_others(row, known, note)
    if counts then
      out.limits = out.limits or {}
      out.limits[#out.limits + 1] = made
    else
      note(row, 1, ("%s limits nothing that a plan counts"):format(made.name))
    end
  end
end

-- ---- Exports ---------------------------------------------------------------------------------

--- ([cluster, shares] ...), with the outer parentheses or without (L-1).
local function distribution(text)
  local out = {}
  for cluster, shares in text:gmatch "%[%s*([^,%s%]]+)%s*,%s*(%d+)%s*%]" do
    out[#out + 1] = { cluster, math.tointeger(tonumber(shares)) }
  end
  return out[1] and out
end

local EXPORT = {
  PER_HOST = true, SLOTS = true, RES_SELECT = true, NHOSTS = true, DISTRIBUTION = true, TYPE = true,
}

function site.hostexport(out, section, note)
  for _, row in ipairs(section.rows) do
    out.leases = out.leases or {}
    local made = { name = ("export%d"):format(#out.leases + 1), provider = "local" }
    local per_host, kind = cell(row, "PER_HOST"), cell(row, "TYPE")
    made.per_host = per_host and lsf.words(per_host)
    made.slots = per_host and number_at(row, "SLOTS", note)
    made.res_select = not per_host and (cell(row, "RES_SELECT") or "type==any") or nil
    made.nhosts = number_at(row, "NHOSTS", note)
    made.type = kind and kind:lower() == "shared" and "shared" or "exclusive"
    for _, entry in ipairs(row) do
      if entry.key == "DISTRIBUTION" then made.distribution = distribution(entry.value.text) end
    end
    note_others(row, EXPORT, note)
    if made.distribution then
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
