/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * task.c: events of tasks: waiting, start, change and finish; and the slots that tasks hold of
 * their leaves, group by group.
 *
 * A waiting task holds nothing. The slots of a running task are allocated to its leaf.
 */
#include "service/books/own.h"

/* ---- Ties ------------------------------------------------------------------------------------ */

/* The tie of a task, made if new; ENOMEM. *out NULL: the task has none. */
static int make_tie(allot__books *books, const allot_task *task, int kind, allot__tie **out)
{
    char key[ALLOT__TIE_MOST];
    size_t len = allot__tie_key(task, kind, key);
    *out = allot__tie_find(books, task, kind);
    if (len == 0 || *out)
        return ALLOT_OK;
    allot__tie *tie = allot__item_make(books->engine, sizeof *tie, key, len);
    if (!tie || allot__item_put(books->engine, &books->ties, tie) != ALLOT_OK)
        return ALLOT_ENOMEM;
    tie->kind = kind;
    *out = tie;
    return ALLOT_OK;
}

static void join(allot__task_item *task, int kind, allot__tie *tie)
{
    task->links[kind] = (allot__link){.tie = tie, .after = tie ? tie->first : NULL};
    if (task->links[kind].after)
        task->links[kind].after->links[kind].before = task;
    if (tie)
        tie->first = task;
}

static void leave(allot__task_item *task, int kind)
{
    const allot__link link = task->links[kind];
    if (link.after)
        link.after->links[kind].before = link.before;
    if (link.before)
        link.before->links[kind].after = link.after;
    else if (link.tie)
        link.tie->first = link.after;
    task->links[kind] = (allot__link){.tie = NULL};
}

/* The most slots of a task of a tie, except one task. */
static int64_t most_of(const allot__books *books, const allot__tie *tie,
                       const allot__task_item *but)
{
    int64_t most = 0;
    allot_task task;
    for (const allot__task_item *it = tie->first; it; it = it->links[tie->kind].after)
        if (it != but && allot__books_get(books, ALLOT_ITEM_TASK, it->of.named.name, &task) &&
            task.slots > most)
            most = task.slots;
    return most;
}

/* ---- Group by group -------------------------------------------------------------------------- */

int64_t allot__task_more(const allot__books *books, const allot__known *old, const allot_task *task,
                         int32_t group)
{
    const allot__tie *from =
        old && old->it.group == group ? old->item->links[ALLOT__BY_SLOT].tie : NULL;
    int64_t others = from ? most_of(books, from, old->item) : 0;
    int64_t less = old ? allot__task_held(&old->it, group) : 0;
    int64_t more = task ? allot__task_held(task, group) : 0;
    const allot__tie *to =
        more > 0 && task->group == group ? allot__tie_find(books, task, ALLOT__BY_SLOT) : NULL;
    if (from)
        less = less > others ? less - others : 0;
    if (to) {
        int64_t there = from == to ? others : most_of(books, to, NULL);
        more = more > there ? more - there : 0;
    }
    return more - less;
}

static int64_t awaited_by(const allot_task *task, int32_t group)
{
    return task && !allot__task_runs(task) ? allot__task_slots(task, group) : 0;
}

/* Updates what a leaf holds and is allocated, with a task in place of the old one (NULL: none);
 * `keep`: slots that come back stay the leaf's. */
static void hold(allot__books *books, int32_t leaf, const allot__known *old, const allot_task *task,
                 bool keep)
{
    for (int32_t g = 0; g < (int32_t)books->group_count; g++) {
        allot__books_leaf *of = allot__leaf_beside(books, g, leaf);
        int64_t more = allot__task_more(books, old, task, g);
        int64_t allocated = allot__leaf(books, g, leaf).allocated;
        int64_t after = allocated + (more < 0 && !keep ? more : 0);
        of->held += (int32_t)more;
        of->awaited += awaited_by(task, g) - awaited_by(old ? &old->it : NULL, g);
        after = after < of->held ? of->held : after;
        if (after != allocated)
            allot__leaf_allocate(books, g, leaf, after);
    }
}

