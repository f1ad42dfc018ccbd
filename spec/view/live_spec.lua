-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The live view over HTTP: documents, metrics, health; and what comes from those who mean ill.

local json = require "dkjson"
local live = require "spec.support.service.view"
local shell = require "spec.support.house.shell"

describe("the live view", function ()
  local service

  setup(function () if live.there() then service = live.start() end end)
  teardown(function ()
    if not service then return end
    local log = service:stop()
    assert.is_nil(log:find("AddressSanitizer", 1, true), log)
    assert.is_nil(log:find("runtime error", 1, true), log)
  end)

  local function on_service(name, test)
    it(name, function ()
      if not service then return pending "LuaSocket is not installed" end
      test()
    end)
  end

  on_service("tells the tree branch by branch", function ()
    service:call("demand", { consumer = "/biology", slots = 30 })
    service:call("demand", { consumer = "/physics/theory", slots = 4 })
    service:call("cycle")
    local rows
    for _ = 1, 1200 do
      local status, body = service:get "/state"
      assert.equal(200, status)
      local answer = json.decode(body)
      assert.equal("allot/view/v1", answer.schema)
      rows = answer.branch.rows
      if rows[2].allocated == 30 then break end
      os.execute "sleep 0.05"
    end
    assert.same({ "/physics", "/biology", "/students" },
      { rows[1].path, rows[2].path, rows[3].path })
    -- 30 owned slots of /physics, 20 of /biology: what it has beyond them is borrowed.
    assert.same({ 30, 30, 20, 20, 10 },
      { rows[2].allocated, rows[2].quota, rows[2].owned, rows[2].own_used, rows[2].borrowed })
    assert.equal(2, rows[1].children)
    local _, body = service:get "/state?path=/physics&from=1&most=1"
    local branch = json.decode(body).branch
    assert.same({ "/physics", 2, 1, 1, "/physics/theory" },
      { branch.path, branch.of, branch.from, #branch.rows, branch.rows[1].path })
    _, body = service:get "/state?find=THE"
    assert.equal("/physics/theory", json.decode(body).found.rows[1].path)
    _, body = service:get "/state?find=ics%2Fl"
    assert.equal("/physics/lattice", json.decode(body).found.rows[1].path)
  end)

  on_service("tells what it cannot", function ()
    local status, body = service:get "/state?path=/phisics"
    assert.equal(404, status)
    assert.truthy(body:find("did you mean /physics?", 1, true), body)
    assert.equal(404, (service:get "/state?group=gpu"))
    assert.equal(400, (service:get "/state?most=0"))
    assert.equal(400, (service:get "/state?most=many"))
    assert.equal(404, (service:get "/explain?path=/nobody"))
    assert.equal(404, (service:get "/../etc/passwd"))
    assert.equal(404, (service:get "/state/"))
  end)

  on_service("explains", function ()
    local status, body = service:get "/explain?path=/biology"
    assert.equal(200, status)
    local lines = table.concat(json.decode(body).lines, "\n")
    assert.truthy(lines:find("/biology owns 20 slots", 1, true), lines)
  end)

  on_service("is well", function ()
    local status, body = service:get "/healthz"
    assert.same({ 200, "ok\n" }, { status, body })
  end)

  on_service("guards its pages", function ()
    for path, kind in pairs {
      ["/"] = "text/html", ["/page.js"] = "text/javascript", ["/page.css"] = "text/css",
    } do
      local status, body, head = service:get(path)
      assert.equal(200, status)
      assert.truthy(#body > 500)
      assert.truthy(head:find("content-type: " .. kind, 1, true), head)
      assert.truthy(head:find("content-security-policy: default-src 'none'", 1, true))
      assert.is_nil(head:lower():find("set-cookie", 1, true))
      -- Nothing of it is anywhere else.
      assert.is_nil(body:gsub("http://www.w3.org/2000/svg", ""):find("https?://%w"))
    end
  end)

  on_service("answers GET and HEAD alone", function ()
    local status, body = service:raw("HEAD / HTTP/1.1\r\nHost: localhost\r\n"
      .. "Connection: close\r\n\r\n")
    assert.same({ 200, "" }, { status, body })
    for _, method in ipairs { "POST", "PUT", "DELETE", "OPTIONS" } do
      local code = service:raw(method .. " /state HTTP/1.1\r\nHost: localhost\r\n"
        .. "Content-Length: 3\r\n\r\nabc")
      assert.is_true(code == nil or code == 405, method .. " " .. tostring(code))
    end
  end)

  on_service("answers by names alone that nobody can rebind", function ()
    for host, code in pairs {
      ["localhost"] = 200, ["127.0.0.1:80"] = 200, ["[::1]:5"] = 200, ["evil.example"] = 421,
      ["evil.example:" .. service.port] = 421, ["localhost.evil.example"] = 421,
    } do
      assert.equal(code, (service:raw(("GET /state HTTP/1.1\r\nHost: %s\r\n"
        .. "Connection: close\r\n\r\n"):format(host))), host)
    end
    local status = service:raw "GET /state HTTP/1.1\r\nConnection: close\r\n\r\n"
    assert.is_true(status == nil or status == 400)
    assert.equal(403, (service:get("/state", "Origin: http://evil.example\r\n")))
  end)

  on_service("counts", function ()
    local status, body, head = service:get "/metrics"
    assert.equal(200, status)
    assert.truthy(head:find("text/plain; version=0.0.4", 1, true))
    local types, helps, seen, last = {}, {}, {}, nil
    for line in body:gmatch "[^\n]+" do
      local kind, name, text = line:match "^# (%u+) ([%w_]+) (.+)$"
      if kind then
        local into = kind == "HELP" and helps or types
        assert.is_nil(into[name], name .. " twice")
        into[name] = text
        last = name
      else
        local metric, labels, value = line:match "^([%a_][%w_]*)(%b{}) (%-?[%d.]+)$"
        if not metric then metric, value = line:match "^([%a_][%w_]*) (%-?[%d.]+)$" end
        assert.truthy(metric, line)
        local base = types[metric] and metric or metric:gsub("_bucket$", ""):gsub("_sum$", "")
          :gsub("_count$", "")
        assert.equal(last, base, "lines of a metric stand together")
        assert.truthy(helps[base] and types[base], line)
        assert.is_nil(seen[metric .. (labels or "")], line .. " twice")
        seen[metric .. (labels or "")] = tonumber(value)
      end
    end
    assert.equal("histogram", types.allot_cycle_seconds)
    assert.equal(seen.allot_cycle_seconds_count, seen['allot_cycle_seconds_bucket{le="+Inf"}'])
    assert.is_true(seen.allot_events_total >= 2)
    assert.equal(60, seen['allot_slots{group="default"}'])
    assert.truthy(seen['allot_consumer_slots{group="default",consumer="/biology",kind="quota"}'])
    assert.is_nil(body:find("/physics/", 1, true))
    for name, kind in pairs(types) do
      assert.equal(kind == "counter", name:find "_total$" ~= nil, name)
    end
  end)

  on_service("outlives what comes", function ()
    local rubbish = {
      ("GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n"):format(("a"):rep(100000)),
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: " .. ("b"):rep(200000) .. "\r\n\r\n",
      ("x"):rep(50000), "\0\1\2\3\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
      "GET /events HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /state?path=%zz%00%ff HTTP/1.1\r\nHost: a\r\n\r\n",
    }
    for _, text in ipairs(rubbish) do
      local tcp = service:connect()
      tcp:settimeout(0.5)
      tcp:send(text)
      live.rest(tcp)
      tcp:close()
      assert.equal(200, (service:get "/healthz"))
    end
  end)

  on_service("serves others while hundreds say nothing, or a byte at a time", function ()
    local idle = {}
    for i = 1, 500 do
      idle[i] = service:connect()
      idle[i]:send(i % 2 == 0 and "GET / HT" or "GET / HTTP/1.1\r\nX-Slow: ")
    end
    assert.equal(200, (service:get "/healthz"))
    for i = 2, 500, 2 do
      idle[i]:send "T"
    end
    assert.equal(200, (service:get "/state"))
    for _, tcp in ipairs(idle) do
      tcp:close()
    end
  end)
end)

describe("the live view with a token", function ()
  local service, file

  setup(function ()
    if not live.there() then return end
    file = os.tmpname()
    shell.write(file, "0123456789abcdef\n")
    service = live.start(nil, "--token-file " .. file)
  end)
  teardown(function ()
    if service then service:stop() end
    if file then os.remove(file) end
  end)

  it("wants it for data", function ()
    if not service then return pending "LuaSocket is not installed" end
    assert.equal(200, (service:get "/"))
    assert.equal(200, (service:get "/healthz"))
    for _, path in ipairs { "/state", "/metrics", "/explain?path=/biology", "/status" } do
      local status, _, head = service:get(path)
      assert.equal(401, status, path)
      assert.truthy(head:find("www-authenticate: Bearer", 1, true))
      assert.equal(401, (service:get(path, "Authorization: Bearer 0123456789abcdeg\r\n")))
      assert.equal(200, (service:get(path, "Authorization: Bearer 0123456789abcdef\r\n")))
    end
  end)
end)

describe("serve", function ()
  local function refused(address)
    local folder = shell.directory()
    shell.write(folder .. "/plan.json", live.PLAN)
    local status, _, err = shell.run(("timeout 60 %s serve %s/plan.json --socket %s/sock "
      .. "--store :memory: --http %s"):format(shell.allot, folder, folder, address))
    shell.remove(folder)
    return status, err
  end

  it("shows nothing to the world without a token", function ()
    local status, err = refused "0.0.0.0:0"
    assert.equal(5, status)
    assert.truthy(err:find("can be reached from elsewhere, so a token is needed", 1, true), err)
  end)

  it("says where the view cannot be", function ()
    local status, err = refused "127.0.0.1:nowhere"
    assert.equal(5, status)
    assert.truthy(err:find("is no address: host:port, [::1]:port or port", 1, true), err)
    local file = os.tmpname()
    shell.write(file, ("t"):rep(20))
    status, err = refused("192.0.2.1:0 --token-file " .. file)
    os.remove(file)
    assert.equal(5, status)
    assert.truthy(err:find("cannot be listened on: it is taken, or not ours", 1, true), err)
  end)
end)
