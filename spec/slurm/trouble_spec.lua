-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the bridge says when something is wrong, and what it does then: its own loop on a fake
--- Slurm.

local core = require "allot.core"
local fake = require "spec.support.slurm.fake"
local world = require "spec.support.slurm.world"

local function of_32(options)
  local slurm = fake.new { nodes = 4, cpus = 8, accounts = { a = "root", b = "root" } }
  local plan = { version = 1, slots = 32, policy = "hybrid", consumers = core.list {
    { name = "a", owned = 20, grace = 2 }, { name = "b", owned = 12, grace = 2 } } }
  local it = world.new(plan, slurm, options)
  it:live(2)
  return it, slurm
end

local WELL = "all is well again"

describe("trouble", function ()
  --- What is said once while `cause` lasts, for two passes, and then that all is well.
  local function says(line, cause)
    local it, slurm = of_32()
    cause(it, slurm)
    assert.same({ line }, it:live(2))
    local status = core.decode(it.written["plan.json.slurm"])
    if not it.full then assert.equal(line, status.trouble) end
    it.deaf, it.undecided, it.dropped, it.full, slurm.broken = nil, nil, nil, nil, nil
    slurm.refuses = nil
    slurm.now = slurm.now + 30 -- accounts are looked at again
    assert.same({ WELL }, it:live(2))
  end

  local function answers(text)
    return function (_, slurm)
      local run = slurm.run
      slurm.broken = true
      function slurm.run(self, words)
        local out, why = run(self, words)
        if self.broken and words[1] == "squeue" then
          if text == "late" then return nil, "late" end
          return text
        end
        return out, why
      end
    end
  end

  it("is that squeue fails, is late, or makes no sense", function ()
    says("squeue: exit 1: Access/permission denied", function (_, slurm)
      slurm.refuses = "squeue"
    end)
    says("squeue: late", answers "late")
    says('squeue\'s line 1 makes no sense: "slurm_load_jobs error"',
      answers "slurm_load_jobs error\n")
  end)

  it("is that sinfo lists nothing, or makes no sense", function ()
    for text, line in pairs { [""] = "sinfo lists no node",
      ["sinfo: error\n"] = 'sinfo\'s line 1 makes no sense: "sinfo: error"' } do
      says(line, function (_, slurm)
        local sinfo = slurm.sinfo
        slurm.broken = true
        function slurm.sinfo(self) return self.broken and text or sinfo(self) end
      end)
    end
  end)

  it("is that accounts or QOS cannot be read", function ()
    says("accounts cannot be read: sacctmgr: exit 1: Access/permission denied",
      function (_, slurm)
        slurm.refuses, slurm.now = "sacctmgr", slurm.now + 30
      end)
    for _, list in ipairs { "list_accounts", "list_qos" } do
      says('accounts cannot be read: sacctmgr\'s line 1 makes no sense: "error"',
        function (_, slurm)
          local before = slurm[list]
          slurm.broken, slurm.now = true, slurm.now + 30
          slurm[list] = function (self) return self.broken and "error\n" or before(self) end
        end)
    end
  end)

  it("is that the service is lost, decides nothing, or leaves rows out", function ()
    says("the service: no answer", function (it) it.deaf = true end)
    says("the service decided nothing: a policy failed", function (it)
      it.undecided = "a policy failed"
    end)
    says("the service did not take 2 rows (is its plan another?): 7: slots: found 0",
      function (it, slurm)
        it.dropped = { { id = "7", error = { message = "slots: found 0" } }, {} }
        slurm:submit { account = "a", cpus = 1, run = 1 }
        slurm:tick(1)
      end)
  end)

  it("is that the status cannot be written", function ()
    says("plan.json.slurm cannot be written: No space left on device", function (it)
      it.full = true
      it:live(1)
      it.bridge.why = nil
    end)
  end)

  it("is a command that is refused, said once a minute, and tried again", function ()
    local it, slurm = of_32()
    slurm:submit { account = "b", cpus = 20, run = 1000 }
    slurm:tick(1)
    slurm.refuses = "sacctmgr"
    local line = "failed: sacctmgr -i -Q modify account where name=b set GrpTRES=cpu=20 "
      .. "(sacctmgr: exit 1: Access/permission denied)"
    local said = it:live(40)
    local count = 0
    for _, each in ipairs(said) do count = count + (each == line and 1 or 0) end
    assert.equal(2, count, table.concat(said, "\n"))
    slurm.refuses = nil
    slurm.now = slurm.now + 30
    it:live(2)
    assert.equal(20, slurm.accounts.b.limit)
  end)

  it("does not requeue, where that is refused, as often as it looks", function ()
    local it, slurm = of_32()
    for _ = 1, 8 do slurm:submit { account = "b", cpus = 4, run = 1000 } end
    it:live(3)
    slurm:submit { account = "a", cpus = 4, run = 1000 }
    slurm.refuses = "requeue"
    local tries = 0
    it:live(30)
    for _, each in ipairs(slurm.log) do tries = tries + (each:find "requeue" and 1 or 0) end
    assert.is_true(tries >= 2 and tries <= 5, tries .. " tries")
    slurm.refuses = nil
    it:live(15)
    assert.equal(4, slurm:used "a")
  end)
end)

describe("without a decision", function ()
  it("the ceilings are opened after a time, and tried again until they are", function ()
    local it, slurm = of_32 { stale = "10" }
    assert.equal(20, slurm.accounts.a.limit)
    it.deaf = true
    local run = slurm.run
    function slurm.run(self, words)
      if self.refuses and words[4] == "modify" then return nil, "denied" end
      return run(self, words)
    end
    slurm.refuses = "modify"
    assert.same({ "the service: no answer", "no decision for 10 s: the ceilings are opened",
      "failed: sacctmgr -i -Q modify account where name=a,b set GrpTRES=cpu=-1 "
        .. "(sacctmgr: exit 1: denied)" }, it:live(8))
    slurm.refuses = nil
    it:live(8)
    assert.is_nil(slurm.accounts.a.limit)
    assert.is_nil(slurm.accounts.b.limit)
    it.deaf = nil
    it:live(2)
    assert.equal(20, slurm.accounts.a.limit)
  end)
end)
