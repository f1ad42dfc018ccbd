/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* return.c: pool slots of holders above their share go to holders that lack some. */
#include <string.h>

#include "engine/fill/round.h"
#include "engine/ownership/share.h"

/* Columns over the members of a pool: slots beyond those that a member deserves, and of these,
 * slots that it gives. */
enum { OVER = ALLOT__POOL_AIM, GIVES = ALLOT__POOL_REST };

/* What each member gives of `slots`: worst rank first. */
static void give_back(allot__ledger *ledger, const allot__share_pool *pool, int64_t slots)
{
    const allot__share *shares = &ledger->shares[pool->first];
    const int32_t *rank = ledger->work->rank, *over = ledger->column[OVER];
    int32_t *gives = ledger->column[GIVES];
    for (int32_t to = pool->count; to > 0;) {
        int32_t from = to;
        int64_t sum = 0;
        int32_t worst = rank[ledger->holders[shares[to - 1].holder].row];
        while (from > 0 && rank[ledger->holders[shares[from - 1].holder].row] == worst)
            sum += over[--from];
        int64_t part = allot__least(sum, slots);
        if (part < sum)
            allot__round_over(over + from, gives + from, to - from, part, sum);
        else
            memcpy(gives + from, over + from, (size_t)(to - from) * sizeof *over);
        slots -= part;
        to = from;
    }
}

/* Moves pool slots to another holder, as that class. A draining holder keeps its slots, though in
 * no pool, while other slots are idle. */
static void hand_over(allot__ledger *ledger, int32_t from, int32_t to, int64_t slots,
                      allot__class as)
{
    bool drains = !ledger->holders[from].rebalance;
    allot__books_take(ledger, from, slots, ALLOT__SHARED, drains ? -1 : to, ALLOT__WHY_OVER_SHARE);
    if (drains) {
        int32_t taken = ledger->recall_count - 1;
        int64_t free = allot__books_free(ledger, to);
        int64_t now = allot__least(slots, free);
        allot__books_give(ledger, to, now, as);
        slots -= now;
        allot__books_claim_one(ledger, taken, to, slots);
    }
    allot__books_promise(ledger, to, slots, as);
}

/* Do limits keep slots of others from a claimant's family, as a sibling found in this round? Then a
 * claimant that is sure of no more slots need not try. */
static bool blocked(const allot__ledger *ledger, const allot__holder *claimant)
{
    return ledger->pools[claimant->family].blocked == ledger->round &&
           allot__holder_missing(claimant, allot__holder_has(claimant)) == 0;
}

/* Moves slots of a column, OVER or GIVES, to a member that lacks some, from donor `donor` and those
 * before it, the worst first. Returns the worst donor left. */
static int32_t serve(allot__ledger *ledger, allot__share_pool *pool, int32_t to, int32_t donor,
                     int32_t *gives)
{
    const allot__share *shares = &ledger->shares[pool->first];
    int32_t claimant = shares[to].holder;
    const allot__holder *holder = &ledger->holders[claimant];
    int64_t left = allot__due_lacks(holder);
    for (int32_t i = donor; left > 0 && i >= 0 && !blocked(ledger, holder); i--) {
        int64_t slots = allot__least(gives[i], left);
        int64_t within = slots > 0 ? allot__books_within(ledger, claimant, shares[i].holder) : 0;
        slots = allot__least(slots, within);
        if (slots > 0) {
            gives[i] -= (int32_t)slots;
            ledger->column[OVER][i] -= gives == ledger->column[OVER] ? 0 : (int32_t)slots;
            allot__pool_use(ledger, pool, i, -slots);
            allot__pool_use(ledger, pool, to, slots);
            hand_over(ledger, shares[i].holder, claimant, slots, ALLOT__SHARED);
            left -= slots;
        }
        donor -= i == donor && gives[i] == 0;
    }
    if (left > 0)
        ledger->pools[holder->family].blocked = ledger->round;
    return donor;
}

/* Slots that a holder lacks first replace those in flight from it. False: the group has no slots
 * for that. */
