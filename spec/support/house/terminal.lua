-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A real terminal for specs: a tmux of its own, on a socket of its own.

local shell = require "spec.support.house.shell"

local terminal = {}
terminal.__index = terminal

--- Is there a tmux?
function terminal.there()
  return (shell.run "command -v tmux >/dev/null") == 0
end

local function tmux(self, line)
  return shell.run(("LC_ALL=C.UTF-8 tmux -u -L %s -f /dev/null %s"):format(self.socket, line))
end

--- Runs a line of shell in a new terminal of 100 columns and 40 lines. Leaks are not looked for:
-- libedit never gives back the names of functions that keys are bound to.
function terminal.start(line)
  local folder = shell.directory()
  local self = setmetatable({ socket = "allot-" .. folder:match "[^/]+$", folder = folder },
    terminal)
  local status, _, err = tmux(self, "new-session -d -s spec -x 100 -y 40 "
    .. shell.quote(("export ASAN_OPTIONS=detect_leaks=0; %s; echo ended with $?; exec cat")
      :format(line)))
  assert(status == 0, err)
  return self
end

--- Ends the session that was started, and with it its server.
function terminal:close()
  tmux(self, "kill-session -t spec")
  shell.remove(self.folder)
end

--- Types text as it is; what else is given are names of keys: "Enter", "Tab", "C-c".
function terminal:type(text, ...)
  if text ~= "" then tmux(self, "send-keys -t spec -l " .. shell.quote(text)) end
  for _, key in ipairs { ... } do tmux(self, "send-keys -t spec " .. key) end
end

--- What is on the screen and above it, without blank lines at its end.
function terminal:screen()
  local _, out = tmux(self, "capture-pane -t spec -p -S -500")
  return (out:gsub("%s+$", "") .. "\n")
end

--- Waits until the screen ends in what matches the pattern; a minute is taken for a hang.
function terminal:wait(pattern)
  local screen
  for _ = 1, 1200 do
    screen = self:screen()
    if screen:find(pattern .. "\n$") then return screen end
    os.execute "sleep 0.05"
  end
  error(("the screen does not end in %q but is:\n%s"):format(pattern, screen), 2)
end

return terminal
