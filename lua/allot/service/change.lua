-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Verbs that change what a running service decides by: plan, reload, confirm, rollback.

local core = require "allot.core"
local diff = require "allot.text.diff"

local DONE, NO, USAGE, IO = 0, 1, 2, 5

local change = {}

--- Asks the service; nil and the exit status: it refused.
local function ask(host, method, params)
  local text, _, code = host.call("ask", method .. " " .. core.encode(params))
  if not text then return nil, code end
  return core.decode(text), text
end

local function waits_line(of)
  return ("the change %s waits%s, and at most %d may be taken: allot confirm %s\n"):format(
    of.version, of.reclaims and (": it would take %d slots"):format(of.reclaims) or "",
    of.most_change, of.version)
end

local function put(host, of)
  if of.schema then return diff.put(host, of) end
  if of.result == "waits" then return host.out(waits_line(of)) end
  host.out(("%s%s\n"):format(of.result, of.version and of.result == "swapped"
    and (", to version %d"):format(of.version) or ""))
end

--- Shows the answer to a call, which may be a dry run's.
local function show(host, method, params)
  params.dry_run = host.option "dry-run" ~= nil
  local of, text = ask(host, method, params)
  if not of then return text end
  if host.option "format" == "json" then host.out(text .. "\n") else put(host, of) end
  return (of.result == "waits" or of.same == false) and NO or DONE
end

function change.plan(host, args)
  local text, why = host.read(args[1])
  if not text then
    host.say { severity = "error", code = "E-io", file = args[1],
               message = "cannot be read: " .. why }
    return IO
  end
  return show(host, "plan", { text = text })
end

function change.reload(host)
  return show(host, "reload", {})
end

function change.rollback(host, args)
  local version = args[1] and math.tointeger(tonumber(args[1]))
  if args[1] and not version then
    host.say { severity = "error", code = "E-usage",
               message = ("VERSION is a number, not \"%s\""):format(args[1]) }
    return USAGE
  end
  return show(host, "rollback", { version = version })
end

--- What waits; exit status 1.
local function show_waiting(host)
  local of, text = ask(host, "confirm", { dry_run = true })
  if not of then return text end
  if host.option "format" == "json" then
    host.out(text .. "\n")
    return NO
  end
  diff.put(host, of)
  local status = ask(host, "status", {})
  local waits = status and status.reload.waits
  if waits then host.out("\n" .. waits_line(waits)) end
  return NO
end

function change.confirm(host, args)
  local drop = host.option "drop" ~= nil
  if not args[1] and not drop then return show_waiting(host) end
  return show(host, "confirm", { version = args[1], drop = drop })
end

return change
