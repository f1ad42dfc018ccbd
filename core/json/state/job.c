/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: a state's list of jobs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/text/names.h"
#include "json/jobs/queues.h"
#include "json/state/state.h"
#include "json/text/texts.h"

enum {
    ID,
    QUEUE,
    STATE,
    SLOTS,
    HOSTS,
    SUBMITTED,
    STARTED,
    RAN,
    SUSPENDED_FOR,
    PREEMPTED,
    PRIORITY,
    USER,
    GROUP,
    APP,
    RUN_LIMIT,
    EXCLUSIVE,
    BACKFILL,
    FORCED,
    RESIZE,
    TAGS,
    RESOURCES,
    JOB_FIELDS
};
#define LABEL    ALLOT__STRING | ALLOT__NULL, 0, 0, false, false
#define DURATION ALLOT__INTEGER | ALLOT__NULL, 0, INT64_MAX, false, false
#define OPTIONAL ALLOT__NULL | ALLOT__TIME, false, false
static const allot__field job_fields[JOB_FIELDS] = {
    [ID] = {"id", ALLOT__STRING | ALLOT__INTEGER, 0, INT64_MAX, true, false},
    [QUEUE] = {"queue", ALLOT__STRING, 0, 0, true, false},
    [STATE] = {"state", ALLOT__STRING, 0, 0, false, false},
    [SLOTS] = {"slots", ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false, false},
    [HOSTS] = {"hosts", ALLOT__OBJECT, 0, 0, false, false},
    [SUBMITTED] = {"submitted", OPTIONAL},
    [STARTED] = {"started", OPTIONAL},
    [RAN] = {"ran", DURATION},
    [SUSPENDED_FOR] = {"suspended_for", DURATION},
    [PREEMPTED] = {"preempted", ALLOT__AMOUNT, false, false},
    [PRIORITY] = {"priority", ALLOT__INTEGER, -ALLOT_AMOUNT_MAX, ALLOT_AMOUNT_MAX, false, false},
    [USER] = {"user", LABEL},
    [GROUP] = {"group", LABEL},
    [APP] = {"app", LABEL},
    [RUN_LIMIT] = {"run_limit", ALLOT__INTEGER | ALLOT__NULL, 1, ALLOT_AMOUNT_MAX, false, false},
    [EXCLUSIVE] = {"exclusive", ALLOT__YES},
    [BACKFILL] = {"backfill", ALLOT__OBJECT | ALLOT__YES},
    [FORCED] = {"forced", ALLOT__YES},
    [RESIZE] = {"resize", ALLOT__OBJECT | ALLOT__NULL, 0, 0, false, false},
    [TAGS] = {"tags", ALLOT__LIST, 0, 0, false, false},
    [RESOURCES] = {"resources", ALLOT__OBJECT | ALLOT__NULL, 0, 0, false, false},
};

/* What a job borrows until it is added. */
typedef struct borrowed {
    char id[24]; /* of a job that a number names */
    allot_job_host *hosts, *grown;
    allot_job_resource *resources;
    size_t host_room, grown_room, resource_room;
    cJSON *host_node, *grown_node;
    allot__texts tags;
} borrowed;

static void end(allot__doc *doc, borrowed *it)
{
    allot__block_free(doc, it->hosts, it->host_room, sizeof *it->hosts);
    allot__block_free(doc, it->grown, it->grown_room, sizeof *it->grown);
    allot__block_free(doc, it->resources, it->resource_room, sizeof *it->resources);
    cJSON_Delete(it->host_node);
    cJSON_Delete(it->grown_node);
    allot__texts_free(doc, &it->tags);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* {host: slots}; the names are the node's. */
static void read_places(allot__doc *doc, uint32_t number, allot_job_host **out, size_t *room,
                        cJSON **node, int32_t *count)
{
    static const allot__field slots = {NULL, ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false, false};
    if (allot__doc_parse(doc, number, node))
        return;
    *room = (size_t)cJSON_GetArraySize(*node);
    *out = allot__block_new(doc, *room, sizeof **out);
    for (const cJSON *it = (*node)->child; it && *out; it = it->next) {
        allot__value value = {0};
        if (it->valueint != 0)
            value = allot__value_read(doc, it, &slots);
        if (value.kind != 0)
            (*out)[(*count)++] = (allot_job_host){it->string, value.integer};
    }
}

static int64_t sum_of(const allot_job_host *hosts, int32_t count)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < count && sum <= ALLOT_AMOUNT_MAX; i++)
        sum += hosts[i].slots;
    return sum;
}

/* A job with hosts has as many slots as it has there, unless it says otherwise. */
static void read_hosts(allot__doc *doc, const allot__value *values, borrowed *it, allot_job *job)
{
    const allot__value *hosts = &values[HOSTS];
    if (hosts->kind != 0)
        read_places(doc, hosts->number, &it->hosts, &it->host_room, &it->host_node,
                    &job->host_count);
    job->hosts = it->hosts;
    job->slots = allot__amount_or(&values[SLOTS], 1);
    if (values[SLOTS].number != 0 || job->host_count == 0)
        return;
    job->slots = sum_of(job->hosts, job->host_count);
    if (job->slots > ALLOT_AMOUNT_MAX)
        allot__doc_fault(doc, allot__at(hosts->number), "E-range", NULL,
                         "found more than %d slots in all", ALLOT_AMOUNT_MAX);
}

