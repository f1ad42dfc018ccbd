/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pending.c: why a pending task waits, or that it starts; walks the waiting tasks (C-13). */
#include "engine/explain/facts.h"

#include "base/least.h"

/* ---- The list -------------------------------------------------------------------------------- */

/* What the tasks before it leave a task on one side of its leaf, beside its use of the quota. */
typedef struct walk_side {
    int64_t there;   /* slots to start on, left by those before it */
    int64_t before;  /* slots of tasks before it that fit, */
    int64_t awaited; /* ... and of these, of tasks that do not start: held slots */
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
    allot__use *uses; /* by side; only `rest`, `wants` and `ended` */
} list_walk;

typedef enum waited {
    STARTS,
    FITS,  /* but not all its slots are free; or it still runs, and goes */
    UNFIT, /* the rest of the quota is too small */
    BEHIND /* no task starts behind one before it */
} waited;

/* Of running tasks that go, the first in the list: no task starts behind it. Where all stay, what
 * flags those that go may be left from a smaller quota. */
static int32_t first_gone(const allot__side *side)
{
    const allot__tasks *tasks = &side->work->state->tasks;
    if (side->stays >= side->running)
        return -1;
    for (int32_t k = side->count - 1; k >= 0; k--)
        if (side->gone[k] != 0)
            return allot__task_first(tasks, side->task[k]);
    return -1;
}

