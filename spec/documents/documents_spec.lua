-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Plans and states as documents: what is refused, where it stands, what the message tells; and
--- what is accepted (contract.md, section 1).

local allot = require "allot"
local json = require "dkjson"

--- Text without the mark "§", and line and column at which it stood.
local function unmark(text)
  local at = text:find("§", 1, true)
  if not at then
    return text
  end
  local before = text:sub(1, at - 1)
  local _, lines = before:gsub("\n", "")
  return before .. text:sub(at + #"§"), lines + 1, #before:match "[^\n]*$" + 1
end

local PLAN = [[{"version": 1, "slots": 30, "policy": "hybrid", "consumers": [
  {"name": "A", "owned": 10}, {"name": "P", "owned": 20, "children": [{"name": "B"}]}]}]]

local function sealed()
  return assert(allot.plan(PLAN))
end

--- The errors of a report, in order.
local function errors_of(report)
  local out = {}
  for _, finding in ipairs(report) do
    if finding.severity ~= "warning" then
      out[#out + 1] = finding
    end
  end
  return out
end

--- Holds a document that was refused to what is expected of its only error.
local function check_fault(expected, file, line, col, document, message, report)
  assert.is_nil(document)
  assert.is_string(message)
  local errors = errors_of(report)
  assert.equal(1, #errors)
  local found = errors[1]
  assert.equal(expected.code, found.code)
  assert.equal(file, found.file)
  assert.same({ line, col }, { found.line, found.col })
  for _, words in ipairs(expected.says) do
    assert.truthy(found.message:find(words, 1, true), words .. " is not in: " .. found.message)
  end
  if expected.hint then
    assert.truthy((found.hint or ""):find(expected.hint, 1, true), tostring(found.hint))
  end
end

--- A fault: what it is, the document with § where it stands, its code, words of the message, hint.
local function fault(title, text, code, says, hint)
  return { title = title, text = text, code = code, says = says, hint = hint }
end

local function consumers(text)
  return '{"version": 1, "policy": "hybrid",\n  "consumers": [' .. text .. "]}"
end

local BAD_PLANS = {
  -- The text
  fault("no document", "§", "E-syntax", { "end of the document" }),
  fault("a second value", '{"consumers": []} §7', "E-syntax", { '"7"' }),
  fault("a string that does not end", consumers '{"name": §"A}', "E-syntax", { "does not end" }),
  fault("a number with a leading zero", consumers '{"name": "A", "owned": §007}', "E-syntax",
    { "leading zero" }),
  fault("NaN", consumers '{"name": "A", "owned": §NaN}', "E-syntax", { "NaN" }),
  fault("1e400", consumers '{"name": "A", "owned": §1e400}', "E-range", { "1e400" }),
  fault("a raw control character", consumers '{"name": "A§\1"}', "E-syntax", { "0x01" }),
  fault("a byte that is not UTF-8", consumers '{"name": "A§\xFF"}', "E-utf8", { "0xff", "UTF-8" }),
  fault("a comment that does not end", consumers '{"name": "A"} §/* no', "E-syntax",
    { "comment", "not end" }),
  fault("single quotes", consumers "{\"name\": §'A'}", "E-syntax", { "'" }, "double quotes"),
  fault("True", consumers '{"name": "A", "owned": §True}', "E-syntax", { "True" },
    "did you mean true?"),
  -- Keys
  fault("a duplicate key", consumers '{"name": "A", "owned": 1,\n   §"owned": 2}',
    "E-duplicate-key", { '"owned"' }),
  fault("an unknown key", consumers '{"name": "A", §"ownd": 1}', "E-unknown-key", { '"ownd"' },
    'did you mean "owned"?'),
  fault("a key in the wrong case", '{"consumers": [],\n §"Slots": 3}', "E-unknown-key",
    { '"Slots"' }, 'did you mean "slots"?'),
  fault("no name", consumers '§{"owned": 1}', "E-missing", { '"name"' }),
  fault("no consumers", '§{"version": 1}', "E-missing", { '"consumers"' }),
  fault("another version", '{"version": §2, "consumers": []}', "E-range", { "2", "1" }),
  -- Values
  fault("a list for a plan", "§[]", "E-type", { "a list", "an object" }),
  fault("a string for an amount", consumers '{"name": "A", "owned": §"3"}', "E-type",
    { '"3"', "integer 0 ... 1000000000" }),
  fault("a fraction", consumers '{"name": "A", "owned": §2.5}', "E-type", { "2.5", "integer" },
    "without a point"),
  fault("an exponent", consumers '{"name": "A", "owned": §1e3}', "E-type", { "1e3", "integer" }),
  fault("a negative amount", consumers '{"name": "A", "owned": §-1}', "E-range",
    { "-1", "0 ... 1000000000" }),
  fault("an amount that is too large", consumers '{"name": "A", "limit": §1000000001}', "E-range",
    { "1000000001", "0 ... 1000000000" }),
  fault("an amount beyond 64 bits", consumers '{"name": "A", "rank": §99999999999999999999}',
    "E-range", { "99999999999999999999", "1000000000" }),
  fault("an option of the wrong type",
    '{"consumers": [], "options": {"keep_shrunk_ownership": §"yes"}}', "E-type",
    { '"yes"', "true or false" }),
  fault("an unknown option", '{"consumers": [], "options": {§"evenlly": true}}', "E-unknown-key",
    { '"evenlly"' }, '"evenly"'),
  fault("a word for a list", consumers '{"name": "A", "lend": §"al"}', "E-loan",
    { '"al"', 'true, false, "all", "none", a path or a list' }, 'did you mean "all"?'),
  fault("a path without its slash", consumers '{"name": "risk", "lend": §"risk1"}', "E-loan",
    { '"risk1"' }, 'did you mean "/risk"?'),
  fault("a path of nobody", consumers '{"name": "risk", "borrow": §"/riks"}', "E-unknown-path",
    { '"/riks"' }, 'did you mean "/risk"?'),
  fault("itself", consumers '{"name": "risk", "borrow": §"/risk"}', "E-loan", { "itself" }),
  fault("all and one", consumers '{"name": "A", "lend": [§"all", "/B"]}, {"name": "B"}',
    "E-unknown-path", { '"all"' }),
  -- Names and paths
  fault("a name that begins with a digit", consumers '{"name": §"1A"}', "E-name",
    { '"1A"', "a name" }),
  fault("a name of 129 letters", consumers('{"name": §"' .. ("x"):rep(129) .. '"}'), "E-name",
    { "xxx", "a name" }),
  fault("the same name among siblings", consumers '{"name": "A"},\n    {"name": §"A"}',
    "E-duplicate-path", { '"A"' }),
  fault("a path that nobody has",
    '{"groups": {"g": {"consumers": {§"/AB": {"owned": 1}}}}, "consumers": [{"name": "A"}]}',
    "E-unknown-path", { '"/AB"' }, '"/A"'),
  -- Sums
  fault("children that own more than their parent",
    consumers '{"name": "P", "owned": §5, "children": [{"name": "A", "owned": 6}]}',
    "E-unbalanced", { "5", "6" }),
  fault("a reserve above what is owned", consumers '{"name": "A", "owned": 3, "reserve": §4}',
    "E-reserve", { "4", "3" }),
  fault("a limit below the reserve",
    consumers '{"name": "A", "owned": 9, "reserve": 4, "limit": §3}', "E-limit", { "3", "4" }),
  fault("a limit below what children reserve", consumers [[
    {"name": "P", "limit": §5, "children": [
      {"name": "A", "owned": 3, "reserve": 3}, {"name": "B", "owned": 3, "reserve": 3}]}]],
    "E-limit", { "5", "6" }),
  fault("a limit below what grandchildren reserve", consumers [[
    {"name": "P", "limit": §5, "children": [{"name": "Q", "children": [
      {"name": "A", "owned": 6, "reserve": 6}]}]}]], "E-limit", { "5", "6" }),
  -- Policies
  fault("an unknown policy", '{"policy": §"hybird", "consumers": []}', "E-unknown-policy",
    { "hybird" }, "hybrid"),
  fault("an unknown option of a policy",
    '{"policy": {"use": "hybrid", §"evenlly": true}, "consumers": []}', "E-unknown-key",
    { "evenlly" }, "evenly"),
}

describe("a plan is refused for", function ()
  for _, bad in ipairs(BAD_PLANS) do
    it(bad.title, function ()
      local text, line, col = unmark(bad.text)
      check_fault(bad, "site/plan.json", line, col,
        allot.plan(text, { file = "site/plan.json" }))
    end)
  end

  it("every fault at once, each in its place", function ()
    local document, _, report = allot.plan(consumers [[
    {"name": "A", "owned": 3, "reserve": 4},
    {"name": "B", "colour": 7, "rank": -1},
    {"name": "A"}]], { file = "p.json" })
    assert.is_nil(document)
    local found = {}
    for i, finding in ipairs(errors_of(report)) do
      found[i] = ("%s %d"):format(finding.code, finding.line)
    end
    table.sort(found)
    assert.same({ "E-duplicate-path 4", "E-range 3", "E-reserve 2", "E-unknown-key 3" }, found)
  end)
end)

local BAD_STATES = {
  fault("another schema", '{"now": 0, "schema": §"allot/decision/v1"}', "E-range",
    { "allot/decision/v1", "allot/state/v1" }),
  fault("no time", '§{"slots": 3}', "E-missing", { '"now"' }),
  fault("a time that is none", '{"now": §"yesterday"}', "E-range",
    { '"yesterday"', "Unix seconds" }),
  fault("a comment", '{"now": 0} §// no', "E-syntax", { "comment", "plans" }),
  fault("a trailing comma", '{"now": 0§,}', "E-syntax", { "comma", "plans" }),
  fault("a path that nobody has", '{"now": 0, "consumers": {§"/a": {"demand": 1}}}',
    "E-unknown-path", { '"/a"' }, '"/A"'),
  fault("a parent's demand", '{"now": 0, "consumers": {§"/P": {"demand": 1}}}', "E-not-leaf",
    { '"/P"', "children" }),
  fault("an unknown key", '{"now": 0, "consumers": {"/A": {§"demnd": 1}}}', "E-unknown-key",
    { '"demnd"' }, '"demand"'),
  fault("a negative demand", '{"now": 0, "consumers": {"/A": {"demand": §-3}}}', "E-range",
    { "-3", "0 ... 1000000000" }),
  fault("an unknown group", '{"now": 0, "slots": {§"gpu": 3}}', "E-unknown-group",
    { '"gpu"', '"default"' }),
  fault("a host that the plan does not have", '{"now": 0, "hosts": {§"nod1": {"closed": "drain"}}}',
    "E-unknown-host", { '"nod1"' }),
  fault("a task of nobody", '{"now": 0, "tasks": [{"id": "t1", "consumer": §"/Z"}]}',
    "E-unknown-path", { '"/Z"' }),
  fault("two tasks of one id",
    '{"now": 0, "tasks": [{"id": "t1", "consumer": "/A"},\n {"id": §"t1", "consumer": "/A"}]}',
    "E-duplicate-id", { '"t1"' }),
  fault("less allocated than tasks hold",
    '{"now": 0, "consumers": {"/A": {"allocated": §1}},'
    .. ' "tasks": [{"id": "t1", "consumer": "/A", "slots": 2}]}', "E-allocated", { "1", "2" }),
  fault("claims of more than is reclaimed", '{"now": 0, "consumers": {"/A": {"allocated": 5}},'
    .. '\n"reclaims": [{"consumer": "/A", "slots": 2, "for":'
    .. ' §[{"consumer": "/P/B", "slots": 3}]}]}',
    "E-claims", { "2", "3" }),
}

describe("a state is refused for", function ()
  for _, bad in ipairs(BAD_STATES) do
    it(bad.title, function ()
      local text, line, col = unmark(bad.text)
      check_fault(bad, "now.json", line, col, allot.state(sealed(), text, { file = "now.json" }))
    end)
  end
end)

describe("a plan may have", function ()
  it("comments and trailing commas", function ()
    assert(allot.plan [[
      // a plan
      {"version": 1, /* of one */ "consumers": [
        {"name": "A", "owned": 3,}, // "owned": 4
      ],}]])
  end)

  it("comment signs and escapes in strings", function ()
    assert(allot.plan [[{"consumers": [{"name": "\u0041"}], "policy": "hybrid"}]])
    local none, _, report = allot.plan [[{"consumers": [{"name": "// A /* */"}]}]]
    assert.is_nil(none)
    assert.equal("E-name", report[1].code)
  end)

  it("names of 128 letters, and deep trees", function ()
    local deep = '{"name": "' .. ("x"):rep(128) .. '"}'
    for _ = 1, 30 do
      deep = '{"name": "n", "children": [' .. deep .. "]}"
    end
    assert(allot.plan(consumers(deep)))
  end)

  it("no limit, said as null", function ()
    assert(allot.plan(consumers '{"name": "A", "limit": null}'))
  end)
end)

describe("a state's time", function ()
  local function now_of(text)
    local plan = sealed()
    local state = assert(allot.state(plan, '{"now": ' .. text .. "}"))
    return json.decode(assert(allot.cycle(plan, state)):json()).now
  end

  it("is Unix seconds of 64 bits", function ()
    assert.equal(1767225600, now_of "1767225600")
    assert.equal(9007199254740993, now_of "9007199254740993")
    assert.equal(-1, now_of "-1")
  end)

  it("or RFC 3339", function ()
    assert.equal(1767225600, now_of '"2026-01-01T00:00:00Z"')
    assert.equal(1767225600, now_of '"2026-01-01T01:30:00+01:30"')
    assert.equal(951782400, now_of '"2000-02-29T00:00:00Z"')
  end)
end)

describe("a state", function ()
  it("without slots has the planned size", function ()
    local plan = sealed()
    local decision = json.decode(allot.cycle(plan, assert(allot.state(plan, '{"now": 0}'))):json())
    assert.equal(30, decision.groups.default.slots)
  end)

  it("counts a leaf's tasks where it does not say what is allocated", function ()
    local plan = sealed()
    local state = assert(allot.state(plan, [[{"now": 0, "tasks": [
      {"id": "t1", "consumer": "/P/B", "slots": 4}, {"id": "t2", "consumer": "/P/B"}]}]]))
    local rows = json.decode(allot.cycle(plan, state):json()).groups.default.consumers
    assert.same({ 0, 5, 5 }, { rows[1].allocated, rows[2].allocated, rows[3].allocated })
  end)

  it("has the size of its open hosts where it does not state its slots", function ()
    local plan = assert(allot.plan [[{"slots": 8, "consumers": [{"name": "A", "owned": 8}],
      "hosts": {"h1": {"slots": 3}, "h2": {"slots": 5}}}]])
    local state = assert(allot.state(plan, '{"now": 0, "hosts": {"h2": {"closed": "drain"}}}'))
    local group = json.decode(allot.cycle(plan, state):json()).groups.default
    assert.equal(3, group.slots)
    assert.equal("3", group.consumers[1].owned)
  end)

  describe("with several groups", function ()
    local function grouped(task)
      local plan = assert(allot.plan [[{"groups": {"cpu": {}, "gpu": {}},
        "consumers": [{"name": "A", "owned": 4}],
        "hosts": {"c": {"slots": 4, "group": "cpu"}, "g": {"slots": 4, "group": "gpu"}}}]])
      local state, message, report = allot.state(plan,
        '{"now": 0, "tasks": [{"id": "t", "consumer": "/A"' .. task .. "}]}")
      if not state then return message, report end
      local groups = json.decode(allot.cycle(plan, state):json()).groups
      return { groups.cpu.allocated, groups.gpu.allocated }
    end

    it("knows a task's group from its host", function ()
      assert.same({ 0, 1 }, grouped ', "host": "g"')
      assert.same({ 1, 0 }, grouped ', "host": "c", "group": "cpu"')
      assert.same({ 0, 1 }, grouped ', "host": "nobody", "group": "gpu"')
    end)

    it("has no task in another group than its host's, or in none", function ()
      local _, report = grouped ', "host": "g", "group": "cpu"'
      assert.equal("E-group", report[1].code)
      assert.matches('"cpu", allowed "gpu"', report[1].message, 1, true)
      _, report = grouped ', "host": "nobody"'
      assert.equal("E-missing", report[1].code)
    end)
  end)

  it("takes a decision's reclaims and loans as they are written", function ()
    local plan = assert(allot.plan [[{"policy": "ownership", "consumers": [
      {"name": "A", "owned": 2, "lend": "all"}, {"name": "B", "borrow": "/A", "grace": 9}]}]])
    local text = [[{"now": 0, "consumers": {"/A": {"demand": %d}, "/B": {"demand": 2}},
      "tasks": [{"id": "t", "consumer": "/B", "slots": 2}], "loans": %s, "reclaims": %s}]]
    local function decide(demand, loans, reclaims)
      local state = assert(allot.state(plan, text:format(demand, loans, reclaims)))
      local written = allot.cycle(plan, state):json()
      return json.decode(written), written
    end
    local loans = '[{"lender": "/A", "borrower": "/B", "slots": 2}]'
    local before, written = decide(2, loans, "[]")
    assert.same({ "t" }, before.reclaims[1].tasks)
    local after = decide(2, written:match '"loans": (%b[])', written:match '"reclaims": (%b[])')
    assert.equal(9, after.flights[1].deadline)
    assert.same({}, after.reclaims)
  end)
end)