static bool replace(allot__ledger *ledger, allot__share_pool *pool, int32_t member)
{
    int32_t index = ledger->shares[pool->first + member].holder;
    int64_t lacks = allot__due_lacks(&ledger->holders[index]);
    int64_t leaving = allot__holder_leaving(&ledger->holders[index]);
    leaving = allot__least(leaving, lacks);
    if (leaving > 0 && leaving <= ledger->room) {
        allot__books_promise(ledger, index, leaving, ALLOT__SHARED);
        allot__pool_use(ledger, pool, member, leaving);
    }
    return leaving <= ledger->room;
}

/* Serves all members that lack some, in order. Returns whether anything moved. */
static bool serve_all(allot__ledger *ledger, allot__share_pool *pool, int32_t *gives)
{
    int32_t donor = pool->count - 1;
    int32_t moves = ledger->moves;
    ledger->round++;
    for (int32_t i = 0; i < pool->count && donor >= 0; i++)
        if (replace(ledger, pool, i))
            donor = serve(ledger, pool, i, donor, gives);
    return ledger->moves > moves;
}

/* Pool slots of a holder beyond those it deserves, to be given when others claim some. */
static int64_t over_of(allot__holder *holder)
{
    int32_t beyond = holder->shared - holder->due;
    int32_t there = holder->held - holder->lost;
    holder->rounding = holder->hold_rounding && holder->cut > 0 && beyond == 1;
    beyond = allot__least(beyond, there);
    return holder->keep || holder->rounding || beyond < 0 ? 0 : beyond;
}

/* Writes OVER; returns the sum of what members lack, and in `over` the sum of OVER. */
static int64_t count_over(allot__ledger *ledger, const allot__share_pool *pool, int64_t *over)
{
    int64_t lack = 0;
    *over = 0;
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__share *share = &ledger->shares[pool->first + i];
        allot__holder *holder = &ledger->holders[share->holder];
        int64_t over_here = over_of(holder);
        lack += allot__due_lacks(holder);
        over_here = allot__least(over_here, share->used);
        ledger->column[OVER][i] = (int32_t)over_here;
        *over += over_here;
    }
    return lack;
}

/* Of pool slots that no holder has: a holder keeps slots that it loses without a claimant, and gets
 * slots that came back for it. */
static void keep_rest(allot__ledger *ledger, int32_t index, int64_t slots)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t most = allot__due_wants(holder);
    int64_t back = holder->returned > 0 ? allot__books_outside(ledger, index) : 0;
    back = allot__least(back, holder->returned);
    slots = allot__least(slots, holder->loose + back);
    slots = allot__least(slots, most);
    if (slots > 0) {
        allot__books_give(ledger, index, slots, ALLOT__SHARED);
        allot__pools_put(ledger, index, slots);
    }
}

/* Promises it others: in flight to it, without a claimant, or to be given by other holders. */
static void promise_rest(allot__ledger *ledger, int32_t index, int64_t slots)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t most = allot__due_short(holder);
    slots = allot__least(slots, most);
    if (slots <= 0)
        return;
    int64_t adopted = allot__books_adopt(ledger, index, slots, ALLOT__SHARED);
    slots -= adopted;
    most = allot__due_lacks(holder);
    slots = allot__least(slots, most);
    if (slots > 0)
        allot__books_claim(ledger, index, slots, ALLOT__SHARED);
    allot__pools_put(ledger, index, slots + adopted);
}

/* The number of pool slots without a holder that a holder can have. */
static int64_t can_have(const allot__ledger *ledger, int32_t index)
{
    int64_t idle = allot__pools_idle(ledger, index);
    int64_t within = idle > 0 ? allot__books_within(ledger, index, -1) : 0;
    idle = allot__least(idle, within);
    return allot__least(idle, ledger->room);
}

/* Gives pool slots without a holder to holders that lack some. Returns whether any got some. */
static bool pour_rest(allot__ledger *ledger)
{
    int64_t room = ledger->room;
    for (int32_t k = 0; k < ledger->live_count && ledger->room > 0; k++) {
        int32_t i = ledger->live[k];
        const allot__holder *holder = &ledger->holders[i];
        if (holder->due > holder->shared) {
            keep_rest(ledger, i, can_have(ledger, i));
            promise_rest(ledger, i, can_have(ledger, i));
        }
    }
    return ledger->room < room;
}

