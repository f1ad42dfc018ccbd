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

/* The point that a claim asks for; false: no point gives so much. */
static bool asked(const allot_outlook *outlook, int32_t row, int64_t slots, allot__side side,
                  allot__outlook_point *out)
{
    if (slots > outlook->limit[row] || !allot__outlook_point_of(outlook, row, slots, side, out))
        return false;
    return side == ALLOT__MOST || allot__outlook_point_of(outlook, row, slots - 1, side, out);
}

/* ---- All claims ------------------------------------------------------------------------------ */

static void settle_side(const allot_outlook *outlook, int32_t family, allot__side side)
{
    allot__outlook_family *of = &outlook->families[family];
    of->point[side] = (allot__outlook_point){0, 0};
    of->beyond[side] = false;
    for (int32_t row = outlook->tree->first[family]; row < outlook->tree->first[family + 1];
         row++) {
        allot__outlook_point point;
        if (outlook->claim[side][row] == 0)
            continue;
        if (!asked(outlook, row, outlook->claim[side][row], side, &point))
            of->beyond[side] = true;
        else if (allot__spot_below(of->point[side], point))
            of->point[side] = point;
    }
    of->total[side] = allot__outlook_total(outlook, family, of->point[side], side);
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
    allot__outlook_point points[ALLOT__SIDES];
    bool known = outlook->family_in[row] == 0 && !outlook->stale;
    for (int side = 0; side < ALLOT__SIDES && known; side++) {
        int32_t claim = outlook->claim[side][row];
        known = claim == 0 || (asked(outlook, row, claim, (allot__side)side, &points[side]) &&
                               !allot__spot_below(of->point[side], points[side]));
    }
    for (int side = 0; side < ALLOT__SIDES && known; side++) {
        of->total[side] +=
            allot__outlook_level(outlook, row, of->point[side], (allot__side)side) - levels[side];
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
        return ALLOT__FORESEEN_SHORT;
    bool held = !top->beyond[ALLOT__MOST] && top->total[ALLOT__MOST] <= size_of(outlook);
    return held ? ALLOT__FORESEEN_HELD : ALLOT__FORESEEN_OPEN;
}

/* ---- One more -------------------------------------------------------------------------------- */

static bool was_refused(const allot_outlook *outlook, allot__outlook_family *of,
                        allot__outlook_point point, int64_t rise)
{
    if (of->age != outlook->age) {
        of->age = outlook->age;
        of->refused_count = 0;
    }
    for (int32_t i = 0; i < of->refused_count; i++)
        if (!allot__spot_below(point, of->refused[i].point) && rise >= of->refused[i].rise)
            return true;
    return false;
}

/* In the place of one that it says more than, else of the last. */
static void refuse(allot__outlook_family *of, allot__outlook_point point, int64_t rise)
{
    int32_t at = 0;
    while (at < of->refused_count && at < ALLOT__REFUSALS_MAX - 1 &&
           (allot__spot_below(of->refused[at].point, point) || of->refused[at].rise < rise))
        at++;
    of->refused[at] = (allot__refusal){point, rise};
    of->refused_count += at == of->refused_count;
}

static allot__outlook_point higher(allot__outlook_point a, allot__outlook_point b)
{
    return allot__spot_below(a, b) ? b : a;
}

/* The sum of a family's levels at a point that is no lower than the one of its claims. */
static int64_t total_at(const allot_outlook *outlook, int32_t family, allot__outlook_point point,
                        allot__side side)
{
    const allot__outlook_family *of = &outlook->families[family];
    return allot__spot_below(of->point[side], point)
               ? allot__outlook_total(outlook, family, point, side)
               : of->total[side];
}

/* What a row's claim asks of its family, and that of its parent. */
typedef struct climb {
    allot__outlook_family *family;
    allot__outlook_point point;
    int64_t rise;  /* of the row, at the point */
    int64_t total; /* of the family there */
    int32_t parent;
} climb;

/* False: the parent has less, or it was refused before. */
static bool climb_least(const allot_outlook *outlook, int32_t row, int64_t slots, climb *out)
{
    int32_t family = outlook->family_in[row];
    out->family = &outlook->families[family];
    out->parent = family > 0 ? outlook->group->parent[family] : -1;
    if (!asked(outlook, row, slots, ALLOT__LEAST, &out->point)) {
        out->family = NULL;
        return false;
    }
    out->point = higher(out->point, out->family->point[ALLOT__LEAST]);
    int64_t need = slots > outlook->need[row] ? slots : outlook->need[row];
    out->rise = allot__outlook_level_of(outlook, row, need, out->point, ALLOT__LEAST) -
                allot__outlook_level(outlook, row, out->point, ALLOT__LEAST);
    if (was_refused(outlook, out->family, out->point, out->rise))
        return false;
    out->total = total_at(outlook, family, out->point, ALLOT__LEAST) + out->rise;
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
        refuse(first.family, first.point, first.rise);
    if (at.family && at.family != first.family)
        refuse(at.family, at.point, at.rise);
    return true;
}

/* Is there so much for a leaf's claim, beside all others? */
static bool is_held(const allot_outlook *outlook, int32_t row, int64_t slots)
{
    int64_t need = slots > outlook->need[row] ? slots : outlook->need[row];
    for (;;) {
        int32_t family = outlook->family_in[row];
        const allot__outlook_family *of = &outlook->families[family];
        allot__outlook_point point;
        if (of->beyond[ALLOT__MOST] || outlook->out[row] ||
            !asked(outlook, row, slots, ALLOT__MOST, &point))
            return false;
        point = higher(point, of->point[ALLOT__MOST]);
        int64_t total = total_at(outlook, family, point, ALLOT__MOST) -
                        allot__outlook_level(outlook, row, point, ALLOT__MOST) +
                        allot__outlook_level_of(outlook, row, need, point, ALLOT__MOST);
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
static allot__outlook_point critical_of(const allot__work *work, int32_t family)
{
    const allot__critical *critical = &work->critical[family];
    if (critical->fill < 0)
        return (allot__outlook_point){INT32_MAX, 0};
    allot__i128 amount = (allot__i128)critical->amount << ALLOT__RATE_BITS;
    return (allot__outlook_point){critical->fill, (int64_t)(amount / critical->weight)};
}

/* A row that asked for more was refused, because of others. */
static void block(allot_outlook *outlook, const allot__work *work, int32_t row)
{
    int32_t family = outlook->family_in[row], slots = outlook->claim[ALLOT__LEAST][row];
    allot__outlook_point point = critical_of(work, family), full;
    if (outlook->block_count == ALLOT__REFUSALS_MAX || work->quota[row] < slots ||
        !allot__outlook_point_of(outlook, row, slots, ALLOT__MOST, &full) ||
        allot__spot_below(point, full))
        return;
    outlook->blocks[outlook->block_count++] =
        (allot__block){family, slots - outlook->need[row], point};
}

static bool is_blocked(const allot_outlook *outlook, int32_t row, int64_t slots)
{
    allot__outlook_point full;
    bool blocked = false;
    if (outlook->block_count == 0 ||
        !allot__outlook_point_of(outlook, row, slots, ALLOT__MOST, &full))
        return false;
    for (int32_t i = 0; i < outlook->block_count && !blocked; i++) {
        const allot__block *it = &outlook->blocks[i];
        blocked = it->family == outlook->family_in[row] && it->more == slots - outlook->need[row] &&
                  !allot__spot_below(it->point, full);
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
    *held = foreseen == ALLOT__FORESEEN_HELD;
    return foreseen == ALLOT__FORESEEN_OPEN ? compute(outlook, -1, held) : ALLOT_OK;
}

int32_t allot_outlook_each(allot_outlook *outlook)
{
    return outlook != NULL && settle(outlook) == ALLOT__FORESEEN_HELD;
}

int allot_outlook_one(allot_outlook *outlook, int32_t consumer, int64_t demand, int32_t *held)
{
    int32_t row = allot__outlook_leaf(outlook, consumer);
    if (row < 0 || !held || demand < outlook->demand[row])
        return ALLOT_EUSAGE;
    if (demand > ALLOT_AMOUNT_MAX)
        return ALLOT_ERANGE;
    *held = 0;
    if (settle(outlook) == ALLOT__FORESEEN_SHORT || is_short(outlook, row, demand) ||
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
