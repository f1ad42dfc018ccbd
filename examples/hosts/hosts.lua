-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hybrid for a site whose hosts differ: a consumer names what it requires of a host.
--
-- A requirement is a function of the attributes that the plan gives its hosts, by their names; what
-- a host does not state is nil. It is asked once for every host and cycle.

return policy {
  name = "hosts",
  like = "hybrid",
  doc = "Hybrid, with requirements on hosts.",
  requirements = {
    gpu = function (gpus) return (gpus or 0) > 0 end,
    big_linux = function (memory, os) return os == "linux" and (memory or 0) >= 256 end,
  },
}
