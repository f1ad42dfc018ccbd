/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rest.c: rule 5: slots left in the end go to leaves whose next task fits into them. */
#include <string.h>

#include "base/least.h"
#include "engine/hosts/match.h"
#include "engine/ownership/ledger.h"
#include "engine/quota/trace.h"
#include "engine/whole/again.h"
#include "engine/whole/lower.h"

/* A task that may get leftovers, and the slots that it takes, by side. */
typedef struct offer {
    allot__whole_all *all;
    const int64_t *left; /* by group: what no leaf's quota has */
    allot__asker *asker;
    const int32_t *slots; /* of the task */
    int64_t *used;        /* so far */
    int64_t *more;        /* what quotas lack for it */
} offer;

/* ---- Room ------------------------------------------------------------------------------------ */

/* Slots of a parent's quota that no child has; of the group (-1), slots that no quota has. */
static int64_t inside(const allot__work *work, int32_t parent)
{
    int32_t family = parent < 0 ? 0 : allot__family_of(work, parent);
    int32_t first = allot__family_first(work, family);
    int64_t left = parent < 0 ? work->slots : work->quota[parent];
    for (int32_t row = first; row < first + allot__family_size(work, family); row++)
        left -= work->quota[row];
    return left > 0 ? left : 0;
}

/* Unused slots of a parent's quota go first. */
int64_t allot__whole_missing(const allot__work *work, int32_t row, int64_t more, int32_t *limited)
{
    for (*limited = -1; row >= 0 && more > 0; row = allot__above(work, row)) {
        int64_t limit = work->limit[row] == ALLOT_NONE ? INT64_MAX : work->limit[row];
        if (work->quota[row] + more > limit) {
            *limited = row;
            return work->quota[row] + more - limit;
        }
        more -= allot__least(more, inside(work, allot__above(work, row)));
    }
    return more;
}

/* Is there room for so much more in the group, and within limits? */
static bool has_room(const allot__work *work, int32_t row, int64_t more)
{
    int32_t limited;
    return allot__whole_missing(work, row, more, &limited) == 0;
}

static void give(allot__work *work, int32_t row, int64_t more)
{
    work->whole->given = true;
    for (; row >= 0 && more > 0;) {
        int32_t parent = allot__above(work, row);
        int64_t free = allot__least(more, inside(work, parent));
        work->quota[row] += (int32_t)more;
        work->whole_part[row] += (int32_t)more;
        more -= free;
        row = parent;
    }
}

/* Does a policy give the row, and all above it, any slots left? Then quotas need no recomputing. */
static bool open_to(const allot__work *work, int32_t row)
{
    bool open = !work->ledger && !allot__group_hosts_uneven(work->hosts);
    for (; row >= 0 && open; row = allot__above(work, row)) {
        const allot_policy *policy = allot__rules_at(work, row)->policy;
        open = false;
        for (int32_t i = 0; i < policy->fill_count && !open; i++)
            open = policy->fills[i].up_to.kind == ALLOT_FROM_NEED &&
                   allot__trace_weight(work, policy->fills[i].by, row) > 0;
    }
    return open;
}

/* ---- One task -------------------------------------------------------------------------------- */

/* Counts what quotas lack for it, and looks for room. */
static bool may_fit(offer *it)
{
    bool fits = true, lacks = false;
    for (int32_t i = 0; i < it->asker->side_count && fits; i++) {
        const allot__side *side = &it->asker->sides[i];
        const allot__work *work = side->work;
        int64_t wants = it->used[i] + it->slots[i];
        it->more[i] = it->slots[i] > 0 ? wants - work->quota[side->row] : 0;
        it->more[i] = it->more[i] > 0 ? it->more[i] : 0;
        lacks = lacks || it->more[i] > 0;
        fits = it->slots[i] == 0 ||
               (wants <= work->whole->stated[side->row] && it->more[i] <= it->left[work->index] &&
                has_room(work, side->row, it->more[i]));
    }
    return fits && lacks;
}

/* Would the asker use its quotas with `more` slots added? */
static int is_used(const offer *it, bool *yes)
{
    allot__use *uses = it->all->uses;
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        const allot__side *side = &it->asker->sides[i];
        uses[i].quota = side->work->quota[side->row] + it->more[i];
    }
    int status = allot__whole_use(it->all, it->asker, uses, NULL);
    *yes = status == ALLOT_OK;
    for (int32_t i = 0; i < it->asker->side_count; i++)
        *yes = *yes && uses[i].used >= it->used[i] + it->slots[i];
    return status;
}

