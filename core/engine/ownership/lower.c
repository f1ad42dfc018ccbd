/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lower.c: a run after the need of one holder fell (C-13), from the books as phase 4 of the run
 * before left them.
 *
 * In phases 1 to 4 a holder's need only bounds what that holder gets. So a lower need changes
 * nothing in phases 1 to 3 if they gave the holder nothing, or no more than it still needs, and if
 * it still asks pools that ran out of slots for more than its share. In phase 4 it changes only
 * what the holder itself calls back.
 *
 * Phase 5 shares pools anew, and moves slots to holders that have less than their share. If there
 * is one pool, all of whose slots are in use, and if each holder can give what it has beyond its
 * share, then each ends with its share: a second round would find the same shares, since holders
 * ask for as much as before. So quotas follow without a move.
 */
#include "engine/ownership/ledger.h"
#include "engine/ownership/share.h"

/* ---- Phases 1 to 4 --------------------------------------------------------------------------- */

/* Do phases 1 to 3 stay as they are if a holder needs that much? */
static bool stays(const allot__ledger *ledger, const allot__holder *holder, int32_t need,
                  int32_t most)
{
    const int32_t *returned = ledger->work->returned;
    const allot__holder *first = &ledger->kept->holders[ledger->holder_of[holder->row]];
    /* After phase 3, which lent no slots of the holder; `lost` may be of phase 4. */
    int64_t has = (int64_t)allot__holder_has(holder) + holder->lost - holder->recalled;
    int64_t counts = allot__holder_counts(holder) - holder->recalled;
    int32_t low = allot__least(need, most);
    bool got = counts > allot__holder_counts(first) || has > allot__holder_has(first) + first->lost;
    return most <= holder->most && need <= holder->need && low >= holder->least &&
           (!got || low >= allot__most(has, counts)) && !holder->recall_first &&
           holder->out + holder->recalled == first->out && holder->flying == 0 &&
           holder->coming == 0 && !(returned && returned[holder->row] > 0);
}

/* What a holder asks for once it gave so many shared slots to others. */
static int32_t asks_less(const allot__holder *holder, int64_t gives)
{
    int64_t lacks = holder->most - allot__holder_counts(holder) + gives;
    int64_t spare = allot__holder_has(holder) - gives - holder->most;
    int64_t asks = holder->shared - gives + (lacks > 0 ? lacks : -allot__most(spare, 0));
    return (int32_t)allot__most(allot__least(asks, holder->share_most), 0);
}

/* Leaves borrowers so many slots that a holder called back, the last ones first. */
static void call_less(allot__ledger *ledger, int32_t index, int64_t slots)
{
    const allot__lent *before = ledger->kept->part[ALLOT__KEPT_LOANS].copy;
    allot__holder *holder = &ledger->holders[index];
    if (slots <= 0)
        return;
    holder->used -= (int32_t)slots;
    holder->promised -= (int32_t)slots;
    holder->recalled -= (int32_t)slots;
    for (int32_t k = ledger->lender_at[index + 1] - 1; slots > 0; k--) {
        const allot__lent *loan = &ledger->loans[ledger->by_lender[k]];
        int32_t recalled = before[ledger->by_lender[k]].slots - loan->slots;
        int32_t part = (int32_t)allot__least(recalled, slots);
        allot__loan_more(ledger, ledger->by_lender[k], part);
        allot__holder *borrower = &ledger->holders[loan->borrower];
        borrower->in += part;
        borrower->lost -= part;
        borrower->asks = asks_less(borrower, 0);
        slots -= part;
    }
}

/* Weights share loans out anew: then a need bounds others, too. */
bool allot__books_lower(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    int32_t rows = work->tree->rows, row = ledger->stands ? allot__books_changed(ledger, 0) : rows;
    if (row == rows || ledger->weighed || allot__books_changed(ledger, row + 1) < rows)
        return false;
    int32_t index = ledger->holder_of[row], need = work->need[row];
    int32_t most = allot__least(work->demand[row], work->limit[row]);
    allot__holder *holder = &ledger->holders[index];
    if (!stays(ledger, holder, need, most))
        return false;
    call_less(ledger, index, allot__least(allot__holder_counts(holder) - most, holder->recalled));
    holder->need = need;
    holder->most = most;
    holder->asks = asks_less(holder, 0);
    allot__books_read_need(ledger, row);
    return true;
}

/* ---- Phase 5 --------------------------------------------------------------------------------- */

/* Can phase 5 do no more to a holder than change its shared slots? */
static bool only_shares(const allot__holder *holder)
{
    bool idle = allot__holder_own_idle(holder) > 0;
    return !holder->keep && holder->dropped == 0 && holder->shared == holder->pooled &&
           allot__holder_leaving(holder) == 0 &&
           !(idle && allot__holder_lacks(holder, holder->need) > 0);
}

