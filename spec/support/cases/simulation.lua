-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Simulations of small logs, for specs.

local json = require "dkjson"
local heard = require "spec.support.house.heard"
local shell = require "spec.support.house.shell"

local simulation = {}

--- A line of SWF: number, submission, run time and processors, then user, group and queue.
function simulation.swf(id, submit, run, slots, user, group, queue)
  return ("%d %d -1 %d %d -1 -1 -1 -1 -1 1 %d %d -1 %d -1 -1 -1\n"):format(id, submit, run, slots,
    user or -1, group or -1, queue or -1)
end

--- Runs the command over texts: `files` are plan, trace and others by name, written into a folder
-- of their own. Returns exit status, standard output and standard error.
function simulation.run(files, words)
  local at = shell.directory()
  for name, text in pairs(files) do shell.write(at .. "/" .. name, text) end
  local status, out, err =
    shell.run(("here=$PWD; cd %s && $here/%s simulate %s"):format(at, shell.allot, words))
  shell.remove(at)
  return status, out, err
end

--- The runs of a plan and a log, decoded; the first of them by itself.
function simulation.of(plan, log, words, files)
  local all = { ["plan.json"] = plan, log = log }
  for name, text in pairs(files or {}) do all[name] = text end
  local status, out, err = simulation.run(all, "plan.json log --all --format json "
    .. (words or ""))
  assert(status == 0, err .. out)
  local answer = assert(json.decode(out))
  for _, warning in ipairs(answer.warnings) do heard(warning.message) end
  return answer.runs[1], answer
end

--- The figures of a consumer.
function simulation.consumer(run, path)
  for _, row in ipairs(run.consumers) do
    if row.path == path then return row end
  end
  error("no consumer " .. path)
end

return simulation