/* Moves slots to a claimant, as a class, from holders that are over in any pool: from the one at
 * `donor` of those listed on, the worst first. Returns the worst donor left. */
static int32_t draw(allot__ledger *ledger, int32_t claimant, int32_t donor, int64_t slots,
                    allot__class as)
{
    const allot__holder *holder = &ledger->holders[claimant];
    for (int32_t k = donor; slots > 0 && k >= 0 && !blocked(ledger, holder); k--) {
        int32_t i = ledger->live[k];
        int64_t over = i != claimant ? over_of(&ledger->holders[i]) : 0;
        int64_t part = allot__least(over, slots);
        int64_t within = part > 0 ? allot__books_within(ledger, claimant, i) : 0;
        part = allot__least(part, within);
        if (part > 0) {
            allot__pools_less(ledger, i, part);
            hand_over(ledger, i, claimant, part, as);
            allot__pools_put(ledger, claimant, as == ALLOT__SHARED ? part : 0);
            slots -= part;
        }
        donor -= k == donor && over == part;
    }
    if (slots > 0)
        ledger->pools[holder->family].blocked = ledger->round;
    return donor;
}

/* Slots of a class that a holder lacks although they count as idle: the group has no room. */
static int64_t crowded_out(const allot__ledger *ledger, int32_t index, allot__class as)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t lacks =
        as == ALLOT__OWN ? allot__holder_lacks(holder, holder->need) : allot__due_lacks(holder);
    if (lacks == 0 || allot__holder_leaving(holder) > 0)
        return 0;
    int64_t idle =
        as == ALLOT__OWN ? allot__holder_own_idle(holder) : allot__pools_idle(ledger, index);
    return allot__least(lacks, idle);
}

/* If the group has fewer slots than are owned, idle own or pool slots may not exist: they come from
 * holders that are over in any pool. Slots that move change what holders deserve below limits.
 * Returns whether any moved. */
static bool draw_all(allot__ledger *ledger, allot__class as)
{
    int32_t moves = ledger->moves;
    int32_t donor = ledger->room > 0 ? -1 : ledger->live_count - 1;
    ledger->round++;
    for (int32_t k = 0; k < ledger->live_count && donor >= 0; k++) {
        int64_t slots = crowded_out(ledger, ledger->live[k], as);
        donor = slots > 0 ? draw(ledger, ledger->live[k], donor, slots, as) : donor;
    }
    if (ledger->moves == moves)
        return false;
    allot__pools_due(ledger, false, ALLOT__DUE_HELD);
    return true;
}

/* Moves pool slots from holders that are over to holders that lack some. Returns whether any moved.
 */
static bool settle(allot__ledger *ledger)
{
    int32_t moves = ledger->moves;
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        int64_t over = 0;
        int64_t lack = pool->count > 0 ? count_over(ledger, pool, &over) : 0;
        if (over == 0 || lack == 0)
            continue;
        give_back(ledger, pool, lack < over ? lack : over);
        serve_all(ledger, pool, ledger->column[GIVES]);
        while (ledger->limited && serve_all(ledger, pool, ledger->column[OVER]))
            continue; /* slots that limits kept from some may move now: moves make room */
    }
    return ledger->moves > moves;
}

/* Slots assigned to pools anew after moves can be had there, as they could in the next cycle. */
void allot__pools_reclaim(allot__ledger *ledger)
{
    int32_t rounds = ledger->work->tree->families;
    bool moved = true;
    for (; moved && rounds >= 0; rounds--) {
        allot__pools_due(ledger, false, ALLOT__DUE_HELD);
        if (pour_rest(ledger))
            allot__pools_due(ledger, false, ALLOT__DUE_HELD);
        moved = draw_all(ledger, ALLOT__OWN);
        moved = draw_all(ledger, ALLOT__SHARED) || moved;
        moved = settle(ledger) || moved;
    }
}
