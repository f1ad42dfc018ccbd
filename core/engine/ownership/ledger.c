/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger.c: the phases, and their results. */
#include "engine/ownership/ledger.h"

#include <string.h>

/* ---- Begin ----------------------------------------------------------------------------------- */

static bool any_keeps(const allot__work *work)
{
    for (int32_t i = 0; i < work->rules_count; i++)
        if (allot__ledger_rules(&work->rules[i]))
            return true;
    return false;
}

static bool all_branches_keep(const allot__work *work)
{
    for (int32_t row = 0; row < work->tree->first[1]; row++)
        if (!allot__ledger_rules(allot__rules_at(work, row)))
            return false;
    return true;
}

static int begin(allot__work *work, bool all, bool planning)
{
    allot__ledger *ledger = allot__arena_take(work->arena, 1, sizeof *ledger);
    if (!ledger)
        return ALLOT_ENOMEM;
    *ledger = (allot__ledger){.work = work, .arena = work->arena, .all = all, .planning = planning};
    work->ledger = ledger;
    return ALLOT_OK;
}

int allot__ledger_begin(allot__work *work)
{
    return any_keeps(work) ? begin(work, all_branches_keep(work), false) : ALLOT_OK;
}

int allot__ledger_plan(allot__work *work)
{
    return work->ledger ? begin(work, work->ledger->all, true) : ALLOT_OK;
}

/* ---- Phase 1 --------------------------------------------------------------------------------- */

/* Phase 1, up to the reserve or the need: own slots that are idle, that come back, or that other
 * holders must give. */
static void take_own(allot__ledger *ledger, int32_t index, int32_t target)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t slots = (int64_t)target - allot__holder_has(holder);
    if (slots <= 0)
        return;
    int64_t own = allot__holder_own_idle(holder);
    int64_t within = allot__books_within(ledger, index, -1);
    slots = allot__least(slots, own);
    slots = allot__least(slots, ledger->room);
    slots = allot__least(slots, within);
    if (slots <= 0)
        return;
    int64_t wants = allot__holder_wants(holder, target);
    int64_t free = allot__books_free(ledger, index);
    int64_t now = allot__least(slots, wants);
    now = allot__least(now, free);
    allot__books_give(ledger, index, now, ALLOT__OWN);
    slots -= now;
    slots -= allot__books_adopt(ledger, index, slots, ALLOT__OWN);
    int64_t lacks = allot__holder_lacks(holder, target);
    lacks = allot__least(lacks, slots);
    allot__books_claim(ledger, index, lacks, ALLOT__OWN);
    allot__books_await(ledger, index, slots - lacks, ALLOT__OWN);
}

static void phase_own(allot__ledger *ledger)
{
    for (int32_t k = 0; k < ledger->live_count; k++) {
        const allot__holder *holder = &ledger->holders[ledger->live[k]];
        take_own(ledger, ledger->live[k], (int32_t)allot__least(holder->reserve, holder->need));
    }
    for (int32_t k = 0; k < ledger->live_count; k++)
        take_own(ledger, ledger->live[k], ledger->holders[ledger->live[k]].need);
}

/* ---- Slots without a claimant --------------------------------------------------------------- */

/* Own slots that a holder misses: it does not have them in any class, has not lent them, does not
 * give them back itself, and they are not in flight to it. */
static int64_t own_missing(const allot__ledger *ledger, const allot__holder *holder)
{
    const int32_t *earmarked = ledger->work->earmarked;
    int64_t own = (int64_t)allot__holder_own_idle(holder) - holder->shared;
    own -= allot__holder_leaving(holder) + holder->dropped;
    own -= earmarked ? earmarked[holder->row] - holder->coming : 0;
    for (int32_t i = holder->recalls; i >= 0 && own > 0; i = ledger->recalls[i].older)
        own -= ledger->recalls[i].to < 0 ? ledger->recalls[i].slots : 0;
    return own > 0 ? own : 0;
}

