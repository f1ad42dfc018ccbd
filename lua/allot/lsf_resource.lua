-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Shared resources of LSF's files: how many there are (ResourceMap of lsf.cluster), and which of
--- them are preempted for (PREEMPTABLE_RESOURCES of lsb.params).

local lsf = require "allot.lsf"

local resource = {}

local function cells(row)
  local out = {}
  for _, entry in ipairs(row) do out[entry.key] = entry.value end
  return out
end

--- RESOURCENAME LOCATION: `5@[all]` alone is of the whole cluster.
function resource.map(out, section, note)
  for _, row in ipairs(section.rows) do
    local cell = cells(row)
    local name = cell.RESOURCENAME and lsf.plain(cell.RESOURCENAME.text)
    local where = cell.LOCATION and lsf.plain(cell.LOCATION.text)
    local amount = where and where:match "^(%d+)%s*@%s*%[%s*all%s*%]$"
    amount = amount and math.tointeger(tonumber(amount))
    if name and amount and amount <= 1000000000 then
      out.resources = out.resources or {}
      out.resources[name] = amount
    else
      local at = cell.LOCATION or row
      note(at, at.col or 1, ("%s is not carried over: a plan has numbers of the whole cluster, "
        .. "like 5@[all]"):format(name or "this resource"))
    end
  end
end

--- Where a row of parameters says something of resources.
function resource.remember(out, row)
  local cell = cells(row)
  out.resources_at = {
    names = cell.PREEMPTABLE_RESOURCES or out.resources_at and out.resources_at.names,
    wait = cell.PREEMPTION_WAIT_TIME or out.resources_at and out.resources_at.wait,
  }
end

--- Of the names those whose number is known; without any, there is nothing to wait for.
function resource.settle(out, note)
  local params, at, kept = out.params or {}, out.resources_at or {}, {}
  out.resources_at = nil
  for _, name in ipairs(params.preemptable_resources or {}) do
    if out.resources and out.resources[name] then
      kept[#kept + 1] = name
    else
      note(at.names, at.names.col, ("%s is not carried over: no ResourceMap says how many there "
        .. "are"):format(name))
    end
  end
  params.preemptable_resources = kept[1] and kept
  if not kept[1] and params.preemption_wait_time then
    params.preemption_wait_time = nil
    note(at.wait, at.wait.col, "PREEMPTION_WAIT_TIME is of PREEMPTABLE_RESOURCES, which are none")
  end
end

return resource