/* LSF's own names. PSUSP, DONE and EXIT are none: such jobs are for nobody to decide. */
static bool state_of_lsf(const char *text, allot_job_state *out)
{
    static const struct {
        const char *word;
        allot_job_state state;
    } words[] = {{"PEND", ALLOT_PENDING},
                 {"RUN", ALLOT_RUNNING},
                 {"SSUSP", ALLOT_SUSPENDED},
                 {"USUSP", ALLOT_STOPPED}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (allot__word_is(text, words[i].word)) {
            *out = words[i].state;
            return true;
        }
    return false;
}

static allot_job_state read_state(allot__doc *doc, const allot__value *value)
{
    const char *names[ALLOT_JOB_STATE_COUNT];
    char quote[ALLOT__QUOTE_MAX + 4], hint[160];
    for (int i = 0; i < ALLOT_JOB_STATE_COUNT && value->kind != 0; i++) {
        names[i] = allot_job_state_name(i);
        if (allot__word_is(value->string, names[i]))
            return (allot_job_state)i;
    }
    allot_job_state state = ALLOT_PENDING;
    if (value->kind == 0 || state_of_lsf(value->string, &state))
        return state;
    const char *near =
        allot_nearest(value->string, strlen(value->string), names, ALLOT_JOB_STATE_COUNT);
    allot__doc_fault(doc, allot__at(value->number), "E-range",
                     allot__did_you_mean(near, hint, sizeof hint),
                     "found %s, allowed \"pending\", \"running\", \"suspended\" or \"stopped\"",
                     allot__doc_quote(doc, allot__at(value->number), quote));
    return ALLOT_PENDING;
}

static const char *queue_name(const allot_plan *plan, int32_t number)
{
    allot_queue queue;
    return allot_plan_queue_at(plan, number, &queue) == ALLOT_OK ? queue.name : NULL;
}

int32_t allot__queue_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name)
{
    static const allot__named queues = {"E-unknown-queue",     "queue",           "the plan",
                                        allot_plan_queue_find, allot_plan_queues, queue_name};
    return allot__named_read(doc, plan, spot, name, &queues);
}

static int32_t queue_value(allot__state_reader *reader, const allot__value *value)
{
    return value->kind == ALLOT__STRING ? allot__queue_read(&reader->doc, reader->plan,
                                                            allot__at(value->number), value->string)
                                        : -1;
}

/* true, or whose reservation it is on, and when that is due. */
static void read_backfill(allot__state_reader *reader, const allot__value *value, allot_job *job)
{
    static const allot__field fields[] = {
        {"queue", ALLOT__STRING | ALLOT__NULL, 0, 0, false, false}, {"until", OPTIONAL}};
    static const allot__shape shape = {fields, 2, 0};
    allot__value values[2];
    cJSON *node;
    if (value->kind != ALLOT__OBJECT && !allot__yes_take(&reader->doc, value))
        return;
    job->flags |= ALLOT_JOB_BACKFILL;
    if (value->kind != ALLOT__OBJECT ||
        allot__object_read(&reader->doc, value->number, &shape, values, &node))
        return;
    job->reserved_by = queue_value(reader, &values[0]);
    allot__time_read(&reader->doc, &values[1], &job->until);
    cJSON_Delete(node);
}

