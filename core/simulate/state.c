/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: the state for a cycle of a plan without queues. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/sim.h"

enum { ID = 32, SESSION_ID = 256 };

/* ---- Sums ------------------------------------------------------------------------------------ */

static int64_t demand_of(const allot__account *account)
{
    int64_t demand = account->running + account->pending;
    return demand < ALLOT_AMOUNT_MAX ? demand : ALLOT_AMOUNT_MAX;
}

bool allot__is_known(const allot_simulation *sim, const allot__account *account)
{
    bool sums =
        account->demand_told == demand_of(account) && account->held_told == account->running;
    return sim->queues || (account->whole ? !account->stale : sums);
}

/* A whole account without waiting tasks demands the slots of its tasks (-1); of waiting tasks, the
 * state may list only some. */
static int put_account(allot_simulation *sim, allot__account *account)
{
    int64_t demand = account->whole && account->pending == 0 ? -1 : demand_of(account);
    int64_t held = account->running;
    int status = ALLOT_OK;
    if (demand != account->demand_told)
        status = allot_state_demand(sim->state, account->group, account->consumer, demand);
    if (held != account->held_told && status == ALLOT_OK)
        status = allot_state_allocated(sim->state, account->group, account->consumer, held);
    account->demand_told = demand;
    account->held_told = held;
    return status;
}

static int tell_sums(allot_simulation *sim)
{
    const int32_t *dirty = sim->dirty.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < sim->dirty.count && status == ALLOT_OK; i++)
        status = put_account(sim, &sim->accounts[dirty[i]]);
    for (int32_t i = 0; sim->damped && i < sim->groups * sim->consumers; i++) {
        const allot__account *account = &sim->accounts[i];
        int64_t since = account->waiting_since != INT64_MIN ? account->waiting_since : sim->now;
        if (account->leaf && status == ALLOT_OK)
            status =
                allot_state_waiting_since(sim->state, account->group, account->consumer, since);
    }
    return status;
}

