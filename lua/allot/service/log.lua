-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot log`: what a service was told and decided, refused and reloaded, and by whom.

local core = require "allot.core"
local line = require "allot.text.line"

local DONE, PAGE, EVERY, WIDE = 0, 500, "1000", 240
local SPANS = { s = 1, m = 60, min = 60, h = 3600, d = 86400, w = 604800 }

-- ---- Questions ----------------------------------------------------------------------------------

local function ask(host, params)
  local text, _, code = host.call("ask", "log " .. core.encode(params))
  if not text then error({ code = code }, 0) end
  return core.decode(text)
end

--- A time for the service: as it is, or a span before now, as in "2h".
local function moment(host, text)
  local count, unit = (text or ""):match "^(%d+)(%a+)$"
  if not count or not SPANS[unit] then return text and (math.tointeger(text) or text) end
  return math.tointeger(host.call "now") - math.tointeger(count) * SPANS[unit]
end

local function filters(host)
  return { kind = host.option "kind", consumer = host.option "consumer", who = host.option "who",
           since = moment(host, host.option "since"),
           ["until"] = moment(host, host.option "until") }
end

--- The last entries, oldest first, and where to go on.
local function last(host, most)
  local of, found, place = filters(host), {}, nil
  repeat
    of.limit = math.min(PAGE, most - #found)
    local page = ask(host, of)
    for i = #page.entries, 1, -1 do found[#found + 1] = page.entries[i] end
    place, of.before = place or page.next, page.before
  until not page.more or #found >= most
  for i = 1, #found // 2 do found[i], found[#found + 1 - i] = found[#found + 1 - i], found[i] end
  return found, place
end

-- ---- Words --------------------------------------------------------------------------------------

--- "agent (uid 1000, pid 4711)", "agent (10.0.0.3, token backup, tell)".
local function name(who)
  local facts = {}
  for _, of in ipairs { "uid", "pid", "address", "token", "role" } do
    if who[of] then
      facts[#facts + 1] = (of == "address" or of == "role") and who[of] or of .. " " .. who[of]
    end
  end
  local all = table.concat(facts, ", ")
  return who.name and ("%s (%s)"):format(who.name, all) or all
end

local FIRST = { "id", "name", "consumer", "queue", "slots", "host", "hosts", "state" }

--- Members as "name=value", the telling ones first.
local function members(of)
  local parts, said = {}, {}
  local function put(key)
    local value = of[key]
    if value == nil or said[key] then return end
    said[key] = true
    parts[#parts + 1] = key .. "=" .. (type(value) == "string" and value or core.encode(value))
  end
  for _, key in ipairs(FIRST) do put(key) end
  local rest = {}
  for key in pairs(of) do rest[#rest + 1] = key end
  table.sort(rest)
  for _, key in ipairs(rest) do put(key) end
  return table.concat(parts, " ")
end

local ORDERS = {
  { "grants", "+" }, { "reclaims", "-" }, { "starts", "start" }, { "resumes", "resume" },
  { "resizes", "resize" }, { "suspends", "suspend" }, { "kills", "kill" }, { "loans", "loan" },
}

local function order(word, it)
  local whose = it.consumer or it.from or it.job or it.id or it.name or ""
  if word == "+" or word == "-" then return ("%s %s%s"):format(whose, word, it.slots or "?") end
  return ("%s %s"):format(word, it.job or it.id or whose)
end

local function orders(decision)
  local parts = {}
  for _, of in ipairs(ORDERS) do
    for _, it in ipairs(decision[of[1]] or {}) do parts[#parts + 1] = order(of[2], it) end
  end
  return #parts > 0 and table.concat(parts, ", ") or "no orders"
end

--- The events that a decision is about: "after events 95-100 by agent (...)".
local function cause(of)
  if of.from > of.to then return "no new event" end
  local by = {}
  for i, who in ipairs(of.who) do by[i] = name(who) end
  return (of.from == of.to and "after event %d" or "after events %d-%d"):format(of.from, of.to)
    .. (#by > 0 and " by " .. table.concat(by, "; ") or "")
end

local function fault(about)
  local place = about.file and about.file .. (about.line and ":" .. about.line or "") .. ": " or ""
  return place .. (about.code and about.code .. ": " or "") .. (about.message or "")
    .. (about.hint and "; " .. about.hint or "")
end

local SAYS = {
  event = function (it) return "event " .. it.seq, it.method .. " " .. members(it.params or {}) end,
  decision = function (it)
    local text = it.decision and orders(it.decision) or ("a document of %d bytes"):format(it.bytes)
    return "decision " .. it.seq, text .. "; " .. cause(it.cause)
  end,
  refusal = function (it)
    local left = it.about.left_out
    return "refused", it.about.method .. ": " .. fault(it.about)
      .. (left and (" (%d refusals before are not kept)"):format(left) or "")
  end,
  reload = function (it)
    local about = it.about
    local plan = ("plan %s, version %d"):format(about.plan:sub(1, 12), it.version)
    return "reload " .. about.result,
           about.message and fault(about) .. "; " .. plan .. ", goes on deciding" or plan
  end,
  ["wrong-token"] = function (it)
    local about = it.about
    return "wrong token", line.count(about.times, "time") .. " from " .. about.address
  end,
  start = function (it)
    return "start", ("allot %s, pid %d, version %d of the plan"):format(it.about.version,
      it.about.pid, it.version)
  end,
  stop = function (it)
    return "stop", ("allot %s, pid %d"):format(it.about.version, it.about.pid)
  end,
}

local function row(it)
  local what, text = SAYS[it.kind](it)
  if #text > WIDE then text = text:sub(1, WIDE) .. " ..." end
  return line.safe(("%s  %-14s %s%s"):format(core.time(it.at), what, text,
    it.who and "  [" .. name(it.who) .. "]" or "")) .. "\n"
end

-- ---- The verb -----------------------------------------------------------------------------------

local log = {}

local function show(host, entries, put)
  local json = host.option "format" == "json"
  for _, it in ipairs(entries) do put(json and core.encode(it) .. "\n" or row(it)) end
end

--- Reads what is new, each second, until the process is ended.
local function follow(host, place)
  local of = filters(host)
  of.after, of.limit = place, PAGE
  while true do
    local page = ask(host, of)
    show(host, page.entries, function (text) host.call("show", text) end)
    of.after = page.next
    if not page.more and host.call("wait", EVERY) == "quit" then return end
  end
end

local function run(host)
  local goes_on = host.option "follow"
  local most = math.tointeger(host.option "lines" or (host.option "since" and 1 << 31) or 100)
  local entries, place = last(host, most)
  show(host, entries, goes_on and function (text) host.call("show", text) end or host.out)
  if goes_on then follow(host, place) end
end

function log.run(host)
  local fine, why = pcall(run, host)
  if not fine and type(why) ~= "table" then error(why, 0) end
  return fine and DONE or why.code
end

return log
