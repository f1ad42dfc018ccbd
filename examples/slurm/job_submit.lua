-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- For `allot slurm --hold`: Slurm's job_submit/lua plugin, which runs Lua 5.1. Jobs of the
--- accounts below are held as they come, and `allot slurm` releases them when they are granted. A
--- job of a reservation has its slots, and is not held.

-- luacheck: std lua51, globals slurm_job_submit slurm_job_modify, read globals slurm

local ACCOUNTS = { a = true, b = true, c = true }

function slurm_job_submit(job)
  if ACCOUNTS[job.account or job.default_account] and not job.reservation then job.priority = 0 end
  return slurm.SUCCESS
end

--- Without this users could release their own jobs.
function slurm_job_modify(job, record, _, uid)
  local raised = job.priority ~= slurm.NO_VAL and job.priority ~= 0
  if raised and record.priority == 0 and uid == record.user_id and ACCOUNTS[record.account] then
    slurm.log_user "this job starts when allot grants its slots"
    return slurm.ERROR
  end
  return slurm.SUCCESS
end
