-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Sentences of templates and values.
---
--- In a template `{}` is the next value, a number or a text, and `{.60}` at most 60 bytes of a
--- text. `{one|several}` depends on the number before it: "one" for 1, else "several", as in
--- "{} slot{|s} {is|are}". `{?yes|no}` depends on the next value, which is not written: "yes" for
--- 1, true or a text that is not empty. `{&, user {}}` is left out if the value in it is empty or
--- 0. Any of these may contain holes; values in parts left out are skipped.

local words = {}

--- A sentence and a part of one are cut beyond so many bytes; a list drops items beyond.
local LINE, PHRASE, LIST = 2047, 299, 1800
--- Of longer lists only so many items are named.
words.NAMED = 6

local function is_one(value)
  return value == 1 or value == true or (type(value) == "string" and value ~= "")
end

local function is_some(value)
  return value and value ~= 0 and value ~= ""
end

--- A template's state: the values, the number of the next, and whether the last number was 1.
local function put_until(it, at, stop, shown)
  local text = it.template
  while true do
    local plain = text:find("[{" .. stop .. "]", at) or #text + 1
    if shown then it.out[#it.out + 1] = text:sub(at, plain - 1) end
    if text:sub(plain, plain) ~= "{" then return plain end
    at = it.put_hole(it, plain + 1, shown)
  end
end

local function put_value(it, hole, most)
  local value = it[it.next]
  if math.type(value) == "integer" then it.one = value == 1 end
  it.out[#it.out + 1] = tostring(value or ""):sub(1, most and tonumber(most) or -1)
  return hole
end

--- Writes a hole, or skips it; returns what follows it.
local function put_hole(it, at, shown)
  local most, stop = it.template:match("^%.?(%d*)}()", at)
  if stop then
    if shown then put_value(it, at, most ~= "" and most) end
    it.next = it.next + 1
    return stop
  end
  local kind = it.template:sub(at, at)
  if kind == "&" then return put_until(it, at + 1, "}", shown and is_some(it[it.next])) + 1 end
  if kind == "?" then
    if shown then it.one = is_one(it[it.next]) end
    it.next, at = it.next + 1, at + 1
  end
  local one = it.one
  local other = put_until(it, at, "|", shown and one) + 1
  return put_until(it, other, "}", shown and not one) + 1
end

local function fill(template, ...)
  local it = { template = template, next = 1, out = {}, put_hole = put_hole, ... }
  put_until(it, 1, "\0", true)
  return table.concat(it.out)
end

--- A part of a sentence.
function words.phrase(template, ...)
  return fill(template, ...):sub(1, PHRASE)
end

--- A function that writes sentences as lines by `out`.
function words.teller(out)
  return function (template, ...)
    out(fill(template, ...):sub(1, LINE))
  end
end

--- A list in one text; what does not fit any more is left out.
function words.list(items)
  local text = ""
  local function add(more)
    text = #text + #more < LIST and text .. more or text
  end
  for i, item in ipairs(items) do
    if i > 1 then add ", " end
    add(item)
  end
  return text
end

--- A list of names in one text, each of at most so many bytes.
function words.names(list, most)
  local cut = {}
  for i, name in ipairs(list) do cut[i] = name:sub(1, most) end
  return words.list(cut)
end

--- Those of a list that have a flag.
function words.those(list, flag)
  local out = {}
  for _, item in ipairs(list) do
    if item[flag] then out[#out + 1] = item end
  end
  return out
end

--- Queues, which come in the order of their turns, as the plan has them.
function words.planned(queues)
  local out = table.move(queues, 1, #queues, 1, {})
  table.sort(out, function (a, b) return a.number < b.number end)
  return out
end

--- How use fades.
function words.fades(usage)
  if usage.period == 0 then return "and does not fade" end
  return fill("and fades to {?half|a tenth} in {} s", usage.parts == 2, usage.period)
end

--- What a limit in percent is a part of.
function words.part(limit)
  if not limit.percent then return "" end
  return fill(", {} % of {} slot{|s} (P-27)", limit.percent, limit.whole)
end

--- A queue's name.
function words.queue(queue)
  return "/" .. queue.queue:sub(1, 50)
end

--- The first of a list, each written by `word`; and whether there are more.
function words.few(list, word)
  local items = {}
  for i = 1, math.min(#list, words.NAMED) do items[i] = word(list[i]) end
  return words.list(items), #list > words.NAMED
end

--- A value of a column; of a flag "true" or "false", of use over no share "2^62".
function words.value(flag, number)
  if not flag then return number == 1 << 62 and "2^62" or tostring(number) end
  return number ~= 0 and "true" or "false"
end

--- The keys of an order, first to last.
function words.keys(list)
  local names = {}
  for i, key in ipairs(list) do
    local falls = key.flag and " (true first)" or " (largest first)"
    names[i] = key.name .. (key.falls and falls or "")
  end
  return words.list(names)
end

--- What a key puts first, and the values of two tasks.
function words.decides(key)
  return fill("  What decides is {}, {?{?true|false}|{?largest|smallest}} first: {} against {}.",
    key.name, key.flag, key.falls, key.falls, words.value(key.flag, key.mine),
    words.value(key.flag, key.its))
end

--- What would reverse the order of the two.
function words.reverse(key, id)
  if key.flag then
    return fill("Were that {}, too, the keys behind it would decide.",
      words.value(true, key.its))
  end
  return fill("With {} {?below|above} {}, {} would go first.", key.name, key.falls, key.its, id)
end

--- What a queue may use of its slice, if that is less.
function words.may_use(say, slots)
  say("Of that it might use {} when it had its turn: what was free besides is for queues before "
    .. "it in the pool's order, which lack some of their slices and have their turns later "
    .. "(Q-43).", slots)
end

--- "at once", "within 60 s".
function words.grace(seconds)
  return seconds == 0 and "at once" or ("within %d s"):format(seconds)
end

--- A time in seconds since 1970 as "2026-01-01T00:00:00Z".
function words.time(at)
  local days = at // 86400 + 719468 -- since 0000-03-01: years end with their leap day
  local era = days // 146097
  local day = days - era * 146097
  local year = (day - day // 1460 + day // 36524 - day // 146096) // 365
  day = day - (365 * year + year // 4 - year // 100)
  local month = (5 * day + 2) // 153
  day = day - (153 * month + 2) // 5 + 1
  year = year + era * 400 + (month >= 10 and 1 or 0)
  return ("%04d-%02d-%02dT%02d:%02d:%02dZ"):format(year, month < 10 and month + 3 or month - 9, day,
    at // 3600 % 24, at // 60 % 60, at % 60)
end

return words
