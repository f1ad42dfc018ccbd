-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Shared resources of LSF's files: their amounts (ResourceMap of lsf.cluster), what they are
--- (Resource of lsf.shared), how jobs hold them (ReservationUsage of lsb.resources), and which of
--- them are preempted for (PREEMPTABLE_RESOURCES of lsb.params).

local row_of = require "allot.import.row"

local resource = {}

local function word_of(row, key)
  local text, at = row_of.cell(row, key)
  return text and text:upper() or "", at
end

-- ---- Resources -------------------------------------------------------------------------------

--- The reason why a plan cannot have an amount; nil: it is of the whole cluster.
local function fault_of(where)
  if not where then return "its LOCATION is not stated" end
  local amount = where:match "^(%d+)%s*@%s*%[%s*all%s*%]$"
  amount = amount and math.tointeger(tonumber(amount))
  if amount and amount <= 1000000000 then return nil, amount end
  if amount then return "there are too many" end
  if where:find "^%[" then return "how many there are, only an elim says" end
  return "it is of some hosts alone"
end

--- RESOURCENAME LOCATION: `5@[all]` alone is of the whole cluster.
function resource.map(out, section, note, known)
  for _, row in ipairs(section.rows) do
    local name = row_of.cell(row, "RESOURCENAME")
    local where, at = row_of.cell(row, "LOCATION")
    local why, amount = fault_of(where)
    row_of.note_others(row, { RESOURCENAME = true, LOCATION = true }, note)
    if name and amount then
      out.resources = out.resources or {}
      row_of.note_again(known.stated, "resource", name, row, note)
      out.resources[name] = amount
    else
      note(at or row, at and at.col or 1, ("%s is not carried over: a plan has numbers of the "
        .. "whole cluster, like 5@[all]; %s"):format(name or "this resource",
        why or "it has no name"))
    end
  end
end

local SHARED = { RESOURCENAME = true, TYPE = true, INCREASING = true, RELEASE = true }
local HELD = "a plan's suspended jobs keep what they hold of it, as with RELEASE = N"

--- lsf.shared: a resource that grows, or is not released, is not preempted for (P-42).
function resource.shared(out, section, note)
  out.shared = out.shared or {}
  for _, row in ipairs(section.rows) do
    local name = row_of.cell(row, "RESOURCENAME")
    local kind, type_at = word_of(row, "TYPE")
    local grows, grows_at = word_of(row, "INCREASING")
    local release, at = word_of(row, "RELEASE")
    row_of.note_others(row, SHARED, note)
    if kind ~= "" and kind ~= "NUMERIC" then
      note(type_at, type_at.col, "TYPE = " .. type_at.text .. ": a plan counts resources")
    elseif release ~= "" and release ~= "Y" and release ~= "N" then
      note(at, at.col, "RELEASE = " .. at.text .. ": neither Y nor N")
    elseif release == "Y" then
      note(at, at.col, "RELEASE = Y: " .. HELD)
    end
    if name then
      out.shared[name] = {
        release = release == "N" and at, grows = grows == "Y" and grows_at,
        kind = kind ~= "" and kind ~= "NUMERIC" and type_at,
      }
    end
  end
end

--- How an amount is counted for a job: in a plan, once for the whole job.
function resource.reserved(_, section, note)
  for _, row in ipairs(section.rows) do
    local method, at = word_of(row, "METHOD")
    row_of.note_others(row, { RESOURCE = true, METHOD = true }, note)
    if method ~= "PER_JOB" then
      note(at or row, at and at.col or 1, ("METHOD = %s: a plan's jobs state what they hold in "
        .. "all, as with PER_JOB"):format(at and at.text or "-"))
    end
  end
end

-- ---- Preempting for them ---------------------------------------------------------------------

--- The place at which a row of parameters mentions resources.
function resource.remember(out, row)
  local _, names = row_of.cell(row, "PREEMPTABLE_RESOURCES")
  local _, wait = row_of.cell(row, "PREEMPTION_WAIT_TIME")
  out.resources_at = {
    names = names or out.resources_at and out.resources_at.names,
    wait = wait or out.resources_at and out.resources_at.wait,
  }
end

--- The reason why no job can be preempted for a resource, or nil.
local function refusal(out, name)
  local of = (out.shared or {})[name] or {}
  local at = of.release or of.grows or of.kind or nil
  if not (out.resources and out.resources[name]) then
    return "no ResourceMap says how many there are"
  elseif at then
    return ("%s, as %s:%d says"):format(of.release and "its jobs do not release it"
      or of.grows and "it increases" or "it is no number", at.file, at.line)
  end
end

--- Names in rusage[...] of queues and applications.
local function asked_for(sections)
  local out = {}
  for _, kind in ipairs { "queue", "application" } do
    row_of.each(sections, kind, "RES_REQ", function (text)
      for usage in text:gmatch "rusage%[([^%]]*)" do
        for name in usage:gmatch "([%w_.-]+)%s*=" do out[name] = true end
      end
    end)
  end
  return out
end

--- Notes what keeps PREEMPTABLE_RESOURCES from having an effect (P-42).
local function note_effect(out, kept, at, note, sections)
  local preempts, ends, asked = false, false, asked_for(sections)
  for _, queue in ipairs(out.queues) do
    local action = queue.job_controls and queue.job_controls.suspend
    preempts = preempts or queue.preemption ~= nil
    ends = ends or queue.terminate_when ~= nil or action == "requeue" or action == "kill"
  end
  local why = not preempts and "no queue preempts" or not ends
    and "no queue's jobs end when they are preempted (TERMINATE_WHEN, JOB_CONTROLS)"
  if why then note(at, at.col, "PREEMPTABLE_RESOURCES has no effect: " .. why) end
  for _, name in ipairs(kept) do
    if not asked[name] then
      note(at, at.col, ("no queue or application asks for %s in its RES_REQ: nobody is preempted "
        .. "for it, unless jobs ask themselves"):format(name))
    end
  end
end

--- The names that may be preempted for; if there are none, there is nothing to wait for.
function resource.settle(out, note, sections)
  local params, at, kept = out.params or {}, out.resources_at or {}, {}
  for _, name in ipairs(params.preemptable_resources or {}) do
    local why = refusal(out, name)
    if why then
      note(at.names, at.names.col, ("%s is not carried over: %s"):format(name, why))
    else
      kept[#kept + 1] = name
    end
  end
  if kept[1] then note_effect(out, kept, at.names, note, sections) end
  params.preemptable_resources = kept[1] and kept
  if not kept[1] and params.preemption_wait_time then
    params.preemption_wait_time = nil
    note(at.wait, at.wait.col, "PREEMPTION_WAIT_TIME is of PREEMPTABLE_RESOURCES, which are none")
  end
  out.resources_at, out.shared = nil, nil
end

return resource