static bool all_open(const offer *it)
{
    bool open = true;
    for (int32_t i = 0; i < it->asker->side_count; i++)
        open = open &&
               (it->more[i] == 0 || open_to(it->asker->sides[i].work, it->asker->sides[i].row));
    return open;
}

/* ---- Where a policy is asked ----------------------------------------------------------------- */

/* Has no leaf less than before, and do all quotas fit? */
static bool is_kept(const allot__work *work, const int32_t *before)
{
    int64_t sum = 0;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool fits = work->limit[row] == ALLOT_NONE || work->quota[row] <= work->limit[row];
        if (!fits || (allot__family_of(work, row) == 0 && work->quota[row] < before[row]))
            return false;
        sum += row < work->tree->first[1] ? work->quota[row] : 0;
    }
    return sum <= work->slots;
}

/* What a side demands, and all quotas, as they were before it was asked. What is computed anew in
 * the end has the rest, but where hosts or what is kept of quotas (again.h) depend on it. */
static int put_back(const offer *it, int32_t i, const int32_t *before)
{
    const allot__side *side = &it->asker->sides[i];
    allot__work *work = side->work;
    work->whole->demand[side->row] = (int32_t)it->more[i];
    if (it->all->again[work->index].kept || work->hosts)
        return allot__whole_redivide(it->all, work->index, side->row);
    memcpy(work->quota, before, (size_t)work->tree->rows * sizeof *before);
    return ALLOT_OK;
}

/* Demands the task on a side; *kept: the policy gives its slots, and no leaf gets less. */
static int ask_side(const offer *it, int32_t i, bool *kept)
{
    const allot__side *side = &it->asker->sides[i];
    allot__work *work = side->work;
    size_t rows = (size_t)work->tree->rows + 1;
    if (work->ledger && !allot__ledger_could(work, side->row, it->used[i] + it->slots[i])) {
        *kept = false;
        return ALLOT_OK;
    }
    int32_t *before = allot__new(work->plan->engine, rows, sizeof *before);
    if (!before)
        return ALLOT_ENOMEM;
    memcpy(before, work->quota, (rows - 1) * sizeof *before);
    work->whole->demand[side->row] = (int32_t)(it->used[i] + it->slots[i]);
    int status = allot__whole_redivide(it->all, work->index, side->row);
    *kept = status == ALLOT_OK && is_kept(work, before) &&
            work->quota[side->row] >= it->used[i] + it->slots[i];
    if (!*kept && status == ALLOT_OK)
        status = put_back(it, i, before);
    allot__free(work->plan->engine, before, rows, sizeof *before);
    return status;
}

static int ask(offer *it, bool *given)
{
    int status = ALLOT_OK;
    int32_t asked = 0;
    *given = true;
    for (; asked < it->asker->side_count && *given && status == ALLOT_OK; asked++) {
        const allot__side *side = &it->asker->sides[asked];
        int64_t demand = side->work->demand[side->row];
        bool wants = it->more[asked] > 0;
        it->more[asked] = demand; /* to be put back */
        if (wants)
            status = ask_side(it, asked, given);
    }
    for (int32_t i = 0; i + 1 < asked && !*given && status == ALLOT_OK; i++) {
        const allot__side *side = &it->asker->sides[i];
        if (side->work->whole->demand[side->row] != it->more[i]) {
            side->work->whole->demand[side->row] = (int32_t)it->more[i];
            status = allot__whole_redivide(it->all, side->work->index, side->row);
        }
    }
    return status;
}

/* Gives the task what it lacks, if there is so much. */
static int give_task(offer *it, bool *given)
{
    int status = ALLOT_OK;
    bool used = false;
    *given = false;
    if (may_fit(it))
        status = is_used(it, &used);
    if (status != ALLOT_OK || !used)
        return status;
    if (!all_open(it))
        return ask(it, given);
    for (int32_t i = 0; i < it->asker->side_count; i++)
        give(it->asker->sides[i].work, it->asker->sides[i].row, it->more[i]);
    *given = true;
    return ALLOT_OK;
}

/* ---- One leaf -------------------------------------------------------------------------------- */

/* Reads present uses, and marks the waiting tasks that fit. */
static int look(offer *it)
{
    int status = allot__whole_use_now(it->all, it->asker, it->all->marks);
    for (int32_t i = 0; i < it->asker->side_count; i++)
        it->used[i] = it->all->uses[i].used;
    return status;
}

/* Have the strict lists of all sides ended? */
static bool all_ended(const offer *it, const bool *ended)
{
    bool all = true;
    for (int32_t i = 0; i < it->asker->side_count; i++)
        all = all && ended[i];
    return all;
}

