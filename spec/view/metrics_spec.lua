-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- /metrics as Prometheus reads it, line by line; and how long who waits has waited.

local live = require "spec.support.service.view"
local shell = require "spec.support.house.shell"

-- ---- Text format 0.0.4 ------------------------------------------------------------------------

--- The labels of a sample, in order; nil and why where they are none.
local function read_labels(text)
  local list, at = {}, 2
  while text:sub(at, at) ~= "}" do
    local name, behind = text:match('^([%a_][%w_]*)="()', at)
    if not name then return nil, "a label is NAME=\"VALUE\": " .. text end
    if name:find "^__" then return nil, "two underscores are Prometheus' own: " .. name end
    local value = ""
    at = behind
    while text:sub(at, at) ~= '"' do
      local char = text:sub(at, at)
      if char == "" then return nil, "a value does not end: " .. text end
      if char == "\\" then
        at = at + 1
        if not text:sub(at, at):find '[\\"n]' then return nil, "no such escape: " .. text end
      end
      value, at = value .. text:sub(at, at), at + 1
    end
    if list[name] then return nil, "twice: " .. name end
    list[#list + 1], list[name] = name, value
    at = at + 1
    if text:sub(at, at) == "," then at = at + 1
    elseif text:sub(at, at) ~= "}" then return nil, "a comma stands between labels: " .. text end
  end
  return list, at
end

--- Where a family's samples may be called otherwise than the family.
local function family_of(name, types)
  if types[name] then return name end
  local base = name:match "^(.+)_bucket$" or name:match "^(.+)_sum$" or name:match "^(.+)_count$"
  return base and types[base] == "histogram" and base
end

--- Reads a text strictly; returns the samples by name and labels, types and helps.
local function read(text)
  local samples, types, helps, over, current = {}, {}, {}, {}, nil
  local function enter(name, line)
    if name == current then return end
    assert(not over[name], "lines of a metric stand together: " .. line)
    if current then over[current] = true end
    current = name
  end
  assert(text:sub(-1) == "\n", "the last line ends")
  for line in text:gmatch "([^\n]*)\n" do
    local kind, name, rest = line:match "^# (%u+) ([%a_:][%w_:]*) (.+)$"
    if kind == "HELP" then
      assert(not helps[name] and not types[name], "HELP is first, and once: " .. line)
      assert(not rest:find "\\[^\\n]", line)
      helps[name] = rest
      enter(name, line)
    elseif kind == "TYPE" then
      assert(helps[name] and not types[name] and current == name, "TYPE is behind HELP: " .. line)
      assert(({ counter = 1, gauge = 1, histogram = 1 })[rest], line)
      types[name] = rest
    else
      local metric, behind = line:match "^([%a_:][%w_:]*)()"
      assert(metric, "no line of the format: " .. line)
      local stop = behind - 1
      if line:sub(behind, behind) == "{" then
        local labels, last = read_labels(line:sub(behind))
        assert(labels, last)
        stop = behind + last - 1
      end
      local value = line:match("^ (%-?%d+%.?%d*)$", stop + 1)
      assert(value, "a value is behind one blank: " .. line)
      local family = assert(family_of(metric, types), "HELP and TYPE are missing: " .. line)
      enter(family, line)
      local key = line:sub(1, stop)
      assert(not samples[key], "twice: " .. line)
      assert(types[family] == "gauge" or tonumber(value) >= 0, "counters only grow: " .. line)
      samples[key] = tonumber(value)
    end
  end
  return samples, types, helps
end

--- What promtool would complain of beyond that.
local function lint(samples, types, helps)
  for name, kind in pairs(types) do
    assert.truthy(name:find "^allot_[%l%d_]+$", name)
    assert.equal(kind == "counter", name:find "_total$" ~= nil, name)
    assert.is_nil(name:find "_ms$" or name:find "_us$" or name:find "_bucket$"
      or name:find "_count$" or name:find "_sum$", name)
    assert.truthy(helps[name]:find "[%.:]" and #helps[name] > 4, name)
    if kind == "histogram" then
      local last, bound, buckets = 0, -1, {}
      for key, value in pairs(samples) do
        local le = key:match("^" .. name .. '_bucket{le="([^"]+)"}$')
        if le then buckets[#buckets + 1] = { le == "+Inf" and math.huge or tonumber(le), value } end
      end
      table.sort(buckets, function (a, b) return a[1] < b[1] end)
      for _, bucket in ipairs(buckets) do
        assert.is_true(bucket[1] > bound and bucket[2] >= last, name)
        bound, last = bucket[1], bucket[2]
      end
      assert.equal(math.huge, bound)
      assert.equal(last, samples[name .. "_count"])
      assert.truthy(samples[name .. "_sum"])
    end
  end
end

describe("the reader of metrics", function ()
  it("notices what is wrong", function ()
    local good = "# HELP a A.\n# TYPE a gauge\na{x=\"y\\n\\\"\"} 1\na{x=\"z\"} 2.5\n"
    assert.same({ ['a{x="y\\n\\""}'] = 1, ['a{x="z"}'] = 2.5 }, (read(good)))
    for _, change in ipairs {
      { "# HELP a A.\n", "" }, { "# TYPE a gauge\n", "" }, { "gauge", "number" },
      { "2.5\n", "2.5" }, { "2.5", "" }, { "2.5", "x" }, { "} 1", "}  1" },
      { 'x="z"', 'x="y\\n\\""' },
      { 'x="z"', "x=z" }, { 'x="z"', '9="z"' }, { 'x="z"', 'x="\\z"' }, { 'x="z"', 'x="z" y="z"' },
      { 'x="z"', 'x="z",x="z"' }, { "a{x=\"z", "b{x=\"z" }, { "gauge", "counter\nb 1" },
    } do
      local at, to = good:find(change[1], 1, true)
      local bad = good:sub(1, at - 1) .. change[2] .. good:sub(to + 1)
      assert.is_false((pcall(read, bad)), bad)
    end
  end)
end)

-- ---- A service --------------------------------------------------------------------------------

local POLICY = [[return policy { name = "odd \\ \"name\"", quota = { fill "all" { by = 1 } } }
]]

describe("a service's metrics", function ()
  local service

  after_each(function ()
    if service then service:stop() end
    service = nil
  end)

  local function metrics()
    local status, body = service:get "/metrics"
    assert.equal(200, status)
    local samples, types, helps = read(body)
    lint(samples, types, helps)
    return samples, types
  end

  local function with_service(name, test)
    it(name, function ()
      if not live.there() then return pending "LuaSocket is not installed" end
      test()
    end)
  end

  with_service("are what Prometheus reads, whatever policies are called", function ()
    local folder = shell.directory()
    shell.write(folder .. "/odd.lua", POLICY)
    service = live.start((live.PLAN:gsub("hybrid", folder .. "/odd.lua")))
    local before = metrics()
    service:call("demand", { consumer = "/biology", slots = 5 })
    service:call("shadow", { policy = "hybrid" })
    service:call "cycle"
    service:call "reload"
    local samples, types = metrics()
    shell.remove(folder)
    for key, value in pairs(before) do
      if key:find "_total" then assert.is_true(samples[key] >= value, key) end
    end
    local found
    for key in pairs(samples) do
      found = found or key:find([[,policy="odd \\ \"name\"",]], 1, true)
    end
    assert.truthy(found)
    assert.equal("counter", types.allot_reload_total)
    assert.equal("gauge", types.allot_oldest_wait_seconds)
    assert.is_true(samples.allot_policy_memory_bytes > 0)
  end)

  with_service("tell how long the one that waited longest has", function ()
    service = live.start([[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
      {"name": "a", "owned": 10, "grace": 2}, {"name": "b", "grace": 2}]}]], "--debounce 1")
    local function waits()
      local samples = metrics()
      return samples['allot_oldest_wait_seconds{of="demand"}'],
        samples['allot_oldest_wait_seconds{of="reclaim"}'], samples.allot_reclaims_overdue
    end
    assert.same({ 0, 0, 0 }, { waits() })
    local now = os.time()
    local function within(low, value, high)
      assert.is_true(low <= value and value <= high, value)
    end
    service:call("demand", { consumer = "/b", slots = 10, at = now - 500 })
    service:call "cycle"
    assert.same({ 0, 0, 0 }, { waits() }) -- it got all
    service:call("demand", { consumer = "/a", slots = 6, at = now - 100 })
    service:call "cycle"
    local demand, reclaim = waits()
    local past = os.time() - now + 1
    within(100, demand, 100 + past)
    within(0, reclaim, past)
    local overdue
    repeat -- the grace is two seconds
      demand, reclaim, overdue = waits()
    until overdue == 1 or os.time() - now > 60
    assert.equal(1, overdue)
    within(102, demand, 101 + os.time() - now)
    within(2, reclaim, 1 + os.time() - now)
    local flight
    for _, decision in ipairs(service:call("decisions", { from = 1 })) do
      flight = decision.reclaims and decision.reclaims[1] or flight
    end
    service:call("demand", { consumer = "/b", slots = 4 })
    service:call("returned", { reclaim = flight.id, slots = 6 })
    service:call "cycle"
    assert.same({ 0, 0, 0 }, { waits() })
  end)

  with_service("tell of jobs that wait", function ()
    service = live.start [[{"version": 1, "hosts": {"h": {"slots": 1}}, "queues": [{"name": "q"}]}]]
    local now = os.time()
    service:call("submit", { id = "1", queue = "q", submitted = now - 50 })
    service:call("submit", { id = "2", queue = "q", submitted = now - 40 })
    service:call "cycle"
    local wait = metrics()['allot_oldest_wait_seconds{of="job"}']
    assert.is_true(wait >= 40 and wait <= 41 + os.time() - now, wait)
  end)
end)
