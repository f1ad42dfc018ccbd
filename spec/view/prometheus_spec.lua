-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Prometheus' rules and Grafana's dashboard of examples/live: promtool accepts them, and they read
-- metrics that there are.

local json = require "dkjson"
local live = require "spec.support.service.view"
local shell = require "spec.support.house.shell"

local FOLDER = "examples/live/prometheus/"

--- What Grafana puts in place of its variables.
local VARIABLES = { __rate_interval = "5m", instance = ".*", group = "default", consumer = "/a" }

--- The expressions of the dashboard, by their panels' titles.
local function expressions()
  local found = {}
  for _, panel in ipairs(json.decode(shell.read(FOLDER .. "dashboard.json")).panels) do
    for _, target in ipairs(panel.targets or {}) do
      found[#found + 1] = { title = panel.title, text = target.expr:gsub("%$([%w_]+)", VARIABLES) }
    end
  end
  return found
end

describe("Prometheus", function ()
  local has = shell.run "command -v promtool" == 0

  local function with_promtool(name, test)
    it(name, function ()
      if not has then return pending "promtool is not installed" end
      test()
    end)
  end

  local function succeed(line)
    local status, out, err = shell.run(line)
    assert.equal(0, status, line .. "\n" .. out .. err)
    return out
  end

  with_promtool("accepts the settings and the alerts", function ()
    succeed("promtool check config " .. FOLDER .. "prometheus.yml")
    succeed("promtool check rules " .. FOLDER .. "alerts.yml")
  end)

  with_promtool("fires each alert on what it is for, and no other", function ()
    local rules = select(2, shell.read(FOLDER .. "alerts.yml"):gsub("%- alert: ", ""))
    assert.is_true(rules > 10)
    -- Two of them never fire at once: nobody listens to a leader, and nobody leads.
    local expected = "value: " .. rules - 1 .. "}"
    assert.truthy(shell.read(FOLDER .. "alerts_test.yml"):find(expected, 1, true), rules)
    succeed("promtool test rules " .. FOLDER .. "alerts_test.yml")
  end)

  with_promtool("accepts every expression of the dashboard", function ()
    local rules = { "groups: [{name: dashboard, rules: [" }
    for i, each in ipairs(expressions()) do
      rules[#rules + 1] = ("{record: 'row%d', expr: '%s'},"):format(i, each.text)
    end
    assert.is_true(#rules > 25)
    local path = os.tmpname()
    shell.write(path, table.concat(rules, "\n") .. "]}]\n")
    succeed("promtool check rules " .. path)
    os.remove(path)
  end)

  it("has an alert that says what to do, each", function ()
    local text, rules = shell.read(FOLDER .. "alerts.yml"), 0
    for rule in (text:match "rules:\n(.*)" .. "      - "):gmatch "alert: (.-)%f[\n]\n      %- " do
      rules = rules + 1
      assert.truthy(rule:find "\n +severity: %l+" or rule:find "{severity: %l+}", rule)
      assert.truthy(rule:find '\n +summary: "%S', rule)
      assert.truthy(rule:find '\n +do: "%S', rule)
    end
    assert.equal(select(2, text:gsub("alert: ", "")), rules)
  end)

  it("finds in a service what alerts and dashboard read", function ()
    if not live.there() then return pending "LuaSocket is not installed" end
    local service = live.start()
    service:call("cycle")
    local _, metrics = service:get "/metrics"
    local known = { up = true, allot_behind_events = true } -- the second of one that stands by
    for name, kind in metrics:gmatch "# TYPE (%S+) (%l+)" do
      known[name] = true
      if kind == "histogram" then known[name .. "_bucket"] = true end
    end
    if has then
      local path = os.tmpname()
      shell.write(path, metrics)
      succeed("promtool check metrics < " .. path)
      os.remove(path)
    end
    service:stop()
    local read = 0
    local function look(text, where)
      for name in text:gmatch "%f[%w_]allot_[%l_]+" do
        read = read + 1
        assert(known[name], where .. " reads " .. name)
      end
    end
    look(shell.read(FOLDER .. "alerts.yml"), "an alert")
    for _, each in ipairs(expressions()) do look(each.text, each.title) end
    assert.is_true(read > 40)
  end)
end)
