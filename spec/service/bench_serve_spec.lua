-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot bench --shape serve`: what it says of a short load must add up. How fast it is nobody
-- promises here: others compute beside it.

local dkjson = require "dkjson"
local shell = require "spec.support.house.shell"

describe("a service under load", function ()
  it("acknowledges and decides all of it", function ()
    local folder = shell.directory()
    local status, out, err = shell.run(("TMPDIR=%s %s bench --shape serve/2/500 --format json")
      :format(folder, shell.allot))
    local left = shell.lines("ls -A " .. folder)
    shell.remove(folder)
    assert.equal(0, status, err)
    assert.same({}, left)
    local told = assert(dkjson.decode(out), out)
    assert.equal("allot/bench-serve/v1", told.schema)
    assert.equal(100000, told.consumers)
    assert.same({ 1000, 1000, 0 }, { told.sent, told.acknowledged, told.refused })
    assert.equal(1000, told.acknowledge_ms.count)
    assert.equal(0, told.undecided)
    -- The same again, while 100 readers ask for decisions without end.
    assert.equal(1000, told.acknowledge_beside_readers_ms.count)
    -- A leaf demands, and when it was granted demands nothing and releases.
    assert.equal(told.grants, told.decide_ms.count)
    assert.is_true(told.grants > 300)
    assert.is_true(told.decide_ms.p50 <= told.decide_ms.p99)
    assert.is_true(told.limits.commit_ms > 0 and told.limits.echo_us > 0)
    for _, bytes in ipairs(told.memory_bytes) do
      assert.is_true(bytes > 1000000)
    end
  end)

  it("is told for people", function ()
    local status, out = shell.command("bench", "--shape", "serve/1/100")
    assert.equal(0, status)
    assert.truthy(out:find("100000 consumers, 10 clients, 100 events a second for 1 s", 1, true),
                  out)
    assert.truthy(out:find("100 sent, 100 acknowledged, 0 refused", 1, true), out)
    assert.truthy(out:find("bare limits", 1, true))
  end)

  -- So few that not all clients are let in; so few that all are, but fewer than there are readers.
  it("tells of too few open files", function ()
    for files, expected in pairs {
      [30] = "the service closed a connection under load", [90] = "no readers could be started",
    } do
      local status, _, err = shell.run(("ulimit -n %d; %s bench --shape serve/1/100")
        :format(files, shell.allot))
      assert.equal(5, status, err)
      assert.truthy(err:find(expected, 1, true), err)
    end
  end)

  it("has shapes of its own alone", function ()
    for _, shape in ipairs { "serve/", "serve/0", "serve/1/x", "served", "serve/1/1" } do
      local status, _, err = shell.command("bench", "--shape", shape)
      assert.equal(2, status)
      assert.truthy(err:find("there is no shape " .. shape, 1, true), err)
    end
    local status, _, err = shell.run("TMPDIR=/nowhere " .. shell.allot .. " bench --shape serve/1")
    assert.equal(5, status)
    assert.truthy(err:find("cannot be written", 1, true), err)
  end)
end)
