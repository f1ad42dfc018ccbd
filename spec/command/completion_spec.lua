-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Completion, in real shells: what is offered after a line. And manual pages.

local shell = require "spec.support.house.shell"

local at

setup(function ()
  at = shell.directory()
  for _, name in ipairs { "bash", "zsh", "fish" } do
    local status, out, err = shell.command("completion", name)
    assert(status == 0, err)
    shell.write(("%s/allot.%s"):format(at, name), out)
  end
  for _, name in ipairs { "plan.json", "state.json", "site.lua", "log.swf", "notes.txt",
    "plan.json.sock" } do
    shell.write(at .. "/" .. name, "")
  end
end)

teardown(function () shell.remove(at) end)

local function there(program)
  if shell.run("command -v " .. program) == 0 then return true end
  pending(program .. " is not installed")
  return false
end

local function set(lines)
  local found = {}
  for line in lines:gmatch "[^\n]+" do found[line:match "^[^\t]*"] = true end
  return found
end

--- Each shell's own way to be asked: words of a line, the last of which is completed.
local ASK = {
  bash = function (words)
    local quoted = {}
    for i, word in ipairs(words) do quoted[i] = shell.quote(word) end
    return ([[cd %s && bash --norc -c '
      source ./allot.bash
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _allot
      printf "%%s\n" "${COMPREPLY[@]}"' - %s]]):format(at, table.concat(quoted, " "))
  end,
  -- Outside of the line editor the functions of zsh's completion are not there: these print.
  zsh = function (words)
    local quoted = {}
    for i, word in ipairs(words) do quoted[i] = shell.quote(word) end
    return ([=[cd %s && zsh -f -c '
      compadd() { [[ $1 = -- ]] && shift; print -l -- "$@" }
      compset() { PREFIX=${PREFIX#*=} }
      _files() { local each
        for each in *(N); do
          if [[ $1 != -g || $each = ${~${2%%\(*}} ]]; then print -- $each; fi
        done }
      _describe() { local each; for each in ${(P)2}; do print -- ${each%%%%:*}; done }
      words=("$@") CURRENT=$# PREFIX=${@[-1]}
      source ./allot.zsh' - %s]=]):format(at, table.concat(quoted, " "))
  end,
  fish = function (words)
    return ("cd %s && HOME=%s fish --no-config -c 'source ./allot.fish; complete -C \"%s\"'")
      :format(at, at, table.concat(words, " "))
  end,
}

for _, name in ipairs { "bash", "zsh", "fish" } do
  describe("completion for " .. name, function ()
    local function offers(...)
      local _, out, err = shell.run(ASK[name] { "allot", ... })
      assert.equal("", err)
      return set(out)
    end

    it("is sound for the shell itself", function ()
      if not there(name) then return end
      assert.equal(0, (shell.run(("%s -n %s/allot.%s"):format(name, at, name))))
    end)

    it("offers verbs", function ()
      if not there(name) then return end
      local found = offers ""
      for _, verb in ipairs { "run", "check", "explain", "types", "completion", "help" } do
        assert.truthy(found[verb], verb)
      end
    end)

    it("offers a verb's options alone", function ()
      if not there(name) then return end
      local found = offers("run", "--")
      assert.truthy(found["--format"] and found["--columns"] and found["--help"])
      assert.is_nil(found["--shape"])
    end)

    it("offers an option's words, as the verb has them", function ()
      if not there(name) then return end
      local found = offers("types", "--format", "")
      assert.truthy(found.luacheck and found.json)
      assert.is_nil(offers("run", "--format", "").luacheck)
      assert.truthy(offers("run", "--color", "").never)
    end)

    it("offers files of the kind that is wanted", function ()
      if not there(name) then return end
      local found = offers("run", "")
      assert.truthy(found["plan.json"])
      assert.is_nil(found["site.lua"])
      assert.is_nil(found["notes.txt"])
      found = offers("check", "plan.json", "")
      assert.truthy(found["site.lua"] and found["plan.json"])
      assert.truthy(offers("import", "")["notes.txt"])
    end)

    it("offers ready-made policies beside files", function ()
      if not there(name) then return end
      local found = offers("diff", "")
      assert.truthy(found.hybrid and found["site.lua"] and found["plan.json"])
      assert.truthy(offers("simulate", "--policy", "").share_ratio)
      assert.truthy(offers("simulate", "plan.json", "")["log.swf"])
    end)

    it("offers sockets of services, and options of verbs that ask one", function ()
      if not there(name) then return end
      for _, verb in ipairs { "run", "explain", "diff", "check", "repl", "status" } do
        assert.truthy(offers(verb, "--")["--socket"], verb)
        local found = offers(verb, "--socket", "")
        assert.truthy(found["plan.json.sock"], verb)
        assert.is_nil(found["plan.json"])
      end
    end)

    it("offers topics of help, and shells", function ()
      if not there(name) then return end
      local found = offers("help", "")
      assert.truthy(found.run and found.fill and found["E-range"])
      assert.truthy(offers("completion", "").zsh)
    end)
  end)
end

describe("completion for bash", function ()
  local function offers(...)
    local _, out = shell.run(ASK.bash { "allot", ... })
    return set(out)
  end

  it("knows an option that bash has taken apart", function ()
    assert.truthy(offers("run", "--format", "=", "").json)
    assert.truthy(offers("run", "--format", "=", "j").json)
    assert.truthy(offers("run", "--format", "=", "json", "")["plan.json"])
    assert.truthy(offers("run", "--at", "").next)
  end)

  it("offers nothing behind the last operand", function ()
    assert.same({}, offers("run", "plan.json", "state.json", ""))
  end)
end)

describe("completion", function ()
  it("is for shells that it knows", function ()
    local status, out, err = shell.command("completion", "csh")
    assert.same({ 2, "" }, { status, out })
    assert.truthy(err:find("completion is for bash, zsh or fish", 1, true))
  end)
end)

describe("manual pages", function ()
  local PAGES = {
    ["allot.1"] = "%s help --format scdoc", ["allot-policy.7"] = "%s help policy --format scdoc",
    ["allot-plan.5"] = "true %s; cat core/man/allot-plan.5.scd",
  }

  it("render without a fault", function ()
    if not (there "scdoc" and there "mandoc") then return end
    for page, line in pairs(PAGES) do
      local status, _, err = shell.run(("{ %s; } | scdoc > %s/%s")
        :format(line:format(shell.allot), at, page))
      assert.equal("0 ", status .. " " .. err)
      status, _, err = shell.run(("mandoc -Tlint -W error %s/%s"):format(at, page))
      assert.equal("0 ", status .. " " .. err, page)
    end
  end)

  it("tell every verb and option", function ()
    local _, text = shell.command("help", "--format", "scdoc")
    local _, help = shell.command "help"
    local verbs, last = 0, nil
    for line in help:match "usage.-\n\n(.-)\n\n":gmatch "[^\n]+" do
      local verb = line:match "^  (%l+)" or last
      verbs, last = verbs + (verb ~= last and 1 or 0), verb
      assert.truthy(text:find("## allot " .. verb, 1, true), verb)
      local _, own = shell.command("help", verb)
      for option in own:gmatch "%-%-(%l[%l-]+)" do
        assert.truthy(text:find("--" .. option, 1, true), option)
      end
    end
    assert.is_true(verbs > 7)
  end)

  it("have every key of plans and states that core/json/README.md has", function ()
    local page = shell.read "core/man/allot-plan.5.scd":gsub("\\", "")
    local text = shell.read "core/json/README.md":match "\n## Plan\n(.-)\n## Decision"
    local keys = 0
    for code in text:gmatch "`([^`]+)`" do
      for key in code:gmatch "[%a_][%w_]+" do
        keys = keys + 1
        assert.truthy(page:find(key, 1, true), key)
      end
    end
    assert.is_true(keys > 100)
  end)
end)
