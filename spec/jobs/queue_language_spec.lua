-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a policy says of queues and leases, in plain Lua: what the words make, and what is said of
--- wrong ones. That the sandbox makes the same of it is tested in C (test/script/queues_test.c).

local allot = require "allot"
local columns = require "allot.language.columns"

local HERE = "spec/jobs/queue_language_spec.lua"

local function made(spec)
  spec.name = spec.name or "x"
  local policy = allot.policy(spec)
  return policy
end

--- What is said of a policy, without its place.
local function fault(spec)
  local fine, message = pcall(made, spec)
  assert.is_false(fine)
  return (message:gsub("^" .. HERE:gsub("%p", "%%%0") .. ":%d+: ", ""))
end

local function slice(spec)
  spec = spec or {}
  return allot.fill "slice" {
    order = spec.order or allot.order { "used_over_share" },
    up_to = allot.percent "slot_share", again = true, by = spec.by,
  }
end

describe("a policy that dispatches", function ()
  it("needs no quota", function ()
    local policy = made { dispatch = allot.order { allot.desc "priority", "submitted" } }
    assert.is_nil(policy.quota)
    assert.matches("a policy of queues has none, but says dispatch or preempts",
      fault { victims = allot.order { "ran" } })
    assert.equal(2, #policy.dispatch)
    assert.is_true(policy.dispatch[1].descending)
  end)

  it("divides no slots among consumers", function ()
    for key, value in pairs {
      quota = { allot.fill "a" {} }, distribute = allot.order { "rank" }, reclaim = false,
      recall = "last", shared = "keep", enforce = "leaf", scale = false, sessions = {},
      attributes = { zeal = { type = "integer" } },
    } do
      assert.equal(("'%s' divides slots among consumers; this policy dispatches jobs of queues")
        :format(key), fault { preempts = false, [key] = value })
    end
  end)

  it("rounds slices up, if it says so at all", function ()
    made { slices = slice(), round = "ceil_in_order" }
    assert.matches("^slices are rounded up", fault { slices = slice(), round = "webster" })
  end)

  it("blames the key that is no column of tasks", function ()
    assert.matches("^unknown column of tasks 'prority'.*; did you mean 'priority'%?$",
      fault { dispatch = { "prority" } })
    assert.equal("'owned' is a column of consumers; this rule is about tasks",
      fault { dispatch = { "owned" } })
  end)

  it("knows columns of jobs", function ()
    made {
      preempts = false,
      victims = allot.order { "queue_order", "load", "host", "queue_priority" },
      guards = { allot.guard "long" { value = "uninterrupted", min = 60 } },
    }
  end)
end)

describe("relation", function ()
  it("is a list of tests", function ()
    local test = function (high, low) return high.name < low.name end
    local policy = made {
      preempts = allot.relation { allot.higher "priority", allot.preemptive_or_preemptable, test },
    }
    assert.equal("higher", policy.preempts[1].test)
    assert.equal("priority", policy.preempts[1].field)
    assert.equal("preemptive_or_preemptable", policy.preempts[2].test)
    assert.equal(test, policy.preempts[3].test)
  end)

  it("may be one function, or nobody", function ()
    local test = function () return true end
    assert.equal(test, made { preempts = test }.preempts[1].test)
    assert.is_false(made { preempts = false }.preempts)
  end)

  it("says what is wrong with it", function ()
    local function said(...)
      local fine, message = pcall(...)
      assert.is_false(fine)
      return message:gsub("^[^ ]+: ", "")
    end
    assert.matches("^unknown number of a queue 'priorty'.*did you mean 'priority'%?$",
      fault { preempts = allot.relation { allot.higher "priorty" } })
    assert.matches('^higher takes the name of a number: higher "priority"; not a number$',
      said(function () local test = allot.higher(7) return test end))
    assert.matches("^test 2 of a relation is a string; a test is",
      said(function () local r = allot.relation { allot.higher "priority", "x" } return r end))
    assert.matches("^a relation has 0 tests; 1 to 8",
      said(function () local r = allot.relation {} return r end))
    assert.matches("^a relation is a list of tests; it has no 'may'",
      said(function ()
        local r = allot.relation { allot.higher "priority", may = 1 }
        return r
      end))
    local allowed = "preempts is a relation, a function of two queues, or false: nobody; not a "
    assert.equal(allowed .. "string", fault { preempts = "everybody" })
    assert.equal(allowed .. "boolean", fault { preempts = true })
  end)
end)

describe("words", function ()
  local function option(spec)
    return made { preempts = false, options = { w = spec } }.options[1]
  end

  it("are kept as bits of a number", function ()
    local kept = option(allot.words { "a", "b", "c", default = "C A", doc = "three" })
    assert.equal("words", kept.type)
    assert.equal(5, kept.default)
    assert.equal(7, kept.max)
    assert.equal("three", kept.doc)
    assert.same({ "a", "b", "c" }, kept.values)
    assert.equal(2, option(allot.words { "a", "b", default = { "b" } }).default)
    assert.equal(0, option { type = "words", values = { "a" } }.default)
  end)

  it("say what is wrong with them", function ()
    local function said(spec) return fault { preempts = false, options = { w = spec } } end
    assert.matches("^option 'w': unknown word 'd'; known are a, b",
      said(allot.words { "a", "b", default = "a d" }))
    assert.equal("option 'w': word 2 is no name in lower case (letters, digits, '_')",
      said(allot.words { "a", "B" }))
    assert.equal("option 'w': words are a list of 1 to 16", said(allot.words {}))
    assert.equal("option 'w': words have no min and max",
      said { type = "words", values = { "a" }, min = 1 })
    assert.matches("words is a list, with default and doc; it has no 'defualt'",
      select(2, pcall(function ()
        local w = allot.words { "a", defualt = "a" }
        return w
      end)))
  end)

  it("lift limits and name types of jobs", function ()
    assert.same({ "group_max", "user_jlp" }, made { lift = "USER_JLP  group_max" }.lift)
    assert.same({ "user_jlp" }, made { lift = { user_jlp = true, host_jlu = false } }.lift)
    assert.same({}, made { lift = "" }.lift)
    assert.same({ "backfill" }, made { job_types = { "backfill" } }.job_types)
    assert.matches("^lift: unknown word 'mini_job'; known are group_jlp",
      fault { lift = "mini_job" })
    assert.matches("^job_types is words: a text, a list", fault { job_types = 5 })
    local lift = made { lift = function (options) return options.said end }.lift
    assert.same({ "group_jlp" }, lift { said = "GROUP_JLP" })
    assert.matches("lift: unknown word 'jlp'", select(2, pcall(lift, { said = "jlp" })))
    assert.matches("lift is a function that returned nothing", select(2, pcall(lift, {})))
  end)

  it("are few", function ()
    assert.equal("easy", made { backfill = "easy" }.backfill)
    assert.matches("^backfill: unknown word 'eazy'.*did you mean 'easy'%?$",
      fault { backfill = "eazy" })
    assert.equal("mini_job", made { fewest = "mini_job" }.fewest)
    assert.matches("^fewest: unknown word 'minijob'.*did you mean 'mini_job'%?$",
      fault { fewest = "minijob" })
  end)
end)

describe("slices", function ()
  it("are a fill, or a list of one", function ()
    local fill = slice()
    assert.equal(fill, made { slices = fill }.slices)
    assert.equal(fill, made { slices = { fill } }.slices)
    assert.equal(fill, made { slices = function () return fill end }.slices {})
  end)

  it("say what is wrong with them", function ()
    assert.matches("^slices is a fill", fault { slices = { slice(), slice() } })
    assert.matches("^slices is a fill", fault { slices = allot.order { "used" } })
    assert.equal("a slice goes up to percent \"slot_share\"",
      fault { slices = allot.fill { order = { "used" }, again = true } })
    assert.equal("what slices leave over is cut again: again = true",
      fault { slices = allot.fill { order = { "used" }, up_to = allot.percent "slot_share" } })
    assert.matches("^slices are cut in an order",
      fault { slices = allot.fill { up_to = allot.percent "slot_share", again = true } })
    assert.equal("unknown percentage 'share'; known are slot_share",
      fault { slices = allot.fill { up_to = allot.percent "share", again = true } })
    assert.matches("^a slice is cut in an order", fault { slices = slice { by = 2 } })
    assert.matches("^unknown column of queues 'usde'.*did you mean 'used'%?$",
      fault { slices = slice { order = allot.order { "usde" } } })
    assert.equal("'ran' is a column of tasks; this rule is about queues",
      fault { slices = slice { order = allot.order { "ran" } } })
  end)

  it("are none of what consumers are given", function ()
    local quota = { allot.fill "a" { again = true } }
    assert.matches("^again is of slices", fault { quota = quota })
    quota = { allot.fill "a" { up_to = allot.percent "slot_share" } }
    assert.equal("unknown percentage 'slot_share'; known are share", fault { quota = quota })
  end)
end)

describe("guards of jobs", function ()
  it("are the parameters that protect them, each by what is left of it (P-30 to P-34)", function ()
    for _, name in ipairs {
      "max_job_preempt", "max_total_time_preempt", "no_preempt_interval", "no_preempt_run_time",
      "no_preempt_finish_time",
    } do
      local guard = allot[name]
      assert.equal(name, guard.label)
      assert.equal(1, guard.min)
      assert.is_truthy(columns.index(guard.value, columns.tasks))
    end
    assert.equal(2, #made {
      preempts = false, guards = { allot.max_job_preempt, allot.no_preempt_interval },
    }.guards)
  end)
end)

describe("lease", function ()
  it("is a function of two sides", function ()
    local rule = function () return "provider" end
    assert.equal(rule, made { lease = rule }.lease)
    assert.equal("lease is a function of provider and consumer, not a string",
      fault { lease = "provider" })
  end)
end)
