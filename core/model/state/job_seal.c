/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_seal.c: checks a state's jobs, and sets what their queues have. */
#include <stdio.h>
#include <string.h>

#include "model/state/job.h"
#include "model/jobs/queue.h"
#include "model/state/state.h"
#include "model/windows/say.h"

/* ---- Checking ---- */

typedef struct looking {
    const allot_state *state;
    const allot__jobs *jobs;
    allot_report *report;
    const allot__job *job;
    int32_t number;
    int result;
    int32_t *seen; /* by site, one before: the last job that named it, plus 1 */
    char path[64];
} looking;

static allot__fault about(looking *it, const char *code, const char *key)
{
    snprintf(it->path, sizeof it->path, "jobs[%d].%s", (int)it->number, key);
    it->result = ALLOT_EINVALID;
    return (allot__fault){.report = it->report,
                          .severity = ALLOT_ERROR,
                          .code = code,
                          .consumer = it->job->queue,
                          .field = -1,
                          .path = it->path};
}

static void say_host(looking *it, int32_t place, const char *key)
{
    const int32_t *labels = allot__job_labels(it->job);
    allot__fault fault = about(it, "E-host", key);
    fault.hint = "name it in `hosts` of the plan, or of the state with its slots";
    allot__say(it->state->plan, &fault,
               "job %.80s is on the host %.80s, which neither plan nor state has",
               it->job->thing.id, allot__label_at(&it->state->tasks, labels[place])->text);
}

/* Checks that places are on known hosts; without a name, on the only one. */
static void check_places(looking *it, int32_t place, int32_t count, const char *key)
{
    const allot__tasks *tasks = &it->state->tasks;
    const int32_t *labels = allot__job_labels(it->job);
    const allot__job_place *places = allot__job_places(it->job);
    for (int32_t i = place; i < place + count; i++) {
        if (labels[i] >= 0 && tasks->sites[places[i].site].slots < 0) {
            say_host(it, i, key);
        } else if (labels[i] < 0 && tasks->site_count > 1) {
            allot__fault fault = about(it, "E-hosts", key);
            allot__say(it->state->plan, &fault,
                       "job %.80s is %s, and of %d hosts it says not which has its slots",
                       it->job->thing.id, allot_job_state_name(it->job->state),
                       (int)tasks->site_count);
        }
    }
}

/* Does the job name a site twice? */
static bool comes_twice(looking *it, const allot__job_place *places)
{
    for (int32_t i = 0; i < it->job->place_count; i++) {
        int32_t *seen = &it->seen[places[i].site + 1];
        if (*seen == it->number + 1)
            return true;
        *seen = it->number + 1;
    }
    return false;
}

static void check_sum(looking *it)
{
    const allot__job *job = it->job;
    const allot__job_place *places = allot__job_places(job);
    int64_t sum = 0;
    for (int32_t i = 0; i < job->place_count; i++)
        sum += places[i].slots;
    if (job->place_count > 0 && sum != job->slots) {
        allot__fault fault = about(it, "E-slots", "slots");
        allot__say(it->state->plan, &fault, "job %.80s has %ld slots, but %lld on its hosts",
                   job->thing.id, (long)job->slots, (long long)sum);
    }
    if (comes_twice(it, places)) {
        allot__fault fault = about(it, "E-hosts", "hosts");
        allot__say(it->state->plan, &fault, "job %.80s names a host twice", job->thing.id);
    }
}

static void check_resize(looking *it)
{
    const allot__job *job = it->job;
    bool given = job->grown_count > 0 || job->notifying;
    if (job->state == ALLOT_RUNNING || (!given && (job->state != ALLOT_PENDING || job->grow == 0)))
        return;
    allot__fault fault = about(it, "E-resize", "resize");
    fault.hint = given ? "only what runs is given slots (P-53)" : "state `slots`";
    allot__say(it->state->plan, &fault, "job %.80s is %s, and so has nothing to resize",
               job->thing.id, allot_job_state_name(job->state));
}

static void check_job(looking *it)
{
    const allot__job *job = it->job;
    if (job->state == ALLOT_PENDING && job->place_count > 0) {
        allot__fault fault = about(it, "E-hosts", "hosts");
        allot__say(it->state->plan, &fault, "job %.80s is pending, and so is on no host",
                   job->thing.id);
        return;
    }
    check_sum(it);
    check_places(it, 0, job->place_count, "hosts");
    check_places(it, job->place_count, job->grown_count, "resize.granted");
    check_resize(it);
}

