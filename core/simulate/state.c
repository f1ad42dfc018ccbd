/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: the state for a cycle of a plan without queues; and the cycle of any plan. */
#include <inttypes.h>
#include <string.h>

#include <allot/stated.h>

#include "simulate/sim.h"

enum { SESSION_ID = 256 };

/* ---- Sums ------------------------------------------------------------------------------------ */

/* A whole account without waiting tasks demands the slots of its tasks (-1); of waiting tasks, the
 * state may list only some. */
static int64_t demand_of(const allot__account *account)
{
    int64_t demand = account->running + account->pending;
    if (account->whole && account->pending == 0)
        return -1;
    return demand < ALLOT_AMOUNT_MAX ? demand : ALLOT_AMOUNT_MAX;
}

/* What the state has of an account: 0 where nothing was set. */
static allot_stated_leaf told_of(const allot_simulation *sim, const allot__account *account)
{
    allot_stated_leaf row = {.demand = 0};
    allot_state_row_get(sim->state, account->group, account->consumer, &row);
    row.allocated = row.allocated < 0 ? 0 : row.allocated;
    return row;
}

bool allot__is_known(const allot_simulation *sim, const allot__account *account)
{
    if (sim->queues || (account->whole && account->stale))
        return sim->queues;
    allot_stated_leaf told = told_of(sim, account);
    return told.demand == demand_of(account) && told.allocated == account->running;
}

static int put_account(allot_simulation *sim, const allot__account *account)
{
    allot_stated_leaf told = told_of(sim, account);
    int64_t demand = demand_of(account), held = account->running;
    int status = ALLOT_OK;
    if (demand != told.demand)
        status = allot_state_demand(sim->state, account->group, account->consumer, demand);
    if (held != told.allocated && status == ALLOT_OK)
        status = allot_state_allocated(sim->state, account->group, account->consumer, held);
    return status;
}

static int tell_sums(allot_simulation *sim)
{
    const int32_t *dirty = sim->dirty.items;
    int status = allot_state_now(sim->state, sim->now);
    for (size_t i = 0; i < sim->dirty.count && status == ALLOT_OK; i++)
        status = put_account(sim, &sim->accounts[dirty[i]]);
    return status;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* Begins the ids of the i-th equal tasks that an account has in the state: with the job, and i. */
static char *put_id(const allot__account *account, size_t i, char *id)
{
    const allot__told *told = (const allot__told *)account->told.items + i;
    char *end = allot__put_number(allot__put_number(id, told->job), (int32_t)i);
    *end = '\0';
    return end;
}

/* Ends the id of the k-th of these tasks (allot_state_task_copies). */
static void end_id(const allot__told *told, int32_t k, char *end)
{
    int width = 1;
    for (int32_t rest = told->count - 1; rest > 9; rest /= 10)
        width++;
    end[width] = '\0';
    for (; width > 0; k /= 10)
        end[--width] = (char)('0' + k % 10);
}

allot__told allot__told_at(const allot_simulation *sim, int32_t task)
{
    allot_task of;
    allot_state_task_at(sim->state, task, &of);
    const allot__sim_job *job = allot__job_of(sim, allot__get_number(of.id));
    const allot__told *told = sim->accounts[job->account].told.items;
    return told[allot__get_number(of.id + ALLOT__DIGITS)];
}

/* Sessions of a name are of a leaf: another leaf's are others. */
static const char *session_id(const allot_simulation *sim, int32_t job, char *buf)
{
    const allot__sim_job *of = allot__job_of(sim, job);
    const char *name = allot__strings_text(&sim->sessions, of->session);
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
    char id[ALLOT__ID];
    what.count = tasks_of(sim, what.job, slots);
    if (sim->told + (size_t)what.count > ALLOT_SIMULATION_TASKS)
        return ALLOT_EINVALID;
    task->id = id;
    task->consumer = account->consumer;
    task->group = account->group;
    task->slots = what.count == 1 ? slots : 1;
    task->submitted = known(job->submit);
    allot__told *told = allot__push(sim->engine, &account->told, sizeof *told);
    if (!told)
        return ALLOT_ENOMEM;
    *told = what;
    put_id(account, account->told.count - 1, id);
    int status = allot_state_task_copies(sim->state, task, what.count);
    if (status != ALLOT_OK) {
        account->told.count--;
        return status;
    }
    sim->told += (size_t)what.count;
    sim->added += (size_t)what.count;
    return ALLOT_OK;
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
    allot__told what = {segment->job, i, 0};
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
        allot__told what = {allot__wait_at(account, i), -1, 0};
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
    const allot__told *told = account->told.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < account->told.count && status == ALLOT_OK; i++) {
        char id[ALLOT__ID], *end = put_id(account, i, id);
        for (int32_t k = 0; k < told[i].count && status == ALLOT_OK; k++) {
            end_id(&told[i], k, end);
            status = allot_state_task_end(sim->state, id);
        }
        sim->told -= (size_t)told[i].count;
    }
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

/* ---- Reclaims -------------------------------------------------------------------------------- */

/* Lists the ids of a reclaim's tasks, one behind another, as far as the state lists them. */
static int list_tasks(allot_simulation *sim, const allot__account *account, int32_t serial)
{
    const allot__told *told = account->told.items;
    sim->ids.count = 0;
    for (size_t i = 0; i < account->told.count; i++) {
        if (told[i].segment < 0 || allot__segment_of(sim, told[i].segment)->flight != serial)
            continue;
        for (int32_t k = 0; k < told[i].count; k++) {
            char(*id)[ALLOT__ID] = allot__push(sim->engine, &sim->ids, sizeof *id);
            if (!id)
                return ALLOT_ENOMEM;
            end_id(&told[i], k, put_id(account, i, *id));
        }
    }
    return ALLOT_OK;
}

/* Names the tasks of a reclaim, of which an account's listed tasks may have changed. */
static int name_tasks(allot_simulation *sim, allot_in_flight *flight, int32_t serial)
{
    int32_t number = flight->group * sim->consumers + flight->consumer;
    int status = list_tasks(sim, &sim->accounts[number], serial);
    size_t count = sim->ids.count;
    if (status != ALLOT_OK || (count == 0 && flight->task_count == 0))
        return status;
    const char **names = allot__new(sim->engine, count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = ((char(*)[ALLOT__ID])sim->ids.items)[i];
    flight->tasks = names;
    flight->task_count = (int32_t)count;
    status = names ? allot_state_set(sim->state, ALLOT_ITEM_RECLAIM, flight) : ALLOT_ENOMEM;
    allot__free(sim->engine, names, count + 1, sizeof *names);
    return status;
}

static int tell_flights(allot_simulation *sim)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_state_reclaims(sim->state) && status == ALLOT_OK; i++) {
        allot_in_flight flight;
        int32_t serial;
        if (allot__flight_at(sim, i, &flight, &serial))
            status = name_tasks(sim, &flight, serial);
    }
    return status;
}

