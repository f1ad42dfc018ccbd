/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pending.c: why a pending task waits, or that it starts; walks the waiting tasks (C-13). */
#include "engine/explain/job.h"

#include "base/least.h"

/* ---- The list -------------------------------------------------------------------------------- */

/* What the tasks before it leave a task on one side of its leaf. */
typedef struct walk_side {
    int64_t rest, wants; /* quota and demand left by running tasks and those before it */
    int64_t there;       /* slots to start on, left by those before it */
    int64_t before;      /* slots of tasks before it that fit, */
    int64_t awaited;     /* ... and of these, of tasks that do not start: held slots */
    /* Strict: the task (its first number) behind which none fits; the first that does not start.
     * -1: none. */
    int32_t full, ended;
} walk_side;

/* A walk of a leaf's waiting tasks, from the first on, under the decided quotas. */
typedef struct list_walk {
    const allot__asker *asker;
    bool skip;
    int32_t at; /* the current task: an index of asker->task */
    walk_side *sides;
} list_walk;

typedef enum waited {
    STARTS,
    FITS,  /* but not all its slots are free; or it still runs, and goes */
    UNFIT, /* the rest of the quota is too small */
    BEHIND /* no task starts behind one before it */
} waited;

/* Of running tasks that go, the first in the list: no task starts behind it. */
static int32_t first_gone(const allot__side *side)
{
    const allot__tasks *tasks = &side->work->state->tasks;
    for (int32_t k = side->count - 1; k >= 0; k--)
        if (side->gone[k] != 0)
            return allot__task_first(tasks, side->task[k]);
    return -1;
}

static int begin(const allot__asker *asker, allot__arena *arena, list_walk *out)
{
    *out = (list_walk){.asker = asker, .skip = asker->sides[0].work->whole->skip};
    out->sides = allot__arena_take(arena, (size_t)asker->side_count, sizeof *out->sides);
    if (!out->sides)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        out->sides[i] = (walk_side){.rest = side->work->quota[side->row] - side->stays,
                                    .wants = side->work->whole->stated[side->row] - side->stays,
                                    .there = side->there,
                                    .full = out->skip ? -1 : first_gone(side),
                                    .ended = -1};
    }
    return ALLOT_OK;
}

static bool is_behind(const list_walk *walk)
{
    for (int32_t i = 0; i < walk->asker->side_count; i++) {
        const walk_side *side = &walk->sides[i];
        if (allot__waits_for(walk->asker, walk->at, i) > 0 && (side->full >= 0 || side->ended >= 0))
            return true;
    }
    return false;
}

/* Does it fit into the rest of quotas and demands? A task that goes has its slots. */
static bool fits(const list_walk *walk)
{
    bool pending = walk->at >= walk->asker->going, fit = true;
    for (int32_t i = 0; i < walk->asker->side_count && fit; i++) {
        const walk_side *side = &walk->sides[i];
        int32_t slots = allot__waits_for(walk->asker, walk->at, i);
        fit = slots == 0 ||
              (side->full < 0 && slots <= side->rest && (!pending || slots <= side->wants));
    }
    return fit;
}

static waited look_at(const list_walk *walk)
{
    if (is_behind(walk))
        return BEHIND;
    if (!fits(walk))
        return UNFIT;
    bool there = walk->at >= walk->asker->going;
    for (int32_t i = 0; i < walk->asker->side_count; i++)
        there = there && allot__waits_for(walk->asker, walk->at, i) <= walk->sides[i].there;
    return there ? STARTS : FITS;
}

static bool on_closed_host(const allot__tasks *tasks, int32_t number)
{
    const allot__label *host = allot__label_at(tasks, allot__task_at(tasks, number)->host);
    return host && host->site >= 0 && tasks->sites[host->site].closed == ALLOT_CLOSED_NOW;
}

/* Are slots held for it? Slots of a task that goes are still its own, unless its host is closed
 * with reclaim. */
static bool is_awaiting(const list_walk *walk)
{
    const allot__tasks *tasks = &walk->asker->sides[0].work->state->tasks;
    return fits(walk) && look_at(walk) != STARTS &&
           (walk->at >= walk->asker->going || on_closed_host(tasks, walk->asker->task[walk->at]));
}

