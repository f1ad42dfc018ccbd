-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Ownership: everybody owns a number of slots; what is not needed is lent to whom the owner likes.
--
-- A consumer that wants slots gets, in this order: its own that are idle; idle slots of the share
-- pools (what its branch owns beyond its consumers, then the branches above, then the group), in
-- proportion to `share`; slots that others lend it; its own that it has lent, which are called
-- back; and pool slots of those who use more than their share. What is owned stays as planned,
-- whatever the size of the cluster. A branch's `limit` holds what its consumers want of their own
-- before what others below it use of pools or borrow.
--
-- Who lends to whom is in the plan: `lend` and `borrow` of a consumer are true or a list of paths,
-- and `lend_limit` and `borrow_limit` the most it lends and borrows; such a limit alone consents to
-- everybody. The best rank borrows first.
--
-- With `reclaim_before_borrow` own slots are called back before others' are borrowed. Pool slots
-- are taken back for planned shares alone, what `share` gives among all, busy or not: of those who
-- use more than theirs the worst rank loses first. With `adjust_share_to_workload` the ratio holds
-- among those who are busy. Without `reclaim_shared` pool slots only return by themselves.
--
-- Of a consumer that gives back, the tasks of its least important session go first, and of these
-- what ran least: the least work is lost. The options `preemption` and `selective` choose others.

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
