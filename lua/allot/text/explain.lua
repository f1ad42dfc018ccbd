-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Explanations: why a consumer gets its slots, why a task goes, why a job waits or goes, and what
-- a contract does; as lines, or as a document.

local core = require "allot.core"

local DONE, USAGE = 0, 2

local function fail(host, code, message, hint)
  host.say { severity = "error", code = code, message = message, hint = hint }
  return USAGE
end

local function document(host, kind, what, rest)
  host.out(('{"schema": "allot/explain/v1", "%s": %s, %s, "warnings": %s}\n'):format(kind,
    core.encode(what), rest, host.call "warnings"))
end

local function text_of(lines)
  return #lines > 0 and table.concat(lines, "\n") .. "\n" or ""
end

-- ---- Consumers ----------------------------------------------------------------------------------

--- The explanations of one group, if `name` is one; or nil and the names of all.
local function of_group(all, name)
  local names = {}
  for i, it in ipairs(all) do
    if it.group == name then return { it } end
    names[i] = it.group
  end
  return nil, table.concat(names, " ")
end

local function consumer(host, path)
  local all, near = host.explain(path, "consumer")
  local group = host.option "group"
  if not all then
    return fail(host, "E-unknown-consumer", "the plan has no consumer " .. path:sub(1, 200),
      near and ("did you mean %s?"):format(near))
  end
  local chosen, names = all, nil
  if group then chosen, names = of_group(all, group) end
  if not chosen then
    return fail(host, "E-unknown-group", "the plan has no group " .. group:sub(1, 200),
      ("its groups: " .. names):sub(1, 511))
  end
  local out = {}
  for i, it in ipairs(chosen) do
    out[i] = host.option "format" == "json"
      and ('{"group": %s, "lines": %s}'):format(core.encode(it.group), core.encode(it.lines))
      or (#all > 1 and ("In group %s:\n"):format(it.group) or "") .. text_of(it.lines)
  end
  if host.option "format" == "json" then
    document(host, "path", path, ('"groups": [%s]'):format(table.concat(out, ", ")))
  else
    host.out(table.concat(out, "\n"))
  end
  return DONE
end

-- ---- Jobs, contracts, tasks ---------------------------------------------------------------------

--- Jobs before contracts of the same name, and those before tasks.
local function named(host, id)
  local plan = host.rows "plan" ()
  local last = plan.queues > 0 and "job" or "task"
  for _, kind in ipairs { "job", "lease" } do
    local lines = (kind == "lease" or plan.queues > 0) and host.explain(id, kind)
    if lines then return kind, lines end
  end
  return last, host.explain(id, last)
end

local function thing(host, id)
  local kind, lines, near = named(host, id)
  if not lines then
    local leases = host.rows "plan" ().leases > 0
    return fail(host, kind == "job" and "E-unknown-job" or "E-unknown-task",
      ("the state has no %s %s%s"):format(kind, id:sub(1, 200),
        leases and ", and the plan has no lease of that name" or ""),
      near and ("did you mean %s?"):format(near:sub(1, 160))
        or ("a %s's path begins with /"):format(kind == "job" and "queue" or "consumer"))
  end
  if host.option "format" == "json" then
    document(host, kind, id, '"lines": ' .. core.encode(lines))
  else
    host.out(text_of(lines))
  end
  return DONE
end

local explain = {}

--- args: a path, or an id.
function explain.show(host, args)
  return (args[1]:sub(1, 1) == "/" and consumer or thing)(host, args[1])
end

return explain
