/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ask.c: what claims ask of families, from the leaves up, and whether there is so much. */
#include "engine/outlook/outlook.h"

#include "base/wide.h"
#include "engine/quota/need.h"
#include "engine/quota/quota.h"

static int64_t whole(int64_t total)
{
    return (total + (1 << ALLOT__LEVEL_BITS) - 1) >> ALLOT__LEVEL_BITS;
}

static int64_t size_of(const allot_outlook *outlook)
{
    return outlook->group->slots << ALLOT__LEVEL_BITS;
}

/* The spot that a claim asks for; false: no spot gives so much. */
static bool asked(const allot_outlook *outlook, int32_t row, int64_t slots, allot__side side,
                  allot__spot *out)
{
    if (slots > outlook->limit[row] || !allot__outlook_spot(outlook, row, slots, side, out))
        return false;
    return side == ALLOT__MOST || allot__outlook_spot(outlook, row, slots - 1, side, out);
}

/* ---- All claims ------------------------------------------------------------------------------ */

static void settle_side(const allot_outlook *outlook, int32_t family, allot__side side)
{
    allot__outlook_family *of = &outlook->families[family];
    of->spot[side] = (allot__spot){0, 0};
    of->beyond[side] = false;
    for (int32_t row = outlook->tree->first[family]; row < outlook->tree->first[family + 1];
         row++) {
        allot__spot spot;
        if (outlook->claim[side][row] == 0)
            continue;
        if (!asked(outlook, row, outlook->claim[side][row], side, &spot))
            of->beyond[side] = true;
        else if (allot__spot_below(of->spot[side], spot))
            of->spot[side] = spot;
    }
    of->total[side] = allot__outlook_total(outlook, family, of->spot[side], side);
}

/* What a parent needs where its children need `needs` (C-2). */
static int32_t parent_need(const allot_outlook *outlook, int32_t row, int64_t needs)
{
    int32_t limit = outlook->limit[row], reserve = outlook->reserve[row];
    int32_t want = needs < limit ? (int32_t)needs : limit;
    return want > reserve && !outlook->out[row] ? want : reserve;
}

/* What a family asks of its parent: INT32_MAX is more than there is. */
static int32_t parent_claim(const allot__outlook_family *of, allot__side side)
{
    int64_t total = whole(of->total[side]);
    if (of->beyond[side] || total > ALLOT_AMOUNT_MAX)
        return INT32_MAX;
    return (int32_t)(side == ALLOT__MOST && total > of->needs ? of->needs : total);
}

static void settle_family(allot_outlook *outlook, int32_t family)
{
    allot__outlook_family *of = &outlook->families[family];
    of->stale = false;
    of->needs = 0;
    for (int32_t row = outlook->tree->first[family]; row < outlook->tree->first[family + 1]; row++)
        of->needs += outlook->need[row];
    settle_side(outlook, family, ALLOT__LEAST);
    settle_side(outlook, family, ALLOT__MOST);
    if (family == 0)
        return;
    int32_t parent = outlook->group->parent[family];
    outlook->need[parent] = parent_need(outlook, parent, of->needs);
    outlook->claim[ALLOT__LEAST][parent] = parent_claim(of, ALLOT__LEAST);
    outlook->claim[ALLOT__MOST][parent] = parent_claim(of, ALLOT__MOST);
    allot__outlook_levels(outlook, parent);
    outlook->families[outlook->family_in[parent]].stale = true;
}

bool allot__outlook_raised(allot_outlook *outlook, int32_t row, int32_t need, const int64_t *levels)
{
    allot__outlook_family *of = &outlook->families[0];
    allot__spot spots[ALLOT__SIDES];
    bool known = outlook->family_in[row] == 0 && !outlook->stale;
    for (int side = 0; side < ALLOT__SIDES && known; side++) {
        int32_t claim = outlook->claim[side][row];
        known = claim == 0 || (asked(outlook, row, claim, (allot__side)side, &spots[side]) &&
                               !allot__spot_below(of->spot[side], spots[side]));
    }
    for (int side = 0; side < ALLOT__SIDES && known; side++) {
        of->total[side] +=
            allot__outlook_level(outlook, row, of->spot[side], (allot__side)side) - levels[side];
    }
    of->needs += known ? outlook->need[row] - need : 0;
    return known;
}

static allot__foreseen settle(allot_outlook *outlook)
{
    for (int32_t i = outlook->tree->families - 1; i >= 0 && outlook->stale; i--)
        if (outlook->families[i].stale)
            settle_family(outlook, i);
    outlook->stale = false;
    const allot__outlook_family *top = &outlook->families[0];
    if (top->beyond[ALLOT__LEAST] || top->total[ALLOT__LEAST] > size_of(outlook))
        return ALLOT__SHORT;
    bool held = !top->beyond[ALLOT__MOST] && top->total[ALLOT__MOST] <= size_of(outlook);
    return held ? ALLOT__HELD : ALLOT__OPEN;
}

