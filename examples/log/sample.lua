-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Makes sample.swf, a small workload log in the Standard Workload Format, from nothing but a seed:
--
--     lua5.4 examples/log/sample.lua > examples/log/sample.swf
--
-- Two days on 64 processors: twelve users of three groups, short jobs by day, long ones by night.

local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/../../lua/?.lua;" .. package.path
local swf = require "allot.swf"

local JOBS, PROCESSORS, USERS, GROUPS = 400, 64, 12, 3
local START = 1767225600 -- 2026-01-01 00:00:00 UTC
local DAY = 86400

local seed = 20260101

--- A whole number from low to high (Park and Miller's generator: the same everywhere).
local function draw(low, high)
  seed = seed * 48271 % 2147483647
  return low + seed % (high - low + 1)
end

local function draw_job(id, submit)
  local night = submit % DAY < 6 * 3600 or submit % DAY > 20 * 3600
  local user = draw(1, USERS)
  local processors = 1 << draw(0, night and 5 or 3)
  local run = night and draw(1800, 14400) or draw(20, 2400)
  return {
    id = id, submit = submit, wait = draw(0, 300), run = run,
    processors = processors, requested_processors = processors,
    requested_time = (run + draw(0, run)) // 60 * 60 + 60,
    status = draw(1, 20) > 1 and 1 or 0,
    user = user, group = 1 + (user - 1) % GROUPS, queue = night and 1 or 0,
  }
end

local function header()
  return table.concat({
    "; Version: 2.2",
    "; Computer: none (made by examples/log/sample.lua)",
    "; MaxJobs: " .. JOBS,
    "; MaxRecords: " .. JOBS,
    "; UnixStartTime: " .. START,
    "; TimeZoneString: UTC",
    "; MaxNodes: " .. PROCESSORS,
    "; MaxProcs: " .. PROCESSORS,
    "; Queue: 0 day",
    "; Queue: 1 night",
    ";",
  }, "\n")
end

print(header())
local submit = 0
for id = 1, JOBS do
  submit = submit + draw(0, 2 * DAY // JOBS * 2)
  print(swf.line(draw_job(id, submit)))
end
