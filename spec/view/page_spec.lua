-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The page of the live view in a browser, by keyboard: rows, bars that move, explanations, search.

local json = require "dkjson"
local live = require "spec.support.service.view"
local shell = require "spec.support.house.shell"

local function there()
  return live.there() and (shell.run [[
    command -v python3 && { command -v chromium || command -v chromium-browser ||
      command -v google-chrome; }]]) == 0
end

--- Runs steps of browser.py on a page; what each came to, and what the page complained of.
local function browse(service, steps)
  local lines = { json.encode { ["goto"] = ("http://127.0.0.1:%d/"):format(service.port) } }
  for _, step in ipairs(steps) do lines[#lines + 1] = json.encode(step) end
  shell.write(service.folder .. "/steps", table.concat(lines, "\n") .. "\n")
  local _, out, err = shell.run(("python3 -I spec/support/service/browser.py 1500 900 < %s/steps")
    :format(service.folder))
  local values, console = {}, nil
  for line in out:gmatch "[^\n]+" do
    local answer = json.decode(line)
    assert(not answer.error, tostring(answer.error) .. err)
    values[#values + 1] = answer.value
    console = answer.console or console
  end
  assert.same({}, console)
  return values
end

local function row(path, rest)
  return ("document.querySelector('.row[data-path=\"%s\"]')%s"):format(path, rest or "")
end

local function column(path, name, value)
  local cell = row(path, (".querySelector('[data-column=%s]')"):format(name))
  return ("%s && %s.textContent === '%s'"):format(row(path), cell, value)
end

local width = row("/biology", ".querySelector('.own').style.width")

describe("the page", function ()
  local service

  after_each(function ()
    if service then service:stop() end
    service = nil
  end)

  --- A step: that much is demanded while the page is open.
  local function demand(to, consumer, slots)
    return { run = { shell.allot, "call", "--socket", to.socket, "demand",
                     json.encode { consumer = consumer, slots = slots } } }
  end

  local function in_browser(name, test)
    it(name, function ()
      if not there() then return pending "chromium is not installed" end
      test()
    end)
  end

  in_browser("shows consumers, moves their bars, explains and folds by keyboard", function ()
    service = live.start()
    service:call("demand", { consumer = "/biology", slots = 8 })
    local got = browse(service, {
      { wait = column("/biology", "allocated", "8") },
      { eval = width },
      demand(service, "/biology", 20),
      { wait = column("/biology", "allocated", "20") },
      { eval = width },
      { wait = "document.getElementById('health').dataset.state === 'good'" },
      { eval = "document.getElementById('tree').focus()" },
      { keys = { "ArrowRight" } },
      { wait = row "/physics/lattice" },
      { eval = row("/physics", ".getAttribute('aria-expanded')") },
      { keys = { "ArrowDown", "Enter" } },
      { wait = "!document.getElementById('why').hidden" },
      { eval = "document.getElementById('why').innerText" },
      { eval = "document.activeElement.id" },
      { keys = { "Escape" } },
      { wait = "document.getElementById('why').hidden && document.activeElement.id === 'tree'" },
      { keys = { "ArrowLeft", "ArrowLeft" } },
      { wait = "document.querySelectorAll('.row[data-path]:not([hidden])').length === 3" },
      { eval = row("/physics", ".getAttribute('aria-expanded')") },
      { keys = { "/" } },
      { type = "theo" },
      { wait = row "/physics/theory" .. " && document.getElementById('find-count').textContent" },
      { keys = { "Enter" } },
      { wait = "document.activeElement.id === 'tree'" },
      { keys = { "Enter" } },
      { wait = "document.getElementById('why-name').textContent === '/physics/theory'" },
      { eval = "document.getElementById('chart-text').textContent" },
      { eval = "document.getElementById('said').getAttribute('aria-live')" },
      { eval = "document.getElementById('report').innerText" },
    })
    local text = table.concat(got, "\n", 1, 0)
    for i = 1, 40 do text = text .. "\n" .. tostring(got[i]) end
    assert.truthy(text:find("26.67%", 1, true), text) -- 8 of the 30 that its branch reaches
    assert.truthy(text:find("66.67%", 1, true), text)
    assert.truthy(text:find("/physics/lattice owns 20 slots", 1, true), text)
    assert.truthy(text:find("\nwhy\n", 1, true), text)
    assert.truthy(text:find("1 found", 1, true), text)
    assert.truthy(text:find("of 60 slots", 1, true), text)
    assert.truthy(text:find("polite", 1, true), text)
    for _, line in ipairs(service:call("report").rows) do -- without numbers: they go on
      assert.truthy(text:find("\n" .. line.name, 1, true), text)
      local words = line.text:match "^%D*":sub(1, 30)
      assert.truthy(text:find(words, 1, true), words)
    end
    local first, last = text:find("\ntrue\n", 1, true), text:find("\nfalse\n", 1, true)
    assert.is_true(first and last and first < last)
  end)

  -- What is told beside the rows is of the same moment, and says which.
  in_browser("explains anew what has changed, as soon as the rows do", function ()
    service = live.start()
    local function lines() return "document.getElementById('why-lines').innerText" end
    service:call("demand", { consumer = "/biology", slots = 8 })
    service:call("cycle")
    service:call("start", { id = "j1", consumer = "/biology", slots = 3, started = 1764316800 })
    local got = browse(service, {
      { wait = column("/biology", "allocated", "8") },
      { eval = row("/biology", ".click()") },
      { eval = "document.getElementById('tree').focus()" },
      { keys = { "End" } },
      { keys = { "Home", "ArrowDown", "Enter" } },
      { wait = "document.getElementById('why-name').textContent === '/biology'" },
      { wait = "document.getElementById('why-tasks').innerText"
          .. " === 'j1: 3 slots, running since 08:00:00Z'" },
      { eval = "document.getElementById('why-when').textContent" },
      { eval = "window.asked = 0; const was = window.fetch; window.fetch = (...words) => { "
          .. "asked += String(words[0]).startsWith('/explain'); return was(...words); }; 1" },
      demand(service, "/biology", 20),
      { wait = column("/biology", "demand", "20") },
      { wait = lines() .. ".includes('It demands 20 slots')" },
      { eval = "document.getElementById('why-when').textContent" },
      { eval = "asked" },
    })
    local text = ""
    for i = 1, #got do text = text .. "\n" .. tostring(got[i]) end
    local first, second = text:match "at event (%d+), [%d:]+Z.*at event (%d+), [%d:]+Z"
    assert.is_true(tonumber(first) < tonumber(second), text)
    -- Once a cycle or so, and not without end.
    assert.is_true(got[#got] > 0 and got[#got] < 60, text)
  end)

  in_browser("says what ails the service, until it does not", function ()
    local plan = [[{"version": 1, "slots": 9, "policy": "%s", "consumers": [{"name": "a"}]}]]
    service = live.start(plan:format "share_ratio", "--no-watch")
    local function write(name, text) shell.write(service.folder .. "/" .. name, text) end
    write("fragile.lua", [[return policy { name = "fragile", quota = { fill "all" {
      by = function (demand) return 9 // (demand == 77 and 0 or 1) end } } }]])
    write("plan.json", plan:format "fragile.lua")
    assert.equal("swapped", service:call "reload".result)
    service:call("demand", { consumer = "/a", slots = 77 })
    for _ = 1, 3 do shell.command("call", "--socket", service.socket, "cycle") end
    local mend = ("sed -i 's/fragile.lua/share_ratio/' %s/plan.json"):format(service.folder)
    local pill = "document.getElementById('health')"
    local got = browse(service, {
      { wait = pill .. "?.dataset.state === 'bad'" },
      { eval = pill .. ".textContent" },
      { run = { "sh", "-c", mend } },
      { run = { shell.allot, "call", "--socket", service.socket, "reload" } },
      { wait = pill .. ".textContent === 'live'" },
      { eval = pill .. ".dataset.state" },
    })
    assert.truthy(got[2]:find("an earlier plan or policy decides", 1, true), got[2])
    assert.equal("good", got[#got])
  end)

  in_browser("keeps up with a branch of twenty thousand", function ()
    local names = {}
    for i = 1, 20000 do names[i] = ('{"name": "c%d", "owned": 1}'):format(i) end
    service = live.start('{"version": 1, "slots": 20000, "policy": "hybrid", "consumers": ['
      .. table.concat(names, ",") .. "]}")
    local got = browse(service, {
      { wait = row "/c1" },
      { eval = "document.getElementById('tree').focus()" },
      { keys = { "End" } },
      { wait = row "/c20000" },
      { eval = "document.querySelectorAll('.row').length" },
      { eval = row("/c20000", ".getAttribute('aria-rowindex')") },
    })
    local text = ""
    for i = 1, 8 do text = text .. "\n" .. tostring(got[i]) end
    assert.truthy(text:find("\n20000\n", 1, true), text)
    assert.is_true(tonumber(text:match "\n(%d%d)\n") < 80)
  end)
end)
