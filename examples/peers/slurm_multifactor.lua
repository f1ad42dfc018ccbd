-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slurm's priority/multifactor: jobs of all QOSes, which are queues, in one order.
--
-- `priority` of a job is site factor less nice. Weights are 0 in Slurm unless stated.
--
-- Source: Slurm 26.11 (284c3b9), priority_multifactor.html; priority_multifactor.c.

local function count(default, doc)
  return { type = "integer", min = 0, max = 1000000, default = default, doc = doc }
end

return policy {
  name = "slurm_multifactor",
  doc = "Jobs by weighted factors of age and QOS, whatever their queue.",
  options = {
    weight_age = count(1000, "PriorityWeightAge"),
    max_age = count(604800, "PriorityMaxAge, seconds, at least 1"),
    weight_qos = count(1000, "PriorityWeightQOS"),
    most_qos = count(100, "the highest priority of a QOS, at least 1"),
  },
  dispatch = function (options)
    local age, qos = math.max(options.max_age, 1), math.max(options.most_qos, 1)
    return order {
      desc (function (waited, queue_priority, priority)
        local aged = options.weight_age * math.min(waited, age) * qos
        return priority + (aged + options.weight_qos * queue_priority * age) // (age * qos)
      end),
      "submitted",
    }
  end,
  across = true,
  preempts = false,
}
