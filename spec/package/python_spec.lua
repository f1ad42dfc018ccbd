-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The Python package over the C API: a wheel built from its pyproject.toml against an installed
-- library passes the package's tests, and its types hold.

local shell = require "spec.support.house.shell"

local NEEDS = "/usr/bin/python3 -c 'import cffi, setuptools, wheel' && /usr/bin/python3 -m pip -V"

--- %s: the folder; a prefix below is where liballot is.
local BUILD = [[
cd %s && export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
export PKG_CONFIG_PATH=$(dirname "$(find "$PWD/prefix" -name allot.pc)")
pip="/usr/bin/python3 -m pip"
$pip wheel -q --no-build-isolation --no-deps --no-index -w wheel ./source &&
  $pip install -q --no-index --no-deps --target site wheel/*.whl]]

local TEST = [[
cd %s && export LD_LIBRARY_PATH=$(dirname "$(find "$PWD/prefix" -name liballot.so)")
PYTHONPATH=site /usr/bin/python3 -B -W error -m unittest discover -s source/tests 2>&1]]

describe("the Python package", function ()
  local top, missing

  local function succeed(line, ...)
    local full = line:format(...)
    local status, out, err = shell.run(full)
    assert.equal(0, status, full .. "\n" .. out .. err)
    return out
  end

  setup(function ()
    missing = shell.run(NEEDS) ~= 0 and "Python's cffi, pip, setuptools or wheel is not installed"
    if missing then return end
    top = shell.directory()
    succeed("cmake --install %s --prefix %s/prefix", shell.plain, top)
    succeed("cp -r examples/python %s/source", top)
    succeed(BUILD, top)
  end)

  teardown(function ()
    if top then shell.remove(top) end
  end)

  it("passes its tests", function ()
    if missing then return pending(missing) end
    local out = succeed(TEST, top)
    assert.is_true(tonumber(out:match "Ran (%d+) tests") >= 12, out)
    assert.truthy(out:find "\nOK\n", out)
  end)

  it("has types that hold, and says that it has them", function ()
    if missing then return pending(missing) end
    assert.is_true(shell.exists(top .. "/site/allot_engine/py.typed"))
    if shell.run "command -v mypy" ~= 0 then return pending "mypy is not installed" end
    succeed("cd %s/source && mypy --strict --cache-dir %s/mypy allot_engine", top, top)
  end)
end)
