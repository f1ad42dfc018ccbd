-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The systemd unit: systemd itself reads it, where it is there.

local shell = require "spec.support.house.shell"

local function has(tool)
  return (shell.run("command -v " .. tool .. " >/dev/null")) == 0
end

describe("allot.service", function ()
  local folder, unit, text

  setup(function ()
    -- The command of this build in place of the one that is not installed.
    folder = shell.directory()
    unit = folder .. "/allot.service"
    local here = shell.lines("pwd")[1]
    text = shell.read(shell.build .. "/allot.service")
    local command = shell.allot:sub(1, 1) == "/" and shell.allot or here .. "/" .. shell.allot
    shell.write(unit, (text:gsub("(\n%s*Exec%a+=)%S+", "%1" .. command:gsub("%%", "%%%%"))))
  end)

  teardown(function ()
    shell.remove(folder)
  end)

  it("says what the service does", function ()
    for _, line in ipairs {
      "Type=notify", "WatchdogSec=30", "LimitNOFILE=8192",
      "User=allot", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=",
    } do
      assert.truthy(("\n" .. text):find("\n" .. line .. "\n", 1, true), line)
    end
    assert.truthy(text:find("ExecStart=/%S+/bin/allot serve %$ALLOT_PLAN\n"))
    -- It asks, waits, and fails where the reload does (standing_in_spec).
    assert.truthy(text:find("ExecReload=/%S+/bin/allot call reload\n"))
  end)

  it("is a unit to systemd", function ()
    if not has "systemd-analyze" then
      return pending("systemd-analyze is not installed: not verified")
    end
    local status, out, err = shell.run("systemd-analyze verify --man=no " .. unit)
    assert.equal("", out .. err)
    assert.equal(0, status)
    -- It notices what is none.
    shell.write(folder .. "/wrong.service", "[Service]\nType=notifyy\nExecStart=/bin/true\n")
    local _
    _, out, err = shell.run("systemd-analyze verify --man=no " .. folder .. "/wrong.service")
    assert.truthy((out .. err):find("notifyy", 1, true))
  end)

  it("leaves the service little to do harm with", function ()
    if not has "systemd-analyze" then
      return pending("systemd-analyze is not installed: not verified")
    end
    -- Tenths of 10, which is a service without any restriction.
    local status, out = shell.run("systemd-analyze security --offline=true --threshold=15 " .. unit)
    assert.equal(0, status, out)
  end)
end)
