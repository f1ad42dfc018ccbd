/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reach.h: which slots serve consumers that lack some, if hosts differ (E-30).
 *
 * A slot is of no use to a consumer that requires other hosts than the slot's, or that must have a
 * host alone and does not get this one. So no leaf gives back slots that serve no claimant, and no
 * consumer is owed more by others than they could give it.
 *
 * The hosts of tasks show where slots are. A slot whose host no task states is assumed to serve
 * only consumers to which all hosts are alike (allot__hosts_takes_lost): to take it for others
 * would make its holder give one slot after another until, by chance, one was of use. The warning
 * W-hosts names consumers that could have more if tasks stated their hosts.
 */
#ifndef ALLOT_ENGINE_RECLAIM_REACH_H
#define ALLOT_ENGINE_RECLAIM_REACH_H

#include "engine/hosts/hosts.h"

/* After distribution: writes reach and useful, which stay NULL if hosts are all alike, or no
 * consumer lacks slots. ENOMEM. */
int allot__reach(allot__work *work);
/* What a leaf gives serves another one where it is on hosts that help it: takes up to `slots` of
 * that which `taken` does not have yet, and returns how many. `taken` begins as zeroes: by unit of
 * the group, then by row for slots that no task tells the place of. */
int64_t allot__reach_take(const allot__work *work, int32_t from, int32_t to, int64_t slots,
                          int32_t *taken);
/* Which hosts exclusive consumers can leave whole with what they are over: hosts->left, where there
 * are such consumers. ENOMEM. */
int allot__reach_left(allot__work *work);

#endif
