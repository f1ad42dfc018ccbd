-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hybrid for a site whose hosts differ: a consumer names what it requires of a host.
--
-- A requirement is a function of attributes that the plan gives its hosts, by their names; missing
-- attributes are nil. The function is called once for every host and cycle.

return policy {
  name = "hosts",
  like = "hybrid",
  doc = "Hybrid, with requirements on hosts.",
  requirements = {
    gpu = function (gpus) return (gpus or 0) > 0 end,
    big_linux = function (memory, os) return os == "linux" and (memory or 0) >= 256 end,
  },
}