/* Gives a holder slots that it lent and that have no claimant; returns the number. */
static int32_t hand_owed(allot__ledger *ledger, int32_t index, int64_t most)
{
    int64_t handed = 0;
    for (int32_t at = ledger->holders[index].owed; at >= 0 && handed < most;
         at = ledger->recalls[at].older_owed)
        handed += allot__books_claim_one(ledger, at, index, most - handed);
    return (int32_t)handed;
}

/* Own slots that are to come back to a holder: missing ones, as far as the group, its own limit and
 * those above it have room. */
static int64_t own_to_come(const allot__ledger *ledger, int32_t index)
{
    const allot__holder *holder = &ledger->holders[index];
    int64_t held = (int64_t)ledger->work->limit[holder->row] - allot__holder_has(holder);
    int64_t own = own_missing(ledger, holder);
    int64_t within = own > 0 ? allot__books_within(ledger, index, -1) : 0;
    own = allot__least(own, held);
    own = allot__least(own, within);
    own = allot__least(own, ledger->room);
    return own > 0 ? own : 0;
}

/* Assigns slots that have no claimant yet: slots of a loan to their lender, others to owners that
 * miss own slots. */
static void hand_back(allot__ledger *ledger)
{
    int32_t *handed = ledger->column[0];
    int64_t idle = ledger->idle > 0 ? ledger->idle : 0;
    bool any = ledger->loose > 0;
    for (int32_t i = 0; i < ledger->count && any; i++) {
        handed[i] = hand_owed(ledger, i, own_to_come(ledger, i));
        allot__books_has(ledger, i, handed[i], 0);
    }
    for (int32_t i = 0; i < ledger->count && any; i++) {
        int64_t own = own_to_come(ledger, i);
        int64_t more = own_missing(ledger, &ledger->holders[i]) - handed[i];
        own = allot__least(own, more);
        int64_t there = allot__least(own, idle);
        idle -= there;
        allot__books_has(ledger, i, own > 0 ? own : 0, 0);
        allot__books_hand(ledger, i, own - there);
    }
}

/* Gives slots that came back for holders that do not need them to holders that wait for slots which
 * no other holder gives. */
static void hand_on(allot__ledger *ledger)
{
    int64_t idle = ledger->returned;
    for (int32_t i = 0; i < ledger->count && idle > 0; i++) {
        allot__holder *holder = &ledger->holders[i];
        int64_t slots = allot__least(idle, holder->promised - holder->claimed);
        int64_t room = slots > 0 ? allot__books_outside(ledger, i) : 0;
        slots = allot__least(slots, room);
        if (slots > 0) {
            holder->promised -= (int32_t)slots;
            holder->granted += (int32_t)slots;
            allot__books_has(ledger, i, 0, slots);
            idle -= slots;
        }
    }
}

/* ---- The phases ------------------------------------------------------------------------------ */

/* Records holders' slots before any decision. */
static void remember(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        int32_t rest = holder->held + holder->flying - holder->in;
        int32_t own = holder->own > holder->out ? holder->own - holder->out : 0;
        own = allot__least(own, rest);
        ledger->before[i] = (allot__held){own, rest - own, holder->in, holder->out};
    }
}

static void count_forced(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->recall_count; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        ledger->holders[recall->from].forced += allot__why_forced(recall->why) ? recall->slots : 0;
    }
}

static void write_quota(const allot__ledger *ledger, int32_t index)
{
    const allot__holder *holder = &ledger->holders[index];
    int32_t shared = ledger->stands ? holder->due : holder->shared;
    ledger->work->quota[holder->row] =
        (int32_t)allot__least(holder->used + holder->in + shared, holder->need);
}

/* Holders that are neither live nor touched have what they need. */
static void write_quotas(allot__ledger *ledger)
{
    allot__work *work = ledger->work;
    if (!ledger->all) {
        for (int32_t i = 0; i < ledger->count; i++)
            write_quota(ledger, i);
        return;
    }
    memcpy(work->quota, work->need, (size_t)work->tree->rows * sizeof *work->quota);
    for (int32_t k = 0; k < ledger->live_count + ledger->touched_count; k++)
        write_quota(ledger, ledger->live[k]);
}

