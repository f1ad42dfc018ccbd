-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Commits of a store in PostgreSQL, which first find the leader's row, beside plain INSERTs of the
--- same events by bare libpq, in turn. ALLOT_BENCH_STORE names the database.

local commits = {}

local ROWS = { 1, 10, 100, 1000, 5000 }

local function measured(it)
  local rows = {}
  for i, count in ipairs(ROWS) do
    local store, bare = table.unpack(it:numbers("commits", "%d", count))
    rows[i] = { count = count, store = store, bare = bare }
  end
  return rows
end

local function put_text(out, rows)
  out "events of 100 bytes in a commit; PostgreSQL; medians of 101, in turn\n\n"
  out "events  the store   events/s  bare libpq   events/s\n"
  for _, row in ipairs(rows) do
    out(("%6d  %6.2f ms  %9.0f  %7.2f ms  %9.0f  %3.0f %%\n"):format(row.count, row.store * 1e3,
      row.count / row.store, row.bare * 1e3, row.count / row.bare, 100 * row.bare / row.store))
  end
end

local function put_json(out, rows)
  local list = {}
  for i, row in ipairs(rows) do
    list[i] = ('{"events": %d, "store_ms": %.4f, "bare_ms": %.4f}'):format(row.count,
      row.store * 1e3, row.bare * 1e3)
  end
  out(('{"schema": "allot/bench-commits/v1", "commits": [%s]}\n'):format(table.concat(list, ", ")))
end

function commits.run(it)
  local rows = measured(it)
  local put = it.host.option "format" == "json" and put_json or put_text
  put(it.host.out, rows)
end

return commits
