-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Ownership: consumers own slots, and lend slots that they do not need to consumers they choose.
--
-- A consumer that wants slots gets, in this order: its own that are idle; idle slots of the share
-- pools (what its branch owns beyond its consumers, then the branches above, then the group), in
-- proportion to `share`; slots that others lend it; its own that it has lent, which are called
-- back; and pool slots of consumers that use more than their share. Ownership stays as planned,
-- whatever the size of the cluster. Within a branch's `limit` own slots of its consumers come
-- before pool slots and loans of others below the branch.
--
-- The plan says which consumers lend to which: `lend` and `borrow` are true or a list of paths, and
-- `lend_limit` and `borrow_limit` are the most that a consumer lends and borrows; such a limit
-- alone consents to all consumers. The best rank borrows first.
--
-- With `reclaim_before_borrow` a consumer calls own slots back before it borrows. Pool slots are
-- taken back only for planned shares, which `share` gives among all consumers, busy or not: of
-- consumers above theirs the worst rank loses first. With `adjust_share_to_workload` the ratio
-- holds among busy consumers. Without `reclaim_shared` pool slots only return by themselves.
--
-- When a consumer gives back, tasks of its least important session go first, and of these the task
-- that ran least: the least work is lost. The options `preemption` and `selective` change this.

local function limit(doc)
  return { type = "integer", default = none, doc = doc }
end

return policy {
  name = "ownership",
  doc = "Owned slots, share pools, and loans between consumers that agreed.",
  scale = false,
  attributes = {
    lend_limit = limit "most slots it lends",
    borrow_limit = limit "most slots it borrows",
    share_limit = limit "most slots of share pools it uses",
  },
  options = preemption.options {
    reclaim_before_borrow = {
      type = "boolean",
      default = false,
      doc = "call own slots back before borrowing others'",
    },
    reclaim_shared = {
      type = "boolean",
      default = true,
      doc = "take pool slots back from those who use more than their share",
    },
    adjust_share_to_workload = {
      type = "boolean",
      default = false,
      doc = "the ratio holds among those who are busy, not only as planned",
    },
  },
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    pool "shared" { by = "share", up_to = "share_limit" },
    loan "borrowed" {
      borrowers = order { "rank" },
      lend_limit = "lend_limit",
      borrow_limit = "borrow_limit",
    },
  },
  recall = function (options) return options.reclaim_before_borrow and "first" or "last" end,
  shared = function (options)
    return not options.reclaim_shared and "keep"
      or options.adjust_share_to_workload and "adjust" or "reclaim"
  end,
  victims = preemption.victims,
  properties = { "reserve_kept" },
}
