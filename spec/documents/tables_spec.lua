-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- JSON and Lua values: core.decode, core.encode, core.list, core.null.

local core = require "allot.core"
local Random = require "allot.check.random"

--- A random value, and for the comparison what it must be after the way there and back.
local function value(rnd, depth)
  local kind = rnd:int(1, depth > 0 and 8 or 6)
  if kind == 1 then return rnd:int(-5, 5) == 0 end
  if kind == 2 then return rnd:int(math.mininteger // 2, math.maxinteger // 2) end
  if kind == 3 then return rnd:int(-1000, 1000) / 8 end
  if kind == 4 then return rnd:int(1, 9) / 7e20 end
  if kind == 5 then return core.null end
  if kind == 6 then
    local text = {}
    for i = 1, rnd:int(0, 6) do
      text[i] = utf8.char(rnd:int(1, 3) == 1 and rnd:int(1, 200) or rnd:int(32, 126))
    end
    return table.concat(text)
  end
  local made = kind == 7 and core.list() or {}
  for i = 1, rnd:int(0, 4) do
    made[kind == 7 and i or "k" .. rnd:int(1, 99)] = value(rnd, depth - 1)
  end
  return made
end

describe("core.decode", function ()
  it("makes tables, texts and exact whole numbers", function ()
    local it = assert(core.decode [[{"a": [1, -2.5, true, false, null], "b": {"c": "x\u00e9\n"},
      "big": 9223372036854775807}]])
    assert.same({ 1, -2.5, true, false, core.null }, it.a)
    assert.equal("xé\n", it.b.c)
    assert.equal(math.maxinteger, it.big)
    assert.equal("integer", math.type(it.a[1]))
    assert.equal(7, core.decode "7")
  end)

  it("says where a text is wrong", function ()
    local none, message, findings = core.decode("{\"a\": 1,\n \"a\": 2}", { file = "x.json" })
    assert.is_nil(none)
    assert.equal('x.json:2:2: found the key "a" again, allowed once in an object', message)
    assert.equal("E-duplicate-key", findings[1].code)
    assert.equal(' "a": 2}', findings[1].source)
    none, message = core.decode "[1,]"
    assert.is_nil(none)
    assert.equal('json:1:3: found a comma before "]"; only plans may have that', message)
    assert.equal("E-depth", select(3, core.decode(("["):rep(1001)))[1].code)
  end)

  it("takes comments and trailing commas when asked to", function ()
    assert.same({ 1, 2 }, core.decode("[1, // one\n 2,]", { relaxed = true }))
  end)

  it("is told texts and known options alone", function ()
    assert.error_matches(function () core.decode(5) end, "string expected")
    assert.error_matches(function () core.decode("1", { relax = true }) end,
      "unknown option 'relax'; known are file, relaxed")
    assert.error_matches(function () core.decode("1", { file = 5 }) end,
      "option file is a string, not a number")
  end)
end)

describe("core.encode", function ()
  it("sorts keys by their bytes and writes whole numbers as they are", function ()
    assert.equal('{"B": 1, "a": 9223372036854775807, "a b": [], "é": {}}',
      core.encode { a = math.maxinteger, B = 1, ["é"] = {}, ["a b"] = core.list() })
    assert.equal("5", core.encode(5.0))
    assert.equal("0.1", core.encode(0.1))
    assert.equal("-1e+300", core.encode(-1e300))
  end)

  it("tells lists from objects", function ()
    assert.equal('[1, [2], []]', core.encode { 1, { 2 }, core.list {} })
    assert.equal("{}", core.encode {})
    assert.equal("[]", core.encode(core.decode "[]"))
    local emptied = core.decode "[1]"
    emptied[1] = nil
    assert.equal("[]", core.encode(emptied))
  end)

  it("indents for people", function ()
    assert.equal('{\n  "a": [\n    1,\n    2\n  ],\n  "b": {}\n}\n',
      core.encode({ a = { 1, 2 }, b = {} }, { indent = 2 }))
  end)

  local function refuses(wanted, it, options)
    local none, message = core.encode(it, options)
    assert.is_nil(none)
    assert.equal(wanted, message)
  end

  it("names the place of what is no value of JSON", function ()
    local inside = { a = { {} } }
    inside.a[1].b = inside.a
    refuses("a[1].b: a table that is inside itself", inside)
    refuses('["/a"].owned: a function, which is no value of JSON', { ["/a"] = { owned = print } })
    refuses("[2]: a number that is infinite or none (NaN)", { 1, 0 / 0 })
    refuses("[1]: a number that is infinite or none (NaN)", { 1 / 0 })
    refuses("a table is a list (1, 2, ...) or an object (texts), and this is a mixture",
      { 1, a = 2 })
    refuses("a key that is no text; the keys of an object are texts", { [3] = 1 })
    refuses("a list that has other keys than 1, 2, ...", core.list { a = 1 })
  end)

  it("has a measure of depth and of size", function ()
    local deep = {}
    for _ = 1, 1000 do deep = { deep } end
    assert.matches("tables nest deeper than 1000 levels$", select(2, core.encode(deep)))
    assert.equal(2000, #core.encode(deep[1]):gsub("{}", "[]"))
    local many = { 1 }
    for _ = 1, 40 do many = { many, many } end -- a text of terabytes
    assert.matches("a text of more bytes than are allowed$",
      select(2, core.encode(many, { most = 100000 })))
    assert.error_matches(function () core.encode({}, { most = -1 }) end, "option most is a number")
    assert.error_matches(function () core.encode({}, { indent = "x" }) end,
      "option indent is a number from 0 to 16")
  end)

  it("makes what is no UTF-8 U+FFFD, and controls escapes", function ()
    assert.equal('"a\u{FFFD}b\\u0000\\n\\"\\\\"', core.encode "a\xffb\0\n\"\\")
    assert.equal('"\u{FFFD}\u{FFFD}\u{FFFD}"', core.encode "\xed\xa0\x80")
  end)

  it("and core.decode undo each other", function ()
    local rnd = Random.new(5)
    for _ = 1, 500 do
      local it = value(rnd, 4)
      local text = assert(core.encode(it))
      local back = core.decode(text)
      assert.same(it, back, text)
      assert.equal(text, core.encode(back))
      assert.equal(text, core.encode(core.decode((core.encode(it, { indent = 1 })))))
    end
  end)
end)
