-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The REPL on a real terminal: keys, completion, several lines, history, interruption.

local shell = require "spec.support.house.shell"
local terminal = require "spec.support.house.terminal"

describe("allot repl on a terminal", function ()
  local folder, it_runs

  local function start(words)
    it_runs = terminal.start(("trap : INT; HOME=%s XDG_STATE_HOME=%s/state %s repl %s"):format(
      folder, folder, shell.allot, words or "examples/first/plan.json examples/first/state.json"))
    it_runs:wait "Ctrl%-D leaves\n>"
    return it_runs
  end

  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)
  after_each(function ()
    if it_runs then it_runs:close() end
    it_runs = nil
  end)

  local function on_terminal(name, test)
    it(name, function ()
      if not terminal.there() then return pending "tmux is not installed" end
      test()
    end)
  end

  on_terminal("completes names, paths and policies", function ()
    local t = start()
    t:type("cons", "Tab")
    t:wait "\n> consumers"
    t:type('["/ri', "Tab")
    t:wait '\n> consumers%["/risk'
    t:type("", "Tab")
    t:wait '/risk +/risk/desk +/risk/nightly\n> consumers%["/risk'
    t:type("/d", "Tab")
    t:type('"].ow', "Tab", "Enter")
    t:wait '\n> consumers%["/risk/desk"%].owned\n8\n>'
    t:type('try("sha', "Tab")
    t:wait '\n> try%("share'
    t:type("", "Tab")
    t:wait "share_ratio +shared_lease\n> try%(\"share"
    t:type("", "C-c")
    t:type("", "C-d")
    t:wait "\nended with 0"
  end)

  on_terminal("takes several lines as one entry, in the next session too", function ()
    local t = start()
    t:type("for i = 1, 2 do", "Enter")
    t:wait "\n> for i = 1, 2 do\n%."
    t:type("  print(7 * i)", "Enter")
    t:type("end", "Enter")
    t:wait "\n%. end\n7\n14\n>"
    t:type("1 + 1", "Enter")
    t:wait "\n2\n>"
    t:type("", "Up", "Up", "Enter")
    t:wait "\n> for i = 1, 2 do\n  print%(7 %* i%)\nend\n7\n14\n>"
    t:type(":quit", "Enter")
    t:wait "\nended with 0"
    t:close()
    t = start()
    t:type("", "Up", "Up")
    t:wait "\n> for i = 1, 2 do\n  print%(7 %* i%)\nend"
    t:type("", "Enter")
    t:wait "end\n7\n14\n>"
    t:type("", "C-d")
    t:wait "\nended with 0"
  end)

  on_terminal("stops what runs away, and keeps everything", function ()
    local t = start()
    t:type('demand("/science", 7)', "Enter")
    t:wait "\n>"
    t:type('x = 5 demand("/science", 8) print "on" while true do end', "Enter")
    t:wait "\non"
    t:type("", "C-c")
    t:wait "%^Crepl:1: error: interrupted; nothing was changed %[E%-interrupted%]\n>"
    t:type('state.consumers["/science"].demand', "Enter")
    t:wait "\n7\n>"
    t:type("x", "Enter")
    t:wait "\nrepl:1: error: there is no 'x' here %[E%-repl%]\n>"
    t:type("undo()", "Enter")
    t:type('state.consumers["/science"].demand', "Enter")
    t:wait "\n40\n>"
  end)

  on_terminal("gives a line up with Ctrl-C, also in the middle of a piece", function ()
    local t = start()
    t:type("for i = 1, 2 do", "Enter")
    t:wait "\n%."
    t:type("print(", "C-c")
    t:wait "\n%. print%(%^C\n>"
    t:type("3 + 4", "Enter")
    t:wait "\n7\n>"
  end)

  on_terminal("completes files behind :load, and indents where nothing stands", function ()
    local t = start()
    t:type(":load examples/fi", "Tab")
    t:wait "\n> :load examples/first/"
    t:type("pl", "Tab", "Enter")
    t:wait "\nthe plan is on the desk: examples/first/plan.json\n>"
    t:type("", "Tab")
    t:type("7", "Enter")
    t:wait "\n>   7\n7\n>"
  end)

  on_terminal("takes UTF-8, also where no locale is named", function ()
    it_runs = terminal.start(("env -u LANG -u LC_ALL -u LC_CTYPE -u HOME %s repl"):format(
      shell.allot))
    it_runs:wait "Ctrl%-D leaves\n>"
    it_runs:type('#"h\u{e9}llo"', "Enter")
    it_runs:wait '\n> #"h.*llo"\n6\n>'
  end)

  on_terminal("shows decisions and errors as they come, and goes on", function ()
    local t = start()
    t:type("cycle()", "Enter")
    t:wait "granted 3, reclaimed 8; 0 of 3 idle slots left\n>"
    t:type('consumers["/science"].ownd = 3', "Enter")
    t:wait 'unknown key "ownd" %[E%-unknown%-key%]\n  hint: did you mean "owned"%?\n>'
    t:type("", "C-d")
    t:wait "\nended with 0"
  end)

  on_terminal("runs without a home, and without a plan", function ()
    it_runs = terminal.start(("env -u HOME -u XDG_STATE_HOME %s repl"):format(shell.allot))
    it_runs:wait "Ctrl%-D leaves\n>"
    it_runs:type('consumers["/a"] = {owned = 3}', "Enter")
    it_runs:type("consumers", "Enter")
    it_runs:wait "consumer +owned\n/a +3\n>"
  end)
end)
