-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `--jobs`: check and simulate work in several processes, and what they print is the same bytes.

local shell = require "spec.support.house.shell"

--- A plan of 8 slots with that policy.
local function plan(policy)
  return ('{"version": 1, "slots": 8, "policy": "%s", "consumers": [{"name": "u1", "owned": 4}, '
    .. '{"name": "u2", "owned": 4}]}'):format(policy)
end

--- Jobs of four users, of whom a plan has two.
local function log(users)
  local lines = {}
  for i = 1, 40 do
    lines[i] = ("%d %d -1 %d %d -1 -1 %d -1 -1 1 %d 1 -1 -1 -1 -1 -1\n"):format(i, i * 10,
      50 + i % 7 * 30, 1 + i % 6, 1 + i % 6, 1 + i % users)
  end
  return table.concat(lines)
end

describe("--jobs", function ()
  local folder

  before_each(function ()
    folder = shell.directory()
    shell.write(folder .. "/a.json", plan "hybrid")
    shell.write(folder .. "/b.json", plan "share_ratio")
    shell.write(folder .. "/log.swf", log(2))
  end)
  after_each(function () shell.remove(folder) end)

  --- The same words with several numbers of processes: the status and all bytes.
  local function alike(words)
    local first
    for _, jobs in ipairs { 1, 2, 5 } do
      local status, out, err = shell.run(("cd %s && %s %s --jobs %d"):format(folder,
        shell.quote(os.getenv "PWD" .. "/" .. shell.allot), words, jobs))
      first = first or { status, out, err }
      assert.same(first, { status, out, err }, words)
    end
    return table.unpack(first)
  end

  it("of check finds the same", function ()
    local repo = os.getenv "PWD"
    local function check(words, status)
      assert.equal(status, (alike("check --seconds 0 --format json " .. words)), words)
    end
    check("--runs 300 a.json b.json", 0)
    check("--runs 50 hybrid", 0)
    for name, status in pairs { owners_last = 1, each_other = 1, loops = 4, remembers = 1 } do
      check(("--runs 200 --out made %s/examples/broken/%s.lua"):format(repo, name), status)
    end
    -- A function that fails in some case only.
    shell.write(folder .. "/rare.lua", [[
      return policy { name = "rare", quota = { fill "all" {
        by = function (demand, rank) return demand == 7 and rank // 0 or 1 end } } }]])
    check("--runs 2000 --out made rare.lua", 4)
  end)

  it("of simulate plays the same", function ()
    local status, out = alike "simulate a.json b.json a.json log.swf --all"
    assert.equal(0, status)
    assert.truthy(out:find("  a +b +a\n"), out)
    assert.equal(0, (alike("simulate a.json log.swf --policy hybrid --policy share_ratio "
      .. "--until 300 --format csv")))
    shell.write(folder .. "/log.swf", log(3)) -- of somebody who is in no plan
    assert.equal(3, (alike "simulate a.json b.json log.swf"))
    shell.write(folder .. "/bad.lua", [[
      return policy { name = "bad", quota = { fill "a" { by = function (demand)
        return 10 // (demand - 3) end } } }]])
    shell.write(folder .. "/log.swf", log(2))
    assert.equal(4, (alike "simulate a.json log.swf --policy hybrid --policy bad.lua "))
    assert.equal(4, (alike "simulate a.json log.swf --policy bad.lua --policy bad.lua"))
  end)

  --- Starts a long check in two processes, does `what` to "$first" and its "$workers", and returns
  --- what the check said and its status.
  local function disturbed(what)
    local _, out, err = shell.run(([[
      %s check --seconds 0 --runs 1000000 --jobs 2 hybrid > %s/out 2>&1 & first=$!
      workers=
      while [ $(echo $workers | wc -w) -lt 2 ]; do workers=$(pgrep -P $first); sleep 0.02; done
      %s
      wait $first; echo "status $?"
      lives() { for w in $workers; do grep -q "^State:.[^ZX]" /proc/$w/status && return 0; done
                return 1; } 2> /dev/null # who has ended may wait for a parent that takes note
      for i in 1 2 3 4 5 6 7 8 9; do lives && sleep 0.1; done
      lives && echo "a worker lives"
      cat %s/out >&2]]):format(shell.allot, folder, what, folder))
    return out .. err
  end

  it("says that a process was lost", function ()
    local out = disturbed "kill -9 ${workers##*[!0-9]}"
    assert.truthy(out:find("status 70", 1, true), out)
    assert.truthy(out:find("a process of --jobs ended before its work was done, by signal 9 "
      .. "[E-worker]", 1, true), out)
    assert.falsy(out:find("EINTERNAL", 1, true), out)
    assert.falsy(out:find("a worker lives", 1, true), out)
  end)

  it("ends all processes when the first one ends", function ()
    for _, signal in ipairs { "TERM", "KILL" } do
      local out = disturbed(("kill -%s $first"):format(signal))
      assert.falsy(out:find("a worker lives", 1, true), out)
    end
  end)

  it("is a number of processes", function ()
    local status, _, err = shell.command("check", "hybrid", "--jobs", "0")
    assert.equal(2, status)
    assert.truthy(err:find('--jobs is a number from 1 to 64, not "0"', 1, true), err)
  end)
end)

describe("a simulation in which nobody waits", function ()
  it("says so, as no policy makes a difference", function ()
    local folder = shell.directory()
    local words = "nobody ever waits: there are enough slots at every instant"
    shell.write(folder .. "/a.json", plan "hybrid")
    shell.write(folder .. "/log.swf", "1 0 -1 50 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1\n")
    local _, out = shell.command("simulate", folder .. "/a.json", folder .. "/log.swf")
    assert.truthy(out:find(words, 1, true), out)
    shell.write(folder .. "/log.swf", log(2))
    _, out = shell.command("simulate", folder .. "/a.json", folder .. "/log.swf")
    assert.falsy(out:find(words, 1, true), out)
    shell.remove(folder)
  end)
end)

describe("a plan made of a log", function ()
  it("has so few slots that jobs contend", function ()
    local folder = shell.directory()
    local function made(text)
      shell.write(folder .. "/log.swf", "; MaxProcs: 500\n" .. text)
      local status, out, err = shell.run("lua5.4 examples/log/plan_of_log.lua " .. folder
        .. "/log.swf")
      assert.equal(0, status, err)
      shell.write(folder .. "/plan.json", out)
      local _, played = shell.command("simulate", folder .. "/plan.json", folder .. "/log.swf")
      return tonumber(out:match '"slots": (%d+)'), played:find("nobody ever waits", 1, true) ~= nil
    end
    -- 90 s of 20 jobs at once in a day of one after another.
    local lines = {}
    for i = 1, 100 do
      lines[i] = ("%d %d -1 90 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"):format(i,
        math.max(0, i - 20) * 90)
    end
    assert.same({ 1, false }, { made(table.concat(lines)) })
    -- One job: no less than it needs, and nobody waits.
    assert.same({ 7, true }, { made "1 0 -1 50 7 -1 -1 7 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" })
    shell.remove(folder)
  end)
end)
