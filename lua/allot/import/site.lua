-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hosts and exports of LSF's files, as a plan has them.

local hosts = require "allot.import.hosts"
local lsf = require "allot.import.lsf"
local row_of = require "allot.import.row"

local site = {}

--- The known hosts of a list; others are noted. Fails if `fail` is given and all named hosts would
--- be lost.
function site.known_hosts(list, known, at, note, fail)
  local out, wrong, named = hosts.of(list, known)
  for _, it in ipairs(wrong) do
    local say = it[3] and fail or note
    say(at, at.col, ("'%s' %s%s"):format(it[1], it[2], it[3] and "" or ": it is not carried over"))
  end
  local kept = false
  for _, word in ipairs(out) do kept = kept or word:sub(1, 1) ~= "~" end
  if named and not kept then return nil end -- exclusions alone would mean all others
  return out[1] and out or nil
end

--- Words of the members of groups of hosts, by name.
function site.members(sections)
  local out = {}
  row_of.each(sections, "hostgroup", "GROUP_NAME", function (name, row)
    out[name] = lsf.words(row_of.cell(row, "GROUP_MEMBER") or "")
  end)
  return out
end

-- ---- Hosts -----------------------------------------------------------------------------------

local HOST = { HOST_NAME = true, MXJ = true, ["JL/U"] = true }

--- A plan's host from such a row; nil: none, which is noted. MXJ is a host's slots;
--- `!` is its number of processors, which only LSF knows.
local function host_of(row, name, note)
  local slots, mxj = row_of.cell(row, "MXJ")
  if slots == "!" or not slots then
    note(mxj or row, mxj and mxj.col or 1, name
      .. " has as many slots as processors, which the file does not say: 1 is taken")
    slots = 1
  else
    slots = row_of.limit(row, "MXJ", note)
  end
  return slots and { slots = slots, jl_u = row_of.limit(row, "JL/U", note) }
end

--- The hosts of a row: `host[1-3]` are three, a group is its members.
local function hosts_of_row(name, known)
  local members = known.members[name]
  return members and (hosts.of(members, known.hosts)) or hosts.expand(name)
end

function site.host(out, section, note, known)
  for _, row in ipairs(section.rows) do
    local name, at = row_of.cell(row, "HOST_NAME")
    local in_cluster = row_of.cell(row, "HOSTNAME")
    local names = name and name ~= "default" and hosts_of_row(name, known)
    if not in_cluster then row_of.note_others(row, HOST, note) end
    if name ~= "default" and not in_cluster and not names then
      note(at or row, at and at.col or 1, "this row names no host")
    end
    local made = names and host_of(row, name, note)
    for _, each in ipairs(made and names or {}) do
      out.hosts = out.hosts or {}
      row_of.note_again(known.stated, "host", each, row, note)
      out.hosts[each] = { slots = made.slots, jl_u = made.jl_u }
      known.at[out.hosts[each]] = { row = at }
    end
  end
end

--- Hosts without a row of their own get the row of `default`.
local function settle_default(out, note, known)
  local row, made = known.hosts.default, nil
  for _, name in ipairs(row and known.hosts.list or {}) do
    if not (out.hosts and out.hosts[name]) then
      made = made or host_of(row, "a host of `default`", note) or {}
      out.hosts = out.hosts or {}
      out.hosts[name] = made.slots and { slots = made.slots, jl_u = made.jl_u }
    end
  end
end

local GROUP = { GROUP_NAME = true, GROUP_MEMBER = true }

function site.hostgroup(out, section, note, known)
  for _, row in ipairs(section.rows) do
    local name = row_of.cell(row, "GROUP_NAME")
    local members, at = row_of.cell(row, "GROUP_MEMBER")
    row_of.note_others(row, GROUP, note)
    local list = name and members and site.known_hosts(lsf.words(members), known.hosts, at, note)
    if list then
      out.host_groups = out.host_groups or {}
      row_of.note_again(known.stated, "host group", name, row, note)
      out.host_groups[name] = list
      known.at[list] = { row = at }
    else
      note(row, 1, ("%s has no members, so it is not carried over"):format(name or "a group"))
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

function site.hostexport(out, section, note, known)
  for _, row in ipairs(section.rows) do
    out.leases = out.leases or {}
    local made = { name = ("export%d"):format(#out.leases + 1), provider = "local" }
    local per_host, at = row_of.cell(row, "PER_HOST")
    local kind = row_of.cell(row, "TYPE")
    made.per_host = per_host and site.known_hosts(lsf.words(per_host), known.hosts, at, note)
    made.slots = per_host and row_of.limit(row, "SLOTS", note)
    made.res_select = not per_host and (row_of.cell(row, "RES_SELECT") or "type==any") or nil
    made.nhosts = row_of.limit(row, "NHOSTS", note)
    made.type = kind and kind:lower() == "shared" and "shared" or "exclusive"
    for _, entry in ipairs(row) do
      if entry.key == "DISTRIBUTION" then made.distribution = distribution(entry.value.text) end
    end
    row_of.note_others(row, EXPORT, note)
    if made.distribution and per_host and not (made.per_host and made.slots) then
      note(row, 1, "this export says no hosts and slots that are known, so it is not carried over")
    elseif made.distribution then
      out.leases[#out.leases + 1] = made
      known.at[made] = { row = row }
    else
      note(row, 1, "an export without DISTRIBUTION gives nobody anything")
    end
  end
end

local PARTITION = "its users share hosts by shares, which a plan does not have; LSF lets no queue "
  .. "of a slot pool use them (Q-10)"

function site.hostpartition(_, section, note)
  note(section, 1, "section hostpartition is not carried over: " .. PARTITION)
end

-- ---- Altogether ------------------------------------------------------------------------------

--- The policy: preemption if any file mentions it, else pools or leases alone.
local function policy_of(out)
  local params, pooled = out.params or {}, false
  for _, queue in ipairs(out.queues) do
    if queue.preemption then return "preemption" end
    pooled = pooled or queue.slot_pool ~= nil
  end
  if params.preempt_for or params.preempt_jobtype then return "preemption" end
  return pooled and "queue_pool" or #out.queues == 0 and "shared_lease" or "preemption"
end

--- What depends on all files together: the policy and its options, and the delay of leases.
function site.settle(out, note, known)
  local params = out.params or {}
  settle_default(out, note, known)
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
