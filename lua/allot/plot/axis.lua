-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The marks of a picture's axes, and their labels.

local axis = {}

local HOUR, DAY = 3600, 86400
local YEARS = 10 * 365 * DAY -- later times are Unix seconds
local LABELS, TICKS = 13, 24
local MONDAY = 4 * DAY -- the first one of Unix time
local MONTHS = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov",
                 "Dec" }

--- The time at which a month begins; months count from January of the year 0.
local function month_begins(month)
  local year, of = month // 12, month % 12
  local y = of < 2 and year - 1 or year
  local days = (153 * ((of + 10) % 12) + 2) // 5 -- since 1 March
  return (365 * y + y // 4 - y // 100 + y // 400 + days - 719468) * DAY
end

local function month_of(at)
  local month = 1970 * 12 + at // DAY * 12 // 366 -- never behind it
  while month_begins(month + 1) <= at do month = month + 1 end
  return month
end

--- The day of its month, the month's name and the year.
local function date_of(at)
  local month = month_of(at)
  return (at - month_begins(month)) // DAY + 1, MONTHS[month % 12 + 1], month // 12
end

local function label(at, step)
  local day, month, year = date_of(at)
  if step >= 365 * DAY then return tostring(year) end
  if step >= 28 * DAY then return ("%s %d"):format(month, year) end
  if step % DAY ~= 0 and at % DAY ~= 0 then
    return ("%02d:%02d"):format(at % DAY // HOUR, at % HOUR // 60)
  end
  return ("%d %s"):format(day, month)
end

--- "3 h": an amount of time in the largest unit of `step`.
local function in_units(at, step)
  for _, unit in ipairs { { DAY, "d" }, { HOUR, "h" }, { 60, "min" }, { 1, "s" } } do
    if step % unit[1] == 0 then return ("%d %s"):format(at // unit[1], unit[2]) end
  end
end

function axis.duration(seconds)
  return in_units(seconds, seconds)
end

local function rounded_up(at, step, from)
  return at + (from - at) % step
end

local function month_ticks(first, last)
  local steps, ticks, pick = { 1, 2, 3, 6, 12, 24, 60, 120, 600, 1200 }, {}, 1
  while pick < #steps and (last - first) // (steps[pick] * 30 * DAY) > LABELS do pick = pick + 1 end
  local month = rounded_up(month_of(first), steps[pick], 0)
  while #ticks < TICKS and month_begins(month) <= last do
    local at = month_begins(month)
    if at >= first then ticks[#ticks + 1] = { at, label(at, steps[pick] * 31 * DAY) } end
    month = month + steps[pick]
  end
  return ticks
end

--- Times worth a label, about ten, as { at, label }: hours, days, Mondays, months. `first` < 1980:
-- seconds since the log's start rather than Unix seconds.
function axis.ticks(first, last)
  local steps = { 1, 2, 5, 10, 30, 60, 300, 600, 1800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR,
                  12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY }
  local since, pick, ticks = first < YEARS, 1, {}
  while pick <= #steps and (last - first) // steps[pick] > LABELS do pick = pick + 1 end
  if pick > #steps and not since then return month_ticks(first, last) end
  local step = steps[pick] or 30 * DAY
  while (last - first) // step > LABELS do step = step * 2 end
  local at = rounded_up(first, step, not since and step % (7 * DAY) == 0 and MONDAY or 0)
  while at <= last and #ticks < TICKS do
    ticks[#ticks + 1] = { at, (since and in_units or label)(at, step) }
    at = at + step
  end
  return ticks
end

--- "time (UTC), 1 Oct 1993 to 31 Dec 1993".
function axis.title(first, last)
  if first < YEARS then return "time since the log's start" end
  local text = ("time (UTC), %d %s %d"):format(date_of(first))
  if first // DAY == last // DAY then return text end
  return text .. (" to %d %s %d"):format(date_of(last))
end

--- The distance of marks from 0 to `most`: 1, 2 or 5 times a power of ten, and at most six.
function axis.step(most)
  local power = 1
  while power <= math.maxinteger // 100 do
    for _, leap in ipairs { 1, 2, 5 } do
      if most // (leap * power) <= 5 then return leap * power end
    end
    power = power * 10
  end
  return most
end

return axis