static int tell_times(allot_simulation *sim)
{
    int status = allot_state_now(sim->state, sim->now);
    if (status == ALLOT_OK && sim->cycled)
        status = allot_state_last(sim->state, sim->last_cycle);
    return status;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* The id of the i-th task that an account has in the state: job and number. */
static void put_id(const allot__account *account, size_t i, char *id)
{
    const allot__told *told = (const allot__told *)account->told.items + i;
    char *end = allot__put_number(id, told->job);
    *end++ = '.';
    *allot__put_number(end, (int32_t)i) = '\0';
}

allot__told allot__told_at(const allot_simulation *sim, int32_t task)
{
    allot_task of;
    char *end;
    allot_state_task_at(sim->state, task, &of);
    const allot__sim_job *job = allot__job_of(sim, (int32_t)strtol(of.id, &end, 10));
    return ((const allot__told *)sim->accounts[job->account].told.items)[strtol(end + 1, NULL, 10)];
}

/* Sessions of a name are of a leaf: another leaf's are others. */
static const char *session_id(const allot_simulation *sim, int32_t job, char *buf)
{
    const allot__sim_job *of = allot__job_of(sim, job);
    const char *name = allot__strings_text(&sim->names, of->session);
    buf[0] = name ? 'n' : 's';
    char *end = allot__put_number(buf + 1, name ? of->account : job);
    *end = '\0';
    if (name)
        strncat(buf, name, SESSION_ID - 16);
    return buf;
}

static int tell_session(allot_simulation *sim, const allot__account *account, int32_t job,
                        const char *id)
{
    const allot__sim_job *of = allot__job_of(sim, job);
    allot_session session = {
        .id = id,
        .consumer = account->consumer,
        .group = account->group,
        .scheduling = ALLOT_PRIORITY,
        .priority = of->priority,
        .created = of->submit,
        .demand = of->session < 0 && !of->standing ? of->left : -1,
    };
    int status = allot_state_session(sim->state, &session);
    return status == ALLOT_EEXIST ? ALLOT_OK : status;
}

static const char *host_name(const allot_simulation *sim, int32_t host)
{
    if (host == INT32_MIN)
        return NULL;
    return host >= 0 ? allot_plan_host_name(sim->plan, host)
                     : ((const char *const *)sim->hosts.items)[~host];
}

static int64_t known(int64_t time)
{
    return time > 0 ? time : 1; /* 0 would mean unknown */
}

static int32_t tasks_of(const allot_simulation *sim, int32_t job, int32_t slots)
{
    return allot__job_of(sim, job)->rigid ? 1 : slots;
}

/* Running or waiting tasks of a job: one a slot, or one for a rigid job. */
static int put_tasks(allot_simulation *sim, allot__account *account, allot__told what,
                     int32_t slots, allot_task *task)
{
    const allot__sim_job *job = allot__job_of(sim, what.job);
    int32_t count = tasks_of(sim, what.job, slots);
    char id[ID];
    int status = ALLOT_OK;
    if (sim->told + (size_t)count > ALLOT_SIMULATION_TASKS)
        return ALLOT_EINVALID;
    task->id = id;
    task->consumer = account->consumer;
    task->group = account->group;
    task->slots = count == 1 ? slots : 1;
    task->submitted = known(job->submit);
    for (int32_t k = 0; k < count && status == ALLOT_OK; k++) {
        allot__told *told = allot__push(sim->engine, &account->told, sizeof *told);
        if (!told)
            return ALLOT_ENOMEM;
        *told = what;
        sim->told++;
        sim->added++;
        put_id(account, account->told.count - 1, id);
        status = allot_state_task(sim->state, task);
    }
    return status;
}

static int put_segment(allot_simulation *sim, allot__account *account, int32_t i)
{
    const allot__segment *segment = allot__segment_of(sim, i);
    char session[SESSION_ID];
    allot_task task = {.started = known(segment->start),
                       .session = session_id(sim, segment->job, session),
                       .host = host_name(sim, segment->host),
                       .preempted = allot__job_of(sim, segment->job)->times};
    int status = tell_session(sim, account, segment->job, session);
    allot__told what = {segment->job, i};
    return status == ALLOT_OK ? put_tasks(sim, account, what, segment->count, &task) : status;
}

static int put_running(allot_simulation *sim, allot__account *account)
{
    int status = ALLOT_OK;
    for (int32_t i = account->first; i >= 0 && status == ALLOT_OK;
         i = allot__segment_of(sim, i)->next)
        status = put_segment(sim, account, i);
    return status;
}

/* Lists waiting tasks that may start: as many as fill the group, or all if tasks may be passed by
 * (C-13). At first only a few; more for an account whose decision exhausted them (allot_brief). */
static int put_waiting(allot_simulation *sim, allot__account *account)
{
    bool skip = allot_plan_option_get(sim->plan, account->group, ALLOT_OPTION_PENDING) != 0;
    int64_t left = sim->sizes[account->group];
    int32_t tasks = skip || sim->options.always_tasks ? INT32_MAX : account->depth;
    int status = ALLOT_OK;
    for (size_t i = 0; i < allot__waits(account) && left > 0 && tasks > 0 && !status; i++) {
        allot__told what = {allot__wait_at(account, i), -1};
        const allot__sim_job *job = allot__job_of(sim, what.job);
        allot_task task = {.state = ALLOT_TASK_PENDING, .priority = job->priority};
        int64_t most = job->rigid ? INT64_MAX : tasks < left ? tasks : left;
        int32_t slots = job->pending < most ? job->pending : (int32_t)most;
        status = put_tasks(sim, account, what, slots, &task);
        tasks -= tasks_of(sim, what.job, slots);
        left -= skip ? 0 : slots;
    }
    account->cut = tasks <= 0;
    return status;
}

/* Removes an account's tasks from the state. */
static int untell(allot_simulation *sim, allot__account *account)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < account->told.count && status == ALLOT_OK; i++) {
        char id[ID];
        put_id(account, i, id);
        status = allot_state_task_end(sim->state, id);
    }
    sim->told -= account->told.count;
    account->told.count = 0;
    return status;
}

