-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A running service reserves slots: jobs that come one after another start, wait behind a
--- reservation, and start once a job ends early.

local service = require "spec.support.service.service"

local PLAN = [[{"version": 1, "slots": 10, "policy": {"use": "preemption", "backfill": "easy"},
  "queues": [{"name": "q"}]}]]

-- Who runs once all have come; then once one has ended early, and after a kill -9.
local SCRIPT = [[
start --debounce 1 || exit 1
job() {
  call submit "{\"id\": \"$1\", \"queue\": \"q\", \"slots\": $2, \"run_limit\": $3}" || exit 2
}
show() {
  call cycle || exit 3
  for id in wide next short long; do
    call explain "{\"job\": \"$id\"}"
  done
}
job wide 6 7200 > /dev/null; call cycle > /dev/null
job next 8 7200 > /dev/null; job short 2 3600 > /dev/null; job long 3 90000 > /dev/null
echo "== reserved"; show
kill -9 $SERVICE; wait $SERVICE; start --debounce 1 || exit 5
echo "== again"; show
call finish '{"id": "wide"}' > /dev/null || exit 4
echo "== early"; show
stop
echo "== replay"; "$ALLOT" replay "$STORE" --plan "$PLAN"
]]

--- "wide runs, next waits 7190", ...: of a part of the output.
local function told(part)
  local list = {}
  for lines in part:gmatch '"lines": (%b[])' do
    local id, word = lines:match 'Job (%a+) of queue /q %(PRIORITY 1%) (%a+)'
    local after = lines:match "in (%d+) s, %d+ slots are reserved for it"
    list[#list + 1] = id .. (word == "runs" and " runs" or " waits")
      .. (after and (tonumber(after) > 7000 and " reserved" or " soon") or "")
  end
  return table.concat(list, ", ")
end

describe("a service with backfill", function ()
  local world = service.world(PLAN)

  it("starts what delays no reservation, and the rest when slots are free", function ()
    local out = world.run(SCRIPT)
    if not out then return end
    local reserved, again, early, replay =
      out:match "== reserved\n(.*)== again\n(.*)== early\n(.*)== replay\n(.*)"
    local first = "wide runs, next waits reserved, short runs, long waits"
    assert.equal(first, told(reserved))
    assert.equal(first, told(again))
    assert.equal("next runs, short runs, long waits reserved", told(early))
    assert.truthy(replay:find("came out as recorded, byte by byte", 1, true), replay)
  end)
end)
