-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the live view says to viewers who say something wrong.

local live = require "spec.support.service.view"
local many = require "spec.support.cases.document".many
local shell = require "spec.support.house.shell"

describe("the live view", function ()
  local service

  local function start(words)
    if not live.there() then
      pending "LuaSocket is not installed"
    end
    service = live.start(nil, words)
  end

  after_each(function ()
    if service then service:stop() end
    service = nil
  end)

  local function refuses(cases)
    for text, words in pairs(cases) do
      local told = service:say(text, words)
      assert.truthy(told:find('"error": "' .. words, 1, true), text:sub(1, 80) .. ": " .. told)
    end
  end

  it("tells a viewer what can be said", function ()
    start()
    refuses {
      ["{"] = "what is said is no JSON",
      ["[]"] = "what is said is an object",
      ['{"see": []}'] = "what can be said is token and group, texts, and watch, a list",
      ['{"watch": [7]}'] = "watch is a list of branches",
      ['{"watch": [["/", 0, 1, 2]]}'] = 'a branch is \\"/path\\" or [\\"/path\\", from, count]',
      ['{"watch": [["/", 4, 1]]}'] = "a branch is looked at from 0 to as many as it has",
      ['{"watch": [' .. many(129, '["/", 0, 1]') .. "]}"] =
        "so much cannot be looked at at once: 128 branches, 1000 rows",
      ['{"group": "gpu"}'] = "the plan has no such group",
    }
    assert.truthy(service:say('{"watch": ["/"]}', "/physics"):find("/physics", 1, true))
  end)

  it("counts what a shadow does", function ()
    start()
    service:call("shadow", { policy = "ownership" })
    local body
    for _ = 1, 100 do
      service:call "cycle"
      local _
      _, body = service:get "/metrics"
      if tonumber(body:match "\nallot_shadow_cycles_total (%d+)") > 0 then break end
    end
    for name, help in pairs {
      running = "1: a shadow decides beside.", cycles_total = "Cycles that the shadow decided too.",
      differing_total = "... and decided otherwise.", skipped_total = "Cycles that it left out.",
      failed_total = "Cycles in which it failed.", rows_total = "Rows of decisions that differ.",
    } do
      assert.truthy(body:find(("# HELP allot_shadow_%s %s\n"):format(name, help), 1, true), body)
    end
    assert.truthy(tonumber(body:match "\nallot_shadow_cycles_total (%d+)") > 0, body)
    assert.truthy(body:find("\nallot_shadow_running 1\n", 1, true), body)
  end)

  it("wants the token of viewers, too", function ()
    local file = os.tmpname()
    shell.write(file, "0123456789abcdef\n")
    start("--token-file " .. file)
    os.remove(file)
    refuses {
      ['{"watch": ["/"]}'] = "a token is needed",
      ['{"token": "0123456789abcdeg", "watch": ["/"]}'] = "a token is needed",
    }
    local told = service:say('{"token": "0123456789abcdef", "watch": ["/"]}', "/physics")
    assert.truthy(told:find("/physics", 1, true), told)
  end)
end)
