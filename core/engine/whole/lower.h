/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lower.h: the steps of rules 4 and 5.
 */
#ifndef ALLOT_ENGINE_WHOLE_LOWER_H
#define ALLOT_ENGINE_WHOLE_LOWER_H

#include "engine/whole/whole.h"

/* use.c: does a side use less than min(demand, quota)? If so, all->uses has its asker's uses.
 * Statuses of allot__whole_use. */
int allot__whole_look(allot__whole_all *all, allot__side *side, bool *yes);
/* The same for a row; false for a row that does not ask. */
static inline int allot__whole_is_short(allot__whole_all *all, const allot__work *work, int32_t row,
                                        bool *yes)
{
    const allot__whole *whole = work->whole;
    int32_t quota = work->quota[row];
    *yes = false;
    return quota >= whole->fine_from[row] && quota <= whole->fine_to[row]
               ? ALLOT_OK
               : allot__whole_look(all, whole->sides[row], yes);
}
/* use.c: slots of a going task on a side. */
int32_t allot__whole_slots_on(const allot__whole_room *room, int32_t task, const allot__side *side);
/* A side uses the quotas `from` ... `to` as far as it could. */
void allot__whole_note_fine(const allot__side *side, int64_t from, int64_t to);
/* The same of a side whose demand was just lowered to `used`, what it uses of the quota looked at
 * last. */
void allot__whole_note_lowered(allot__side *side, int32_t used);
/* walk.c: rule 4, leaf by leaf, for one family whose levels are whole before the critical fill;
 * *done: the number of leaves. Likewise. */
int allot__whole_walk(allot__whole_all *all, int32_t *done);
/* batch.c: rule 4 for several leaves at once, the last ones that use less than they could, as far
 * as the result is certain to be the same as one by one. *done: the number of leaves; 0: it is
 * certain for none. Likewise. */
int allot__whole_batch(allot__whole_all *all, int32_t *done);
/* rest.c: rule 5. Likewise. */
int allot__whole_rest(allot__whole_all *all);
/* again.c: the quotas that the decision keeps, including leftovers. Likewise. */
int allot__whole_settle(allot__whole_all *all, int32_t group);

#endif
