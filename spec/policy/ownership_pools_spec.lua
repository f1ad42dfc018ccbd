-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Whose pool slots are taken back, and for whom (C-11, phase 5; E-20, E-21, E-30).

local case = require "spec.support.cases.case"
local ownership = require "spec.support.cases.ownership"

local state = case.state
local owners, judge = ownership.owners, ownership.judge

describe("share pools", function ()
  it("give slots for planned shares, from the worst rank first (E-21, E-30)", function ()
    local function short(adjust)
      return owners {
        policy = { use = "ownership", adjust_share_to_workload = adjust }, slots = 30,
        { "A" }, { "B", rank = 1 }, { "C", rank = 5 },
      }
    end
    -- 10 each are planned: C has 5 more, and of all that want some the worst rank.
    local now = state { A = { 3 }, B = { 15, 15 }, C = { 15, 15 } }
    judge(short(), now, { reclaims = { C = { 3, A = 3 } } })
    -- 3, 13.5 and 13.5 among those who want some: the lost slot goes to the better rank.
    judge(short(true), now, { reclaims = { C = { 2, A = 2 }, B = { 1, A = 1 } } })
    -- A gets no more than is planned, though B and C have more; what is beyond that they keep.
    now = state { A = { 30 }, B = { 18, 18 }, C = { 12, 12 } }
    judge(short(), now, { reclaims = { C = { 2, A = 2 }, B = { 8, A = 8 } } })
    now = state { A = { 30, 10 }, B = { 20, 20 } }
    judge(short(), now, {})
    judge(short(true), now, { reclaims = { B = { 5, A = 5 } } })
    -- Who wants its slots no more gives them before who does.
    now = state { A = { 3 }, B = { 12, 15 }, C = { 15, 15 } }
    judge(short(), now, { reclaims = { B = { 3, A = 3 } } })
  end)

  it("give idle slots for planned shares first", function ()
    local short = owners { slots = 28, { "A" }, { "B", rank = 1 }, { "C", rank = 5 },
      { "D", rank = 6 } }
    -- 7 each are planned; A has them, B gets the 2 idle ones, and the other 5 from C.
    judge(short, state { A = { 30, 7 }, B = { 30 }, C = { 30, 19 } }, { grants = { B = 2 },
      reclaims = { C = { 5, B = 5 } } })
  end)
end)