/* ---- One more -------------------------------------------------------------------------------- */

static bool was_refused(const allot_outlook *outlook, allot__outlook_family *of, allot__spot spot,
                        int64_t rise)
{
    if (of->age != outlook->age) {
        of->age = outlook->age;
        of->refused_count = 0;
    }
    for (int32_t i = 0; i < of->refused_count; i++)
        if (!allot__spot_below(spot, of->refused[i].spot) && rise >= of->refused[i].rise)
            return true;
    return false;
}

/* In the place of one that it says more than, else of the last. */
static void refuse(allot__outlook_family *of, allot__spot spot, int64_t rise)
{
    int32_t at = 0;
    while (at < of->refused_count && at < ALLOT__REFUSED - 1 &&
           (allot__spot_below(of->refused[at].spot, spot) || of->refused[at].rise < rise))
        at++;
    of->refused[at] = (allot__refusal){spot, rise};
    of->refused_count += at == of->refused_count;
}

static allot__spot higher(allot__spot a, allot__spot b)
{
    return allot__spot_below(a, b) ? b : a;
}

/* The sum of a family's levels at a spot that is no lower than the one of its claims. */
static int64_t total_at(const allot_outlook *outlook, int32_t family, allot__spot spot,
                        allot__side side)
{
    const allot__outlook_family *of = &outlook->families[family];
    return allot__spot_below(of->spot[side], spot)
               ? allot__outlook_total(outlook, family, spot, side)
               : of->total[side];
}

/* What a row's claim asks of its family, and that of its parent. */
typedef struct climb {
    allot__outlook_family *family;
    allot__spot spot;
    int64_t rise;  /* of the row, at the spot */
    int64_t total; /* of the family there */
    int32_t parent;
} climb;

/* False: the parent has less, or it was refused before. */
static bool climb_least(const allot_outlook *outlook, int32_t row, int64_t slots, climb *out)
{
    int32_t family = outlook->family_in[row];
    out->family = &outlook->families[family];
    out->parent = family > 0 ? outlook->group->parent[family] : -1;
    if (!asked(outlook, row, slots, ALLOT__LEAST, &out->spot)) {
        out->family = NULL;
        return false;
    }
    out->spot = higher(out->spot, out->family->spot[ALLOT__LEAST]);
    int64_t need = slots > outlook->need[row] ? slots : outlook->need[row];
    out->rise = allot__outlook_level_of(outlook, row, need, out->spot, ALLOT__LEAST) -
                allot__outlook_level(outlook, row, out->spot, ALLOT__LEAST);
    if (was_refused(outlook, out->family, out->spot, out->rise))
        return false;
    out->total = total_at(outlook, family, out->spot, ALLOT__LEAST) + out->rise;
    return true;
}

/* Is it more than there is that a leaf claims so much? */
static bool is_short(const allot_outlook *outlook, int32_t row, int64_t slots)
{
    climb first, at;
    bool enough = climb_least(outlook, row, slots, &at);
    first = at;
    while (enough && at.parent >= 0) {
        int64_t claim = whole(at.total);
        if (claim <= outlook->claim[ALLOT__LEAST][at.parent])
            return false;
        enough = climb_least(outlook, at.parent, claim, &at);
    }
    if (enough && at.total <= size_of(outlook))
        return false;
    if (first.family)
        refuse(first.family, first.spot, first.rise);
    if (at.family && at.family != first.family)
        refuse(at.family, at.spot, at.rise);
    return true;
}

/* Is there so much for a leaf's claim, beside all others? */
static bool is_held(const allot_outlook *outlook, int32_t row, int64_t slots)
{
    int64_t need = slots > outlook->need[row] ? slots : outlook->need[row];
    for (;;) {
        int32_t family = outlook->family_in[row];
        const allot__outlook_family *of = &outlook->families[family];
        allot__spot spot;
        if (of->beyond[ALLOT__MOST] || outlook->out[row] ||
            !asked(outlook, row, slots, ALLOT__MOST, &spot))
            return false;
        spot = higher(spot, of->spot[ALLOT__MOST]);
        int64_t total = total_at(outlook, family, spot, ALLOT__MOST) -
                        allot__outlook_level(outlook, row, spot, ALLOT__MOST) +
                        allot__outlook_level_of(outlook, row, need, spot, ALLOT__MOST);
        int64_t needs = of->needs + need - outlook->need[row];
        if (family == 0)
            return total <= size_of(outlook);
        row = outlook->group->parent[family];
        slots = whole(total) < needs ? whole(total) : needs;
        slots = slots > outlook->claim[ALLOT__MOST][row] ? slots : outlook->claim[ALLOT__MOST][row];
        need = parent_need(outlook, row, needs);
    }
}