static void read_resize(allot__doc *doc, const allot__value *value, borrowed *it, allot_job *job)
{
    static const allot__field fields[] = {
        {"grow", ALLOT__AMOUNT, false, false},
        {"granted", ALLOT__OBJECT | ALLOT__INTEGER, 0, ALLOT_AMOUNT_MAX, false, false},
        {"notifying", ALLOT__YES}};
    static const allot__shape shape = {fields, 3, 0};
    allot__value values[3];
    cJSON *node;
    if (value->kind != ALLOT__OBJECT ||
        allot__object_read(doc, value->number, &shape, values, &node))
        return;
    job->grow = allot__amount_or(&values[0], 0);
    job->notifying = allot__yes_take(doc, &values[2]);
    if (values[1].kind == ALLOT__OBJECT)
        read_places(doc, values[1].number, &it->grown, &it->grown_room, &it->grown_node,
                    &job->grown_count);
    else if (values[1].kind == ALLOT__INTEGER && values[1].integer > 0) {
        it->grown_room = 1;
        it->grown = allot__block_new(doc, 1, sizeof *it->grown);
        if (it->grown)
            it->grown[job->grown_count++] = (allot_job_host){NULL, values[1].integer};
    }
    job->grown = it->grown;
    cJSON_Delete(node);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* INT64_MIN is what the job has that does not say it. */
static int64_t time_of(allot__doc *doc, const allot__value *value)
{
    int64_t time = INT64_MIN;
    allot__time_read(doc, value, &time);
    return time;
}

static void take_numbers(allot__doc *doc, const allot__value *values, allot_job *job)
{
    job->submitted = time_of(doc, &values[SUBMITTED]);
    job->started = time_of(doc, &values[STARTED]);
    job->ran = allot__amount_or(&values[RAN], -1);
    job->suspended_for = allot__amount_or(&values[SUSPENDED_FOR], 0);
    job->preempted = allot__amount_or(&values[PREEMPTED], 0);
    job->priority = allot__amount_or(&values[PRIORITY], 0);
    job->run_limit = allot__amount_or(&values[RUN_LIMIT], -1);
    job->user = values[USER].string;
    job->group = values[GROUP].string;
    job->application = values[APP].string;
    if (allot__yes_take(doc, &values[EXCLUSIVE]))
        job->flags |= ALLOT_JOB_EXCLUSIVE;
    if (allot__yes_take(doc, &values[FORCED]))
        job->flags |= ALLOT_JOB_FORCED;
}

static void take_all(allot__state_reader *reader, const allot__value *values, borrowed *it,
                     allot_job *job)
{
    allot__doc *doc = &reader->doc;
    allot_job_init(job);
    job->id = values[ID].string;
    if (values[ID].kind == ALLOT__INTEGER) {
        snprintf(it->id, sizeof it->id, "%" PRId64, values[ID].integer);
        job->id = it->id;
    }
    job->queue = queue_value(reader, &values[QUEUE]);
    job->state = read_state(doc, &values[STATE]);
    take_numbers(doc, values, job);
    read_hosts(doc, values, it, job);
    read_backfill(reader, &values[BACKFILL], job);
    read_resize(doc, &values[RESIZE], it, job);
    allot__texts_read(doc, &values[TAGS], &it->tags);
    allot__job_resources_read(reader, &values[RESOURCES], &it->resources, &it->resource_room,
                              &job->resource_count);
    job->resources = it->resources;
    job->tags = it->tags.items;
    job->tag_count = it->tags.count;
}

/* What sealing does not find. */
static void refuse(allot__doc *doc, const allot__value *values, const allot_job *job)
{
    static const int names[] = {USER, GROUP, APP};
    static const char *const keys[] = {"user", "group", "app"};
    for (size_t i = 0; i < 3; i++)
        if (values[names[i]].kind == ALLOT__STRING && values[names[i]].string[0] == '\0') {
            allot__doc_fault(doc, allot__at(values[names[i]].number), "E-name", NULL,
                             "found \"\", allowed the name of the job's %s", keys[i]);
            return;
        }
    allot__doc_fault(doc, allot__at(values[ID].number), "E-name", NULL,
                     "found the job \"%.80s\", allowed names of " ALLOT__LABEL_RULE
                     ", for its hosts, user, group and app too",
                     job->id);
}

static void add_job(allot__state_reader *reader, const allot__value *values, const allot_job *job)
{
    allot__doc *doc = &reader->doc;
    char quote[ALLOT__QUOTE_MAX + 4];
    allot__spot id = allot__at(values[ID].number);
    int status = allot_state_job(reader->state, job);
    if (status == ALLOT_EEXIST)
        allot__doc_fault(doc, id, "E-duplicate-id", NULL, "found the job %s again, allowed once",
                         allot__doc_quote(doc, id, quote));
    else if (status == ALLOT_ENAME)
        refuse(doc, values, job);
    else if (status == ALLOT_ERANGE)
        allot__doc_fault(doc, id, "E-range", NULL,
                         "found more than %d slots in all, or times beyond what can be counted",
                         ALLOT_AMOUNT_MAX);
    else
        allot__doc_keep(doc, status);
}

static void read_job(allot__state_reader *reader, uint32_t object)
{
    const allot__keys *keys = reader->keys;
    allot__doc *doc = &reader->doc;
    const allot__shape shape = {keys->fields, keys->count, 0};
    int64_t faults = doc->faults;
    borrowed it = {0};
    allot_job job;
    cJSON *node;
    if (allot__object_read(doc, object, &shape, keys->values, &node))
        return;
    take_all(reader, keys->values, &it, &job);
    job.values = keys->stated;
    job.value_count = allot__keys_stated(keys);
    if (doc->faults == faults)
        add_job(reader, keys->values, &job);
    end(doc, &it);
    cJSON_Delete(node);
}

void allot__jobs_read(allot__state_reader *reader)
{
    const allot__value *jobs = &reader->top[ALLOT__STATE_JOBS];
    allot__keys keys = {0};
    if (jobs->kind == 0)
        return;
    if (allot__keys_begin(reader, job_fields, JOB_FIELDS, &keys))
        allot__each_object(reader, jobs->number, read_job);
    allot__keys_end(reader, &keys);
}