static int tell_account(allot_simulation *sim, allot__account *account)
{
    int status = untell(sim, account);
    if (status == ALLOT_OK)
        status = put_running(sim, account);
    if (status == ALLOT_OK && account->whole)
        status = put_waiting(sim, account);
    account->stale = false;
    return status;
}

/* Does the state list the account's tasks? */
static bool is_told(const allot__account *account, allot__task_detail tasks)
{
    return account->leaf && (account->whole || tasks == ALLOT__TASKS_ALL ||
                             (tasks == ALLOT__TASKS_OF_OVER && account->over));
}

/* The job with the most listed tasks, and how many. */
static int32_t widest(const allot_simulation *sim, allot__task_detail tasks, int32_t *count)
{
    int32_t most = 0;
    *count = 0;
    for (int32_t i = 0; i < (int32_t)sim->jobs.count; i++) {
        const allot__sim_job *job = allot__job_of(sim, i);
        const allot__account *account = &sim->accounts[job->account];
        int32_t slots = job->standing ? job->slots : job->left;
        slots -= account->whole ? 0 : job->pending;
        if (is_told(account, tasks) && tasks_of(sim, i, slots) > *count) {
            most = i;
            *count = slots;
        }
    }
    return most;
}

static int too_many(const allot_simulation *sim, allot__task_detail tasks, allot_report *report)
{
    int32_t count, number = widest(sim, tasks, &count);
    const allot__sim_job *job = allot__job_of(sim, number);
    allot_record record;
    allot_trace_record(sim->trace, job->record, &record);
    allot__log_say(
        report,
        &(allot_diagnostic){.code = "E-simulate",
                            .file = allot_trace_file(sim->trace),
                            .line = record.line,
                            .hint = "a rigid job is one task (--rigid, or `rigid` of --map)"},
        "more than %d tasks may have to go, and cannot be told to a cycle: it runs as %" PRId32
        " of them",
        ALLOT_SIMULATION_TASKS, count);
    return ALLOT_EINVALID;
}

static int tell_tasks(allot_simulation *sim, allot__task_detail tasks, allot_report *report)
{
    int status = ALLOT_OK;
    if (tasks == ALLOT__TASKS_NONE && !sim->whole && sim->told == 0)
        return ALLOT_OK;
    for (int32_t c = 0; c < sim->groups * sim->consumers && status == ALLOT_OK; c++) {
        allot__account *account = &sim->accounts[c];
        if (!is_told(account, tasks))
            status = untell(sim, account);
        else if (account->stale || account->told.count == 0)
            status = tell_account(sim, account);
    }
    return status == ALLOT_EINVALID ? too_many(sim, tasks, report) : status;
}

/* ---- Reclaims and loans ---------------------------------------------------------------------- */

static int tell_way(allot_simulation *sim, const allot__on_way *way, const char *const *tasks,
                    size_t count)
{
    char id[ID];
    *allot__put_number(id, sim->ways_told++) = '\0';
    allot_in_flight flight = {
        .id = id,
        .consumer = sim->accounts[way->account].consumer,
        .group = sim->accounts[way->account].group,
        .slots = way->slots,
        .deadline = way->deadline,
        .claims = way->claims,
        .claim_count = way->claim_count,
        .tasks = tasks,
        .task_count = (int32_t)count,
    };
    return allot_state_in_flight(sim->state, &flight);
}

