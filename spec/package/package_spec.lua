-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The Debian packages that `cpack` makes: lintian finds no error, and in a bare Debian they are
--- installed, decide, serve, are upgraded to the next revision, removed and purged.

local shell = require "spec.support.house.shell"

local PACKAGES = { "allot", "liballot-dev", "liballot-service0", "liballot0", "lua-allot" }

--- What each step of spec/support/package/smoke prints.
local STEPS = [[
= install
allot
granted 3, reclaimed 8; 0 of 3 idle slots left
Lua	0.1.0	0.1.0
6
= serve
{"seq": 1}
page ok
  well      the store is written, cycles succeed, the clock is right
= upgrade
allot 0.1.0-2
liballot0 0.1.0-2
lua-allot 0.1.0-2
{"seq": 2}
= remove
no command
/etc/default/allot
/var/lib/allot/allot.db
= purge
/var/lib/allot stays: remove it when its events and plans are not needed
/etc/allot stays: remove it when its events and plans are not needed
no defaults
/etc/allot/plan.json
/var/lib/allot/allot.db
]]

describe("Debian packages", function ()
  local top

  local function succeed(line, ...)
    local full = line:format(...)
    local status, out, err = shell.run(full)
    assert.equal(0, status, full .. "\n" .. out .. err)
    return out
  end

  local function has(tool)
    return shell.run("command -v " .. tool) == 0
  end

  setup(function ()
    top = shell.directory()
    if not has "dpkg-shlibdeps" then return end
    for release = 1, 2 do
      succeed([[cmake -S . -B build/package -DCMAKE_BUILD_TYPE=Release -DALLOT_LTO=OFF \
        -DCMAKE_INSTALL_PREFIX=/usr -DALLOT_DEB_RELEASE=%d &&
        cmake --build build/package --parallel 2 && mkdir -p %s/packages &&
        cd build/package && cpack -B %s/packages/%d]], release, top, top, release)
    end
  end)

  teardown(function ()
    shell.remove(top)
  end)

  it("are five", function ()
    if not has "dpkg-shlibdeps" then return pending "dpkg-dev is not installed" end
    for _, name in ipairs(PACKAGES) do
      assert.truthy(shell.exists(("%s/packages/1/%s_0.1.0-1_amd64.deb"):format(top, name)), name)
    end
  end)

  it("have no error that lintian knows", function ()
    if not has "lintian" then return pending "lintian is not installed" end
    local out = succeed("lintian --allow-root --no-cfg --fail-on error %s/packages/1/*.deb", top)
    assert.falsy(out:find "\nE: ", out)
  end)

  it("decide and serve in a bare Debian, are upgraded, removed and purged", function ()
    if not has "debootstrap" or shell.run "test $(id -u) = 0" ~= 0 then
      return pending "debootstrap is not installed, or this is not root"
    end
    local status, _, err = shell.run(([[
      bare=%s/bare
      from=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
      debootstrap --variant=minbase bookworm "$bare" "$from" >&2 &&
        chroot "$bare" apt-get update]]):format(top))
    if status ~= 0 then return pending("no bare Debian is to be had: " .. err:sub(-200)) end
    succeed([[
      mkdir -p %s/bare/packages %s/bare/etc/allot && cp -r %s/packages/[12] %s/bare/packages/ &&
      cp examples/first/plan.json %s/bare/etc/allot/ &&
      cp examples/first/state.json spec/support/package/smoke %s/bare/]],
      top, top, top, top, top, top)
    local out = succeed([[unshare --mount --pid --fork --kill-child sh -c '
      mount -t proc proc %s/bare/proc && chroot %s/bare /smoke']], top, top)
    assert.equal(STEPS, out)
  end)
end)
