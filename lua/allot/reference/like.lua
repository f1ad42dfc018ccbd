-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The files of `allot init NAME --like PEER`: another scheduler's rules to begin with.
--
-- The policy is the peer's as it stands in examples/peers, or a ready-made one. Its plan has the
-- columns that the policy reads, and its spec says what it decides today, so that a change of the
-- policy shows what it changes.

local core = require "allot.core"
local fixture = require "allot.fixture"
local names = require "allot.language.names"

local like = {}

--- Consumers of the plan: name, columns that a policy may read, slots wanted and held, and use in
--- slot-seconds.
local CONSUMERS = {
  { "prod", { { "owned", 10 }, { "share", 2 } }, 12, 6, 4000000 },
  { "dev", { { "owned", 5 } }, 9, 3, 5000000 },
  { "guests", {}, 4, 4, 1000000 },
}
--- Columns as a line of a fixture has them.
local SHORT = { owned = "own" }

--- Queues of the plan, and the jobs of a case; %s: where the policy preempts.
local QUEUES = [=[
  "hosts": {"node1": {"slots": 4}, "node2": {"slots": 4}},
  "queues": [
    {"name": "urgent", "priority": 90%s},
    {"name": "night", "priority": 10}
  ]]=]
local JOBS = [=[
  "jobs": [
    {"id": "1", "queue": "night", "state": "running", "hosts": {"node1": 4},
     "submitted": "2026-03-02T08:00:00Z", "started": "2026-03-02T08:00:00Z"},
    {"id": "2", "queue": "night", "state": "running", "hosts": {"node2": 3},
     "submitted": "2026-03-02T08:00:00Z", "started": "2026-03-02T08:30:00Z"},
    {"id": "3", "queue": "urgent", "slots": 4, "submitted": "2026-03-02T09:00:00Z"}
  ]]=]

local SPEC = [=[
-- What NAME.lua decides today, by PEER's rules. Run `busted`.
-- Where the site wants something else, change the numbers first, then the policy.

local fixture = require "allot.fixture"

local POLICY = "NAME.lua"

describe("NAME", function ()
%send)
]=]

-- Which ---------------------------------------------------------------------------------------

