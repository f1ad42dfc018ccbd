/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* whole.c: what tasks that start whole can use of a quota, and the walk that those have which wait
 * (C-13). */

#include "engine/explain/job.h"

#include "base/least.h"

/* ---- The list -------------------------------------------------------------------------------- */

/* Behind whom nothing starts: of tasks that run and go the first in the list. */
static int32_t first_gone(const allot__side *side)
{
    const allot__tasks *tasks = &side->work->state->tasks;
    for (int32_t k = side->count - 1; k >= 0; k--)
        if (side->gone[k] != 0)
            return allot__task_first(tasks, side->task[k]);
    return -1;
}

int allot__walk_begin(const allot__asker *asker, allot__arena *arena, allot__walk *out)
{
    *out = (allot__walk){.asker = asker, .skip = asker->sides[0].work->whole->skip};
    out->sides = allot__arena_take(arena, (size_t)asker->side_count, sizeof *out->sides);
    if (!out->sides)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        out->sides[i] =
            (allot__walk_side){.rest = side->work->quota[side->row] - side->stays,
                               .wants = side->work->whole->stated[side->row] - side->stays,
                               .there = side->there,
                               .full = out->skip ? -1 : first_gone(side),
                               .ended = -1};
    }
    return ALLOT_OK;
}

static bool is_behind(const allot__walk *walk)
{
    for (int32_t i = 0; i < walk->asker->side_count; i++) {
        const allot__walk_side *side = &walk->sides[i];
        if (allot__waits_for(walk->asker, walk->at, i) > 0 && (side->full >= 0 || side->ended >= 0))
            return true;
    }
    return false;
}

/* Does it fit into what is left of quotas, and of demands? A task that goes has its slots. */
static bool fits(const allot__walk *walk)
{
    bool pending = walk->at >= walk->asker->going, fit = true;
    for (int32_t i = 0; i < walk->asker->side_count && fit; i++) {
        const allot__walk_side *side = &walk->sides[i];
        int32_t slots = allot__waits_for(walk->asker, walk->at, i);
        fit = slots == 0 ||
              (side->full < 0 && slots <= side->rest && (!pending || slots <= side->wants));
    }
    return fit;
}

allot__waited allot__walk_look(const allot__walk *walk)
{
    if (is_behind(walk))
        return ALLOT__WAITED_BEHIND;
    if (!fits(walk))
        return ALLOT__WAITED_UNFIT;
    bool there = walk->at >= walk->asker->going;
    for (int32_t i = 0; i < walk->asker->side_count; i++)
        there = there && allot__waits_for(walk->asker, walk->at, i) <= walk->sides[i].there;
    return there ? ALLOT__WAITED_STARTS : ALLOT__WAITED_FITS;
}

bool allot__on_closed_host(const allot__tasks *tasks, int32_t number)
{
    const allot__label *host = allot__label_at(tasks, allot__task_at(tasks, number)->host);
    return host && host->site >= 0 && tasks->sites[host->site].closed == ALLOT_CLOSED_NOW;
}

/* Are slots held for it? Slots of a task that goes are still its own, unless nobody counts them any
 * more. */
static bool is_awaiting(const allot__walk *walk)
{
    const allot__tasks *tasks = &walk->asker->sides[0].work->state->tasks;
    return fits(walk) && allot__walk_look(walk) != ALLOT__WAITED_STARTS &&
           (walk->at >= walk->asker->going ||
            allot__on_closed_host(tasks, walk->asker->task[walk->at]));
}

static void pass(allot__walk *walk)
{
    bool starts = allot__walk_look(walk) == ALLOT__WAITED_STARTS, fit = fits(walk);
    bool awaits = is_awaiting(walk);
    int32_t task = walk->asker->task[walk->at];
    for (int32_t i = 0; i < walk->asker->side_count; i++) {
        allot__walk_side *side = &walk->sides[i];
        int32_t slots = allot__waits_for(walk->asker, walk->at, i);
        side->rest -= fit ? slots : 0;
        side->wants -= fit ? slots : 0;
        side->before += fit ? slots : 0;
        side->there -= starts ? slots : 0;
        side->awaited += awaits ? slots : 0;
        if (slots > 0 && !walk->skip && !fit && side->full < 0)
            side->full = task;
        if (slots > 0 && !walk->skip && !starts && side->ended < 0)
            side->ended = task;
    }
    walk->at++;
}

void allot__walk_pass(allot__walk *walk, int32_t at)
{
    while (walk->at < at && walk->at < walk->asker->waits)
        pass(walk);
}

int64_t allot__walk_held(const allot__walk *walk, const allot__walk *end, int32_t side)
{
    int64_t held = end->sides[side].there - walk->sides[side].awaited;
    held = allot__least(held, allot__waits_for(walk->asker, walk->at, side));
    return held > 0 ? held : 0;
}

/* ---- Of a leaf ------------------------------------------------------------------------------- */

static void name(allot__sentence *to, const char *id)
{
    if (to->items < ALLOT__EXPLAIN_NAMED)
        LIST(to, "{.100}", id);
    else if (to->items++ == ALLOT__EXPLAIN_NAMED)
        ADD(to, " and others");
}

int allot__starting_find(const allot__side *side, allot__arena *arena, allot__starting *out)
{
    const allot__asker *asker = side->asker;
    allot__walk walk;
    int status = allot__walk_begin(asker, arena, &walk);
    *out = (allot__starting){.next = NULL};
    for (; status == ALLOT_OK && walk.at < asker->waits; allot__walk_pass(&walk, walk.at + 1)) {
        bool starts = allot__walk_look(&walk) == ALLOT__WAITED_STARTS;
        const char *id = allot__task_at(&side->work->state->tasks, asker->task[walk.at])->thing.id;
        if (allot__waits_for(asker, walk.at, side->index) == 0)
            continue;
        if (starts)
            name(&out->starts, id);
        else if (is_awaiting(&walk))
            name(&out->awaits, id);
        if (!starts && walk.at >= asker->going)
            out->next = out->waits++ == 0 ? id : out->next;
    }
    if (status == ALLOT_OK)
        out->held = allot__least(walk.sides[side->index].awaited, walk.sides[side->index].there);
    return status;
}

void allot__explain_starting(const allot__explanation *about)
{
    const allot__starting *it = about->starting;
    if (it->starts.items > 0)
        SAY(about, "These tasks start: {} (C-13).", it->starts.text);
    if (it->held > 0)
        SAY(about, "Held idle for it: {}, until {} can start with all slots (C-13).", it->held,
            it->awaits.text);
    if (it->waits == 1)
        SAY(about, "1 of its tasks waits: {.100}.", it->next);
    else if (it->waits > 1)
        SAY(about, "{} of its tasks wait, {.100} first.", it->waits, it->next);
}

/* ---- Of a quota ------------------------------------------------------------------------------ */

void allot__explain_used(const allot__explanation *about)
{
    const allot__work *work = about->work;
    if (!work->whole)
        return;
    int64_t used =
        about->family != 0 ? work->sums[about->family].demand : work->whole->demand[about->row];
    if (used >= about->verdict.demand)
        return;
    SAY(about,
        "{?Tasks of its leaves|Its tasks} start whole and can use {} of the slots that it could "
        "get: that counts as its demand below (C-13).",
        about->family != 0, used);
}

void allot__explain_whole_part(const allot__explanation *about)
{
    int32_t whole = allot__whole_part(about->work, about->row);
    if (whole > 0)
        SAY(about,
            "  whole: {} that {was|were} left over make{s|} {?tasks of its leaves|its next task} "
            "fit (C-13).",
            whole, about->family != 0);
}