static int begin(const allot__asker *asker, allot__arena *arena, list_walk *out)
{
    *out = (list_walk){.asker = asker, .skip = asker->sides[0].work->whole->skip};
    if (ALLOT__TAKE_ALL(arena, ALLOT__EACH((size_t)asker->side_count, out->sides, out->uses)))
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        int32_t full = out->skip ? -1 : first_gone(side);
        out->sides[i] = (walk_side){.there = side->there, .full = full, .ended = -1};
        out->uses[i] = (allot__use){.rest = side->work->quota[side->row] - side->stays,
                                    .wants = side->work->whole->stated[side->row] - side->stays,
                                    .ended = full >= 0};
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

static bool fits(const list_walk *walk)
{
    return allot__whole_fits(walk->asker, walk->at, walk->uses);
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
    allot__whole_put(walk->asker, walk->at, fit, walk->uses);
    for (int32_t i = 0; i < walk->asker->side_count; i++) {
        walk_side *side = &walk->sides[i];
        int32_t slots = allot__waits_for(walk->asker, walk->at, i);
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

/* The first names of a list of tasks, and how many there are. */
typedef struct named {
    const char *ids[ALLOT__EXPLAIN_NAMED];
    int32_t count;
} named;

/* A task of several groups is named once. */
static void name(named *to, const char *id)
{
    for (int32_t i = 0; i < to->count && i < ALLOT__EXPLAIN_NAMED; i++)
        if (to->ids[i] == id)
            return;
    if (to->count < ALLOT__EXPLAIN_NAMED)
        to->ids[to->count] = id;
    to->count++;
}

static void put_named(const allot__explanation *about, const char *list, const char *count,
                      const named *names)
{
    allot__facts_open(about, list, "[");
    for (int32_t i = 0; i < names->count && i < ALLOT__EXPLAIN_NAMED; i++)
        allot__facts_item(about, names->ids[i]);
    allot__facts_end(about, "]");
    FACTS(about, count, names->count);
}

/* Lists tasks that start, those that slots are held for, and those that wait. */
static void put_starting(const allot__explanation *about, const allot__side *side, list_walk *walk)
{
    const allot__asker *asker = side->asker;
    named starts = {.count = 0}, awaits = {.count = 0}, waits = {.count = 0};
    for (; walk->at < asker->waits; pass_to(walk, walk->at + 1)) {
        bool start = look_at(walk) == STARTS;
        const char *id = allot__task_at(&side->work->state->tasks, asker->task[walk->at])->thing.id;
        if (allot__waits_for(asker, walk->at, side->index) == 0)
            continue;
        if (start)
            name(&starts, id);
        else if (is_awaiting(walk))
            name(&awaits, id);
        if (!start && walk->at >= asker->going)
            name(&waits, id);
    }
    const walk_side *end = &walk->sides[side->index];
    allot__facts_open(about, "starting", "{");
    put_named(about, "starting_tasks", "starts", &starts);
    put_named(about, "awaiting_tasks", "awaits", &awaits);
    FACTS(about, "held waits next", allot__least(end->awaited, end->there), waits.count,
          waits.count > 0 ? waits.ids[0] : NULL);
    allot__facts_end(about, "}");
}

int allot__explain_starting(const allot__explanation *about, const allot__side *side)
{
    list_walk walk;
    allot__arena arena;
    allot__arena_init(&arena, about->decision->plan->engine);
    int status = begin(side->asker, &arena, &walk);
    if (status == ALLOT_OK)
        put_starting(about, side, &walk);
    allot__arena_free(&arena);
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
} inquiry;

static const char *id_of(const inquiry *it, int32_t number)
{
    return allot__task_at(it->tasks, number)->thing.id;
}

static const allot__side *side_at(const inquiry *it, int32_t i)
{
    return &it->asker->sides[i];
}

/* Opens the object of a side, with its group and quota. */
static void open_side(const inquiry *it, int32_t i)
{
    const allot__side *side = side_at(it, i);
    const allot_plan *plan = it->about.decision->plan;
    allot__facts_open(&it->about, NULL, "{");
    if (plan->group_count > 1)
        FACTS(&it->about, "group", allot_plan_group_name(plan, side->work->index));
    FACTS(&it->about, "quota stays", side->work->quota[side->row], side->stays);
}

/* A task's place in the list; -1: it does not wait. */
static int32_t place_of(const inquiry *it, int32_t number)
{
    for (int32_t i = 0; i < it->asker->waits; i++)
        if (it->asker->task[i] == number)
            return i;
    return -1;
}

static void explain_what(const inquiry *it, int32_t at)
{
    const allot__explanation *about = &it->about;
    const allot__task *task = allot__task_at(it->tasks, it->asker->task[at]);
    FACTS(about, "pending? id path", true, task->thing.id,
          allot__path(about, it->asker->consumer).text);
    allot__facts_open(about, "slots", "[");
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        int32_t slots = allot__waits_for(it->asker, at, i);
        if (slots > 0) {
            open_side(it, i);
            FACTS(about, "slots", slots);
            allot__facts_end(about, "}");
        }
    }
    allot__facts_end(about, "]");
    FACTS(about, "priority", task->priority);
    if (task->submitted != 0)
        FACTS(about, "submitted", allot__ran(about->work->state->now, task->submitted));
    FACTS(about, "place count", at - it->asker->going + 1, it->asker->waits - it->asker->going);
}

/* ---- A side that does not fit ---------------------------------------------------------------- */

/* The tasks that fit on a side, from one place up to another. */
static void put_fitting(const inquiry *it, const char *list, const char *count, int32_t from,
                        int32_t to, int32_t side)
{
    named names = {.count = 0};
    for (int32_t at = from; at < to; at++) {
        bool fit = it->outcome[at] == STARTS || it->outcome[at] == FITS;
        if (fit && allot__waits_for(it->asker, at, side) > 0)
            name(&names, id_of(it, it->asker->task[at]));
    }
    put_named(&it->about, list, count, &names);
}

/* The limit that denies a task slots. */
static void put_limit(const inquiry *it, const allot__work *work, int32_t row)
{
    allot_attribute column = {0};
    int32_t index, limit = work->limit[row];
    int32_t planned = allot__row_limit(work, row, &index);
    allot_plan_column_at(work->plan, index, &column);
    FACTS(&it->about, "limited limit", allot__path(&it->about, allot__handle(work, row)).text,
          limit);
    if (limit >= planned)
        FACTS(&it->about, "column", column.name);
}

/* Does it lack slots on another side that no consumer can give? */
static bool lacks_elsewhere(const inquiry *it, int32_t at, int32_t side)
{
    bool lacks = false;
    for (int32_t i = 0; i < it->asker->side_count && !lacks; i++) {
        const allot__side *of = side_at(it, i);
        const allot__use *end = &it->end.uses[i];
        int32_t limited, slots = allot__waits_for(it->asker, at, i);
        lacks = i != side && slots > 0 &&
                (slots > end->wants ||
                 allot__whole_missing(of->work, of->row, slots - end->rest, &limited) > 0);
    }
    return lacks;
}

/* Why no consumer gives its leaf the slots that it lacks in the end. */
static void put_lacks(const inquiry *it, int32_t at, int32_t side)
{
    const allot__side *of = side_at(it, side);
    const allot__work *work = of->work;
    const allot__use *end = &it->end.uses[side];
    int64_t slots = allot__waits_for(it->asker, at, side);
    int32_t limited;
    if (slots > end->wants) {
        FACTS(&it->about, "stated beyond", work->whole->stated[of->row], slots - end->wants);
    } else if (slots > end->rest) {
        int64_t missing = allot__whole_missing(work, of->row, slots - end->rest, &limited);
        FACTS(&it->about, "lacks missing elsewhere?", slots - end->rest, missing,
              lacks_elsewhere(it, at, side));
        if (limited >= 0)
            put_limit(it, work, limited);
    }
}

/* Slots that its leaf owns and cannot use now. */
static void put_unused(const inquiry *it, int32_t side)
{
    const allot__side *of = side_at(it, side);
    const allot__work *work = of->work;
    bool exact = allot__rules_at(work, of->row)->policy->exact;
    allot__u128 unit = (allot__u128)work->unit;
    allot__u128 owned =
        (allot__u128)work->configured[of->row] * (exact ? unit : (allot__u128)work->times);
    if (!work->group->no_ownership && owned >= (allot__u128)(work->quota[of->row] + 1) * unit)
        FACTS(&it->about, "owned", allot__ratio_words(owned, unit).text);
}

/* ---- A side that fits ------------------------------------------------------------------------ */

/* Which consumers give slots back, or why none does. */
static void put_source(const inquiry *it, int32_t side)
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
    FACTS(&leaf, "earmarked allocated deficit", leaf.verdict.earmarked, leaf.verdict.allocated,
          leaf.verdict.deficit);
    allot__explain_coming(&leaf);
    allot__explain_lacking(&leaf);
}

/* What a task at the end of the walk finds on each side on which it wants slots. */
static void put_sides(const inquiry *it, const list_walk *walk)
{
    allot__facts_open(&it->about, "sides", "[");
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        const walk_side *now = &walk->sides[i];
        const allot__use *left = &walk->uses[i];
        int32_t slots = allot__waits_for(it->asker, walk->at, i);
        if (slots == 0)
            continue;
        open_side(it, i);
        FACTS(&it->about, "slots before", slots, now->before);
        put_fitting(it, "first_tasks", "first", 0, walk->at, i);
        FACTS(&it->about, "rest there short? passed", left->rest, now->there,
              slots > left->rest || slots > left->wants, left->rest - it->end.uses[i].rest);
        put_fitting(it, "behind_tasks", "behind", walk->at + 1, it->asker->waits, i);
        put_unused(it, i);
        put_lacks(it, walk->at, i);
        FACTS(&it->about, "held", held_for(walk, &it->end, i));
        put_source(it, i);
        allot__facts_end(&it->about, "}");
    }
    allot__facts_end(&it->about, "]");
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

/* A task that runs and is to go: why, and where it no longer fits into a quota. */
static void put_going(const inquiry *it, int32_t number)
{
    bool gone = place_of(it, number) < 0;
    FACTS(&it->about, "goes",
          gone                                ? "quota"
          : on_closed_host(it->tasks, number) ? "closed"
                                              : "named");
    allot__facts_open(&it->about, "sides", "[");
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        int32_t there = allot__task_in(it->tasks, number, side_at(it, i)->work->index);
        if (there >= 0) {
            open_side(it, i);
            FACTS(&it->about, "slots", allot__task_at(it->tasks, there)->slots);
            allot__facts_end(&it->about, "}");
        }
    }
    allot__facts_end(&it->about, "]");
}