/* Sums up quotas of parents, and marks that no fill ran out of slots in their families. */
static void sum_quotas(allot__ledger *ledger)
{
    allot__work *work = ledger->work;
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        if (!allot__ledger_family(work, family))
            continue;
        int64_t sum = 0;
        for (int32_t i = 0; i < allot__family_size(work, family); i++)
            sum += work->quota[allot__family_first(work, family) + i];
        work->quota[work->group->parent[family]] = (int32_t)sum;
        work->critical[family] = (allot__critical){.fill = -1};
    }
    if (ledger->all)
        work->critical[0] = (allot__critical){.fill = -1};
}

/* Takes slots that may not stay, once classes are known. */
static void force(allot__ledger *ledger)
{
    allot__force_holders(ledger);
    allot__pools_attribute(ledger);
    allot__force_pools(ledger);
    allot__lenders_list(ledger);
}

/* Opens the books: the part in which only slots in flight depend on needs of holders. */
static int open_books(allot__ledger *ledger)
{
    allot__work *work = ledger->work;
    *ledger = (allot__ledger){.work = work,
                              .arena = ledger->arena,
                              .all = ledger->all,
                              .planning = ledger->planning,
                              .keep = ledger->keep,
                              .draft = ledger->draft,
                              .slots = ledger->all ? work->slots : ledger->slots};
    ledger->room = ledger->slots;
    int status = allot__books_open(ledger);
    if (status != ALLOT_OK)
        return status;
    allot__books_settle(ledger);
    remember(ledger);
    allot__force_loans(ledger);
    allot__books_settle(ledger);
    allot__books_class(ledger);
    if (allot__books_settled(ledger))
        force(ledger);
    return ledger->status;
}

/* The same, where they outlive the run. */
static int open_kept(allot__ledger *ledger)
{
    allot__work *work = ledger->work;
    allot__arena *mine = work->arena;
    work->arena = ledger->arena;
    int status = open_books(ledger);
    status = status == ALLOT_OK ? allot__books_keep(ledger) : status;
    work->arena = mine;
    if (status == ALLOT_OK)
        allot__books_again(ledger);
    return status;
}

/* What it comes to beside quotas. */
static void conclude(allot__ledger *ledger)
{
    allot__books_net(ledger);
    hand_back(ledger);
    hand_on(ledger);
    count_forced(ledger);
}

/* The phases up to 4. */
static int begin_run(allot__ledger *ledger)
{
    int status = ALLOT_OK;
    if (!ledger->kept || !allot__books_again(ledger))
        status = ledger->keep ? open_kept(ledger) : open_books(ledger);
    if (status != ALLOT_OK)
        return status;
    if (!ledger->kept)
        allot__books_narrow(ledger);
    allot__books_claimed(ledger);
    if (!allot__books_settled(ledger))
        force(ledger);
    phase_own(ledger);
    allot__pools_share(ledger);
    allot__loans_recall(ledger, true);
    status = ledger->planning ? ALLOT_OK : allot__loans_borrow(ledger);
    allot__loans_recall(ledger, false);
    return status == ALLOT_OK ? ledger->status : status;
}

int allot__ledger_run(allot__work *work)
{
    allot__ledger *ledger = work->ledger;
    bool lowered = ledger->kept && ledger->draft && allot__books_lower(ledger);
    int status = lowered ? ALLOT_OK : begin_run(ledger);
    if (status != ALLOT_OK)
        return status;
    bool again = ledger->kept && ledger->draft;
    ledger->stands = again && allot__pools_stand(ledger, lowered);
    if (!ledger->stands) {
        allot__pools_reclaim(ledger);
        allot__books_unset_aside(ledger);
        allot__books_spare(ledger);
    }
    if (!ledger->draft)
        conclude(ledger);
    write_quotas(ledger);
    sum_quotas(ledger);
    status = ledger->status;
    if (again && !ledger->stands) /* before the work's arena goes */
        allot__books_restore(ledger);
    return status;
}

