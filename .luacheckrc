-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
std = "lua54"
max_line_length = 100
codes = true

-- What a policy finds in its sandbox (allot types --format luacheck).
stds.allot = {
  read_globals = {
    "policy", "fill", "pool", "loan", "order", "asc", "desc", "none", "part", "held", "percent",
    "words", "relation", "higher", "preemptive_or_preemptable", "guard", "min_run_time",
    "max_preemptions", "spare_tagged", "max_job_preempt", "max_total_time_preempt",
    "no_preempt_interval", "no_preempt_run_time", "no_preempt_finish_time", "most_recent_task",
    "policy_default", "host_by_host", "preemption", "property", "assert", "error", "ipairs",
    "log", "pairs", "pcall", "print", "require", "select", "tonumber", "tostring", "type",
    math = { fields = {
      "abs", "ceil", "floor", "fmod", "max", "min", "modf", "sqrt", "tointeger", "type", "ult",
      "huge", "maxinteger", "mininteger", "pi",
    } },
    string = { fields = {
      "byte", "char", "ends", "find", "format", "glob", "len", "lower", "rep", "reverse", "split",
      "starts", "sub", "upper",
    } },
    table = { fields = {
      "concat", "insert", "remove", "sort", "unpack",
    } },
  },
}

files["policies"] = { std = "allot" }
files["examples"] = { std = "lua54+allot" }
files["spec"] = { std = "lua54+busted" }
