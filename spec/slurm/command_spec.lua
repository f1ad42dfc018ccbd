-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot slurm` on the command line, with commands of Slurm's names that print what they are told.

local fake = require "spec.support.slurm.fake"
local shell = require "spec.support.house.shell"

local JOB = fake.line { account = "c", user = "carol", tres = "cpu=8,node=1" }
local NODE = fake.node { cpus = "8/24/0/32", state = "mixed" }
local ACCOUNTS = "root||||||||x\na||root||||||x\nb||root|cpu=12|||||x\nc||root||||||x\n"
  .. "c|carol|||||||x"
local PLAN = "examples/slurm/plan.json"

describe("allot slurm", function ()
  local folder

  --- A command prints that; `modify` is what sacctmgr does to modify something.
  local function answer(name, text, modify)
    shell.write(folder .. "/answers/" .. name, text .. "\n")
    shell.write(folder .. "/bin/" .. name, ([[#!/bin/sh
case "$*" in
*modify*) %s ;;
*qos*) echo 'normal|||||||' ;;
*) cat %s/answers/%s ;;
esac
]]):format(modify or ('echo "$*" >>%s/modified'):format(folder), folder, name))
    shell.run(("chmod 755 %s/bin/%s"):format(folder, name))
  end

  local function slurm(words)
    return shell.run(("PATH=%s/bin:$PATH %s slurm %s"):format(folder, shell.allot, words))
  end

  before_each(function ()
    folder = shell.directory()
    shell.run(("mkdir %s/bin %s/answers"):format(folder, folder))
    answer("squeue", JOB)
    answer("sinfo", NODE)
    answer("sacctmgr", ACCOUNTS)
    answer("scontrol", "AccountingStorageEnforce = associations,limits")
  end)

  after_each(function () shell.remove(folder) end)

  local function fails(status, words, message)
    local got, out, err = slurm(words)
    assert.truthy(err:find(message, 1, true), err)
    assert.equal(status, got)
    assert.equal("", out)
  end

  it("prints the commands in a dry run", function ()
    local status, out, err = slurm("--dry-run --once " .. PLAN)
    assert.equal("", err)
    assert.equal(0, status)
    assert.equal("sacctmgr -i -Q modify account where name=a set GrpTRES=cpu=16\n"
      .. "sacctmgr -i -Q modify account where name=c set GrpTRES=cpu=8\n", out)
    assert.is_false(shell.exists(folder .. "/modified"))
  end)

  it("opens the ceilings, also of a bridge that holds jobs", function ()
    for _, words in ipairs { "--open ", "--hold --open " } do
      assert.equal(0, (slurm(words .. PLAN)))
      assert.equal("-i -Q modify account where name=b set GrpTRES=cpu=-1\n",
        shell.read(folder .. "/modified"))
      os.remove(folder .. "/modified")
    end
  end)

  it("changes the accounts of its own cluster alone, where there are several", function ()
    answer("sacctmgr", ACCOUNTS .. "\nb||root|cpu=3|||||y")
    answer("scontrol", "AccountingStorageEnforce = limits\nClusterName             = x")
    local _, out = slurm("--dry-run --once " .. PLAN)
    assert.equal("sacctmgr -i -Q modify account where name=a cluster=x set GrpTRES=cpu=16\n"
      .. "sacctmgr -i -Q modify account where name=c cluster=x set GrpTRES=cpu=8\n", out)
  end)

  it("says which ceilings it could not open", function ()
    answer("sacctmgr", ACCOUNTS, "echo no right >&2; exit 1")
    fails(5, "--open " .. PLAN, "failed: sacctmgr -i -Q modify account where name=b set "
      .. "GrpTRES=cpu=-1 (sacctmgr: exit 1: no right)")
    shell.write(folder .. "/bin/sacctmgr", "#!/bin/sh\necho no database >&2; exit 1\n")
    fails(5, "--open " .. PLAN, "accounts cannot be read: sacctmgr: exit 1: no database [E-slurm]")
  end)

  it("reports what the bridge did last, by groups where the plan has some", function ()
    shell.write(folder .. "/plan.json.slurm", [[{"schema": "allot/slurm/v1", "at": 5,
      "decided_at": 4, "trouble": "squeue: late", "flights": 1, "requeues_last_minute": 2,
      "strangers": {"z": 1}, "unknown_reasons": {"Moon": 2}, "leaves": {
      "/a": {"running": 4, "wanted": 8},
      "/b": {"running": {"gpu": 1, "cpu": 4}, "wanted": {"cpu": 8, "gpu": 2}}}}]])
    local status, out = slurm("--status " .. folder .. "/plan.json")
    assert.equal(0, status)
    assert.equal([[trouble: squeue: late
/a runs on 4 slots, wants 8
/b runs on 4 cpu, 1 gpu, wants 8 cpu, 2 gpu
account z is not in the plan: 1 running job
waiting for Moon, a reason that is not known, 2 jobs: no slots are wanted
1 reclaim in flight, 2 requeues in the last minute
]], out:match "\n(.*)$")
  end)

  it("changes nothing where Slurm's answer makes no sense", function ()
    answer("squeue", "slurm_load_jobs error: Unable to contact slurm controller")
    fails(5, "--dry-run --once " .. PLAN, "squeue's line 1 makes no sense: \"slurm_load_jobs")
    answer("squeue", JOB)
    answer("sinfo", "")
    fails(5, "--dry-run --once " .. PLAN, "sinfo lists no node [E-slurm]")
    answer("sinfo", "nothing")
    fails(5, "--dry-run --once " .. PLAN, "sinfo's line 1 makes no sense: \"nothing\"")
  end)

  it("says which command is missing, fails, is ended or late", function ()
    shell.write(folder .. "/bin/squeue", "#!/bin/sh\necho no socket >&2\nexit 3\n")
    fails(5, "--dry-run --once " .. PLAN, "squeue: exit 3: no socket [E-slurm]")
    shell.write(folder .. "/bin/squeue", "#!/bin/sh\nkill -9 $$\n")
    fails(5, "--dry-run --once " .. PLAN, "squeue: signal 9 [E-slurm]")
    shell.write(folder .. "/bin/squeue", "#!/bin/sh\nsleep 1000 & sleep 1000\n")
    fails(5, "--dry-run --once " .. PLAN, "squeue: late [E-slurm]")
    shell.write(folder .. "/bin/squeue", "#!/bin/sh\nexec >&- 2>&-\nsleep 1000\n")
    fails(5, "--dry-run --once " .. PLAN, "squeue: late [E-slurm]")
  end)

  it("says which command is not there", function ()
    shell.run(("mkdir %s/only && ln -s $(command -v env) %s/only/env"):format(folder, folder))
    local status, _, err = shell.run(("allot=$(realpath %s); PATH=%s/only $allot slurm --dry-run "
      .. "--once %s"):format(shell.allot, folder, PLAN))
    assert.equal(5, status)
    assert.truthy(err:find("squeue is not here: the PATH has no such command [E-slurm]", 1, true),
      err)
  end)

  it("says where plan and cluster differ, and goes on", function ()
    local function notes(plan)
      local status, out, err = slurm("--dry-run --once " .. plan)
      assert.equal(0, status, err)
      return err, out
    end
    answer("scontrol", "AccountingStorageEnforce = none")
    assert.truthy(notes(PLAN):find("Slurm enforces no ceilings: slurm.conf has "
      .. "AccountingStorageEnforce=none, without limits", 1, true))
    answer("scontrol", "AccountingStorageEnforce = associations,limits")
    shell.write(folder .. "/other.json", [[{"version": 1, "slots": 32, "policy": "hybrid",
      "consumers": [{"name": "c"}, {"name": "physics"}, {"name": "d1"}, {"name": "d2"},
        {"name": "d3"}, {"name": "d4"}, {"name": "d5"}]}]])
    assert.truthy(notes(folder .. "/other.json"):find("no account or user of Slurm stands for "
      .. "/physics, /d1, /d2, /d3, /d4 and 1 more", 1, true))
    answer("sacctmgr", ACCOUNTS .. "\nB||root||||||x")
    assert.truthy(notes(PLAN):find("each of several accounts or users may use all of a consumer's "
      .. "slots: /b (B, b)", 1, true))
    answer("sacctmgr", "sacctmgr: error: no database")
    shell.write(folder .. "/bin/sacctmgr", "#!/bin/sh\necho no database >&2; exit 1\n")
    assert.truthy(notes(PLAN):find("accounts cannot be read: sacctmgr: exit 1: no database", 1,
      true))
  end)

  it("says that the service has another plan", function ()
    shell.write(folder .. "/plan.json", [[{"version": 1, "slots": 32, "policy": "hybrid",
      "consumers": [{"name": "other"}]}]])
    local _, out = shell.run(([[cd %s; allot=$(realpath $OLDPWD/%s)
      $allot serve plan.json >served 2>&1 & service=$!
      for _ in $(seq 100); do test -S plan.json.sock && break; sleep 0.1; done
      PATH=%s/bin:$PATH $allot slurm --once --out . --socket plan.json.sock $OLDPWD/%s 2>&1
      kill $service]]):format(folder, shell.allot, folder, PLAN))
    assert.truthy(out:find('did not take 4 rows (is its plan another?): 7: ', 1, true), out)
    assert.truthy(out:find('found the path "/%a", which no consumer of the plan has'), out)
  end)

  it("checks its options before it looks", function ()
    fails(2, PLAN, "--socket says where the service listens, or --dry-run prints commands")
    fails(2, "--dry-run --rest /none " .. PLAN, "--rest: /none is no leaf of the plan")
    fails(2, "--dry-run --slot % " .. PLAN, '--slot: "%" is no [GROUP=]TRES[@PARTITION]')
    fails(2, "--dry-run --slot cpu --slot mem " .. PLAN, "--slot names 2 groups, the plan has 1")
    fails(2, "--dry-run --slot cpu=cpu examples/whole/plan.json",
      "--slot does not say what a slot of the group gpu is")
    fails(5, "--dry-run --once missing.json", "missing.json: error: cannot be read")
    fails(3, "--dry-run --once examples/slurm/README.md", "E-syntax")
    fails(5, "--status " .. folder .. "/plan.json", "no bridge has run for this plan")
  end)

  it("asks the function of --map for consumers", function ()
    shell.write(folder .. "/map.lua", 'return function (job)\n'
      .. '  return job.group == "c" and job.user == "carol" and "/b" or nil\nend\n')
    local status, out, err = slurm(("--dry-run --once --map %s/map.lua %s"):format(folder, PLAN))
    assert.equal("", err)
    assert.equal(0, status)
    -- What c owns, and room for carol's job, which Slurm counts in c.
    assert.truthy(out:find("name=c set GrpTRES=cpu=12\n", 1, true), out)
    shell.write(folder .. "/map.lua", 'return function (job) return "/none" end\n')
    fails(5, ("--dry-run --once --map %s/map.lua %s"):format(folder, PLAN),
      "the map gives job 7 to /none, which is no leaf of the plan [E-slurm]")
    shell.write(folder .. "/map.lua", 'return function (job) while true do end end\n')
    fails(5, ("--dry-run --once --map %s/map.lua %s"):format(folder, PLAN), "--map: ")
  end)

  it("goes on while the service is away, and reports that", function ()
    local status, _, err = shell.run(("PATH=%s/bin:$PATH timeout --preserve-status -s TERM 3 "
      .. "%s slurm --interval 1 --socket %s/none.sock --out %s %s"):format(folder, shell.allot,
      folder, folder, PLAN))
    assert.equal(0, status, err)
    assert.truthy(err:find("the service: ", 1, true), err)
    assert.truthy(err:find("ended: ceilings stay as they are", 1, true), err)
    status, _, err = slurm(("--status --out %s %s"):format(folder, PLAN))
    assert.equal(0, status, err)
    local _, out = slurm(("--status --out %s %s"):format(folder, PLAN))
    assert.truthy(out:find "^last pass %d+ s ago, last decision never\ntrouble: the service: ", out)
  end)
end)