static void pass(list_walk *walk)
{
    bool starts = look_at(walk) == STARTS, fit = fits(walk);
    bool awaits = is_awaiting(walk);
    int32_t task = walk->asker->task[walk->at];
    for (int32_t i = 0; i < walk->asker->side_count; i++) {
        walk_side *side = &walk->sides[i];
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

static void pass_to(list_walk *walk, int32_t at)
{
    while (walk->at < at && walk->at < walk->asker->waits)
        pass(walk);
}

static int64_t held_for(const list_walk *walk, const list_walk *end, int32_t side)
{
    int64_t held = end->sides[side].there - walk->sides[side].awaited;
    held = allot__least(held, allot__waits_for(walk->asker, walk->at, side));
    return held > 0 ? held : 0;
}

int allot__starting_find(const allot__side *side, allot__arena *arena, allot__starting *out)
{
    const allot__asker *asker = side->asker;
    list_walk walk;
    int status = begin(asker, arena, &walk);
    *out = (allot__starting){.next = NULL};
    for (; status == ALLOT_OK && walk.at < asker->waits; pass_to(&walk, walk.at + 1)) {
        bool starts = look_at(&walk) == STARTS;
        const char *id = allot__task_at(&side->work->state->tasks, asker->task[walk.at])->thing.id;
        if (allot__waits_for(asker, walk.at, side->index) == 0)
            continue;
        if (starts)
            LIST_FEW(&out->starts, "{.100}", id);
        else if (is_awaiting(&walk))
            LIST_FEW(&out->awaits, "{.100}", id);
        if (!starts && walk.at >= asker->going)
            out->next = out->waits++ == 0 ? id : out->next;
    }
    ADD(&out->starts, "{? and others|}", out->starts.items > ALLOT__EXPLAIN_NAMED);
    ADD(&out->awaits, "{? and others|}", out->awaits.items > ALLOT__EXPLAIN_NAMED);
    if (status == ALLOT_OK)
        out->held = allot__least(walk.sides[side->index].awaited, walk.sides[side->index].there);
    return status;
}

/* ---- One of its tasks ------------------------------------------------------------------------ */

typedef struct inquiry {
    allot__explanation about; /* of the task's leaf */
    const allot__asker *asker;
    const allot__tasks *tasks;
    allot__arena *arena;
    list_walk end;    /* the walk after the last task, */
    uint8_t *outcome; /* ... and by place, the outcome of each: a `waited` */
    bool groups;      /* the plan has several groups */
    allot__phrase path;
} inquiry;

static const char *id_of(const inquiry *it, int32_t number)
{
    return allot__task_at(it->tasks, number)->thing.id;
}

static const allot__side *side_at(const inquiry *it, int32_t i)
{
    return &it->asker->sides[i];
}

static const char *group_of(const inquiry *it, int32_t i)
{
    return allot_plan_group_name(it->about.decision->plan, side_at(it, i)->work->index);
}

/* "In gpu " to begin a sentence; empty if there is only one group. */
static allot__phrase in_group(const inquiry *it, int32_t i)
{
    return PHRASE("{?In {} |}", it->groups, group_of(it, i));
}

static int64_t quota_at(const inquiry *it, int32_t i)
{
    const allot__side *side = side_at(it, i);
    return side->work->quota[side->row];
}

/* A task's place in the list; -1: it does not wait. */
static int32_t place_of(const inquiry *it, int32_t number)
{
    for (int32_t i = 0; i < it->asker->waits; i++)
        if (it->asker->task[i] == number)
            return i;
    return -1;
}

/* ---- What it is ------------------------------------------------------------------------------ */

/* "4 slots of cpu and 1 slot of gpu at once". */
static allot__sentence slots_of(const inquiry *it, int32_t at)
{
    allot__sentence words = {.len = 0};
    int64_t sum = 0;
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        int32_t slots = allot__waits_for(it->asker, at, i);
        if (slots == 0)
            continue;
        sum += slots;
        ADD(&words, "{? and |}{} slot{|s}", words.items++ > 0, slots);
        if (it->groups)
            ADD(&words, " of {}", group_of(it, i));
    }
    if (sum > 1)
        ADD(&words, " at once");
    return words;
}

static void explain_what(const inquiry *it, const list_walk *walk)
{
    const allot__task *task = allot__task_at(it->tasks, it->asker->task[walk->at]);
    int64_t now = it->about.work->state->now;
    SAY(&it->about, "Task {.100} of {} asks for {}: priority {}{?, submitted {} s ago|}.",
        task->thing.id, it->path.text, slots_of(it, walk->at).text, task->priority,
        task->submitted != 0, allot__ran(now, task->submitted));
    int32_t place = walk->at - it->asker->going, count = it->asker->waits - it->asker->going;
    if (count > 1)
        SAY(&it->about, "It is number {} of {} pending tasks of {}.", place + 1, count,
            it->path.text);
}

/* ---- Its quota ------------------------------------------------------------------------------- */

/* " (t0, t5)": the tasks that fit on a side, from one place up to another. */
static allot__sentence fitting(const inquiry *it, int32_t from, int32_t to, int32_t side)
{
    allot__sentence words = {.len = 0};
    for (int32_t at = from; at < to; at++) {
        bool fits = it->outcome[at] == STARTS || it->outcome[at] == FITS;
        if (!fits || allot__waits_for(it->asker, at, side) == 0)
            continue;
        if (words.items++ < ALLOT__EXPLAIN_NAMED)
            ADD(&words, "{?, | (}{.100}", words.items > 1, id_of(it, it->asker->task[at]));
    }
    if (words.items > ALLOT__EXPLAIN_NAMED)
        ADD(&words, " and {} more", words.items - ALLOT__EXPLAIN_NAMED);
    if (words.items > 0)
        ADD(&words, ")");
    return words;
}

/* Its leaf's quota on a side, and how much of it tasks before this one use. */
static void explain_quota(const inquiry *it, const list_walk *walk, int32_t side,
                          const char *subject)
{
    const walk_side *now = &walk->sides[side];
    allot__phrase taken = {{0}};
    if (now->before > 0)
        taken =
            PHRASE(", tasks before it {}{.200}", now->before, fitting(it, 0, walk->at, side).text);
    SAY(&it->about,
        "{}{} has a quota of {} slot{|s}: running tasks use {}{}, and {} {is|are} left for the {} "
        "that {} needs.",
        in_group(it, side).text, it->path.text, quota_at(it, side), side_at(it, side)->stays,
        taken.text, now->rest, allot__waits_for(it->asker, walk->at, side), subject);
}

/* ---- It does not fit ------------------------------------------------------------------------- */

/* The limit that denies a task `missing` slots. */
static void explain_limit(const inquiry *it, const allot__work *work, int32_t row, int64_t missing)
{
    allot_attribute column = {0};
    int32_t index, limit = work->limit[row];
    allot__phrase path = allot__phrase_path(&it->about, allot__handle(work, row));
    int32_t planned = allot__limit_of(work->plan, work->group, row, &index);
    allot_plan_column_at(work->plan, index, &column);
    if (limit < planned)
        SAY(&it->about, "Hosts that {} can use have {} for it: {} too few.", path.text, limit,
            missing);
    else
        SAY(&it->about, "The {} of {} is {}: {} too low.", column.name, path.text, limit, missing);
}

/* Does it lack slots on another side that no consumer can give? */
static bool lacks_elsewhere(const inquiry *it, int32_t at, int32_t side)
{
    bool lacks = false;
    for (int32_t i = 0; i < it->asker->side_count && !lacks; i++) {
        const allot__side *of = side_at(it, i);
        const walk_side *end = &it->end.sides[i];
        int32_t limited, slots = allot__waits_for(it->asker, at, i);
        lacks = i != side && slots > 0 &&
                (slots > end->wants ||
                 allot__whole_missing(of->work, of->row, slots - end->rest, &limited) > 0);
    }
    return lacks;
}

/* Why no consumer gives its leaf the `lacks` slots. */
static void explain_lacks(const inquiry *it, int32_t at, int32_t side, int64_t lacks)
{
    const allot__work *work = side_at(it, side)->work;
    int32_t limited;
    int64_t missing = allot__whole_missing(work, side_at(it, side)->row, lacks, &limited);
    const char *group = it->groups ? group_of(it, side) : "the group";
    if (limited >= 0)
        explain_limit(it, work, limited, missing);
    else if (missing > 0)
        SAY(&it->about, "{} {is|are} missing, of which {} has {} left over.", lacks, group,
            lacks - missing);
    else if (lacks_elsewhere(it, at, side))
        SAY(&it->about, "{} {is|are} missing, which {} has left over.", lacks, group);
    else
        SAY(&it->about,
            "{} {is|are} missing: {} has so many left over, but the policy gives {} no more.",
            lacks, group, it->path.text);
}

/* Slots that its leaf owns and cannot use now. */
static void explain_unused(const inquiry *it, int32_t side)
{
    const allot__side *of = side_at(it, side);
    const allot__work *work = of->work;
    bool exact = allot__rules_at(work, of->row)->policy->exact;
    allot__u128 unit = (allot__u128)work->unit;
    allot__u128 owned =
        (allot__u128)work->configured[of->row] * (exact ? unit : (allot__u128)work->times);
    if (!work->group->no_ownership && owned >= (allot__u128)(quota_at(it, side) + 1) * unit)
        SAY(&it->about, "{} owns {}: what it cannot use whole, others may (C-13).", it->path.text,
            allot__phrase_ratio(owned, unit).text);
}

/* Skip: slots that tasks behind it take. */
static void explain_passed(const inquiry *it, const list_walk *walk, int32_t side)
{
    allot__sentence names = fitting(it, walk->at + 1, it->asker->waits, side);
    int64_t slots = walk->sides[side].rest - it->end.sides[side].rest;
    if (slots > 0)
        SAY(&it->about, "Tasks behind it take {} of these, since `pending` is \"skip\"{}.", slots,
            names.text);
}

static void explain_side(const inquiry *it, const list_walk *walk, int32_t side,
                         const char *subject)
{
    const allot__side *of = side_at(it, side);
    const walk_side *end = &it->end.sides[side];
    int32_t slots = allot__waits_for(it->asker, walk->at, side);
    explain_quota(it, walk, side, subject);
    explain_passed(it, walk, side);
    explain_unused(it, side);
    if (slots > end->wants)
        SAY(&it->about, "{} demands {} slot{|s} in all, as the state says: {} too few.",
            it->path.text, of->work->whole->stated[of->row], slots - end->wants);
    else if (slots > end->rest)
        explain_lacks(it, walk->at, side, slots - end->rest);
}

static void explain_unfit(const inquiry *it, const list_walk *walk, const char *subject)
{
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        int32_t slots = allot__waits_for(it->asker, walk->at, i);
        const walk_side *side = &walk->sides[i];
        if (slots > 0 && (slots > side->rest || slots > side->wants))
            explain_side(it, walk, i, subject);
    }
}

