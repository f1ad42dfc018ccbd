/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: jobs of queues, as events tell of them and as decisions leave them. */
#include "service/books/own.h"

#include "base/memory.h"

/* Lists that a job borrows while it is made. */
typedef struct lists {
    allot_job_host *hosts, *grown;
    allot_job_resource *resources;
    const char **tags;
} lists;

static void *list_new(allot__books *books, int32_t count, size_t size, bool *failed)
{
    void *list = count > 0 ? allot__new(books->engine, (size_t)count, size) : NULL;
    *failed = *failed || (count > 0 && !list);
    return list;
}

static int lists_make(allot__books *books, const allot__event *event, lists *of)
{
    bool failed = false;
    of->hosts = list_new(books, event->hosts.count, sizeof *of->hosts, &failed);
    of->grown = list_new(books, event->grown.count, sizeof *of->grown, &failed);
    of->resources = list_new(books, event->resources.count, sizeof *of->resources, &failed);
    of->tags = list_new(books, event->tags.count, sizeof *of->tags, &failed);
    for (int32_t i = 0; !failed && i < event->tags.count; i++)
        of->tags[i] = event->tags.items[i].text;
    return failed ? ALLOT_ENOMEM : ALLOT_OK;
}

static void lists_end(allot__books *books, const allot__event *event, lists *of)
{
    allot_engine *engine = books->engine;
    allot__free(engine, of->hosts, (size_t)event->hosts.count, sizeof *of->hosts);
    allot__free(engine, of->grown, (size_t)event->grown.count, sizeof *of->grown);
    allot__free(engine, of->resources, (size_t)event->resources.count, sizeof *of->resources);
    allot__free(engine, of->tags, (size_t)event->tags.count, sizeof *of->tags);
}

/* Places by host; of the only host, where there is no name, "" stands. */
static void put_places(const allot__pairs *pairs, allot_job_host *hosts)
{
    for (int32_t i = 0; i < pairs->count; i++)
        hosts[i] = (allot_job_host){pairs->items[i].key[0] != '\0' ? pairs->items[i].key : NULL,
                                    pairs->items[i].number};
}

static int put_resources(const allot__books *books, const allot__event *event,
                         allot_job_resource *out, allot__error *fault)
{
    for (int32_t i = 0; i < event->resources.count; i++) {
        const allot__pair *pair = &event->resources.items[i];
        int32_t resource = allot_plan_resource_find(books->plan, pair->key);
        if (resource < 0)
            return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-resource", "resources", NULL,
                                    "resources: the plan has no \"%.100s\"", pair->key);
        out[i] = (allot_job_resource){resource, pair->number};
    }
    return ALLOT_OK;
}

static void fill_job(const allot__event *event, const lists *of, allot_job *job)
{
    allot_job_init(job);
    job->id = event->id;
    job->queue = event->queue;
    job->state = (allot_job_state)event->job_state;
    job->slots = event->slots;
    job->hosts = of->hosts;
    job->host_count = event->hosts.count;
    job->grown = of->grown;
    job->grown_count = event->grown.count;
    job->grow = event->grow;
    job->submitted = event->submitted_given ? event->submitted : event->at;
    if (event->started_given)
        job->started = event->started;
    job->ran = event->ran;
    job->suspended_for = event->suspended_for;
    job->preempted = event->preempted;
    job->priority = event->priority;
    job->user = event->user;
    job->group = event->user_group;
    job->application = event->application;
    job->run_limit = event->run_limit;
    job->flags =
        (event->exclusive ? ALLOT_JOB_EXCLUSIVE : 0) | (event->forced ? ALLOT_JOB_FORCED : 0);
    job->tags = of->tags;
    job->tag_count = event->tags.count;
    job->resources = of->resources;
    job->resource_count = event->resources.count;
}

static int put_job(allot__books *books, const allot__event *event, const allot_job *job)
{
    allot__job_item *item = allot__job_make(books->engine, job);
    if (!item)
        return ALLOT_ENOMEM;
    item->since = event->since != INT64_MIN ? event->since : event->at;
    if (job->slots > books->job_most)
        books->job_most = job->slots;
    allot__job_item *old = allot__item_find(&books->jobs, job->id);
    int status = allot__item_put(books->engine, &books->jobs, old, item);
    books->lists_dirty = true;
    return status;
}

/* What a queue's jobs have in all has a limit. It is seldom near, so that all are added up only
 * when as many of the largest pass it. */