/* ---- What queues have ---- */

static void say_sum(looking *it, int32_t queue, int64_t demand)
{
    allot__fault fault = {.report = it->report,
                          .severity = ALLOT_ERROR,
                          .code = "E-demand",
                          .consumer = queue,
                          .field = ALLOT_DEMAND};
    allot__say(it->state->plan, &fault, "its jobs have %lld slots, at most %d are allowed",
               (long long)demand, ALLOT_AMOUNT_MAX);
    it->result = ALLOT_EINVALID;
}

static void set_queue(looking *it, int32_t queue)
{
    const int64_t *slots = it->jobs->queues[queue].slots;
    allot__group_state *group = &it->state->groups[0];
    int64_t demand = 0;
    for (int state = 0; state < ALLOT_JOB_STATE_COUNT; state++)
        demand += slots[state];
    int32_t row = allot__row(it->state->plan, 0, queue);
    if (demand > ALLOT_AMOUNT_MAX) {
        say_sum(it, queue, demand);
        return;
    }
    group->demand[row] = (int32_t)demand;
    group->allocated[row] = (int32_t)slots[ALLOT_RUNNING];
}

/* Jobs run on hosts: if hosts are known, their slots are the size, and another stated size is
 * reported. */
static void size_by_hosts(const looking *it)
{
    const allot_state *state = it->state;
    allot__group_state *group = &state->groups[0];
    bool known = false;
    int64_t open = 0;
    for (int32_t i = 0; i < state->tasks.site_count; i++) {
        const allot__site *site = &state->tasks.sites[i];
        bool counts = site->group == 0 && site->slots >= 0;
        known = known || counts;
        open += counts && site->closed == ALLOT_OPEN ? site->slots : 0;
    }
    int64_t all = open + allot__draining(state, 0);
    if (group->stated < 0 || !known || all > ALLOT_AMOUNT_MAX || group->stated == open ||
        group->stated == all)
        return;
    allot__fault fault = {.report = it->report,
                          .severity = ALLOT_WARNING,
                          .code = "W-slots",
                          .hint = "close hosts, or state less slots of them",
                          .consumer = -1,
                          .field = -1};
    allot__say(state->plan, &fault,
               "the state says %lld slots, but jobs go by the %lld of its hosts",
               (long long)group->stated, (long long)all);
    group->slots = all;
}

/* The size comes from the state, from hosts, or from the plan. */
static void check_size(looking *it)
{
    const allot_state *state = it->state;
    size_by_hosts(it);
    if (state->groups[0].stated >= 0 || state->plan->groups[0].slots_set ||
        state->tasks.site_count > 0)
        return;
    allot__fault fault = {.report = it->report,
                          .severity = ALLOT_ERROR,
                          .code = "E-slots",
                          .hint = "state `slots`, or `hosts` with theirs",
                          .consumer = -1,
                          .field = -1};
    allot__say(state->plan, &fault,
               "neither plan nor state says how many slots the queues' jobs run on");
    it->result = ALLOT_EINVALID;
}

int allot__jobs_seal(allot_state *state, allot_report *report)
{
    const allot__jobs *jobs = state->jobs;
    looking it = {.state = state, .jobs = jobs, .report = report};
    int32_t queues = allot__queue_count(state->plan);
    size_t sites = (size_t)state->tasks.site_count + 1;
    if (queues == 0)
        return ALLOT_OK;
    it.seen = allot__new(state->engine, sites, sizeof *it.seen);
    if (!it.seen)
        return ALLOT_ENOMEM;
    const int32_t *changed = jobs->partly ? jobs->changed.items : NULL;
    size_t count = jobs->partly ? jobs->changed.count : jobs->list.count;
    for (size_t i = 0; i < count; i++) {
        it.number = jobs->partly ? changed[i] : (int32_t)i;
        it.job = allot__job_at(jobs, it.number);
        check_job(&it);
    }
    for (int32_t q = 0; q < queues; q++)
        set_queue(&it, q);
    check_size(&it);
    allot__free(state->engine, it.seen, sites, sizeof *it.seen);
    return it.result;
}