/* ... and gives (> 0) or gets just so many, and then asks for as many as before? */
static bool can_give(const allot__holder *holder, int64_t gives)
{
    return gives <= allot__most(holder->held - holder->lost, 0) &&
           asks_less(holder, gives) == holder->asks;
}

/* The only pool; NULL: there are none, or several. */
static allot__share_pool *only_pool(const allot__ledger *ledger)
{
    allot__share_pool *only = NULL;
    for (int32_t family = 0; family < ledger->work->tree->families; family++) {
        if (ledger->pools[family].slots > 0 && only)
            return NULL;
        only = ledger->pools[family].slots > 0 ? &ledger->pools[family] : only;
    }
    return only;
}

/* Is all of it known but how the only pool, which is full, is shared? */
static bool stand(allot__ledger *ledger, const allot__share_pool *pool)
{
    const allot__ledger *kept = &ledger->kept->ledger;
    int64_t all = 0;
    bool plain = ledger->loans == kept->loans && ledger->recalls == kept->recalls && /* not grown */
                 allot__books_settled(ledger) && !ledger->rounding && ledger->room >= 0 &&
                 ledger->loose == 0;
    for (int32_t k = 0; k < ledger->live_count && plain; k++) {
        allot__holder *holder = &ledger->holders[ledger->live[k]];
        holder->asks = asks_less(holder, 0);
        holder->due = 0;
        all += holder->shared;
        plain = only_shares(holder);
    }
    if (plain)
        allot__pool_fill(ledger, pool, ALLOT__DUE_HELD);
    return plain && all == pool->slots;
}

/* Shares the pool; do all slots beyond shares go to members that lack some? */
static bool share(allot__ledger *ledger, const allot__share_pool *pool)
{
    const allot__share *shares = &ledger->shares[pool->first];
    int32_t *const *column = ledger->column;
    int64_t all = 0;
    bool can = true;
    for (int32_t i = 0; i < pool->count; i++) {
        column[ALLOT__POOL_LEVEL][i] = 0;
        column[ALLOT__POOL_CAP][i] = ledger->holders[shares[i].holder].asks;
    }
    allot__pool_deserve(ledger, pool, pool->by_plan);
    for (int32_t i = 0; i < pool->count && can; i++) {
        allot__holder *holder = &ledger->holders[shares[i].holder];
        holder->due = column[ALLOT__POOL_FLOOR][i];
        int64_t gives = column[ALLOT__POOL_HELD][i] - holder->due;
        all += gives;
        can = gives == 0 || can_give(holder, gives);
    }
    return can && all == 0;
}

bool allot__pools_stand(allot__ledger *ledger, bool again)
{
    const allot__share_pool *pool = only_pool(ledger);
    return pool && (again || stand(ledger, pool)) && share(ledger, pool);
}

/* ---- Rule 5 of whole tasks ------------------------------------------------------------------- */

/* The borrowed slots of a holder that their lenders may call back in the next run, if a row demands
 * `target`. */
static int64_t may_recall(const allot__ledger *ledger, const allot__holder *holder, int32_t row,
                          int32_t target)
{
    const allot__work *work = ledger->work;
    const allot__lent *loans = ledger->kept->part[ALLOT__KEPT_LOANS].copy;
    int64_t slots = 0;
    for (int32_t i = holder->loans; i >= 0; i = loans[i].older) {
        const allot__holder *lender = &ledger->kept->holders[loans[i].lender];
        int32_t most = lender->row == row ? target : work->demand[lender->row];
        int64_t lacks = allot__holder_lacks(lender, most);
        slots += allot__least(lacks, loans[i].slots);
    }
    return slots;
}

/* Reads the books as they were opened: the decision may keep those of the last run. */
bool allot__ledger_could(const allot__work *work, int32_t row, int32_t target)
{
    const allot__ledger *ledger = work->ledger;
    if (!ledger->kept || !allot__books_settled(ledger) || ledger->kept->ledger.room < 0 ||
        work->earmarked)
        return true; /* slots that may not stay depend on needs, or so do slots in flight */
    int64_t left = ledger->slots - target;
    for (int32_t i = 0; i < ledger->count && left >= 0; i++) {
        const allot__holder *holder = &ledger->kept->holders[i];
        int64_t quota = work->quota[holder->row], stays = (int64_t)holder->used + holder->in;
        if (stays > quota && holder->in > 0)
            stays -= may_recall(ledger, holder, row, target);
        left -= holder->row == row ? 0 : allot__most(quota, stays);
    }
    return left >= 0;
}
