-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Which files a running service reads because somebody who talks to it says so.

local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "%s",
  "consumers": [{"name": "a", "share": 1}, {"name": "b", "share": 4}]}
]]
local FAIR = 'return policy { name = "fair", quota = { fill "all" { by = "share" } } }\n'
local SECRET = "hunter2hunter2hunter2 is the word\n"

describe("files that clients name", function ()
  local world = live.world()
  local folder, outside

  before_each(function ()
    folder, outside = world.folder, shell.directory()
    shell.run(("mkdir -p %s/deep"):format(folder))
    shell.write(outside .. "/secret.lua", SECRET)
    shell.write(outside .. "/secret.json", SECRET)
    shell.write(outside .. "/fair.lua", FAIR)
    shell.write(folder .. "/token", SECRET)
    shell.write(folder .. "/fair.lua", FAIR)
    shell.write(folder .. "/deep/fair.lua", FAIR)
    shell.write(folder .. "/large.lua", ("-"):rep(1024 * 1024 + 1))
    shell.write(folder .. "/plan.json", PLAN:format "fair.lua")
    shell.write(folder .. "/deep/plan.json", PLAN:format "fair.lua")
    shell.write(folder .. "/deep/up.json", PLAN:format "../fair.lua")
    shell.run(([[cd %s && ln -s %s leave && ln -s %s/secret.lua far.lua && ln -s deep near &&
      ln -s ../$(basename %s)/secret.lua out.lua && ln -s deep/fair.lua link.lua &&
      ln -s round.lua round.lua && mkfifo fifo.lua && mkfifo fifo.json &&
      ln -s /dev/zero zero.lua && mkdir folder.lua]]):format(folder, outside, outside, outside))
  end)

  after_each(function () shell.remove(outside) end)

  local function refused(service, method, params, code)
    local result, fault = service:call(method, params)
    assert.is_nil(result, params.policy or params.plan or params.text)
    assert.equal(code, fault.data.code, fault.message)
    for _, text in pairs { fault.message, fault.data.hint or "", fault.data.file or "" } do
      assert.is_nil(text:find("hunter2", 1, true), text)
    end
    -- It goes on, and answers.
    assert.equal("fair", service:status().plan.policy)
  end

  it("are those beneath the plan's folder", function ()
    local service = world.start()
    for _, params in ipairs {
      { policy = "fair.lua" }, { policy = "deep/fair.lua" }, { policy = "./deep/fair.lua" },
      { policy = "near/fair.lua" }, { policy = "link.lua" }, { policy = "hybrid" },
      { plan = "deep/plan.json" }, { plan = "near/plan.json", policy = "fair.lua" },
    } do
      local result, fault = service:call("shadow", params)
      assert.equal("shadowing", (result or {}).result, fault and fault.message)
    end
    local result, fault = service:call("plan", { text = PLAN:format "deep/fair.lua" })
    assert.equal("swapped", (result or {}).result, fault and fault.message)
  end)

  it("are no others", function ()
    local service = world.start()
    for _, case in ipairs {
      { "E-outside", { "/dev/zero.lua", "/dev/zero", "../secret.lua", "deep/../fair.lua", "./token",
                       folder .. "/../x.lua", "leave/secret.lua", "out.lua", "far.lua", "zero.lua",
                       outside .. "/secret.lua", "deep/../../x.lua" } },
      { "E-io", { "fifo.lua", "folder.lua", "round.lua", "large.lua", "none.lua", "deep/none.lua",
                  "fair.lua/x.lua" } },
    } do
      for _, name in ipairs(case[2]) do
        refused(service, "shadow", { policy = name }, case[1])
        refused(service, "plan", { text = PLAN:format(name) }, case[1])
      end
    end
    for _, case in ipairs {
      { "E-outside", { "../x.json", "/dev/zero", "token", "leave/secret.json", "deep/up.json" } },
      { "E-io", { "fifo.json", "none.json" } },
    } do
      for _, name in ipairs(case[2]) do
        refused(service, "shadow", { plan = name }, case[1])
      end
    end
    world.stop()
  end)

  it("may be what the plan that decides names already, wherever that is", function ()
    local far = outside .. "/fair.lua"
    shell.write(folder .. "/plan.json", PLAN:format(far))
    local service = world.start()
    local text = PLAN:format(far):gsub('"slots": 10', '"slots": 20')
    local result, fault = service:call("plan", { text = text })
    assert.equal("swapped", (result or {}).result, fault and fault.message)
    refused(service, "shadow", { policy = outside .. "/secret.lua" }, "E-outside")
  end)

  it("are watched only once they decide", function ()
    local service = world.start()
    service:call("plan", { text = PLAN:format "deep/none.lua" })
    shell.write(folder .. "/fair.lua", (FAIR:gsub('"fair"', '"other"')))
    service:wait_policy "other"
  end)
end)

describe("a plan that is no regular file", function ()
  local function serve(plan)
    return shell.run(("timeout 60 %s serve %s --store :memory:"):format(shell.allot, plan))
  end

  it("is refused at once", function ()
    local folder = shell.directory()
    shell.run(("mkfifo %s/fifo.json"):format(folder))
    for _, plan in ipairs { folder .. "/fifo.json", "/dev/zero", folder } do
      local status, _, err = serve(plan)
      assert.equal(5, status, err)
      assert.truthy(err:find("no regular file", 1, true), err)
    end
    shell.remove(folder)
  end)

  it("is no policy of one either", function ()
    local folder = shell.directory()
    shell.run(("mkfifo %s/fifo.lua"):format(folder))
    for _, policy in ipairs { "fifo.lua", "/dev/zero" } do
      shell.write(folder .. "/plan.json", PLAN:format(policy))
      local status, _, err = serve(folder .. "/plan.json")
      assert.equal(5, status, err)
      assert.truthy(err:find("no regular file", 1, true), err)
    end
    shell.remove(folder)
  end)
end)