/* Updates what a leaf demands, with a task in place of the old one. */
static void want(allot__books *books, int32_t leaf, const allot__known *old, const allot_task *task)
{
    for (int32_t g = 0; g < (int32_t)books->group_count; g++) {
        int64_t before = !old                         ? 0
                         : allot__task_runs(&old->it) ? -allot__task_more(books, old, NULL, g)
                                                      : allot__task_slots(&old->it, g);
        int64_t more = (task ? allot__task_slots(task, g) : 0) - before;
        int64_t demand = allot__leaf(books, g, leaf).demand + more;
        demand = demand < 0 ? 0 : demand > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : demand;
        if (more != 0)
            allot__leaf_demand(books, g, leaf, demand);
    }
}

/* ---- Tasks that come, change and go ---------------------------------------------------------- */

/* Counts a waiting task, and one whose start was sent. */
static void count(allot__books *books, const allot__task_item *item, const allot_task *task, int by)
{
    books->pending += allot__task_runs(task) ? 0 : by;
    books->starts_told += !allot__task_runs(task) && item->of.told ? by : 0;
}

void allot__task_tell(allot__books *books, allot__task_item *item, bool told)
{
    allot_task task;
    if (!allot__books_get(books, ALLOT_ITEM_TASK, item->of.named.name, &task))
        return;
    allot__map_touch(&books->tasks, &item->of.named);
    count(books, item, &task, -1);
    item->of.told = told;
    count(books, item, &task, 1);
}

/* Frees ties without tasks. */
static void settle(allot__books *books, allot__tie *const of[ALLOT__TIES])
{
    for (int kind = 0; kind < ALLOT__TIES; kind++)
        if (of[kind] && !of[kind]->first)
            allot__item_end(books->engine, &books->ties, of[kind]);
}

/* All steps that may fail: puts the task in the state, and sets `of` to what it joins. */
static int prepare(allot__books *books, const allot_task *task, allot__tie *of[ALLOT__TIES])
{
    int status = ALLOT_OK;
    of[ALLOT__BY_SLOT] = of[ALLOT__BY_SESSION] = NULL;
    for (int kind = 0; kind < ALLOT__TIES && status == ALLOT_OK; kind++)
        status = make_tie(books, task, kind, &of[kind]);
    if (status == ALLOT_OK)
        status = allot_state_set(books->state, ALLOT_ITEM_TASK, task);
    if (status != ALLOT_OK)
        settle(books, of);
    return status;
}

/* Appends it, as in the state. */
static void put(allot__books *books, allot__task_item *item, const allot_task *task,
                allot__tie *const of[ALLOT__TIES])
{
    for (int kind = 0; kind < ALLOT__TIES; kind++)
        join(item, kind, of[kind]);
    count(books, item, task, 1);
    allot__map_put(&books->tasks, &item->of.named);
}

/* Sets `of` to what it leaves, for settle. */
static void take(allot__books *books, const allot__known *task, allot__tie *of[ALLOT__TIES])
{
    for (int kind = 0; kind < ALLOT__TIES; kind++) {
        of[kind] = task->item->links[kind].tie;
        leave(task->item, kind);
    }
    count(books, task->item, &task->it, -1);
    allot__map_take(&books->tasks, &task->item->of.named);
}

/* Adds the task of an event: its leaf holds its slots, is allocated what it lacks for them and, if
 * `wanted`, demands as many more. ENOMEM. */
static int add_task(allot__books *books, const allot_task *task, const allot__event *event,
                    bool wanted)
{
    const allot__origin *source;
    allot__task_item *item = NULL;
    allot__tie *of[ALLOT__TIES];
    int status = allot__origin_of(books, event, &source);
    if (status == ALLOT_OK)
        status = allot__map_reserve(&books->tasks);
    if (status == ALLOT_OK)
        item = allot__item_make(books->engine, sizeof *item, task->id, strlen(task->id));
    if (!item || (status = prepare(books, task, of)) != ALLOT_OK) {
        allot__item_free(books->engine, item);
        return item ? status : ALLOT_ENOMEM;
    }
    item->of.told = event->told;
    item->of.source = source;
    hold(books, task->consumer, NULL, task, false);
    if (wanted)
        want(books, task->consumer, NULL, task);
    put(books, item, task, of);
    return ALLOT_OK;
}

