-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot version`, which does not load the modules of help.

local core = require "allot.core"

local version = {}

function version.show(host)
  local names = core.ready()
  if host.option "format" == "json" then
    host.out(('{"schema": "allot/version/v1", "version": "%s", "policies": ["%s"]}\n'):format(
      core.version, table.concat(names, '", "')))
  else
    host.out(("allot %s\nready-made policies: %s\n"):format(core.version,
      table.concat(names, ", ")))
  end
end

return version
