-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot import` of EGO's consumer trees. The files are written from public descriptions, as no
--- real one was to be had; the plans and notes are by hand.

local Random = require "allot.check.random"
local core = require "allot.core"
local import = require "spec.support.import.texts"
local shell = require "spec.support.house.shell"

local RATIO = [[
<?xml version="1.0" encoding="UTF-8"?>
<DistributionPolicyConfiguration xmlns="http://www.platform.com/ego/2005/05/schema">
  <ConsumerHierarchy>
    <Consumer ConsumerName="physics">
      <ConsumerProperties><Admin>Admin</Admin><ExecutionUser>egoadmin</ExecutionUser>
        </ConsumerProperties>
      <Consumer ConsumerName="lattice">
        <ConsumerProperties><User>ann</User><ReclaimGracePeriod>60</ReclaimGracePeriod>
          </ConsumerProperties>
      </Consumer>
      <Consumer ConsumerName="optics"/>
    </Consumer>
    <Consumer ConsumerName="biology"/>
    <Consumer ConsumerName="ManagementServices"/>
  </ConsumerHierarchy>
  <DistributionTree DistributionTreeName="ComputeHosts">
    <ResourceGroupName>ComputeHosts</ResourceGroupName>
    <PolicyParameter ParameterName="DistributeBy">EqualFreeSlot</PolicyParameter>
    <Consumer ConsumerName="physics">
      <DistributionPolicies><SharingPolicy><Shares Type="ratio">3</Shares></SharingPolicy>
        </DistributionPolicies>
      <Consumer ConsumerName="lattice">
        <DistributionPolicies>
          <Rank>0</Rank>
          <SharingPolicy><Shares Type="ratio">2</Shares><Shares Type="limit">40</Shares>
            </SharingPolicy>
        </DistributionPolicies>
      </Consumer>
      <Consumer ConsumerName="optics">
        <DistributionPolicies><Rank>1</Rank><SharingPolicy><Shares Type="ratio">1</Shares>
          </SharingPolicy></DistributionPolicies>
      </Consumer>
    </Consumer>
    <Consumer ConsumerName="biology">
      <DistributionPolicies><SharingPolicy><Shares Type="ratio">2</Shares></SharingPolicy>
        </DistributionPolicies>
    </Consumer>
    <Consumer ConsumerName="chemistry">
      <DistributionPolicies><SharingPolicy><Shares Type="ratio">1</Shares></SharingPolicy>
        </DistributionPolicies>
    </Consumer>
  </DistributionTree>
  <DistributionTree DistributionTreeName="ManagementHosts">
    <ResourceGroupName>ManagementHosts</ResourceGroupName>
    <PolicyParameter ParameterName="DistributeBy"/>
    <Consumer ConsumerName="ManagementServices">
      <DistributionPolicies><SharingPolicy><Shares Type="ratio">1</Shares></SharingPolicy>
        </DistributionPolicies>
    </Consumer>
  </DistributionTree>
</DistributionPolicyConfiguration>
]]
local RATIO_PLAN = [[
{
  "version": 1,
  "policy": "share_ratio",
  "consumers": [
    {
      "name": "physics",
      "children": [
        {"name": "lattice", "grace": 60},
        {"name": "optics", "rank": 1}
      ]
    },
    {"name": "biology"},
    {"name": "ManagementServices"}
  ],
  "groups": {
    "ComputeHosts": {
      "slots": 100,
      "consumers": {
        "/physics": {"share": 3},
        "/physics/lattice": {"share": 2, "share_limit": 40},
        "/physics/optics": {"share": 1},
        "/biology": {"share": 2},
        "/ManagementServices": {"share": 0}
      }
    },
    "ManagementHosts": {
      "slots": 8,
      "consumers": {
        "/physics": {"share": 0},
        "/biology": {"share": 0},
        "/ManagementServices": {"share": 1}
      }
    }
  }
}
]]
local OWNERSHIP = [[
<?xml version="1.0" encoding="UTF-8"?>
<DistributionPolicyConfiguration xmlns="http://www.platform.com/ego/2005/05/schema">
  <ConsumerHierarchy>
    <Consumer ConsumerName="risk">
      <ConsumerProperties><ReclaimGracePeriod>60</ReclaimGracePeriod><Rebalance>true</Rebalance>
        </ConsumerProperties>
    </Consumer>
    <Consumer ConsumerName="science">
      <Consumer ConsumerName="genomics"><ConsumerProperties><Rebalance>false</Rebalance>
        </ConsumerProperties></Consumer>
      <Consumer ConsumerName="climate"/>
    </Consumer>
  </ConsumerHierarchy>
  <DistributionTree DistributionTreeName="ComputeHosts">
    <ResourceGroupName>ComputeHosts</ResourceGroupName>
    <PolicyParameter ParameterName="DistributeBy"/>
    <Consumer ConsumerName="risk">
      <DistributionPolicies>
        <Rank>0</Rank>
        <TimeWindow StartTime="0" EndTime="8"><OwnershipPolicy><Owned>4</Owned>
          </OwnershipPolicy></TimeWindow>
        <TimeWindow StartTime="8" EndTime="18">
          <OwnershipPolicy><Owned>12</Owned><Reserved>2</Reserved></OwnershipPolicy>
          <LendingPolicy><Limit>6</Limit><ConsumerPath>/science/genomics</ConsumerPath>
            </LendingPolicy>
        </TimeWindow>
        <TimeWindow StartTime="18" EndTime="24"><OwnershipPolicy><Owned>4</Owned>
          </OwnershipPolicy></TimeWindow>
      </DistributionPolicies>
    </Consumer>
    <Consumer ConsumerName="science">
      <DistributionPolicies>
        <Rank>1</Rank>
        <TimeWindow StartTime="0" EndTime="8"><OwnershipPolicy><Owned>20</Owned>
          </OwnershipPolicy></TimeWindow>
        <TimeWindow StartTime="8" EndTime="18"><OwnershipPolicy><Owned>12</Owned>
          </OwnershipPolicy></TimeWindow>
        <TimeWindow StartTime="18" EndTime="24"><OwnershipPolicy><Owned>20</Owned>
          </OwnershipPolicy></TimeWindow>
      </DistributionPolicies>
      <Consumer ConsumerName="genomics">
        <DistributionPolicies>
          <TimeWindow StartTime="0" EndTime="24">
            <OwnershipPolicy><Owned>8</Owned></OwnershipPolicy>
            <BorrowingPolicy><Limit>6</Limit><ConsumerPath>/risk</ConsumerPath></BorrowingPolicy>
          </TimeWindow>
        </DistributionPolicies>
      </Consumer>
      <Consumer ConsumerName="climate">
        <DistributionPolicies>
          <SharingPolicy><Shares Type="ratio">3</Shares></SharingPolicy>
          <TimeWindow StartTime="0" EndTime="24"><OwnershipPolicy><Owned>4</Owned>
            </OwnershipPolicy></TimeWindow>
        </DistributionPolicies>
      </Consumer>
    </Consumer>
  </DistributionTree>
</DistributionPolicyConfiguration>
]]
local OWNERSHIP_PLAN = [[
{
  "version": 1,
  "slots": 24,
  "policy": "ownership",
  "consumers": [
    {"name": "risk", "owned": 4, "grace": 60},
    {
      "name": "science",
      "rank": 1,
      "owned": 20,
      "children": [
        {"name": "genomics", "owned": 8, "rebalance": false, "borrow": ["/risk"],
          "borrow_limit": 6},
        {"name": "climate", "owned": 4, "share": 3}
      ]
    }
  ],
  "windows": [
    {
      "from": "08:00",
      "to": "18:00",
      "group": "default",
      "consumers": {
        "/risk": {"owned": 12, "reserve": 2, "lend": ["/science/genomics"], "lend_limit": 6},
        "/science": {"owned": 12}
      }
    }
  ]
}
]]
local RATIO_NOTES = {
  "a:1: note: no file of EGO was seen when this was written: compare what was guessed (Rank, "
    .. "ReclaimGracePeriod, SharingPolicy/Shares limit) with the console",
  "a:5: note: ConsumerProperties/Admin is not carried over",
  "a:5: note: ConsumerProperties/ExecutionUser is not carried over",
  "a:8: note: ConsumerProperties/User is not carried over",
  "a:18: note: ComputeHosts: DistributeBy EqualFreeSlot is not carried over: \"placement\" is of "
    .. "all groups, and others pack",
  "a:38: note: chemistry is not in ConsumerHierarchy: EGO does not recognize it; not carried over",
}
local OWNERSHIP_NOTES = {
  "a:1: note: no file of EGO was seen when this was written: compare what was guessed "
    .. "(BorrowingPolicy/ConsumerPath, BorrowingPolicy/Limit, LendingPolicy/ConsumerPath, "
    .. "LendingPolicy/Limit, OwnershipPolicy/Owned, OwnershipPolicy/Reserved, Rank, Rebalance, "
    .. "ReclaimGracePeriod, TimeWindow) with the console",
  "a:1: note: hours are UTC's unless the plan's \"timezone\" says where they are",
  "a:8: note: /science owns 20 in ComputeHosts, its consumers 12: the rest is its pool",
}

--- A tree of the group G with these elements, and consumers that no hierarchy names.
local function group(inner)
  return '<x:Plan xmlns:x="y"><x:DistributionTree DistributionTreeName="G">' .. inner
    .. "</x:DistributionTree></x:Plan>"
end

--- A consumer of the first level with these policies.
local function consumer(name, policies)
  return ('<Consumer ConsumerName="%s"><DistributionPolicies>%s</DistributionPolicies></Consumer>')
    :format(name, policies)
end

local function owned(slots)
  return ("<OwnershipPolicy><Owned>%s</Owned></OwnershipPolicy>"):format(slots)
end

local function from_to(from, to, inner)
  return ('<TimeWindow StartTime="%s" EndTime="%s">%s</TimeWindow>'):format(from, to, inner)
end

describe("EGO's consumer trees", function ()
  local folder

  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)

  local function plan_of(texts, ...)
    local plan, notes = import.plan(folder, texts, ...)
    return plan, import.lines(notes)
  end
  local function refused(texts, why, ...) import.refused(folder, why, texts, ...) end

  it("of ratios are shares in the groups of their trees", function ()
    local plan, notes = plan_of(RATIO, "--slots", "ComputeHosts=100", "--slots",
      "ManagementHosts=8")
    assert.same(core.decode(RATIO_PLAN), plan)
    assert.same(RATIO_NOTES, notes)
    refused(RATIO, "--slots ManagementHosts=N says how many slots ManagementHosts has: the file "
      .. "does not", "--slots", "ComputeHosts=100")
  end)

  it("that own slots lend them by the hour", function ()
    local plan, notes = plan_of(OWNERSHIP)
    assert.same(core.decode(OWNERSHIP_PLAN), plan)
    assert.same(OWNERSHIP_NOTES, notes)
  end)

  it("without a hierarchy have the consumers of their trees", function ()
    local plan = plan_of(group(consumer("a b", '<SharingPolicy><Shares Type="ratio">1.5</Shares>'
      .. "</SharingPolicy>") .. consumer("c", "")), "--slots", "9")
    assert.same({ { name = "a_b", share = 3 }, { name = "c", share = 2 } }, plan.consumers)
    assert.equal(9, plan.slots)
  end)

  it("go back to what holds otherwise, also over midnight", function ()
    local plan = plan_of(group(consumer("a", from_to(22, 24, owned(4)) .. from_to(0, "6:30",
      owned(4)) .. from_to("6:30", 22, owned(8) .. "<LendingPolicy><Limit>3</Limit>"
      .. "</LendingPolicy>"))), "--slots", "G=8")
    assert.same({ { name = "a", owned = 8, lend_limit = 3 } }, plan.consumers)
    assert.same({ { from = "22:00", to = "06:30", group = "default",
      consumers = { ["/a"] = { owned = 4, lend_limit = 1000000000 } } } }, plan.windows)
    local text = group(consumer("a", from_to(0, 6, owned(1)) .. from_to(6, 24, owned(2))))
    refused(text, "--slots N says how many slots G has: what is owned differs by the hour")
  end)

  it("place slots as all of their groups say", function ()
    local by = '<PolicyParameter ParameterName="DistributeBy">%s</PolicyParameter>'
    local plan = plan_of(group(by:format "EqualFreeSlot" .. consumer("a", owned(2))))
    assert.same({ { placement = "balanced" }, 2 }, { plan.options, plan.slots })
    local _, notes = plan_of(group(by:format "Moon" .. consumer("a", owned(2))))
    assert.equal("a:1: note: G: DistributeBy Moon is not carried over", notes[1])
  end)

  it("have notes where a plan does not carry them over", function ()
    local _, notes = plan_of(group("\n<ResourceGroupName>G</ResourceGroupName>"
      .. "<ResourceGroupName>H</ResourceGroupName><Odd/>\n<Consumer/>\n"
      .. consumer("a", owned(2) .. owned(3) .. "<Odd><Owned/></Odd><OwnershipPolicy><Odd/>"
        .. "</OwnershipPolicy><LendingPolicy><ConsumerPath>/gone</ConsumerPath></LendingPolicy>")
      .. "\n" .. consumer("a", owned(5))))
    table.remove(notes, 1)
    assert.same({
      "a:2: note: G has several resource groups: its slots are theirs in sum",
      "a:2: note: Odd is not carried over",
      "a:3: note: a Consumer without ConsumerName is not carried over",
      "a:4: note: a: Owned is stated again: the first holds",
      "a:4: note: /gone is no consumer of the hierarchy: not carried over",
      "a:4: note: DistributionPolicies/Odd is not carried over",
      "a:4: note: DistributionPolicies/OwnershipPolicy/Odd is not carried over",
      "a:5: note: a is stated again: the first holds",
    }, notes)
  end)

  it("have notes for limits, each with its policy", function ()
    local plan, notes = plan_of(group(consumer("a", owned(4)
      .. "<BorrowingPolicy><Limit>6</Limit><Limit>7</Limit></BorrowingPolicy>\n"
      .. "<LendingPolicy><Limit>2</Limit><ConsumerPath>/b</ConsumerPath></LendingPolicy>")
      .. consumer("b", owned(1))))
    assert.same({ name = "a", owned = 4, borrow_limit = 6, lend_limit = 2, lend = { "/b" } },
      plan.consumers[1])
    assert.same({ "a: BorrowingPolicy/Limit is stated again: the first holds",
      "a: BorrowingPolicy/Limit without a ConsumerPath is read as of everybody" },
      { notes[1]:match "note: (.*)", notes[2]:match "note: (.*)" })
  end)

  it("have notes for attributes, texts, and words where they have no place", function ()
    local plan, notes = plan_of('<x:Plan xmlns:x="y"><ConsumerHierarchy>\n'
      .. '<Consumer ConsumerName="a" Disabled="true"><DistributionPolicies>' .. owned(4)
      .. '</DistributionPolicies></Consumer></ConsumerHierarchy>\n'
      .. '<DistributionTree DistributionTreeName="G"><PolicyParameter ParameterName="Odd"/>\n'
      .. consumer("a", '<OwnershipPolicy Enabled="no">7<Owned unit="percent">12</Owned>'
        .. "</OwnershipPolicy>\n" .. '<TimeWindow StartTime="1" EndTime="2" Days="Mon">'
        .. "<Rank>3</Rank></TimeWindow>") .. "</DistributionTree></x:Plan>")
    assert.same({ { name = "a", owned = 12 } }, plan.consumers)
    table.remove(notes, 1)
    table.remove(notes, 1)
    assert.same({
      "a:2: note: /a: owned in ConsumerHierarchy is not carried over: trees say it",
      "a:2: note: Consumer Disabled is not carried over",
      "a:3: note: PolicyParameter Odd is not carried over",
      "a:4: note: DistributionPolicies/OwnershipPolicy Enabled is not carried over",
      "a:4: note: DistributionPolicies/OwnershipPolicy: 7 is not carried over",
      "a:4: note: DistributionPolicies/OwnershipPolicy/Owned unit is not carried over",
      "a:5: note: a: Rank of a TimeWindow is not carried over: a plan has one of all hours",
      "a:5: note: DistributionPolicies/TimeWindow Days is not carried over",
    }, notes)
  end)

  it("go by ownership if some window has it", function ()
    local text = group(consumer("a", from_to(1, 2, owned(5))))
    assert.equal("ownership", plan_of(text, "--slots", "9").policy)
  end)

  it("need words that are known, in their ranges", function ()
    refused(group(consumer("a", "<Possession>4</Possession>")), "no word of this file's policies "
      .. "is known", "--slots", "4")
    refused(group(consumer("a", owned "four")), "a: Owned four, allowed a whole number from 0")
    refused(group(consumer("a", owned "")), "a: Owned is empty, allowed a whole number from 0")
    refused(group(consumer("a", from_to(18, 8, owned(1)))), "TimeWindow from 18 to 8, allowed "
      .. "an end after the begin: over midnight two, to 24 and from 0")
    refused(group(consumer("a", from_to(8, 8, owned(1)))), "TimeWindow from 8 to 8, allowed an end")
    refused(group(consumer("a", from_to(8, 25, owned(1)))), "TimeWindow from 8 to 25, allowed "
      .. "hours from 0 to 24")
    refused(group(consumer("a", from_to(0, 8, owned(1)) .. from_to(7, 9, owned(1)))), "a: this "
      .. "window begins before that of line 1 ends")
    refused("<Plan><ConsumerHierarchy/></Plan>", "there is no DistributionTree")
  end)

  it("that are broken at random give a plan, or what is wrong", function ()
    local words = { "0", "24", "-3", "99999999999999999999", "", "/science", "x", "8:30", "true" }
    for seed = 1, 60 do
      local random, text = Random.new(seed), seed % 2 == 0 and RATIO or OWNERSHIP
      for _ = 1, random:int(1, 4) do
        local tags = {}
        for from, to in text:gmatch "()<[^>]*>()" do tags[#tags + 1] = { from, to } end
        local a, b = random:pick(tags), random:pick(tags)
        if random:once_in(3) then -- a word in place of another
          text = text:gsub(random:pick { '"%w*"', ">[%w/]+<" }, function (found)
            if not random:once_in(9) then return nil end
            return found:sub(1, 1) .. random:pick(words) .. found:sub(-1)
          end)
        elseif random:once_in(3) then -- an element's tag twice, or gone
          text = text:sub(1, a[2] - 1) .. text:sub(random:pick { a[1], a[2] })
        else -- a piece in another place
          text = text:sub(1, b[1] - 1) .. text:sub(a[1], a[2] - 1) .. text:sub(b[1])
        end
      end
      local status, out, err = import.run(folder, text, "--slots", "24")
      assert.is_true(status == 0 or status == 3 or status == 2, ("seed %d: %s"):format(seed, err))
      assert.equal(status == 0, core.plan(out) ~= nil, err)
    end
  end)
end)

describe("allot import --from", function ()
  local folder

  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)

  it("says what files are that do not tell", function ()
    local wide = "\xff\xfe" .. group(consumer("a", owned(2))):gsub(".", "%0\0")
    import.refused(folder, "hint: --from says what they are", wide)
    assert.equal(2, import.plan(folder, wide, "--from", "ego").slots)
  end)

  it("knows its words", function ()
    local status, out, err = import.run(folder, "", "--from", "yarm")
    assert.same({ 2, "" }, { status, out })
    assert.truthy(err:find('--from is slurm|condor|pbs|kueue|ego|yarn|lsf, not "yarm"', 1, true),
      err)
    assert.truthy(err:find("did you mean yarn?", 1, true), err)
  end)
end)