/* Ends a task: its leaf holds less, is allocated less unless `keep`, and demands less if
 * `wanted`. */
static void end_task(allot__books *books, const allot__known *task, bool keep, bool wanted)
{
    const char *id = task->item->of.named.name;
    allot__tie *of[ALLOT__TIES];
    hold(books, task->it.consumer, task, NULL, keep);
    if (wanted)
        want(books, task->it.consumer, task, NULL);
    allot__victim_gone(books, task->item, NULL);
    take(books, task, of);
    settle(books, of);
    allot_state_end(books->state, ALLOT_ITEM_TASK, id);
    allot__item_free(books->engine, task->item);
}

/* Replaces a restated task, which goes to the end of the list. `wanted`: its leaf's demand changes
 * with it. ENOMEM. */
static int replace_task(allot__books *books, const allot__known *old, const allot_task *task,
                        const allot__origin *source, bool wanted)
{
    allot__task_item *item = old->item;
    allot__tie *of[ALLOT__TIES], *was[ALLOT__TIES];
    allot__map_touch(&books->tasks, &item->of.named);
    int status = prepare(books, task, of);
    if (status != ALLOT_OK)
        return status;
    hold(books, task->consumer, old, task, false);
    if (wanted)
        want(books, task->consumer, old, task);
    allot__victim_gone(books, item, task);
    take(books, old, was);
    item->of.told = item->of.told && old->it.state == task->state;
    item->of.source = source;
    put(books, item, task, of);
    settle(books, was);
    return ALLOT_OK;
}

/* ---- Tasks of events ------------------------------------------------------------------------- */

/* The group of its slots, or of its session, host and slot; not given: the host's, or the first. */
static int32_t own_group(const allot_plan *plan, const allot_task *task)
{
    int32_t host = task->host ? allot_plan_host_find(plan, task->host) : -1;
    int32_t group = host >= 0 ? allot_plan_host_group(plan, host) : -1;
    if (task->group >= 0)
        return task->group;
    for (int32_t i = 0; i < task->also_count; i++)
        if (task->also[i].group == group)
            return group;
    return task->also[0].group;
}

/* Slots of several groups: splits its own group's from the others'. */
static int take_own(const allot_plan *plan, allot_task *task, allot__error *fault)
{
    allot_task_slots *parts = (allot_task_slots *)task->also; /* owned by the reader */
    int32_t at = 0;
    task->group = own_group(plan, task);
    while (at < task->also_count && parts[at].group != task->group)
        at++;
    if (at == task->also_count)
        return allot__error_set(fault, ALLOT_EINVALID, "E-group", "slots", NULL,
                                "slots: found none of \"%s\", which is the task's group",
                                allot_plan_group_name(plan, task->group));
    allot_task_slots own = parts[at];
    memmove(parts + 1, parts, (size_t)at * sizeof *parts);
    parts[0] = own;
    task->slots = own.slots;
    task->also = parts + 1;
    task->also_count--;
    return ALLOT_OK;
}

static int event_task(const allot_plan *plan, const allot__event *event, allot_task *out,
                      allot__error *fault)
{
    *out = event->task;
    if (event->settled)
        return ALLOT_OK;
    if (allot__task_runs(out) && !allot__event_said(event, "started"))
        out->started = event->at;
    return out->also_count > 0 ? take_own(plan, out, fault) : ALLOT_OK;
}

static int check_place(const allot__event *event, const allot_task *task, allot__error *fault)
{
    bool host = allot__event_said(event, "host"), slot = allot__event_said(event, "slot");
    const char *key = host ? "host" : slot ? "slot" : "started";
    bool there = host || slot || allot__event_said(event, "started");
    if (!allot__task_runs(task) && there)
        return allot__error_set(fault, ALLOT_EINVALID, "E-conflict", key, NULL,
                                "%s: found one of a task that is pending, allowed none", key);
    if (task->slot && task->also_count > 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-conflict", "slot", NULL,
                                "slot: found one of a task with slots of several groups, allowed "
                                "none: it shares no slot");
    return ALLOT_OK;
}

