/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reach.h: whose slots serve those who lack some, where hosts are not all alike (E-30).
 *
 * A slot is no use to a consumer that requires other hosts than the slot's, or that must have a
 * host alone and does not get this one. So nobody gives back what serves nobody, and nobody is owed
 * more by others than they could give it.
 *
 * Where a slot is, tasks tell by their hosts. Of a slot that none tells the place of it is assumed
 * that it serves nobody but those to whom all hosts are alike (allot__hosts_takes_lost): to take it
 * for others would make its holder give one slot after another until, by chance, one was of use.
 * Who could have more if tasks told their hosts is told by a warning, W-hosts.
 */
#ifndef ALLOT_ENGINE_RECLAIM_REACH_H
#define ALLOT_ENGINE_RECLAIM_REACH_H

#include "engine/hosts/hosts.h"

/* After distribution: writes reach and useful, which stay NULL where hosts are all alike, or nobody
 * lacks slots. ENOMEM. */
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