/* In a strict list: is the task behind one that did not fit? Ends the lists of its sides. */
static bool is_behind(const offer *it, bool *ended)
{
    bool behind = false;
    for (int32_t i = 0; i < it->asker->side_count; i++)
        behind = behind || (it->slots[i] > 0 && ended[i]);
    for (int32_t i = 0; i < it->asker->side_count; i++)
        ended[i] = ended[i] || it->slots[i] > 0;
    return behind;
}

/* Offers leftovers to tasks that go, the last one taken first. */
static int offer_running(offer *it, bool skip, bool *ended, bool *given)
{
    allot__whole_room *room = &it->all->room;
    int32_t count = room->gone;
    int status = ALLOT_OK;
    it->slots = room->slots;
    for (int32_t k = 0; k < count && !*given && status == ALLOT_OK; k++) {
        for (int32_t i = 0; i < it->asker->side_count; i++)
            room->slots[i] = allot__whole_slots_on(room, room->went[k], &it->asker->sides[i]);
        if (!is_behind(it, ended) || skip)
            status = give_task(it, given);
        if (!*given && status == ALLOT_OK)
            status = look(it);
    }
    return status;
}

/* ... then to waiting tasks. Those that still run cannot start now, but others are behind them. */
static int offer_waiting(offer *it, bool skip, bool *ended, bool *given)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < it->asker->waits && !*given && status == ALLOT_OK; i++) {
        it->slots = it->asker->slots + (size_t)i * (size_t)it->asker->side_count;
        if (it->all->marks[i] != 0)
            continue;
        if (!skip && all_ended(it, ended))
            break;
        bool behind = is_behind(it, ended);
        if (i >= it->asker->going && (!behind || skip))
            status = give_task(it, given);
    }
    return status;
}

static int offer_leaf(allot__whole_all *all, allot__asker *asker, const int64_t *left, bool *given)
{
    allot__whole_room *room = &all->room;
    bool skip = asker->sides[0].work->whole->skip;
    offer it = {.all = all, .left = left, .asker = asker, .used = room->used, .more = room->more};
    memset(room->ended, 0, (size_t)asker->side_count * sizeof *room->ended);
    *given = false;
    int status = look(&it);
    if (status == ALLOT_OK)
        status = offer_running(&it, skip, room->ended, given);
    if (status == ALLOT_OK && !*given)
        status = offer_waiting(&it, skip, room->ended, given);
    return status;
}

/* Is it known that no leftovers suffice for an asker's next task? */
static bool is_refused(const allot__asker *asker, const int64_t *left)
{
    const allot__side *side = &asker->sides[0];
    const allot__work *work = side->work;
    int32_t quota = work->quota[side->row];
    int64_t wants = (int64_t)side->used + side->next;
    if (asker->side_count > 1 || work->whole->skip || side->looked != quota)
        return false;
    return side->next == 0 || wants > work->whole->stated[side->row] ||
           wants - quota > left[work->index];
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Slots that no leaf's quota has. */
static int64_t left_of(const allot__work *work)
{
    int64_t left = inside(work, -1);
    for (int32_t family = 1; family < work->tree->families; family++)
        left += inside(work, work->group->parent[family]);
    return left;
}

static void count_left(allot__whole_all *all)
{
    for (int32_t group = 0; group < all->count; group++)
        all->room.left[group] = left_of(all->works[group]);
}

static int offer_group(allot__whole_all *all, int32_t group, bool *some)
{
    allot__work *work = all->works[group];
    const allot__whole_again *again = &all->again[group];
    int status = ALLOT_OK;
    count_left(all);
    bool none = all->room.left[group] == 0;
    if (none && all->count == 1)
        return ALLOT_OK;
    status = allot__whole_order(all, group);
    for (int32_t i = 0; i < again->leaves.count && status == ALLOT_OK; i++) {
        const allot__side *side = work->whole->sides[again->leaves.row[i]];
        bool given = false;
        if (!side || side->index > 0 || (none && side->asker->side_count == 1) ||
            side->asker->offered == all->room.given)
            continue;
        if (!is_refused(side->asker, all->room.left))
            status = offer_leaf(all, side->asker, all->room.left, &given);
        side->asker->offered = all->room.given;
        if (given) {
            all->room.given++;
            count_left(all);
        }
        *some = *some || given;
    }
    return status;
}

int allot__whole_rest(allot__whole_all *all)
{
    int status = ALLOT_OK;
    all->room.given = 1;
    for (bool some = true; some && status == ALLOT_OK;) {
        some = false;
        for (int32_t group = 0; group < all->count && status == ALLOT_OK; group++)
            status = offer_group(all, group, &some);
    }
    return status;
}
