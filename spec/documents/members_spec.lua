-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The table of members: documents are read by it, types and documentation made from it.

local core = require "allot.core"
local members = require "allot.reference.members"
local shell = require "spec.support.house.shell"

local PLAIN = core.plan [[{"consumers": [{"name": "a"}, {"name": "b"}]}]]
local QUEUES = core.plan [[{"slots": 9, "queues": [{"name": "a"}],
  "leases": [{"name": "l", "provider": "p", "consumer": "c", "slots": 9}],
  "policy": "shared_lease"}]]

-- The least that each item states.
local LEAST = {
  task = { id = "t", consumer = "/a" },
  session = { id = "s", consumer = "/a" },
  job = { id = "j", queue = "a" },
  reclaim = { consumer = "/a", slots = 0 },
  loan = { lender = "/a", borrower = "/b", slots = 0 },
  lease = { provider = { available = 9 }, consumer = { available = 0 }, since = 0 },
  host = { slots = 9 },
  consumer = { demand = 1 },
  user = { usage = 1 },
}

--- Reads a state with one such item: the state, or nil and what is wrong.
local function read(item, thing)
  local queues = item == "job" or item == "lease" or item == "user"
  local key = ({ lease = "l", host = "h", consumer = "/a", user = "ann" })[item]
  local list = { [key or 1] = thing }
  return core.state(queues and QUEUES or PLAIN,
    core.encode { now = 1000000000, slots = 9, [item .. "s"] = list })
end


local function with(item, key, value)
  local thing = {}
  for k, v in pairs(LEAST[item]) do thing[k] = v end
  thing[key] = value
  return thing
end

local function each(check)
  for _, item in ipairs(members.ITEMS) do
    for _, member in ipairs(core.members(item[1])) do
      local shown = member.name ~= "" and not member.passed and not member.key
      if shown then check(item[1], member) end
    end
  end
end

describe("members of items", function ()
  it("are enough where only those that are required are stated", function ()
    for item, thing in pairs(LEAST) do assert(read(item, thing)) end
  end)

  it("have to be stated where they are required, and alone then", function ()
    each(function (item, member)
      local state, message = read(item, with(item, member.name, nil))
      if member.required then
        assert.is_nil(state, item .. "." .. member.name)
        assert.matches(('"%s" is missing'):format(member.name), message, 1, true)
      end
    end)
  end)

  it("are integers within their bounds", function ()
    each(function (item, member)
      if member.type ~= "integer" then return end
      for _, wrong in ipairs { member.least - 1, member.most + 1, 1.5, "1" } do
        local inside = math.type(wrong) == "integer" and wrong >= member.least
          and wrong <= member.most -- beyond 64 bits there is none
        if not inside then
          assert.is_nil((read(item, with(item, member.name, wrong))), item .. "." .. member.name)
        end
      end
    end)
  end)

  it("are one of their words", function ()
    each(function (item, member)
      for _, word in ipairs(member.words or {}) do
        local _, message = read(item, with(item, member.name, word))
        assert.is_nil(tostring(message):match "allowed \"", word)
      end
      if member.words then
        local first = member.words[1]
        local _, message = read(item, with(item, member.name, "x" .. tostring(first)))
        assert.matches("allowed " .. (first and core.encode(first) or "false"), message, 1, true)
      end
    end)
  end)

  it("may be null where that is as good as nothing", function ()
    each(function (item, member)
      local state = read(item, with(item, member.name, core.null))
      assert.equal(member.nullable or false, state ~= nil, item .. "." .. member.name)
    end)
  end)

  it("say what they mean", function ()
    each(function (item, member) assert.is_string(member.doc, item .. "." .. member.name) end)
  end)

  it("are in the README as they are", function ()
    local text = shell.read "core/json/README.md"
    for _, item in ipairs(members.ITEMS) do
      local title = "\n### " .. item[1]:gsub("^%l", string.upper) .. "\n\n"
      assert.truthy(text:find(title .. members.markdown(item[1]) .. "\n", 1, true), item[1])
    end
  end)
end)
