/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: the state that a cycle of a plan without queues is told. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "simulate/sim.h"

enum { ID = 32, SESSION_ID = 256 };

int64_t allot__demand_of(const allot_simulation *sim, const allot__account *account)
{
    int64_t demand = account->running;
    if (account->rigid_waiting == 0) {
        demand += account->pending;
    } else {
        const allot__sim_job *first = allot__job_of(sim, allot__wait_first(account));
        demand += !first->rigid ? first->pending : account->asks ? first->slots : 0;
    }
    return demand < ALLOT_AMOUNT_MAX ? demand : ALLOT_AMOUNT_MAX;
}

bool allot__sums_known(const allot_simulation *sim, const allot__account *account)
{
    return sim->queues || (account->demand_told == allot__demand_of(sim, account) &&
                           account->held_told == account->running + account->gathered);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static int put_account(allot_simulation *sim, allot__account *account)
{
    int64_t demand = allot__demand_of(sim, account), held = account->running + account->gathered;
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

static char *put_number(char *at, int32_t number)
{
    for (int i = 9; i >= 0; i--, number /= 10)
        at[i] = (char)('0' + number % 10);
    return at + 10;
}

/* Sessions of a name are of a leaf: another leaf's are others. */
static const char *session_id(const allot_simulation *sim, int32_t job, char *buf)
{
    const allot__sim_job *of = allot__job_of(sim, job);
    const char *name = allot__strings_text(&sim->names, of->session);
    buf[0] = name ? 'n' : 's';
    char *end = put_number(buf + 1, name ? of->account : job);
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

/* One a slot; of a rigid job one in all. */
static int32_t tasks_of(const allot_simulation *sim, int32_t segment)
{
    const allot__segment *of = allot__segment_of(sim, segment);
    return allot__job_of(sim, of->job)->rigid ? 1 : of->count;
}

/* The tasks of a segment. */
static int put_segment(allot_simulation *sim, const allot__account *account, int32_t i)
{
    const allot__segment *segment = allot__segment_of(sim, i);
    const allot__sim_job *job = allot__job_of(sim, segment->job);
    char id[ID], session[SESSION_ID];
    int32_t count = tasks_of(sim, i);
    allot_task task = {
        .id = id,
        .consumer = account->consumer,
        .group = account->group,
        .slots = job->rigid ? segment->count : 1,
        .started = segment->start > 0 ? segment->start : 1, /* 0 would be: not known */
        .submitted = job->submit > 0 ? job->submit : 1,
        .session = session_id(sim, segment->job, session),
        .host = host_name(sim, segment->host),
        .preempted = job->times,
    };
    int status = tell_session(sim, account, segment->job, session);
    char *end = put_number(id, segment->job);
    *end++ = '.';
    for (int32_t k = 0; k < count && status == ALLOT_OK; k++) {
        int32_t *told = allot__push(sim->engine, &sim->told, sizeof *told);
        if (!told)
            return ALLOT_ENOMEM;
        *told = i;
        *put_number(end, (int32_t)sim->told.count) = '\0';
        status = allot_state_task(sim->state, &task);
    }
    return status;
}

/* The segment that has most tasks of those that are told. */
static int32_t widest(const allot_simulation *sim, bool all)
{
    int32_t most = -1;
    for (int32_t c = 0; c < sim->groups * sim->consumers; c++) {
        const allot__account *account = &sim->accounts[c];
        for (int32_t i = all || account->over ? account->first : -1; i >= 0;
             i = allot__segment_of(sim, i)->next)
            most = most < 0 || tasks_of(sim, i) > tasks_of(sim, most) ? i : most;
    }
    return most;
}

static int too_many(const allot_simulation *sim, bool all, allot_report *report)
{
    int32_t segment = widest(sim, all);
    const allot__sim_job *job = allot__job_of(sim, allot__segment_of(sim, segment)->job);
    char message[200];
    allot_record record;
    allot_trace_record(sim->trace, job->record, &record);
    snprintf(message, sizeof message,
             "more than %d tasks may have to go, and cannot be told to a cycle: it runs as %" PRId32
             " of them",
             ALLOT_SIMULATION_TASKS, tasks_of(sim, segment));
    allot_report_add(report, &(allot_diagnostic){
                                 .severity = ALLOT_ERROR,
                                 .code = "E-simulate",
                                 .file = allot_trace_file(sim->trace),
                                 .line = record.line,
                                 .message = message,
                                 .hint = "a rigid job is one task (--rigid, or `rigid` of --map)",
                                 .consumer = -1,
                                 .group = -1,
                                 .field = -1});
    return ALLOT_EINVALID;
}

static int tell_tasks(allot_simulation *sim, bool all, allot_report *report)
{
    int status = ALLOT_OK;
    sim->told.count = 0;
    for (int32_t c = 0; c < sim->groups * sim->consumers && status == ALLOT_OK; c++) {
        const allot__account *account = &sim->accounts[c];
        if (!account->leaf || (!all && !account->over))
            continue;
        for (int32_t i = account->first; i >= 0 && status == ALLOT_OK;
             i = allot__segment_of(sim, i)->next) {
            const allot__segment *segment = allot__segment_of(sim, i);
            size_t more = allot__job_of(sim, segment->job)->rigid ? 1 : (size_t)segment->count;
            status = sim->told.count + more <= ALLOT_SIMULATION_TASKS ? put_segment(sim, account, i)
                                                                      : too_many(sim, all, report);
        }
    }
    return status;
}

/* ---- Reclaims and loans ---------------------------------------------------------------------- */

/* The ids of the tasks that a reclaim takes, as far as they were told. ENOMEM. */
static int named_tasks(allot_simulation *sim, int32_t serial, allot__vector *out)
{
    const int32_t *told = sim->told.items;
    out->count = 0;
    for (size_t i = 0; i < sim->told.count; i++) {
        if (allot__segment_of(sim, told[i])->flight != serial)
            continue;
        allot_task task;
        const char **id = allot__push(sim->engine, out, sizeof *id);
        if (!id)
            return ALLOT_ENOMEM;
        allot_state_task_at(sim->state, (int32_t)i, &task);
        *id = task.id;
    }
    return ALLOT_OK;
}

static int tell_way(allot_simulation *sim, const allot__on_way *way, const char *const *tasks,
                    size_t count)
{
    allot_in_flight flight = {
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

static int tell_ways(allot_simulation *sim)
{
    static const char *const gone[] = {"gone"}; /* no task of that name is there: all is back */
    const allot__on_way *back = sim->back.items, *flights = sim->flights.items;
    allot__vector names = {0};
    int status = ALLOT_OK;
    for (size_t i = 0; i < sim->flights.count && status == ALLOT_OK; i++) {
        status = named_tasks(sim, flights[i].serial, &names);
        if (status == ALLOT_OK)
            status = tell_way(sim, &flights[i], names.items, names.count);
    }
    for (size_t i = 0; i < sim->back.count && status == ALLOT_OK; i++)
        status = tell_way(sim, &back[i], gone, 1);
    allot__vector_free(sim->engine, &names);
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

int allot__cycle_state(allot_simulation *sim, allot__task_detail tasks, allot_report *report)
{
    int status = sim->filled ? allot_state_clear(sim->state) : ALLOT_OK;
    sim->told.count = 0;
    sim->filled = tasks != ALLOT__TASKS_NONE || sim->flights.count > 0 || sim->back.count > 0 ||
                  sim->loans.count > 0;
    if (status == ALLOT_OK)
        status = tell_times(sim);
    if (status == ALLOT_OK)
        status = tell_sums(sim);
    if (status == ALLOT_OK && tasks != ALLOT__TASKS_NONE)
        status = tell_tasks(sim, tasks == ALLOT__TASKS_ALL, report);
    if (status == ALLOT_EINVALID)
        return status;
    if (status == ALLOT_OK)
        status = tell_ways(sim);
    if (status == ALLOT_OK)
        status = tell_loans(sim);
    if (status == ALLOT_OK)
        status = allot_state_seal(sim->state, NULL);
    if (status == ALLOT_EINVALID) /* once more, to report what is wrong */
        status = allot_state_seal(sim->state, report);
    return status;
}