int allot__event_task_new(const allot_plan *plan, const allot__event *event, allot_task *out,
                          allot__error *fault)
{
    const char *name = allot__event_name((int)event->kind);
    if (event->task.consumer == ALLOT_ROOT)
        return allot__error_set(fault, ALLOT_EINVALID, "E-missing", "consumer", NULL,
                                "\"%s\" wants \"consumer\"", name);
    if (event->task.group < 0 && event->task.also_count == 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-group", "group", NULL,
                                "the plan has several groups: \"%s\" wants \"group\"", name);
    int status = event_task(plan, event, out, fault);
    return status == ALLOT_OK && !event->settled ? check_place(event, out, fault) : status;
}

static int unknown_task(const allot__event *event, allot__error *fault)
{
    return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-task", "id", NULL,
                            "id: there is no task \"%.100s\"", event->id);
}

/* ---- Starts ---------------------------------------------------------------------------------- */

static int check_allocated(const allot__books *books, const allot_task *task, int64_t lack,
                           int32_t group, allot__error *fault)
{
    int64_t allocated = allot__leaf(books, group, task->consumer).allocated;
    if (allocated + lack <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                            "slots: found %lld, its leaf would have %lld, at most %d are allowed",
                            (long long)allot__task_slots(task, group),
                            (long long)(allocated + lack), ALLOT_AMOUNT_MAX);
}

static int refuse_slots(const allot__known *old, int64_t slots, int64_t free, int64_t lack,
                        allot__error *fault)
{
    if (old && allot__task_runs(&old->it))
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, %lld more than is allocated and free",
                                (long long)slots, (long long)lack);
    return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                            "slots: found %lld, allowed at most %lld, what is allocated and free",
                            (long long)slots, (long long)free);
}

static int check_slots(const allot__books *books, const allot__known *old, const allot_task *task,
                       bool adopt, allot__error *fault)
{
    int status = ALLOT_OK;
    for (int32_t g = 0; g < (int32_t)books->group_count && status == ALLOT_OK; g++) {
        int64_t more = allot__task_more(books, old, task, g);
        int64_t free = allot__leaf(books, g, task->consumer).allocated -
                       allot__leaf_beside(books, g, task->consumer)->held;
        if (more > free && !adopt)
            return refuse_slots(old, allot__task_slots(task, g), free, more - free, fault);
        if (more > free)
            status = check_allocated(books, task, more - free, g, fault);
    }
    return status;
}

static int check_start(const allot__books *books, const allot_task *task, bool adopt, bool known,
                       allot__error *fault)
{
    if (known)
        return allot__error_set(fault, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                                "id: the task \"%.100s\" runs already", task->id);
    int status = check_slots(books, NULL, task, adopt, fault);
    return status == ALLOT_OK ? allot__session_check_task(books, task, fault) : status;
}

/* ---- Changed tasks --------------------------------------------------------------------------- */

/* Given values replace those of the same attribute; others are added. */
static int32_t merge(const allot_task *old, const allot_task *told, allot_task_value *values)
{
    int32_t count = 0;
    for (int32_t i = 0, k = 0; i < old->value_count || k < told->value_count;) {
        const allot_task_value *mine = i < old->value_count ? &old->values[i] : NULL;
        const allot_task_value *other = k < told->value_count ? &told->values[k] : NULL;
        bool same = mine && other && mine->attribute == other->attribute;
        bool take = other && (!mine || other->attribute <= mine->attribute);
        values[count++] = take ? *other : *mine;
        i += !take || same;
        k += take;
    }
    return count;
}

/* The changed task: members not given keep their values, or are unset if the event is `whole`,
 * except its start time. A waiting task has no host. */
static void change(const allot__event *event, const allot_task *old, const allot_task *told,
                   allot_task_value *values, allot_task *out)
{
    bool started = allot__event_said(event, "started") || !allot__task_runs(old);
    *out = *old;
    allot__item_merge(ALLOT_ITEM_TASK, event->whole ? UINT32_MAX : event->stated, told, out);
    out->id = old->id;
    out->consumer = old->consumer;
    out->group = old->group;
    out->state = told->state;
    out->started = started ? told->started : old->started;
    out->values = event->whole ? told->values : values;
    out->value_count = event->whole ? told->value_count : merge(old, told, values);
    if (allot__task_runs(out))
        return;
    out->host = out->slot = NULL;
    out->started = 0;
}

