-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot init`: what it writes passes at once, and nothing is written over.

local json = require "dkjson"
local shell = require "spec.support.house.shell"

describe("allot init", function ()
  local at, here

  setup(function ()
    at = shell.directory()
    here = shell.lines("pwd")[1]
  end)
  teardown(function () shell.remove(at) end)

  local function command(words, folder)
    return shell.run(("cd %s && %s/%s %s"):format(folder or at, here, shell.allot, words))
  end

  --- busted as somebody runs it who has allot installed, in the folder.
  local function busted(folder)
    local preload = os.getenv "LD_PRELOAD"
    return shell.run(("cd %s && LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;;'"
      .. " LUA_CPATH='%s/%s/lua/?.so;;' ASAN_OPTIONS=detect_leaks=0 %s busted"):format(folder,
      here, here, here, shell.build, preload and "LD_PRELOAD=" .. preload or ""))
  end

  it("writes a policy whose spec, check and run pass", function ()
    local status, out, err = command "init fair"
    assert.equal("", err)
    assert.equal(0, status)
    assert.truthy(out:find("fair.lua written\nfair_spec.lua written\n", 1, true))
    status, out = busted(at)
    assert.equal(0, status, out)
    assert.truthy(out:find("4 successes / 0 failures / 0 errors", 1, true))
    status, out, err = command "check fair.lua fair_plan.json"
    assert.equal("", err)
    assert.equal(0, status)
    assert.truthy(out:find("fair.lua: policy is valid", 1, true))
    assert.equal(0, (command "run fair_plan.json fair_state.json"))
    assert.equal(0, (shell.run(("luacheck -q --std lua54 --no-global %s/fair.lua"):format(at))))
  end)

  it("tells busted where the module is, in a build tree and below a prefix", function ()
    local line = "cd %s && unset LUA_PATH LUA_CPATH; ASAN_OPTIONS=detect_leaks=0 %s busted"
    local preload = os.getenv "LD_PRELOAD"
    local first = preload and "LD_PRELOAD=" .. preload or ""
    local function passes(folder)
      local status, out = shell.run(line:format(folder, first))
      assert.equal(0, status, out)
      assert.truthy(out:find("4 successes / 0 failures / 0 errors", 1, true), out)
    end
    command "init --out built built"
    passes(at .. "/built")
    -- As installed.
    shell.run(("cd %s && mkdir -p site/bin site/share/lua/5.4 site/lib/lua/5.4/allot"):format(at))
    shell.run(("cp %s %s/site/bin/ && cp -r lua/allot %s/site/share/lua/5.4/"):format(shell.allot,
      at, at))
    shell.run(("cp %s/lua/allot/core.so %s/site/lib/lua/5.4/allot/"):format(shell.build, at))
    local status, _, err = shell.run(("cd %s && site/bin/allot init --out there there"):format(at))
    assert.equal(0, status, err)
    passes(at .. "/there")
    assert.truthy(shell.read(at .. "/there/.busted"):find(at .. "/site/lib/lua/5.4/?.so", 1, true))
  end)

  it("writes a spec that fails where the policy does not do that", function ()
    command "init --out bent bent"
    local path = at .. "/bent/bent.lua"
    local policy = shell.read(path)
    shell.write(path, (policy:gsub('by = "share",', "by = 1,")))
    local status, out = busted(at .. "/bent")
    assert.equal(1, status)
    assert.truthy(out:find("dev: expected a quota of 8, it is 9", 1, true))
    shell.write(path, (policy:gsub("guards = ", "-- %0")))
    status, out = busted(at .. "/bent")
    assert.equal(1, status)
    assert.truthy(out:find("young: expected that it goes, but it stays", 1, true))
    -- a line that no spec reaches is told
    shell.write(path, (policy:gsub("        return math.min", "        if owned > 900 then\n"
      .. "          return 1\n        end\n%0")))
    status, out = busted(at .. "/bent")
    assert.is_true(status ~= 0)
    assert.truthy(out:find("expected 100 % of the lines to run", 1, true))
    assert.truthy(out:find("return 1\n", 1, true))
  end)

  it("begins with the rules of each peer, and of ready-made policies", function ()
    local folder, peers = "like", { "hybrid", "ownership", "share_ratio", "preemption",
      "queue_pool" }
    for _, path in ipairs(shell.lines "ls examples/peers/*.lua") do
      peers[#peers + 1] = path:match "([^/]*)%.lua$"
    end
    assert.is_true(#peers >= 13)
    for _, peer in ipairs(peers) do
      local status, _, err = command(("init --like %s --out %s my_%s"):format(peer, folder, peer))
      assert.same({ 0, "" }, { status, err })
      local name = ("%s/my_%s"):format(folder, peer)
      status, _, err = command(("check --runs 100 %s.lua %s_plan.json"):format(name, name))
      assert.same({ 0, "" }, { status, err }, peer)
      assert.equal(0, (command(("run %s_plan.json %s_state.json"):format(name, name))))
      local plan = shell.read(("%s/%s_plan.json"):format(at, name))
      if peer == "slurm_multifactor" then assert.is_nil(plan:find '"preemptive"') end
      local text = shell.read(("%s/%s.lua"):format(at, name))
      assert.truthy(text:find(('\n  name = "my_%s",\n'):format(peer), 1, true), text)
      assert.falsy(text:find "SPDX")
    end
    local status, out = busted(at .. "/" .. folder)
    assert.equal(0, status, out)
    assert.truthy(out:find " 0 failures / 0 errors")
  end)

  it("shows what use does, where the peer goes by it", function ()
    -- shares 2 : 1 : 1, use 4 : 5 : 1: guests used least, then prod for its share
    local wanted = { slurm_fair_tree = "12     2     4", condor_users = false, kai_time = false }
    for peer, numbers in pairs(wanted) do
      local status, _, err = command(("init --like %s --out used %s"):format(peer, peer))
      assert.same({ 0, "" }, { status, err })
      local spec = shell.read(("%s/used/%s_spec.lua"):format(at, peer))
      local without = spec:match "all want.-quota%(it, ({.-})"
      local with = spec:match "has used.-used 4000000.-used 5000000.-quota%(it, ({.-})"
      assert.is_not_nil(with, peer)
      assert.not_equal(without, with)
      local _, out = command(("run used/%s_plan.json used/%s_state.json"):format(peer, peer))
      assert.matches("\n/dev .* 5000000 ", out)
      if numbers then
        local quotas = {}
        for quota in out:gmatch "000  +(%d+)  = " do quotas[#quotas + 1] = quota end
        assert.same(numbers, table.concat(quotas, "     "))
      end
    end
  end)

  it("knows its peers", function ()
    local status, out, err = command "init --like yarn_fare queues"
    assert.same({ 2, "" }, { status, out })
    assert.truthy(err:find("there is no peer yarn_fare; known are condor, condor_users, ", 1, true))
    assert.truthy(err:find("hint: did you mean yarn_fair?", 1, true), err)
    assert.falsy(shell.exists(at .. "/queues.lua"))
  end)

  it("makes the folder, and adds to one", function ()
    local status, out, err = command "init --out site one"
    assert.equal("", err)
    assert.equal(0, status)
    assert.truthy(out:find("site/.busted written", 1, true))
    status, out = command "init --out site/ two"
    assert.equal(0, status)
    assert.falsy(out:find(".busted written", 1, true))
    status, out = busted(at .. "/site")
    assert.equal(0, status)
    assert.truthy(out:find("8 successes", 1, true))
  end)

  it("writes over nothing", function ()
    command "init twice"
    shell.write(at .. "/twice_plan.json", "mine")
    os.remove(at .. "/twice.lua")
    local status, out, err = command "init twice"
    assert.equal(3, status)
    assert.equal("", out)
    assert.truthy(err:find("twice_plan.json: error: is there already, and stays as it is "
      .. "[E-exists]", 1, true))
    assert.equal("mine", shell.read(at .. "/twice_plan.json"))
    assert.falsy(shell.exists(at .. "/twice.lua"))
  end)

  it("wants a name, and a folder that it can write to", function ()
    for _, name in ipairs { "9x", "a.b", "a/b", "''" } do
      local status, out, err = command("init " .. name)
      assert.equal(2, status)
      assert.equal("", out)
      assert.truthy(err:find("is no name", 1, true))
    end
    local status, _, err = command "init --out absent/deep x"
    assert.equal(5, status)
    assert.truthy(err:find("absent/deep cannot be made", 1, true))
    shell.write(at .. "/file", "")
    status, _, err = command "init --out file x"
    assert.equal(5, status)
    assert.truthy(err:find("cannot be written", 1, true))
  end)
end)

describe("allot check --coverage", function ()
  local path

  setup(function ()
    path = os.tmpname() .. ".lua"
    shell.write(path, [[
return policy {
  name = "x",
  quota = {
    fill "f" { by = function (share)
      if share > 2000000000 then
        return 7
      end
      return share
    end },
  },
}
]])
  end)
  teardown(function () os.remove(path) end)

  local function checks(...)
    return shell.command("check", "--seconds", "0", "--runs", "20", ...)
  end

  it("tells which lines of a policy no random case reached", function ()
    local status, out, err = checks("--coverage", path)
    assert.equal("", err)
    assert.equal(0, status)
    local words = "\n  %s: 8 of 9 lines ran (88 %%)\n    %s:6: return 7\n"
    assert.truthy(out:find(words:format(path, path), 1, true), out)
    status, out = checks("--format", "json", "--coverage", path, "hybrid")
    assert.equal(0, status)
    local document = json.decode(out)
    assert.same({ percent = 88, ran = 8, all = 9, missed = { { line = 6, from = 4,
      text = "return 7" } } }, document.checked[1].coverage)
    assert.is_true(document.checked[2].coverage.percent > 0)
    status, out = checks(path)
    assert.equal(0, status)
    assert.falsy(out:find("lines ran", 1, true))
  end)
end)