/* ---- Quotas ---------------------------------------------------------------------------------- */

static int quotas(allot_outlook *outlook, allot__arena *arena, allot__work *work)
{
    size_t bytes = (size_t)outlook->tree->rows * sizeof(int32_t) * 20 + 4096;
    int32_t group = (int32_t)(outlook->group - outlook->plan->groups);
    int status = allot__arena_reserve(arena, bytes);
    if (status == ALLOT_OK)
        status = allot__work_init(work, outlook->plan, outlook->state, group, arena, NULL);
    work->demand = outlook->demand;
    if (status == ALLOT_OK)
        status = allot__need(work);
    return status == ALLOT_OK ? allot__quota(work) : status;
}

/* Where a family's slots ran out. */
static allot__spot critical_of(const allot__work *work, int32_t family)
{
    const allot__critical *critical = &work->critical[family];
    if (critical->fill < 0)
        return (allot__spot){INT32_MAX, 0};
    allot__i128 amount = (allot__i128)critical->amount << ALLOT__RATE_BITS;
    return (allot__spot){critical->fill, (int64_t)(amount / critical->weight)};
}

/* A row that asked for more was refused, because of others. */
static void block(allot_outlook *outlook, const allot__work *work, int32_t row)
{
    int32_t family = outlook->family_in[row], slots = outlook->claim[ALLOT__LEAST][row];
    allot__spot spot = critical_of(work, family), full;
    if (outlook->block_count == ALLOT__REFUSED || work->quota[row] < slots ||
        !allot__outlook_spot(outlook, row, slots, ALLOT__MOST, &full) ||
        allot__spot_below(spot, full))
        return;
    outlook->blocks[outlook->block_count++] =
        (allot__block){family, slots - outlook->need[row], spot};
}

static bool is_blocked(const allot_outlook *outlook, int32_t row, int64_t slots)
{
    allot__spot full;
    bool blocked = false;
    if (outlook->block_count == 0 || !allot__outlook_spot(outlook, row, slots, ALLOT__MOST, &full))
        return false;
    for (int32_t i = 0; i < outlook->block_count && !blocked; i++) {
        const allot__block *it = &outlook->blocks[i];
        blocked = it->family == outlook->family_in[row] && it->more == slots - outlook->need[row] &&
                  !allot__spot_below(it->spot, full);
    }
    return blocked;
}

/* Do the quotas of these demands hold all claims? `row` asks for more than it needed; -1: none. */
static int compute(allot_outlook *outlook, int32_t row, int32_t *held)
{
    const int32_t *claim = outlook->claim[ALLOT__LEAST];
    allot__arena arena;
    allot__work work;
    allot__arena_init(&arena, outlook->engine);
    int status = quotas(outlook, &arena, &work);
    if (status == ALLOT_OK) {
        *held = 1;
        for (int32_t i = 0; i < outlook->tree->rows && *held; i++)
            *held = outlook->group->family_of[i] != 0 || work.quota[i] >= claim[i];
        if (!*held && row >= 0)
            block(outlook, &work, row);
    }
    allot__arena_free(&arena);
    return status;
}

int allot_outlook_all(allot_outlook *outlook, int32_t *held)
{
    if (!outlook || !held)
        return ALLOT_EUSAGE;
    allot__foreseen foreseen = settle(outlook);
    *held = foreseen == ALLOT__HELD;
    return foreseen == ALLOT__OPEN ? compute(outlook, -1, held) : ALLOT_OK;
}

int32_t allot_outlook_each(allot_outlook *outlook)
{
    return outlook != NULL && settle(outlook) == ALLOT__HELD;
}

int allot_outlook_one(allot_outlook *outlook, int32_t consumer, int64_t demand, int32_t *held)
{
    int32_t row = allot__outlook_leaf(outlook, consumer);
    if (row < 0 || !held || demand < outlook->demand[row])
        return ALLOT_EUSAGE;
    if (demand > ALLOT_AMOUNT_MAX)
        return ALLOT_ERANGE;
    *held = 0;
    if (settle(outlook) == ALLOT__SHORT || is_short(outlook, row, demand) ||
        is_blocked(outlook, row, demand))
        return ALLOT_OK;
    if (is_held(outlook, row, demand)) {
        *held = 1;
        return ALLOT_OK;
    }
    int32_t *claim = &outlook->claim[ALLOT__LEAST][row];
    int32_t demanded = outlook->demand[row], claimed = *claim;
    outlook->demand[row] = *claim = (int32_t)demand;
    int status = compute(outlook, row, held);
    outlook->demand[row] = demanded;
    *claim = claimed;
    return status;
}