/* ... with the tasks that it takes, as far as the state lists them. */
static int tell_flight(allot_simulation *sim, const allot__on_way *way)
{
    const allot__account *account = &sim->accounts[way->account];
    const allot__told *told = account->told.items;
    size_t room = account->told.count, count = 0;
    char(*ids)[ID] = allot__new(sim->engine, room, sizeof *ids);
    const char **names = allot__new(sim->engine, room, sizeof *names);
    int status = room == 0 || (ids && names) ? ALLOT_OK : ALLOT_ENOMEM;
    for (size_t i = 0; i < room && status == ALLOT_OK; i++) {
        if (told[i].segment < 0 || allot__segment_of(sim, told[i].segment)->flight != way->serial)
            continue;
        put_id(account, i, ids[count]);
        names[count] = ids[count];
        count++;
    }
    if (status == ALLOT_OK)
        status = tell_way(sim, way, names, count);
    allot__free(sim->engine, ids, room, sizeof *ids);
    allot__free(sim->engine, names, room, sizeof *names);
    return status;
}

static int tell_ways(allot_simulation *sim)
{
    static const char *const gone[] = {"gone"}; /* no task has that name, so all slots are back */
    const allot__on_way *back = sim->back.items, *flights = sim->flights.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < sim->flights.count && status == ALLOT_OK; i++)
        status = tell_flight(sim, &flights[i]);
    for (size_t i = 0; i < sim->back.count && status == ALLOT_OK; i++)
        status = tell_way(sim, &back[i], gone, 1);
    return status;
}

static int tell_loans(allot_simulation *sim)
{
    const allot_loan *loans = sim->loans.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < sim->loans.count && status == ALLOT_OK; i++)
        status = allot_state_loan(sim->state, &loans[i]);
    return status;
}

/* Removes reclaims and loans of the cycle before: they are over or added again. */
static int untell_orders(allot_simulation *sim)
{
    int status = allot_state_loans_end(sim->state);
    for (; sim->ways_told > 0 && status == ALLOT_OK; sim->ways_told--) {
        char id[ID];
        *allot__put_number(id, sim->ways_told - 1) = '\0';
        status = allot_state_end(sim->state, ALLOT_ITEM_RECLAIM, id);
    }
    return status;
}

/* Removes tasks, reclaims and loans from the state. Tasks that may be listed again stay, as long as
 * most added tasks are still there. */
static int clear(allot_simulation *sim)
{
    if (!sim->filled)
        return ALLOT_OK;
    if (sim->whole && sim->added < 1000 + 2 * sim->told)
        return untell_orders(sim);
    sim->told = sim->added = 0;
    sim->ways_told = 0;
    for (int32_t c = 0; c < sim->groups * sim->consumers; c++)
        sim->accounts[c].told.count = 0;
    return allot_state_clear(sim->state);
}

static int fill(allot_simulation *sim, allot__task_detail tasks, allot_report *report)
{
    int status = clear(sim);
    if (status == ALLOT_OK)
        status = tell_times(sim);
    if (status == ALLOT_OK)
        status = tell_sums(sim);
    if (status == ALLOT_OK)
        status = tell_tasks(sim, tasks, report);
    if (status == ALLOT_EINVALID)
        return status;
    if (status == ALLOT_OK)
        status = tell_ways(sim);
    if (status == ALLOT_OK)
        status = tell_loans(sim);
    sim->filled =
        sim->told > 0 || sim->flights.count > 0 || sim->back.count > 0 || sim->loans.count > 0;
    return status == ALLOT_OK ? allot__seal(sim, report) : status;
}

/* Copies sizes from the state. True: one grew, so more tasks may start than are listed. */
static bool grown(allot_simulation *sim)
{
    bool some = false;
    for (int32_t i = 0; i < sim->groups; i++) {
        int64_t slots = allot_state_slots_get(sim->state, i);
        some = some || slots > sim->sizes[i];
        sim->sizes[i] = slots;
    }
    for (int32_t c = 0; some && c < sim->groups * sim->consumers; c++)
        sim->accounts[c].stale = true;
    return some && sim->whole;
}

int allot__cycle_state(allot_simulation *sim, allot__task_detail tasks, allot_report *report)
{
    int status = fill(sim, tasks, report);
    if (status != ALLOT_OK || !grown(sim))
        return status;
    status = allot_state_open(sim->state);
    return status == ALLOT_OK ? fill(sim, tasks, report) : status;
}
