-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What READMEs show is what the command does.

local readme = require "spec.support.house.readme"
local shell = require "spec.support.house.shell"

local PATHS = shell.lines "find README.md core examples lua policies spec -name README.md | sort"
local texts = {}
for _, path in ipairs(PATHS) do texts[path] = readme.read(path) end

local function squeezed(text)
  return (text:gsub("//[^\n]*", ""):gsub("%s+", ""))
end

describe("READMEs", function ()
  local blocks, lua, paths = 0, 0, 0

  for _, path in ipairs(PATHS) do
    local text = texts[path]

    it("show what the command prints: " .. path, function ()
      readme.map(text, function (command, printed)
        blocks = blocks + 1
        assert.equal(readme.output(command, shell.allot, readme.service(text)), printed, command)
        return printed
      end)
    end)

    it("have Lua that compiles: " .. path, function ()
      for code in text:gmatch("```lua\n(.-)```") do
        lua = lua + 1
        assert(load(code, "=" .. path, "t"))
      end
    end)

    it("name files that are there: " .. path, function ()
      local known = { core = true, examples = true, lua = true, policies = true, spec = true }
      for name in text:gmatch("`%.?/?([%w_]+/[%w_/.-]+)`") do
        local top = name:match("^%w+")
        if known[top] or path:find "^core/" and os.rename("core/" .. top, "core/" .. top) then
          paths = paths + 1
          assert(os.rename(name, name) or os.rename("core/" .. name, "core/" .. name), name)
        end
      end
      local folder = path:match "^(.*/)" or ""
      for link in text:gmatch "%]%(([^)%s]+)%)" do
        local name = folder .. link:gsub("#.*", "")
        if not link:find "^%a+:" then assert.is_true(os.rename(name, name), name) end
      end
    end)
  end

  it("were looked at", function ()
    assert.is_true(blocks >= 20 and lua >= 10 and paths >= 40, blocks .. " " .. lua .. " " .. paths)
  end)

  it("show plan, state and policy of an example as they are", function ()
    local seen, find = 0, "find examples -mindepth 2 -name '*.json' -o -name '*.lua'"
    for _, path in ipairs(shell.lines(find)) do
      local folder, text = path:match "^(examples/%w+)/", readme.read(path)
      local near = texts[path:match "^.*/" .. "README.md"]
      local shown = assert(near or texts[folder .. "/README.md"], folder .. " has no README")
      local policy = text:match "return policy.*"
      if not folder:find "/broken$" and (policy or path:find "/%a+%.json$") and #text < 2000 then
        seen = seen + 1
        assert(squeezed(shown):find(squeezed(policy or text), 1, true), path .. " is not shown")
      end
    end
    assert.is_true(seen > 25)
  end)

  it("have a line for each verb and each ready-made policy", function ()
    local verbs = 0
    for name in shell.read("core/cli/verbs.c"):gmatch '\n    {"(%l+)", "' do
      verbs = verbs + 1
      assert(texts["core/cli/README.md"]:find("`" .. name .. "%f[%A]"), name)
    end
    assert.is_true(verbs > 15)
    for _, path in ipairs(shell.lines "ls policies/*.lua") do
      local name = path:match "([%w_]+)%.lua$"
      assert(texts["README.md"]:find("\n| `" .. name .. "` | ", 1, true), name)
      assert(texts["policies/README.md"]:find("\n| `" .. name .. ".lua` | ", 1, true), name)
    end
  end)

  it("have every rule that code and explanations cite", function ()
    local rules, cited = {}, 0
    for bold in shell.read("core/RULES.md"):gmatch "%*%*(.-)%*%*" do
      for rule in bold:gmatch "%u+%-%d+" do rules[rule] = true end
    end
    for _, path in ipairs(shell.lines "find core lua policies -name '*.[ch]' -o -name '*.lua'") do
      local text = path:find "^core/test" and "" or shell.read(path)
      for rule in text:gmatch "[( ](%u%u?%-%d+)%f[%D]" do
        if rule:find "^[ACEHLPQ]%-" or rule:find "^XV%-" then
          cited = cited + 1
          assert(rules[rule], path .. " cites " .. rule)
        end
      end
    end
    assert.is_true(cited > 300, cited)
  end)

  it("begin with one that is read in ten minutes", function ()
    assert.is_true(select(2, texts["README.md"]:gsub("\n", "")) <= 250)
  end)
end)