/* ---- It fits --------------------------------------------------------------------------------- */

/* Which consumers give slots back, or why none does. */
static void explain_source(const inquiry *it, int32_t side)
{
    allot__explanation leaf = it->about;
    const allot__side *of = side_at(it, side);
    leaf.group = of->work->index;
    leaf.decided = &leaf.decision->groups[leaf.group];
    leaf.work = of->work;
    leaf.row = of->row;
    leaf.rules = allot__rules_at(of->work, of->row);
    if (allot_decision_verdict(leaf.decision, leaf.group, it->asker->consumer, &leaf.verdict))
        return;
    const allot_verdict *verdict = &leaf.verdict;
    if (verdict->earmarked > 0)
        SAY(&leaf, "{} {is|are} on the way to {} from earlier reclaims (C-6).", verdict->earmarked,
            it->path.text);
    if (verdict->allocated > verdict->quota)
        SAY(&leaf, "{} holds {} slot{|s}, {} above its quota: these have to go first.",
            it->path.text, verdict->allocated, verdict->allocated - verdict->quota);
    int64_t lacks = verdict->deficit;
    lacks -= lacks > 0 ? allot__explain_coming(&leaf, it->path.text) : 0;
    if (lacks > 0)
        allot__explain_lacking(&leaf, lacks);
}