/* Refuses to move a task to another leaf. */
static int check_leaf(const allot__books *books, const allot__event *event, const allot_task *old,
                      allot__error *fault)
{
    const allot_task *told = &event->task;
    bool moves = told->consumer != ALLOT_ROOT && told->consumer != old->consumer;
    const char *name = moves ? "consumer" : "group";
    char path[200] = "";
    if (!moves && (told->group < 0 || told->group == old->group))
        return ALLOT_OK;
    allot_plan_path(books->plan, old->consumer, path, sizeof path);
    return allot__error_set(fault, ALLOT_EINVALID, "E-conflict", name,
                            "a task of another leaf or group is another one: `finish` this",
                            "%s: found another one, allowed %.150s, which the task has", name,
                            moves ? path : allot_plan_group_name(books->plan, old->group));
}

static int task_change(allot__books *books, const allot__known *old, const allot__event *event,
                       allot_task_state state, allot__error *fault)
{
    allot_task_value values[ALLOT_ATTRIBUTES_MAX];
    allot_task told, task;
    const allot__origin *source;
    allot__event of = *event;
    int status = check_leaf(books, event, &old->it, fault);
    of.task.group = old->it.group;
    of.task.state = state;
    if (status == ALLOT_OK)
        status = event_task(books->plan, &of, &told, fault);
    if (status != ALLOT_OK)
        return status;
    change(&of, &old->it, &told, values, &task);
    status = check_place(event, &task, fault);
    if (status == ALLOT_OK)
        status = allot__session_check_task(books, &task, fault);
    if (status == ALLOT_OK)
        status = check_slots(books, old, &task, event->adopt, fault);
    if (status == ALLOT_OK)
        status = allot__origin_of(books, event, &source);
    if (status != ALLOT_OK)
        return status;
    bool wanted = !event->whole && !allot__task_runs(&old->it);
    return replace_task(books, old, &task, source ? source : old->item->of.source, wanted);
}

/* A new task waits. Unless given, or in a truth, its submission is the event's time. */
static int submit(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_task task;
    if (allot__task_runs(&event->task))
        return unknown_task(event, fault);
    int status = allot__event_task_new(books->plan, event, &task, fault);
    if (status == ALLOT_OK)
        status = allot__session_check_task(books, &task, fault);
    if (status != ALLOT_OK)
        return status;
    if (!event->whole && !allot__event_said(event, "submitted"))
        task.submitted = event->at;
    return add_task(books, &task, event, !event->whole);
}

int allot__apply_task(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__known old;
    bool stated = event->whole || allot__event_said(event, "state");
    if (!allot__task_known(books, event->id, &old))
        return submit(books, event, fault);
    return task_change(books, &old, event, stated ? event->task.state : old.it.state, fault);
}

/* ---- Starts and ends ------------------------------------------------------------------------- */

/* A waiting task starts with its known members. */
int allot__apply_start(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_task task;
    allot__known old;
    if (!allot__task_runs(&event->task))
        return allot__error_set(fault, ALLOT_EINVALID, "E-task-state", "state",
                                "`task` tells of tasks that wait",
                                "state: found \"pending\", allowed \"running\"");
    bool known = allot__task_known(books, event->id, &old);
    if (known && !allot__task_runs(&old.it))
        return task_change(books, &old, event, ALLOT_TASK_RUNNING, fault);
    int status = allot__event_task_new(books->plan, event, &task, fault);
    if (status == ALLOT_OK)
        status = check_start(books, &task, event->adopt, known, fault);
    return status == ALLOT_OK ? add_task(books, &task, event, false) : status;
}

/* Work that is done, or that waited, is no longer demanded. */
int allot__apply_finish(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__known task;
    if (!allot__task_known(books, event->id, &task))
        return unknown_task(event, fault);
    bool runs = allot__task_runs(&task.it);
    end_task(books, &task, event->keep, runs ? event->done : !event->keep);
    return ALLOT_OK;
}
