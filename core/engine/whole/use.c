/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* use.c: rules 1 to 3: the slots that a leaf uses of a quota. */
#include <string.h>

#include "base/least.h"
#include "engine/victims/leavers.h"
#include "engine/whole/asker.h"
#include "engine/whole/lower.h"

/* ---- What runs ------------------------------------------------------------------------------- */

/* Does all that runs stay? */
static bool all_stay(const allot__asker *asker, const allot__use *uses)
{
    return asker->side_count == 1 && uses[0].quota >= asker->sides[0].running;
}

/* Comes down to the quotas: from the last candidate on, a task that fits stays. Unlisted work goes
 * last (C-8), and ineligible tasks stay in any case. */
static int come_down(allot__whole_all *all, const allot__asker *asker, allot__use *uses)
{
    const allot__tasks *tasks = &asker->sides[0].work->state->tasks;
    allot__whole_room *room = &all->room;
    int status = ALLOT_OK;
    room->gone = 0;
    if (all_stay(asker, uses)) {
        uses[0].stays = asker->sides[0].running;
        return ALLOT_OK;
    }
    for (int32_t i = 0; i < asker->side_count && status == ALLOT_OK; i++) {
        allot__side *side = &asker->sides[i];
        if ((side->anew || !side->lined) && uses[i].quota < side->running)
            status = allot__side_order(all, side, uses[i].quota);
        int64_t stays = side->running - side->unlisted - side->may;
        int64_t rest = allot__least(side->unlisted, uses[i].quota - stays);
        uses[i].stays = stays + (rest > 0 ? rest : 0);
        room->leavers[i] = (allot__leavers){.group = side->work->index,
                                            .count = side->count,
                                            .task = side->task,
                                            .slots = side->slots,
                                            .gone = side->gone,
                                            .left = uses[i].quota - uses[i].stays};
    }
    if (status != ALLOT_OK)
        return status;
    room->gone =
        allot__leavers_keep(tasks, room->leavers, asker->side_count, room->place, room->went);
    for (int32_t i = 0; i < asker->side_count; i++) {
        int64_t left = uses[i].quota - uses[i].stays;
        uses[i].stays += left - room->leavers[i].left - room->leavers[i].freed;
    }
    return ALLOT_OK;
}

/* ---- What waits ------------------------------------------------------------------------------ */

/* Nothing starts behind a task that goes: the lists of its sides are over. */
static void end_behind(const allot__asker *asker, allot__use *uses)
{
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        for (int32_t k = 0; k < side->count && !uses[i].ended; k++)
            uses[i].ended = side->gone[k] != 0;
    }
}

/* A task that goes already has its slots: the demand does not limit it. */
bool allot__whole_fits(const allot__asker *asker, int32_t task, const allot__use *uses)
{
    bool pending = task >= asker->going, fit = true;
    for (int32_t i = 0; i < asker->side_count && fit; i++) {
        int32_t slots = allot__waits_for(asker, task, i);
        fit = slots == 0 ||
              (!uses[i].ended && slots <= uses[i].rest && (!pending || slots <= uses[i].wants));
    }
    return fit;
}

void allot__whole_put(const allot__asker *asker, int32_t task, bool fit, allot__use *uses)
{
    bool skip = asker->sides[0].work->whole->skip;
    for (int32_t i = 0; i < asker->side_count; i++) {
        int32_t slots = allot__waits_for(asker, task, i);
        uses[i].rest -= fit ? slots : 0;
        uses[i].wants -= fit ? slots : 0;
        uses[i].ended = uses[i].ended || (!fit && !skip && slots > 0);
    }
}

static bool all_ended(const allot__asker *asker, const allot__use *uses)
{
    for (int32_t i = 0; i < asker->side_count; i++)
        if (!uses[i].ended && uses[i].rest > 0)
            return false;
    return true;
}

/* Nothing is left to look at, and a task behind the last might have fitted. */
static void note_exhausted(const allot__asker *asker, const allot__use *uses)
{
    for (int32_t i = 0; i < asker->side_count; i++)
        if (!uses[i].ended && uses[i].wants > 0)
            asker->sides[i].work->whole->exhausted[asker->sides[i].row] = 1;
}