static void explain_awaits(const inquiry *it, const list_walk *walk, const char *subject)
{
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        int32_t slots = allot__waits_for(it->asker, walk->at, i);
        if (slots > 0 && slots <= walk->sides[i].there)
            SAY(&it->about, "{}all {} that {} needs are there.", in_group(it, i).text, slots,
                subject);
        if (slots <= walk->sides[i].there)
            continue;
        int64_t held = held_for(walk, &it->end, i);
        explain_quota(it, walk, i, subject);
        SAY(&it->about, "{} {is|are} held for it, and {} {is|are} to come.", held, slots - held);
        explain_source(it, i);
    }
}

static void explain_starts(const inquiry *it, const list_walk *walk)
{
    SAY(&it->about, "It starts now: all its slots are there (C-13).");
    for (int32_t i = 0; i < it->asker->side_count; i++)
        if (allot__waits_for(it->asker, walk->at, i) > 0)
            explain_quota(it, walk, i, "it");
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int walk_to(const inquiry *it, int32_t at, list_walk *out)
{
    int status = begin(it->asker, it->arena, out);
    if (status == ALLOT_OK)
        pass_to(out, at);
    return status;
}

/* The first task behind which it must wait: one that runs and is to go, or one that waits. */
static int32_t blocker(const inquiry *it, const list_walk *walk)
{
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        const walk_side *side = &walk->sides[i];
        bool gone = side->full >= 0 && place_of(it, side->full) < 0;
        if (allot__waits_for(it->asker, walk->at, i) > 0 && (gone || side->ended >= 0))
            return gone ? side->full : side->ended;
    }
    return -1;
}

