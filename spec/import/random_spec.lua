-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of files that are broken at random: it ends, with a plan that can be read or with
--- errors that have a place, and every line that says something is carried over or noted.
--
-- ALLOT_SEED=n repeats one case, ALLOT_RUNS=n runs so many.

local allot = require "allot"
local json = require "dkjson"
local Random = require "allot.check.random"
local lsf = require "spec.support.cases.lsf"
local site = require "spec.support.cases.lsf_site"

local FILES = { "queues", "params", "hosts", "users", "resources", "applications" }

-- ---- What becomes of texts -------------------------------------------------------------------

local BYTES = { "\0", "\255", "\r", "\n", "\t", "\\\n", "(", ")", '"', "[", "]", "~", "#", "=", "-",
  "\27[31m", "\u{2028}", "%", "@", "all", "!", "99999999999999999999", "0x10", "1e9", "nan" }
local LINES = { "Begin Queue", "End Queue", "Begin", "End", "Begin User", "End Nothing",
  "#if time()",
  "Begin UserGroup", "Begin Limit", "USER_NAME MAX_JOBS JL/P", "GROUP_NAME GROUP_MEMBER",
  "a (b ~c all)", "default 3 1", "QUEUE_NAME = x", "PER_USER = all ~u", "SLOTS = 3", "\\", "= 3" }

local function lines_of(text)
  local out = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do out[#out + 1] = line end
  return out
end

--- One change of a text, by the kind that the number chooses.
local CHANGES = {
  function (text, random) return text:sub(1, random:int(0, #text)) end, -- cut off
  function (text, random) -- bytes among it
    local at = random:int(0, #text)
    return text:sub(1, at) .. random:pick(BYTES) .. text:sub(at + 1 + random:int(0, 3))
  end,
  function (text, random) -- a line more, a line fewer, two in each other's place
    local lines = lines_of(text)
    table.insert(lines, random:int(1, #lines), random:pick(LINES))
    table.remove(lines, random:int(1, #lines))
    local a, b = random:int(1, #lines), random:int(1, #lines)
    lines[a], lines[b] = lines[b], lines[a]
    return table.concat(lines, "\n")
  end,
  function (text) return (text:gsub("\r?\n", "\r\n")) end,
  function (text, random) return (text:gsub("End %a+\n", "", random:int(1, 2))) end,
  function (text, random) -- a very long cell
    local at = random:int(0, #text)
    return text:sub(1, at) .. random:pick(BYTES):rep(random:int(1, 3000)) .. text:sub(at + 1)
  end,
}

local function texts_of(seed)
  local random, texts = Random.new(seed), {}
  for _, name in ipairs(FILES) do
    local text = site[name]
    for _ = 1, random:int(0, 4) do text = random:pick(CHANGES)(text, random) end
    texts["lsb." .. name] = text
  end
  return texts
end

-- ---- What must hold --------------------------------------------------------------------------

local function noted(notes)
  local out = {}
  for _, note in ipairs(notes) do
    out[note.file] = out[note.file] or {}
    out[note.file][note.line] = true
  end
  return out
end

local function check(texts)
  local text, errors, code = lsf.import(lsf.put_all(texts), "--format json")
  assert((code == 0 or code == 3) and errors == "", ("ends with %s: %s"):format(code, errors))
  assert(utf8.len(text), "is no UTF-8")
  local document = assert(json.decode(text))
  assert(code == 3 or document.plan.version == 1)
  if code == 0 then assert(allot.plan(json.encode(document.plan))) end
  for _, note in ipairs(document.notes or document.diagnostics) do
    local lines = select(2, (texts[note.file] or ""):gsub("\r\n?", "\n"):gsub("\n", "")) + 1
    assert(note.line >= 1 and note.line <= lines, note.file .. " has no line " .. note.line)
    assert(note.col >= 1, "no column")
    assert(#note.message <= 1000, "is a long note")
  end
  return document
end

local function property(name, runs, hold)
  local only = tonumber(os.getenv "ALLOT_SEED" or "")
  local last = only or tonumber(os.getenv "ALLOT_RUNS" or "") or runs
  it(name, function ()
    for seed = only or 1, last do
      local ok, message = pcall(hold, seed)
      if not ok then error(("%s: fails for ALLOT_SEED=%d\n%s"):format(name, seed, message), 0) end
    end
  end)
end

--- A value that no other line has, where a plan keeps it: its line is carried over if it is there.
local function marked(random)
  local lines, marks, in_queue = { "Begin Queue", "QUEUE_NAME = q" }, {}, true
  for i = 1, random:int(1, 30) do
    local word = random:int(1, 6)
    if word == 1 then
      lines[#lines + 1] = in_queue and "End Queue" or ("stray%d"):format(i)
      if not in_queue then marks[#lines] = "stray" .. i end
      in_queue = false
    elseif word == 2 then
      lines[#lines + 1] = "Begin Queue"
      if in_queue then marks[#lines] = "no plan has this" end
      in_queue = true
    elseif in_queue then
      local key = random:pick { "QJOB_LIMIT", "UJOB_LIMIT", "NICE", "PRIORITY", "SLOT_SHARE", "X" }
      local value = 1000 + i
      lines[#lines + 1] = ("%s = %d"):format(key, value)
      marks[#lines] = tostring(value)
      lines[#lines + 1] = ("QUEUE_NAME = q%d"):format(i)
      marks[#lines] = ('"q%d"'):format(i)
    else
      lines[#lines + 1] = ("KEY = stray%d"):format(i)
      marks[#lines] = "stray" .. i
    end
  end
  return lines, marks
end

describe("allot import of files that are broken at random", function ()
  setup(lsf.begin)
  teardown(lsf.finish)

  property("ends with a document, whatever they are", 60, function (seed) check(texts_of(seed)) end)

  property("says the same of the same files", 5, function (seed)
    local names = lsf.put_all(texts_of(seed))
    local first, second = { lsf.import(names) }, { lsf.import(names) }
    assert.same(first, second)
  end)

  property("carries every line over, or notes it", 40, function (seed)
    local lines, marks = marked(Random.new(seed))
    local document = check { it = table.concat(lines, "\n") }
    local plan, told = json.encode(document.plan), noted(document.notes).it or {}
    for line, mark in pairs(marks) do
      assert(told[line] or plan:find(mark, 1, true),
        ("line %d is lost: %s\n%s"):format(line, lines[line], table.concat(lines, "\n")))
    end
  end)

  it("a line of 1 MiB is one like any other", function ()
    local long = ("x"):rep(1 << 20)
    for _, line in ipairs { long, "NICE = " .. long, "DESCRIPTION = (" .. long, "#" .. long,
      "HOSTS = " .. ("~"):rep(1 << 20), "QJOB_LIMIT = " .. ("9"):rep(1 << 20),
      "JOB_CONTROLS = " .. ("SUSPEND[\\"):rep(1 << 17), ("a "):rep(1 << 19) } do
      local document = check { it = "Begin Queue\nQUEUE_NAME = q\n" .. line .. "\nQJOB_LIMIT = 3\n"
        .. "End Queue\n" }
      assert.equal("q", document.plan.queues[1].name)
      assert.is_true(line:find "^#" ~= nil or noted(document.notes).it[3], line:sub(1, 20))
    end
  end)
end)