int32_t allot__whole_slots_on(const allot__whole_room *room, int32_t task, const allot__side *side)
{
    const allot__tasks *tasks = &side->work->state->tasks;
    int32_t there = allot__task_in(tasks, task, side->work->index);
    int32_t place = there >= 0 ? room->place[there] : side->count;
    if (place < side->count && side->task[place] == there)
        return side->slots[place];
    return there >= 0 ? allot__task_at(tasks, there)->slots : 0;
}

/* Remembers the use of an asker's only side. In a strict list the first task that goes is offered
 * leftovers, else the first that waits and does not fit, unless it still runs. `at`: the end of
 * those that were looked at. */
static void remember(const allot__whole_all *all, const allot__asker *asker, const allot__use *use,
                     int32_t at)
{
    const allot__whole_room *room = &all->room;
    allot__side *side = &asker->sides[0];
    at -= use->ended && room->gone == 0; /* else slots ran out before this one */
    int32_t next = at >= asker->going && at < asker->waits ? asker->slots[at] : 0;
    if (room->gone > 0)
        next = allot__whole_slots_on(room, room->went[0], side);
    side->looked = side->anew ? -1 : (int32_t)use->quota;
    side->used = (int32_t)use->used;
    side->stays = use->stays;
    side->next = next;
}

int allot__whole_use(allot__whole_all *all, const allot__asker *asker, allot__use *uses,
                     uint8_t *marks)
{
    int status = come_down(all, asker, uses);
    if (marks)
        memset(marks, 0, (size_t)asker->waits);
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        uses[i].rest = uses[i].quota - uses[i].stays;
        uses[i].wants = side->work->whole->stated[side->row] - uses[i].stays;
        uses[i].ended = false;
    }
    if (!asker->sides[0].work->whole->skip && all->room.gone > 0)
        end_behind(asker, uses);
    int32_t at = 0;
    for (; at < asker->waits && !all_ended(asker, uses); at++) {
        bool fit = allot__whole_fits(asker, at, uses);
        allot__whole_put(asker, at, fit, uses);
        if (marks)
            marks[at] = fit;
    }
    if (at == asker->waits)
        note_exhausted(asker, uses);
    for (int32_t i = 0; i < asker->side_count; i++)
        uses[i].used = uses[i].quota - uses[i].rest;
    if (asker->side_count == 1 && status == ALLOT_OK)
        remember(all, asker, uses, at);
    return status;
}

int allot__whole_use_now(allot__whole_all *all, const allot__asker *asker, uint8_t *marks)
{
    for (int32_t i = 0; i < asker->side_count; i++)
        all->uses[i].quota = asker->sides[i].work->quota[asker->sides[i].row];
    return allot__whole_use(all, asker, all->uses, marks);
}

/* More than a leaf demands changes nothing, unless the order of its tasks follows from the quota.
 */
void allot__whole_note_fine(const allot__side *side, int64_t from, int64_t to)
{
    const allot__whole *whole = side->work->whole;
    int32_t *known_from = &whole->fine_from[side->row], *known_to = &whole->fine_to[side->row];
    if (!side->anew && to >= whole->demand[side->row])
        to = INT32_MAX;
    if (from <= (int64_t)*known_to + 1 && to >= (int64_t)*known_from - 1) {
        from = allot__least(from, *known_from);
        to = allot__most(to, *known_to);
    }
    *known_from = (int32_t)from;
    *known_to = (int32_t)to;
}

/* With no more slots than it uses, a leaf uses all of them: tasks stay and fit in the same order
 * (C-13), and what did not fit into the larger quota does not fit into this one. */
void allot__whole_note_lowered(allot__side *side, int32_t used)
{
    if (side->anew || side->asker->side_count > 1)
        return;
    side->looked = used;
    allot__whole_note_fine(side, used, used);
}

int allot__whole_look(allot__whole_all *all, allot__side *side, bool *yes)
{
    const allot__work *work = side->work;
    int32_t quota = work->quota[side->row];
    int status = ALLOT_OK;
    if (side->looked == quota)
        all->uses[0] = (allot__use){.quota = quota, .used = side->used};
    else
        status = allot__whole_use_now(all, side->asker, NULL);
    *yes = all->uses[side->index].used < allot__least(quota, work->demand[side->row]);
    if (!*yes && side->asker->side_count == 1)
        allot__whole_note_fine(side, quota, quota);
    return status;
}
