-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part three: the functions of Lua's library in a policy's sandbox, and what differs.
--
-- A policy has no other function of stock Lua 5.4: no I/O, no clock, no loading of code, no
-- patterns, no metatables, no random numbers, no coroutines.

-- An entry: { name, doc, params, returns, example, differs = }; a parameter is "name: type".
local BASE = {
  { "assert", "Raises `message` unless `value` is true.", "value: any, message?: string",
    "any", 'assert(1 + 1 == 2, "odd")', differs = "a message is a string or a table" },
  { "error", "Raises an error, which ends the policy's run with status 4 and the line that raised.",
    "message: string|table, level?: integer", "nothing",
    'local fine, message = pcall(error, "no", 0)\nassert(not fine and message == "no")',
    differs = "takes only strings and tables" },
  { "ipairs", "The items 1, 2, ... of a list.", "list: table", "function, table, integer",
    "for i, name in ipairs { \"a\", \"b\" } do assert(i < 3 and name) end" },
  { "log", "As `print`, but as a line of a log.", "...: any", "nothing", 'log("pool", 12)',
    differs = "not in stock Lua" },
  { "pairs", "Keys and values of a table.", "t: table", "function",
    "for key in pairs { b = 1, a = 2 } do assert(key == \"a\") break end",
    differs = "in the order of keys: numbers, strings by bytes, booleans; other keys are an "
      .. "error" },
  { "pcall", "Calls `f`; false and the error if it raises one.", "f: function, ...: any",
    "boolean, any", "assert(pcall(ipairs, {}))",
    differs = "does not return once the policy's budget is used up" },
  { "print", "Writes its values as a line, with tabs between. `run --trace`, the REPL and tests "
    .. "show the line; it is never in a result. At most 2000 bytes, 100 lines per load or batch of "
    .. "rows.",
    "...: any", "nothing", 'print("owned", 3)',
    differs = "does not write to standard output" },
  { [[require]], "The policy language as a table.", "name: \"allot\"", "table",
    'local name = "allot"\nassert(require(name).fill)', differs = "takes only \"allot\"" },
  { "select", "The arguments from the n-th on, or their number.", "n: integer|\"#\", ...: any",
    "any", 'assert(select("#", 5, nil) == 2)' },
  { "tonumber", "The number itself, or the number that a text states; else nil.", "value: any",
    "number?",
    'assert(tonumber "12" == 12)', differs = "no base" },
  { "tostring", "The text of a value.", "value: any", "string", 'assert(tostring({}) == "table")',
    differs = "shows no addresses: a table is \"table\"" },
  { "type", "The type of a value.", "value: any", "string", 'assert(type "x" == "string")' },
}

local STRING = {
  { "byte", "The bytes of a text as numbers.", "s: string, i?: integer, j?: integer", "integer",
    'assert(string.byte "A" == 65)' },
  { "char", "A text of bytes.", "...: integer", "string", 'assert(string.char(65) == "A")' },
  { "ends", "Whether a text ends with another.", "s: string, what: string", "boolean",
    'assert(("night.long"):ends ".long")', differs = "not in stock Lua" },
  { "find", "The first and last byte of a text within another; else nil.",
    "s: string, what: string, init?: integer", "integer?, integer?",
    'assert(("a.b"):find "." == 2)', differs = "finds `what` literally, never as a pattern" },
  { "format", "A text with values in it.", "format: string, ...: any", "string",
    'assert(("%d of %d"):format(1, 2) == "1 of 2")', differs = "no %p" },
  { "glob", "Whether a text matches: `*` is any text, `?` any byte.", "s: string, pattern: string",
    "boolean", 'assert(("/risk/desk"):glob "/risk/*")', differs = "not in stock Lua" },
  { "len", "The number of bytes.", "s: string", "integer", 'assert(string.len "abc" == 3)' },
  { "lower", "A text in lower case (ASCII).", "s: string", "string", 'assert(string.lower "GPU" == '
    .. '"gpu")' },
  { "rep", "A text n times, at most 4096 bytes.", "s: string, n: integer, separator?: string",
    "string", 'assert(("-"):rep(3) == "---")', differs = "longer texts are an error" },
  { "reverse", "The bytes of a text in reverse order.", "s: string", "string",
    'assert(string.reverse "abc" == "cba")' },
  { "split", "The pieces between separators.", "s: string, separator: string", "string[]",
    'assert(#("a,b,c"):split "," == 3)', differs = "not in stock Lua" },
  { "starts", "Whether a text begins with another.", "s: string, what: string", "boolean",
    'assert(("/risk/desk"):starts "/risk")', differs = "not in stock Lua" },
  { "sub", "A piece of a text, by bytes.", "s: string, i: integer, j?: integer", "string",
    'assert(("slots"):sub(2, 3) == "lo")' },
  { "upper", "A text in upper case (ASCII).", "s: string", "string", 'assert(string.upper "gpu" == '
    .. '"GPU")' },
}

