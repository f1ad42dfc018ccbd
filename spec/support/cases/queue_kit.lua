-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Words for vectors about queues.

local kit = {}

--- `count` pending jobs of a queue.
function kit.burst(queue, count, slots)
  local out = {}
  for i = 1, count do
    out[i] = { id = queue .. "-" .. i, queue = queue, slots = slots, submitted = i }
  end
  return out
end

function kit.join(...)
  local out = {}
  for _, list in ipairs { ... } do
    for _, item in ipairs(list) do out[#out + 1] = item end
  end
  return out
end

--- `count` hosts h1, h2, ... of so many slots.
function kit.hosts(count, slots)
  local out = {}
  for i = 1, count do out["h" .. i] = { slots = slots } end
  return out
end

--- A job that runs on one host.
function kit.running(id, queue, host, slots, extra)
  local out = extra or {}
  out.id, out.queue, out.state, out.slots = id, queue, "running", slots or 1
  out.hosts = { [host] = slots or 1 }
  return out
end

--- A function that adds vectors to a list: of a rule, two documents, what is expected of them.
function kit.adder(list, policy)
  return function (rule, plan, state, expect)
    plan.version, plan.policy = 1, plan.policy or policy
    state.now = state.now or 100000
    expect.rule, expect.plan, expect.state = rule, plan, state
    list[#list + 1] = expect
  end
end

return kit