static const char *word_of(const inquiry *it, int32_t at)
{
    static const char *const words[] = {
        [STARTS] = "starts", [FITS] = "fits", [UNFIT] = "unfit", [BEHIND] = "behind"};
    return words[it->outcome[at]];
}

/* The task behind which it waits. */
static int put_blocker(const inquiry *it, const list_walk *walk)
{
    int32_t number = blocker(it, walk), at = place_of(it, number);
    list_walk of;
    int status = at < it->asker->going ? ALLOT_OK : walk_to(it, at, &of);
    if (status != ALLOT_OK)
        return status;
    allot__facts_open(&it->about, "blocker", "{");
    FACTS(&it->about, "id", id_of(it, number));
    if (at < it->asker->going) {
        put_going(it, number);
    } else {
        FACTS(&it->about, "outcome", word_of(it, at));
        put_sides(it, &of);
    }
    allot__facts_end(&it->about, "}");
    return ALLOT_OK;
}

/* Running tasks whose place it takes. */
static void put_inside(const inquiry *it, int32_t at)
{
    const allot_decision *decision = it->about.decision;
    allot_reclaim reclaim;
    named names = {.count = 0};
    for (int32_t i = 0; i < allot_decision_reclaims(decision); i++) {
        allot_decision_reclaim(decision, i, &reclaim);
        for (int32_t k = 0; reclaim.pending == it->asker->task[at] && k < reclaim.task_count; k++)
            name(&names, id_of(it, reclaim.tasks[k]));
    }
    put_named(&it->about, "inside_tasks", "inside", &names);
}

static int explain_task(inquiry *it, int32_t at)
{
    list_walk walk;
    int status = walk_to(it, at, &walk);
    if (status != ALLOT_OK)
        return status;
    explain_what(it, at);
    FACTS(&it->about, "outcome", word_of(it, at));
    put_inside(it, at);
    if (it->outcome[at] == BEHIND)
        return put_blocker(it, &walk);
    put_sides(it, &walk);
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
    allot__arena arena;
    inquiry it = {.about = *about,
                  .asker = whole->sides[about->row]->asker,
                  .tasks = &about->decision->state->tasks,
                  .arena = &arena};
    allot__arena_init(&arena, about->decision->plan->engine);
    int status = look(&it);
    if (status == ALLOT_OK)
        status = explain_task(&it, place_of(&it, number));
    allot__arena_free(&arena);
    return status;
}