local TABLE = {
  { "concat", "The items as one text.", "list: (string|number)[], separator?: string", "string",
    'assert(table.concat({ 1, 2 }, "+") == "1+2")', differs = "no range; 4096 bytes at most" },
  { "insert", "Puts a value into a list.", "list: table, position_or_value: any, value?: any",
    "nothing", "local list = { 1, 3 }\ntable.insert(list, 2, 2)\nassert(#list == 3)" },
  { "remove", "Takes a value out of a list, by default the last.", "list: table, position?: "
    .. "integer",
    "any", "assert(table.remove { 1, 2 } == 2)" },
  { "sort", "Sorts a list.", "list: table, less?: fun(a: any, b: any): boolean", "nothing",
    "local list = { 3, 1 }\ntable.sort(list)\nassert(list[1] == 1)",
    differs = "stable; a hole in the list is an error" },
  { "unpack", "The items as values, at most 250.", "list: table", "any",
    "local a, b = table.unpack { 1, 2 }\nassert(a + b == 3)", differs = "no range" },
}

local MATH = {
  { "abs", "A number without its sign.", "x: number", "number", "assert(math.abs(-3) == 3)" },
  { "ceil", "A number rounded up.", "x: number", "integer", "assert(math.ceil(2.1) == 3)" },
  { "floor", "A number rounded down.", "x: number", "integer", "assert(math.floor(2.9) == 2)" },
  { "fmod", "The remainder of a division that rounds towards zero.", "x: number, y: number",
    "number",
    "assert(math.fmod(-7, 3) == -1)" },
  { "max", "The largest.", "x: number, ...: number", "number", "assert(math.max(1, 5, 3) == 5)" },
  { "min", "The smallest.", "x: number, ...: number", "number", "assert(math.min(4, 2) == 2)" },
  { "modf", "The whole part and the rest.", "x: number", "number, number",
    "assert(math.modf(2.5) == 2)" },
  { "sqrt", "The square root.", "x: number", "number", "assert(math.sqrt(9) == 3)" },
  { "tointeger", "A whole number as an integer; of any other value nil.", "x: any", "integer?",
    "assert(math.tointeger(3.0) == 3)" },
  { "type", "\"integer\" or \"float\"; of a value that is not a number nil.", "x: any", "string?",
    'assert(math.type(1) == "integer")' },
  { "ult", "Whether x is less than y, as unsigned integers.", "x: integer, y: integer", "boolean",
    "assert(math.ult(1, -1))" },
}

local CONSTANTS = {
  { "huge", "number", "Larger than any number.", "assert(math.huge > 10)" },
  { "maxinteger", "integer", "The largest integer.", "assert(math.maxinteger + 1 == "
    .. "math.mininteger)" },
  { "mininteger", "integer", "The smallest integer.", "assert(math.mininteger < 0)" },
  { "pi", "number", "3.14...", "assert(math.pi > 3)" },
}

-- "a: integer, b?: fun(x: any, y: any): any" as { { "a", "integer" }, ... }: a comma in parentheses
-- does not separate parameters.
local function params_of(text)
  local list, depth, from = {}, 0, 1
  for i = 1, #text + 1 do
    local c = text:sub(i, i)
    if c == "(" then depth = depth + 1 elseif c == ")" then depth = depth - 1 end
    if depth == 0 and (c == "," or c == "") then
      local name, kind = text:sub(from, i - 1):match "^%s*([%w_.]+%??): (.+)$"
      list[#list + 1] = { name, kind }
      from = i + 1
    end
  end
  return list
end

local function returns_of(text)
  local list = {}
  for kind in text:gmatch "[^,%s]+" do
    if kind ~= "nothing" then list[#list + 1] = { kind } end
  end
  return list
end

local list = {}

local function add(rows, prefix)
  for _, row in ipairs(rows) do
    list[#list + 1] = {
      name = prefix .. row[1], doc = row[2], params = params_of(row[3]),
      returns = returns_of(row[4]), example = row[5], differs = row.differs,
    }
  end
end

add(BASE, "")
add(MATH, "math.")
for _, row in ipairs(CONSTANTS) do
  list[#list + 1] = { name = "math." .. row[1], type = row[2], doc = row[3], example = row[4] }
end
add(STRING, "string.")
add(TABLE, "table.")

return list
