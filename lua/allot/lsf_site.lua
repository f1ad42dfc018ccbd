-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hosts and exports of LSF's files, as a plan has them.

local lsf = require "allot.lsf"
local row_of = require "allot.lsf_row"

local site = {}

--- Of a list of hosts those that these files know; others are noted.
function site.known_hosts(list, known, at, note)
  local out, named, kept = {}, 0, 0
  for _, word in ipairs(list) do
    local name = word:gsub("^~", "")
    local with, has = name == word and 1 or 0, name == "all" or known[name]
    named, kept = named + with, kept + (has and with or 0)
    if has then
      out[#out + 1] = word
    elseif name:find("@", 1, true) then
      note(at, at.col, ("'%s' is of another cluster, which a plan does not know"):format(word))
    else
      note(at, at.col, ("'%s' is no host or group of these files, so it is not carried over")
        :format(name))
    end
  end
  if named > 0 and kept == 0 then return nil end -- what is left out alone would mean all others
  return out[1] and out or nil
end

--- Can a plan have a host of so many slots?
local function has_slots(row)
  local slots = row_of.cell(row, "MXJ")
  local number = slots and math.tointeger(tonumber(slots))
  return not slots or slots == "!" or number and number >= 0 and number <= 1000000000
end

--- Hosts that have a row, and groups that have one of them, by name.
function site.all_hosts(sections)
  local known = {}
  for _, kind in ipairs { "host", "hostgroup" } do
    for _, section in ipairs(sections) do
      for _, row in ipairs(section.name == kind and section.rows or {}) do
        local name = row_of.cell(row, kind == "host" and "HOST_NAME" or "GROUP_NAME")
        local has = kind == "host" and name ~= "default" and has_slots(row)
        for _, word in ipairs(lsf.words(row_of.cell(row, "GROUP_MEMBER") or "")) do
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
function site.host(out, section, note, known)
  for _, row in ipairs(section.rows) do
    local name, at = row_of.cell(row, "HOST_NAME")
    local slots, mxj = row_of.cell(row, "MXJ")
    row_of.note_others(row, HOST, note)
    if name == "default" or not name then
      note(at or row, 1, "hosts that are not named are not carried over")
    elseif slots == "!" or not slots then
      note(mxj or row, mxj and mxj.col or 1, name
        .. " has as many slots as processors, which the file does not say: 1 is taken")
      slots = 1
    else
      slots = row_of.limit(row, "MXJ", note)
    end
    if name and slots and name ~= "default" then
      out.hosts = out.hosts or {}
      row_of.note_again(known.stated, "host", name, row, note)
      out.hosts[name] = { slots = slots, jl_u = row_of.limit(row, "JL/U", note) }
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