void allot__ledger_keep(allot__work *work, bool keep)
{
    allot__ledger *ledger = work->ledger;
    ledger->keep = keep && ledger->all;
    ledger->kept = ledger->keep ? ledger->kept : NULL;
}

void allot__ledger_draft(allot__work *work, bool draft)
{
    if (work->ledger)
        work->ledger->draft = draft;
}

/* ---- What it comes to ------------------------------------------------------------------------ */

void allot__ledger_returned(allot__work *work)
{
    const allot__ledger *ledger = work->ledger;
    for (int32_t i = 0; work->returned && i < ledger->count; i++)
        work->returned[ledger->holders[i].row] = 0;
}

/* The granted slots that a leaf receives: no more than its quota above its allocation, which
 * includes slots in flight from it (C-5), and no more than hosts have room for. */
static int32_t can_take(const allot__work *work, const allot__holder *holder)
{
    int32_t slots = holder->granted;
    int32_t lacks = work->quota[holder->row] - work->allocated[holder->row];
    slots = allot__least(slots, lacks);
    if (work->room && slots > work->room[holder->row])
        slots = work->room[holder->row];
    return slots > 0 ? slots : 0;
}

int64_t allot__ledger_received(allot__work *work)
{
    const allot__ledger *ledger = work->ledger;
    int64_t all = 0;
    for (int32_t i = 0; i < ledger->count; i++) {
        const allot__holder *holder = &ledger->holders[i];
        int32_t slots = can_take(work, holder);
        work->received[holder->row] += slots;
        all += slots;
    }
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        int32_t parent = work->group->parent[family];
        for (int32_t i = 0;
             allot__ledger_family(work, family) && i < allot__family_size(work, family); i++)
            work->received[parent] += work->received[allot__family_first(work, family) + i];
    }
    return all;
}

/* Parts: reserve and owned; then pool and loan, as far as the policy has these words. */
void allot__ledger_parts(const allot__work *work, int32_t row, int64_t *part)
{
    enum { RESERVED, OWNED, OTHERS };
    const allot_policy *policy = allot__rules_at(work, row)->policy;
    const allot__ledger *ledger = work->ledger;
    memset(part, 0, (size_t)policy->fill_count * sizeof *part);
    for (int32_t at = ledger->first[row]; at < ledger->end[row]; at++) {
        const allot__holder *holder = &ledger->holders[ledger->at[at]];
        int64_t left = work->quota[holder->row];
        int64_t own = allot__least(left, holder->used);
        int64_t reserved = allot__least(own, holder->reserve);
        int64_t in = allot__least(left - own, holder->in);
        part[RESERVED] += reserved;
        part[OWNED] += own - reserved;
        part[OTHERS] += left - own - in;
        part[policy->fill_count - 1] += in;
    }
}

allot__why allot__ledger_reason(const allot__work *work, int32_t row)
{
    const allot__ledger *ledger = work->ledger;
    allot__why reason = ALLOT__WHY_RECALLED;
    bool any = false;
    for (int32_t i = allot__ledger_holder(work, row)->recalls; i >= 0;
         i = ledger->recalls[i].older) {
        const allot__recall *recall = &ledger->recalls[i];
        bool first = !any || allot__why_forced(recall->why) || !allot__why_forced(reason);
        if (recall->slots > recall->cut && first) {
            reason = recall->why;
            any = true;
        }
    }
    return reason;
}

const allot__held *allot__ledger_held(const allot__work *work, int32_t row)
{
    int32_t holder = work->ledger ? work->ledger->holder_of[row] : -1;
    return holder >= 0 ? &work->ledger->before[holder] : NULL;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static const char *const why_codes[] = {
#define CODE(name, code, text) code,
    ALLOT__WHY_MAP(CODE)
#undef CODE
};
static const char *const why_texts[] = {
#define TEXT(name, code, text) text,
    ALLOT__WHY_MAP(TEXT)
#undef TEXT
};

const char *allot__why_code(allot__why why)
{
    return why_codes[why];
}

const char *allot__why_text(allot__why why)
{
    return why_texts[why];
}