--- The text of a peer's rules, or of a ready-made policy of consumers or queues; nil, and the
--- known names.
function like.text(peer)
  local known = core.peer()
  for _, name in ipairs(core.ready()) do
    if name ~= "shared_lease" then known[#known + 1] = name end -- its plans are of two clusters
  end
  for _, name in ipairs(known) do
    if name == peer then return core.peer(peer) or core.ready(peer) end
  end
  return nil, known, names.nearest(peer, known)
end

-- The policy ----------------------------------------------------------------------------------

--- The peer's text under another name, and where it comes from.
local function policy_of(text, name, peer)
  text = text:gsub("^%-%- SPDX[^\n]*\n%-%- Copyright[^\n]*\n", ""):gsub("%f[^\n%z]%-%-%-", "--")
  text = text:gsub('(\n  name = )"[%w_]+"', '%1"' .. name .. '"', 1)
  local head = { ("-- %s begins with the rules of %s.\n--"):format(name, peer) }
  for _, it in ipairs {
    { "allot check NAME.lua NAME_plan.json", "is it valid?" },
    { "busted", "does it keep to its spec?" },
    { "allot run NAME_plan.json NAME_state.json", "what does it decide?" },
  } do
    local words = it[1]:gsub("NAME", name)
    head[#head + 1] = ("--   %s%s  %s"):format(words, (" "):rep(2 * #name + 32 - #words), it[2])
  end
  return table.concat(head, "\n") .. "\n--\n" .. text
end

-- Consumers -----------------------------------------------------------------------------------

--- The words of a policy's text without its comments.
local function words_of(text)
  local words = {}
  for word in text:gsub("%-%-[^\n]*", ""):gmatch "[%a_][%w_]*" do words[word] = true end
  return words
end

--- The consumers of the plan as rows of it and as a line of a fixture; whether use is counted.
local function consumers_of(text)
  local read, rows, line = words_of(text), {}, {}
  for i, it in ipairs(CONSUMERS) do
    local row, short = { ('{"name": "%s"'):format(it[1]) }, {}
    for _, column in ipairs(it[2]) do
      if read[column[1]] then
        row[#row + 1] = ('"%s": %d'):format(column[1], column[2])
        short[#short + 1] = ("%s=%d"):format(SHORT[column[1]] or column[1], column[2])
      end
    end
    rows[i] = "    " .. table.concat(row, ", ") .. "}"
    line[i] = it[1] .. (short[1] and "{" .. table.concat(short, ",") .. "}" or "")
  end
  local counts = read.usage or read.used_over_share
  return table.concat(rows, ",\n"), ("[slots=18%s] %s:"):format(
    counts and ",half_life=604800" or "", table.concat(line, " ")), counts
end

--- A line of a fixture as Lua's strings, none of them too long.
local function quoted(line)
  local pieces, piece = {}, ""
  for word in line:gmatch "%S+%s?" do
    if #piece + #word > 70 then
      pieces[#pieces + 1], piece = ('"%s"'):format(piece), ""
    end
    piece = piece .. word
  end
  pieces[#pieces + 1] = ('"%s"'):format(piece)
  return table.concat(pieces, "\n      .. ")
end

--- A case of the spec: what consumers want and hold, decided by the policy.
local function case_of(title, head, text, facts)
  local line, quotas = head .. " " .. facts, {}
  local it = fixture.case(line, text)
  for i, each in ipairs(CONSUMERS) do
    quotas[i] = ("%s = %d"):format(each[1], it:quota(each[1]))
  end
  return ([[
  it("%s", function ()
    local it = fixture(%s, POLICY)
    assert.quota(it, { %s })
%s  end)
]]):format(title, quoted(line), table.concat(quotas, ", "),
    it:settle() and "    assert.settles(it)\n" or "")
end

local function tree_files(text)
  local rows, head, counts = consumers_of(text)
  local facts, uses, states = {}, {}, {}
  for i, it in ipairs(CONSUMERS) do
    facts[i] = ("%s wants %d holds %d"):format(it[1], it[3], it[4])
    uses[i] = ("%s used %d"):format(facts[i], it[5])
    states[i] = ('    "/%s": {"demand": %d, "allocated": %d%s}'):format(it[1], it[3], it[4],
      counts and (', "usage": %d'):format(it[5]) or "")
  end
  local cases = {
    case_of("divides slots that all want", head, text, table.concat(facts, ", ")),
    case_of("divides what one leaves", head, text, "prod wants 1, dev wants 9, guests wants 9"),
    counts and case_of("goes by what each has used", head, text, table.concat(uses, ", ")) or nil,
  }
  return {
    plan = ('  "slots": 18,\n%s  "consumers": [\n%s\n  ]'):format(
      counts and '  "half_life": 604800,\n' or "", rows),
    state = ('  "consumers": {\n%s\n  }'):format(table.concat(states, ",\n")),
    spec = table.concat(cases, "\n"),
  }
end

-- Queues --------------------------------------------------------------------------------------

local function queue_files(text, preempts)
  local line = ("host node1{slots=4} host node2{slots=4} queue urgent{priority=90%s} "
    .. "queue night{priority=10}:"):format(preempts and ",preemptive" or "")
  local facts = "now=7200, night runs 1{host=node1,slots=4,started=0} 2{host=node2,slots=3,"
    .. "started=1800}, urgent awaits 3{slots=4,submitted=7200}"
  local it, lines = fixture.case(line .. " " .. facts, text), {}
  for i, id in ipairs { "1", "2", "3" } do
    lines[i] = ("    assert.equal(%q, it:fate %q)\n"):format(it:fate(id), id)
  end
  return { plan = QUEUES:format(preempts and ', "preemptive": true' or ""), state = JOBS, spec = ([[
  it("%s", function ()
    local it = fixture(%s, POLICY)
%s  end)
]]):format(preempts and "starts an urgent job in the place of another"
      or "lets an urgent job wait for slots", quoted(line .. " " .. facts), table.concat(lines)) }
end

-- All -----------------------------------------------------------------------------------------

--- The files of a policy named `name`, as scaffold.lua lists them.
function like.files(text, name, peer)
  local declared = assert(core.policy(text, { file = peer })):declared()
  local made = (declared.dispatch and queue_files or tree_files)(text, declared.preempts ~= false)
  return {
    { "NAME.lua", policy_of(text, name, peer) },
    { "NAME_spec.lua", (SPEC:format(made.spec):gsub("PEER", peer)) },
    { "NAME_plan.json", ('// Who has what, for NAME.lua.\n{\n  "version": 1,\n  "policy": '
      .. '"NAME.lua",\n%s\n}\n'):format(made.plan) },
    { "NAME_state.json", ('{\n  "now": "2026-03-02T09:00:00Z",\n%s\n}\n'):format(made.state) },
  }
end

return like
