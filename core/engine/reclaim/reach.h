/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reach.h: which slots that are over serve consumers that lack slots, if hosts differ (E-30).
 *
 * A slot is of no use to a consumer that requires other hosts than the slot's, or that must have a
 * host alone and does not get this one. So no leaf gives back slots that serve no claimant, and no
 * consumer is owed more by others than they could give it.
 *
 * The hosts of tasks show where slots are. A slot whose host no task states is assumed to serve
 * only consumers to which all hosts are alike (allot__hosts_takes_lost): taken for others, its
 * holder would give one slot after another until, by chance, one was of use. The warning W-hosts
 * names consumers that could have more if tasks stated their hosts.
 */
#ifndef ALLOT_ENGINE_RECLAIM_REACH_H
#define ALLOT_ENGINE_RECLAIM_REACH_H

#include "engine/hosts/hosts.h"

/* After distribution: writes reach and useful, which stay NULL if hosts are all alike, or no
 * consumer lacks slots. ENOMEM. */
int allot__reach(allot__work *work);
/* Takes up to `slots` that leaf `from` gives on hosts that serve leaf `to`, and that are not in
 * `taken` yet; returns the number. `taken` starts zeroed: by unit of the group, then by row for
 * slots whose host no task states. */
int64_t allot__reach_take(const allot__work *work, int32_t from, int32_t to, int64_t slots,
                          int32_t *taken);
/* Writes hosts->left, if there are exclusive consumers: the hosts that these can leave whole with
 * the slots that they are over. ENOMEM. */
int allot__reach_left(allot__work *work);

#endif
