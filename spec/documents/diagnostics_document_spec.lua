-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What is said of plans and states that are not valid, fault by fault: those that other specs have
--- no use for. `spec/support/house/diagnostics.lua` finds the faults that no spec produces.

local core = require "allot.core"
local many = require "spec.support.cases.document".many

--- All that is said of a document, warnings too; of a state its plan has to be sound.
local function said_of(plan_text, state_text, policies)
  local plan, message, list = core.plan(plan_text, { policies = policies })
  if plan and state_text then plan, message, list = core.state(plan, state_text) end
  local said = {}
  for _, finding in ipairs(plan and message or list) do
    said[#said + 1] = ("%s; %s"):format(finding.message, finding.hint)
  end
  return table.concat(said, "\n")
end

local function says(cases, documents)
  local otherwise = {}
  for _, case in ipairs(cases) do
    local said = said_of(documents(case[1]))
    if not said:find(case[2], 1, true) then otherwise[case[1]:sub(1, 200)] = said end
  end
  assert.same({}, otherwise)
end

describe("a fault in a plan", function ()
  it("is told", function ()
    says({
      { '"consumers": [{"name": "a"}], "options": {"placement": "flat"}',
        'found "flat", allowed "stacked" or "balanced"' },
      { '"consumers": [{"name": "a"}], "hosts": {"h": {"slots": 1, "1x": 2}}',
        'found the attribute "1x", allowed a name like' },
      { '"consumers": [{"name": "a"}], "hosts": {"h": {"slots": 1, "name": 2}}',
        'found the attribute "name", which every host has' },
      { '"consumers": [{"name": "a"}], "hosts": {"h": {"slots": 1, "x": '
        .. ("1"):rep(70) .. "}}", "found a number of " },
      { '"consumers": [{"name": "a"}], "windows": [{"from": "08:00", "to": "09:00", '
        .. '"days": ["xx"]}]', '"thu", "fri", "sat" and "sun"' },
      { '"consumers": [{"name": "a"}], "timezone": "../x", "windows": [{"from": "08:00", '
        .. '"to": "09:00"}]', "which is no name of one" },
      { '"consumers": [{"name": "a", "requires": "x"}]', 'has no requirement "x"' },
      { '"consumers": [{"name": "a", "owned": 1, "lend": true, "children": [{"name": "b"}]}], '
        .. '"policy": "ownership"', "it has children and lend" },
      { '"consumers": [{"name": "a", "owned": 4, "reserve": 2, "children": [{"name": "b", '
        .. '"owned": 4}]}], "policy": "ownership"', "it has children and reserves 2" },
      { '"consumers": [{"name": "a", "tru": tru}]', "did you mean true?" },
      { '"consumers": [{"name": "a", "x": fasle}]', "did you mean false?" },
      { '"consumers": [{"name": "a", "x": nul}]', "did you mean null?" },
      { '"consumers": [{"name": "a", "x": "b" "c"}]', 'found a string, expected "," or "}"' },
      { '"x": ' .. ("["):rep(2000), "lists and objects nest too deep, allowed " },
    }, function (keys) return ('{"version": 1, %s}'):format(keys) end)
  end)

  it("is told of queues", function ()
    says({
      { '"queues": [{"name": "a"}], "groups": {"x": {}, "y": {}}',
        "queues are of one group, but there are 2" },
      { '"queues": [{"name": "a", "slot_pool": "p", "slot_share": 5, "slot_reserve": true, '
        .. '"max_slots_in_pool": 2, "backfill": true}]', "cannot use slots that are reserved" },
      { '"queues": [{"name": "a"}], "policy": "hybrid"',
        "queues go by a policy that dispatches: preemption, queue_pool, shared_lease" },
      { '"consumers": [{"name": "a"}], "policy": "preemption"',
        "consumers go by a policy that divides slots: hybrid, ownership, share_ratio" },
      { '"queues": [{"name": "a", "fairshare_queues": true}]',
        "there is no fairshare across queues here" },
      { '"queues": [{"name": "a"}], "resources": {"lic": {"hosts": ["h"]}}',
        'found "hosts", allowed an amount alone' },
      { '"queues": [{"name": "a"}], "resources": {"lic": 2}, '
        .. '"params": {"preemptable_resources": ["lic"]}', "no queue preempts another" },
      { '"queues": [{"name": "a", "priority": 2, "preemptive": true}, {"name": "b"}], '
        .. '"resources": {"lic": 2}, "params": {"preemptable_resources": ["lic"]}',
        "so none releases any" },
      { '"queues": [{"name": "a"}], "user_groups": {"g": ["all"]}',
        "allowed users and groups by name: a plan knows no others" },
      { '"queues": [{"name": "a"}], "user_groups": {"": ["x"]}', "found the group of users" },
      { '"queues": [{"name": "a"}], "applications": {"": {}}', 'found the application ""' },
      { '"queues": [{"name": "a"}], "limits": [{"slots": 1, "queues": ["all", "~z"]}]',
        'found "~z", which is no queue' },
      { '"queues": [{"name": "a"}], "limits": [{"slots": 1, "queues": ["~a"]}]',
        "found a list that names no queue" },
      { '"queues": [{"name": "a"}], "limits": [{"name": "", "slots": 1}]',
        "found a limit's name of too few or many bytes" },
      { '"queues": [{"name": "a"}], "limits": [{"slots": 1, "users": [""]}]',
        "allowed names of" },
      { '"queues": [{"name": "a"}], "params": {"preempt_for": "x"}', 'unknown word "x"' },
      { '"queues": [{"name": "a"}], "policy": {"use": "preemption", "max_job_preempt": 2}',
        'write it in "params" of the plan, or in a queue' },
    }, function (keys) return ('{"version": 1, "slots": 4, %s}'):format(keys) end)
  end)

  it("is told of contracts", function ()
    says({
      { '{"name": "c", "provider": "P", "consumer": "C", "slots": 1}, '
        .. '{"name": "c", "provider": "P", "consumer": "C", "slots": 1}',
        'found the contract "c" again, allowed once' },
      { '{"name": "", "provider": "P", "consumer": "C", "slots": 1}', 'between "P" and "C"' },
      { '{"name": "c", "provider": "P", "consumer": "C"}', 'or "hosts" in its place' },
      { '{"name": "c", "provider": "P", "consumer": "C", "slots": 5, "hosts": {"h": 2}}',
        "slots beside hosts that say otherwise" },
      { '{"name": "c", "provider": "P", "consumer": "C", "hosts": {}}',
        "found no slots of any host, allowed hosts with some" },
      { '{"name": "c", "provider": "P", "consumer": "C", "hosts": ["h"]}, '
        .. '{"name": "d", "provider": "P", "consumer": "C", "hosts": ["h"]}',
        "is in the contract c already" },
      { '{"name": "c", "provider": "P", "consumer": "C", "per_host": ["h"], "slots": 1, '
        .. '"distribution": [["C", 1]]}', "in an export policy, which says by" },
      { '{"name": "c", "provider": "P", "per_host": ["h"], "slots": 1, "distribution": [["C"]]}',
        'found a list of 1, allowed ["consumer", shares]' },
      { '{"name": "c", "provider": "P", "per_host": ["h"], "slots": 1}',
        '"distribution" is missing' },
      { '{"name": "c", "provider": "P", "per_host": ["h"], "distribution": [["C", 1]]}',
        '"slots" is missing: on each host of "per_host"' },
      { '{"name": "c", "provider": "P", "res_select": "type == any", "nhosts": 1, "slots": 1, '
        .. '"distribution": [["C", 1]]}', "which lends whole hosts" },
      { '{"name": "c", "provider": "P", "per_host": ["h"], "slots": 1, "res_select": "x == 1", '
        .. '"distribution": [["C", 1]]}', 'found "per_host" beside it' },
    }, function (leases)
      return ('{"version": 1, "policy": "shared_lease", "hosts": {"h": {"slots": 4}}, '
        .. '"leases": [%s]}'):format(leases)
    end)
  end)
end)

describe("a fault in what a plan's policies make of it", function ()
  local FILLS = 'return policy { name = "x", quota = { fill "a" {} } }'

  it("is told", function ()
    local policies = {
      circle = 'return policy { name = "x", preempts = relation { preemptive_or_preemptable } }',
    }
    for i = 1, 300 do policies["p" .. i] = FILLS end
    assert.truthy(said_of('{"version": 1, "consumers": ['
      .. many(300, '{"name": "a#", "policy": "p#"}') .. "]}", nil, policies)
      :find("a plan has at most 254 branches with a policy of their own", 1, true))
    assert.truthy(said_of('{"version": 1, "slots": 2, "policy": "circle", "queues": '
      .. '[{"name": "a", "preemptive": true}, {"name": "b", "preemptive": true}]}', nil, policies)
      :find("queues preempt each other in a circle: ", 1, true))
  end)
end)

describe("a fault in a state", function ()
  it("is told of jobs", function ()
    says({
      { '"jobs": [{"id": "1", "queue": "a", "slots": 2, "state": "running", '
        .. '"hosts": {"h": 1000000000, "i": 1000000000}}]', "found more than 1000000000 slots" },
      { '"jobs": [{"id": "1", "queue": "a", "user": ""}]',
        "found \"\", allowed the name of the job's user" },
      { '"jobs": [{"id": "' .. ("x"):rep(300) .. '", "queue": "a"}]',
        "for its hosts, user, group and app too" },
      { '"jobs": [{"id": "1", "queue": "a", "resize": {"granted": 1}}]',
        "is pending, and so has nothing to resize; only what runs is given slots (P-53)" },
      { '"jobs": [{"id": "1", "queue": "a", "hosts": {"h": 1}}]',
        "is pending, and so is on no host" },
      { '"jobs": [' .. many(2, '{"id": "#", "queue": "a", "slots": 1000000000}') .. "]",
        "its jobs have 2000000000 slots" },
      { '"usage_rest": {"a": 1}', 'which "usage" does not have' },
    }, function (keys)
      return '{"version": 1, "hosts": {"h": {"slots": 4}, "i": {"slots": 4}}, '
        .. '"queues": [{"name": "a"}]}', ('{"now": 0, %s}'):format(keys)
    end)
  end)

  it("is told of queues that run nowhere", function ()
    assert.truthy(said_of('{"version": 1, "queues": [{"name": "a"}]}', '{"now": 0, "jobs": []}')
      :find("neither plan nor state says how many slots the queues' jobs run on", 1, true))
  end)

  it("is told of contracts", function ()
    assert.truthy(said_of('{"version": 1, "leases": [{"name": "c", "provider": "P", '
      .. '"consumer": "C", "slots": 2}]}', '{"now": 0, "leases": {"c": {"phase": "x"}}}')
      :find('allowed "conn", "ok" or "inactive"', 1, true))
  end)

  it("is told of consumers", function ()
    says({
      { '"loans": [{"lender": "/a", "borrower": "/a", "slots": 1}]',
        "the lender itself, allowed another consumer" },
      { '"tasks": [{"id": "t", "consumer": "/a"}], "consumers": {"/a": {"allocated": 1}}, '
        .. '"reclaims": [{"id": "r", "consumer": "/a", "slots": 1, "tasks": ["t"]}, '
        .. '{"id": "s", "consumer": "/a", "slots": 1, "tasks": ["t"]}]',
        "is named by a reclaim already" },
      { ('"reclaims": [{"id": "r", "consumer": "/a", "slots": 1, "tasks": ["%s"]}]')
        :format(("t"):rep(256)), '...", allowed 1 ... 255 bytes' },
    }, function (keys)
      return '{"version": 1, "policy": "ownership", "consumers": [{"name": "a", "owned": 4}]}',
        ('{"now": 0, %s}'):format(keys)
    end)
  end)
end)