/* Removes tasks, and their sessions, from the state. Tasks that may be listed again stay, as long
 * as most added tasks are still there. */
static int clear(allot_simulation *sim)
{
    if (sim->told == 0 || (sim->whole && sim->added < 1000 + 2 * sim->told))
        return ALLOT_OK;
    sim->told = sim->added = 0;
    for (int32_t c = 0; c < sim->groups * sim->consumers; c++)
        sim->accounts[c].told.count = 0;
    int status = allot_state_clear_items(sim->state, ALLOT_ITEM_TASK);
    return status == ALLOT_OK ? allot_state_clear_items(sim->state, ALLOT_ITEM_SESSION) : status;
}

static int fill(allot_simulation *sim, allot__task_detail tasks, allot_report *report)
{
    int status = clear(sim);
    if (status == ALLOT_OK)
        status = tell_sums(sim);
    if (status == ALLOT_OK)
        status = tell_tasks(sim, tasks, report);
    if (status == ALLOT_OK)
        status = tell_flights(sim);
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

/* ---- The cycle ------------------------------------------------------------------------------- */

int allot__seal(allot_simulation *sim, allot_report *report)
{
    int status = allot_state_seal(sim->state, NULL);
    if (status == ALLOT_EINVALID) /* once more, for the diagnostics */
        status = allot_state_seal(sim->state, report);
    return status;
}

int allot__decide(allot_simulation *sim, allot_report *report, allot_decision **out)
{
    int status = allot_cycle_until(sim->plan, sim->state, ALLOT_STAGE_ORDERS, NULL, out);
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    return allot_cycle_until(sim->plan, sim->state, ALLOT_STAGE_ORDERS, report, out);
}

int allot__decided(allot_simulation *sim, const allot_decision *decision, allot_report *report)
{
    if (!sim->watcher.decided)
        return ALLOT_OK;
    return sim->watcher.decided(sim->watcher.ud, decision, report);
}