/* The task waits behind one that runs and no longer fits into a quota. */
static void explain_gone(const inquiry *it, int32_t number)
{
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        const allot__side *side = side_at(it, i);
        int32_t there = allot__task_in(it->tasks, number, side->work->index);
        int64_t quota = quota_at(it, i);
        if (there < 0)
            continue;
        SAY(&it->about,
            "{}{} has a quota of {} slot{|s}: the tasks that may stay use {}, and {.100} has {}.",
            in_group(it, i).text, it->path.text, quota, side->stays, id_of(it, number),
            allot__task_at(it->tasks, there)->slots);
    }
}

/* The task waits behind one that runs and is to go. */
static void explain_behind_going(const inquiry *it, int32_t number)
{
    const allot__task *task = allot__task_at(it->tasks, number);
    bool gone = place_of(it, number) < 0;
    const char *why = "a reclaim in flight names it (C-6)";
    if (gone)
        why = "it does not fit into the quota any more";
    else if (on_closed_host(it->tasks, number))
        why = "its host is closed with reclaim (E-34)";
    SAY(&it->about, "It waits behind {.100}, which runs and is to go: {}.", task->thing.id, why);
    SAY(&it->about,
        "Nothing starts behind a task that is to go, since `pending` is \"strict\" (C-13).");
    if (gone)
        explain_gone(it, number);
}

static int explain_behind(const inquiry *it, const list_walk *walk)
{
    int32_t number = blocker(it, walk), at = place_of(it, number);
    const char *id = id_of(it, number);
    list_walk of;
    if (at < it->asker->going) {
        explain_behind_going(it, number);
        return ALLOT_OK;
    }
    int status = walk_to(it, at, &of);
    if (status != ALLOT_OK)
        return status;
    bool unfit = it->outcome[at] == UNFIT;
    SAY(&it->about,
        "It waits behind {.100}: nothing starts before the first task that {?does not fit "
        "whole|waits for its slots}, since `pending` is \"strict\" (C-13).",
        id, unfit);
    if (unfit)
        explain_unfit(it, &of, id);
    else
        explain_awaits(it, &of, id);
    return ALLOT_OK;
}

static int explain_task(inquiry *it, int32_t at)
{
    list_walk walk;
    int status = walk_to(it, at, &walk);
    if (status != ALLOT_OK)
        return status;
    explain_what(it, &walk);
    switch ((waited)it->outcome[at]) {
    case STARTS:
        explain_starts(it, &walk);
        break;
    case FITS:
        SAY(&it->about,
            "It waits: it fits into the quota of {}, but its slots are not all there (C-13).",
            it->path.text);
        explain_awaits(it, &walk, "it");
        break;
    case UNFIT:
        SAY(&it->about, "It waits: it does not fit whole into the quota of {} (C-13).",
            it->path.text);
        explain_unfit(it, &walk, "it");
        break;
    case BEHIND:
        return explain_behind(it, &walk);
    }
    return ALLOT_OK;
}

static int look(inquiry *it)
{
    int32_t waits = it->asker->waits;
    int status = begin(it->asker, it->arena, &it->end);
    it->outcome = allot__arena_take(it->arena, (size_t)waits, 1);
    if (status != ALLOT_OK || !it->outcome)
        return ALLOT_ENOMEM;
    for (int32_t at = 0; at < waits; at++) {
        it->outcome[at] = (uint8_t)look_at(&it->end);
        pass_to(&it->end, at + 1);
    }
    return ALLOT_OK;
}

int allot__explain_pending(const allot__explanation *about, int32_t number)
{
    const allot__whole *whole = about->work->whole;
    if (!whole || !whole->sides[about->row])
        return ALLOT_ENOENT;
    inquiry it = {.about = *about,
                  .path = allot__phrase_path(about, whole->sides[about->row]->asker->consumer),
                  .asker = whole->sides[about->row]->asker,
                  .tasks = &about->decision->state->tasks,
                  .groups = about->decision->plan->group_count > 1};
    allot__arena arena;
    allot__arena_init(&arena, about->decision->plan->engine);
    it.arena = &arena;
    int status = look(&it);
    if (status == ALLOT_OK)
        status = explain_task(&it, place_of(&it, number));
    allot__arena_free(&arena);
    return status;
}