static int check_sum(const allot__books *books, const allot__event *event, allot__error *fault)
{
    int64_t sum = event->slots;
    int64_t most = event->slots > books->job_most ? event->slots : books->job_most;
    if ((int64_t)(books->jobs.count + 1) * most <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    for (const allot__map_item *it = books->jobs.first; it; it = it->after) {
        const allot_job *job = &((const allot__job_item *)(const void *)it)->it;
        sum += job->queue == event->queue ? job->slots : 0;
    }
    if (sum <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-demand", "slots", NULL,
                            "slots: the queue's jobs would have %lld, at most %d are allowed",
                            (long long)sum, ALLOT_AMOUNT_MAX);
}

static int check_place(const allot__books *books, const allot_job *job, allot__error *fault)
{
    if (!allot__job_is_unplaced(job) || !allot__books_several_hosts(books))
        return ALLOT_OK;
    return allot__error_unfit(fault, ALLOT_EINVALID, "E-hosts", "hosts",
                              "hosts: of several hosts the job \"%.80s\" says not which has its "
                              "slots",
                              job->id);
}

static int submit(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_task_value values[ALLOT_ATTRIBUTES_MAX];
    lists of = {0};
    allot_job job;
    if (event->kind == ALLOT__EVENT_SUBMIT && allot__item_find(&books->jobs, event->id))
        return allot__error_set(fault, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                                "id: the job \"%.100s\" is there already", event->id);
    if (event->kind == ALLOT__EVENT_SUBMIT && check_sum(books, event, fault) != ALLOT_OK)
        return ALLOT_ERANGE;
    int status = lists_make(books, event, &of);
    if (status == ALLOT_OK)
        status = put_resources(books, event, of.resources, fault);
    if (status == ALLOT_OK) {
        put_places(&event->hosts, of.hosts);
        put_places(&event->grown, of.grown);
        fill_job(event, &of, &job);
        job.values = values;
        job.value_count = allot__event_values(books, event, values);
        status = check_place(books, &job, fault);
    }
    if (status == ALLOT_OK)
        status = put_job(books, event, &job);
    lists_end(books, event, &of);
    return status;
}

/* ---- What users do to jobs ------------------------------------------------------------------- */

/* Adds up what it did until `when`, from which something else counts. */
static void turn_to(allot__books *books, allot__job_item *job, allot_job_state state, int64_t when)
{
    allot__map_touch(&books->jobs, &job->named);
    int64_t passed = when > job->since ? when - job->since : 0;
    if (job->it.state == ALLOT_RUNNING)
        job->it.ran = (job->it.ran > 0 ? job->it.ran : 0) + passed;
    else if (job->it.state != ALLOT_PENDING)
        job->it.suspended_for += passed;
    job->it.state = state;
    job->since = when;
}

static int refuse_state(const allot__job_item *job, const char *allowed, allot__error *fault)
{
    return allot__error_set(fault, ALLOT_EUSAGE, "E-job-state", "id", NULL,
                            "id: the job \"%.100s\" is %s, allowed %s", job->it.id,
                            allot_job_state_name((int)job->it.state), allowed);
}

int allot__apply_job(allot__books *books, const allot__event *event, allot__error *fault)
{
    if (event->kind == ALLOT__EVENT_SUBMIT || event->kind == ALLOT__EVENT_KEEP_JOB)
        return submit(books, event, fault);
    allot__job_item *job = allot__item_find(&books->jobs, event->id);
    if (!job)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-job", "id", NULL,
                                "id: there is no job \"%.100s\"", event->id);
    allot_job_state state = job->it.state;
    if (event->kind == ALLOT__EVENT_STOP) {
        if (state != ALLOT_RUNNING && state != ALLOT_SUSPENDED)
            return refuse_state(job, "running or suspended", fault);
        turn_to(books, job, ALLOT_STOPPED, event->at);
    } else if (event->kind == ALLOT__EVENT_CONT) {
        /* Its slots may be somebody else's by now: the next cycles resume it. */
        if (state != ALLOT_STOPPED)
            return refuse_state(job, "stopped", fault);
        turn_to(books, job, ALLOT_SUSPENDED, event->at);
    } else {
        if (event->kind == ALLOT__EVENT_WITHDRAW && state != ALLOT_PENDING)
            return refuse_state(job, "pending; of others say `finish`", fault);
        allot__item_end(books->engine, &books->jobs, job);
    }
    books->lists_dirty = true;
    return ALLOT_OK;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

/* A job with other places; *out is to take the place of the old one. */
static int moved(allot__books *books, const allot__job_item *old, const allot_job_order *order,
                 bool more, allot__job_item **out)
{
    int32_t kept = more ? old->it.host_count : 0, count = kept;
    size_t room = (size_t)(kept + order->place_count + 1);
    allot_job_host *hosts = allot__new(books->engine, room, sizeof *hosts);
    if (!hosts)
        return ALLOT_ENOMEM;
    if (kept > 0)
        memcpy(hosts, old->it.hosts, (size_t)kept * sizeof *hosts);
    for (int32_t i = 0; i < order->place_count; i++) {
        int32_t at = 0;
        while (at < count &&
               (!hosts[at].host || strcmp(hosts[at].host, order->places[i].name) != 0))
            at++;
        if (at == count)
            hosts[count++] = (allot_job_host){order->places[i].name, 0};
        hosts[at].slots += order->places[i].slots;
    }
    allot_job job = old->it;
    job.hosts = hosts;
    job.host_count = count;
    if (more) {
        job.slots += order->slots;
        job.grow = job.grow > order->slots ? job.grow - order->slots : 0;
    }
    *out = allot__job_make(books->engine, &job);
    allot__free(books->engine, hosts, room, sizeof *hosts);
    return *out ? ALLOT_OK : ALLOT_ENOMEM;
}

/* The job's place in the list is kept: cycles go by it. */
static void replace(allot__books *books, allot__job_item *old, allot__job_item *with)
{
    with->since = old->since;
    with->told = old->told;
    allot__item_put(books->engine, &books->jobs, old, with);
}

static void carry_out(allot__books *books, allot__job_item *job, const allot_job_order *order,
                      int64_t now)
{
    switch (order->kind) {
    case ALLOT_ORDER_START:
        allot__map_touch(&books->jobs, &job->named);
        job->it.ran = 0;
        job->it.state = ALLOT_PENDING;
        turn_to(books, job, ALLOT_RUNNING, now);
        job->it.started = now;
        break;
    case ALLOT_ORDER_RESUME:
        turn_to(books, job, ALLOT_RUNNING, now);
        job->it.started = now;
        break;
    case ALLOT_ORDER_SUSPEND:
        turn_to(books, job, ALLOT_SUSPENDED, now);
        job->it.preempted = order->preempted;
        job->it.grow = 0;
        break;
    case ALLOT_ORDER_KILL:
        if (order->action == ALLOT_KILL) {
            allot__item_end(books->engine, &books->jobs, job);
            return;
        }
        turn_to(books, job, ALLOT_PENDING, now);
        job->it.preempted = order->preempted;
        job->it.host_count = job->it.grown_count = 0;
        job->it.started = INT64_MIN;
        job->it.ran = -1;
        job->it.grow = 0;
        break;
    default:
        break;
    }
}

/* Jobs that get places have copies made first; then nothing can fail any more. */
int allot__enter_jobs(allot__books *books, const allot_decision *decision, allot__text *effect)
{
    int32_t count = allot_decision_job_orders(decision);
    const allot_state *state = allot_decision_state(decision);
    int64_t now = allot_decision_now(decision);
    size_t room = (size_t)(count > 0 ? count : 1);
    allot__job_item **made = allot__new(books->engine, room, sizeof(void *));
    int status = made ? ALLOT_OK : ALLOT_ENOMEM;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
            allot_job_order order;
            allot_job of;
            if (allot_decision_job_order(decision, i, &order) != ALLOT_OK || order.held ||
                allot_state_job_at(state, order.job, &of) != ALLOT_OK)
                continue;
            allot__job_item *job = allot__item_find(&books->jobs, of.id);
            bool more = order.kind == ALLOT_ORDER_RESIZE;
            if (pass == 0 && (more || order.kind == ALLOT_ORDER_START)) {
                status = moved(books, job, &order, more, &made[i]);
            } else if (pass == 1) {
                if (made[i])
                    replace(books, job, made[i]);
                carry_out(books, made[i] ? made[i] : job, &order, now);
                allot__write_job_of(books, of.id, effect);
            }
        }
    for (int32_t i = 0; status != ALLOT_OK && made && i < count; i++)
        allot__item_free(books->engine, made[i]);
    allot__free(books->engine, made, room, sizeof(void *));
    books->lists_dirty = books->lists_dirty || count > 0;
    return status;
}
