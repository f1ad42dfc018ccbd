/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * load.c: a trace's records become jobs and changes of a plan's leaves or queues; the record's
 * names decide the leaf or queue of a job.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "simulate/sim.h"

enum { TEXT = 600, NAME_ROOM = 260, PRIORITY_MOST = 10000, NAME_MOST = 200, TOLD_MOST = 8 };

void allot__record_text(const allot_record_name *name, char prefix, char *buf, size_t size)
{
    char digits[24];
    int64_t number = name->number;
    size_t at = sizeof digits - 1, len = 0;
    digits[at] = buf[0] = '\0';
    if (name->text)
        snprintf(buf, size, "%s", name->text);
    if (name->text || number < 0)
        return;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    digits[--at] = prefix;
    len = sizeof digits - at;
    memcpy(buf, digits + at, len < size ? len : size);
    buf[size - 1] = '\0';
}

/* ---- Leaves by name -------------------------------------------------------------------------- */

typedef struct leaves_by_name {
    allot__strings names;
    allot__vector handles; /* of int32_t: by name; -1: several have it */
} leaves_by_name;

static int make_leaves(const allot_simulation *sim, leaves_by_name *out)
{
    for (int32_t i = 0; i < sim->consumers; i++) {
        const char *name = allot_plan_name(sim->plan, i);
        if (!sim->accounts[i].leaf || allot_plan_wildcard_of(sim->plan, i) >= 0)
            continue;
        int32_t number = allot__strings_put(sim->engine, &out->names, name, strlen(name));
        if (number < 0)
            return ALLOT_ENOMEM;
        bool known = (size_t)number < out->handles.count;
        int32_t *handle = known ? (int32_t *)out->handles.items + number
                                : allot__push(sim->engine, &out->handles, sizeof *handle);
        if (!handle)
            return ALLOT_ENOMEM;
        *handle = known ? -1 : i;
    }
    return ALLOT_OK;
}

static void free_leaves(const allot_simulation *sim, leaves_by_name *leaves)
{
    allot__strings_free(sim->engine, &leaves->names);
    allot__vector_free(sim->engine, &leaves->handles);
}

/* ---- Consumers ------------------------------------------------------------------------------- */

/* In place of a consumer: none was found; it is a newcomer, whose path the report lists. */
enum { NONE = -1, NEWCOMER = -2 };

typedef struct trying {
    const allot_simulation *sim;
    const leaves_by_name *leaves;
    allot_report *report;
    char *tried;
    size_t size;
    int32_t found;
    int status;
} trying;

/* Lists the path if it is a newcomer's, and says so. */
static bool is_newcomer(const allot_simulation *sim, allot_report *report, const char *path,
                        int *status)
{
    if (allot_plan_wildcard(sim->plan, path, strlen(path)) < 0)
        return false;
    *status = allot_report_newcomer(report, path);
    return true;
}

static void note(trying *it, const char *path)
{
    size_t len = strlen(it->tried);
    if (len < it->size)
        snprintf(it->tried + len, it->size - len, "%s%s", len > 0 ? ", " : "", path);
}

/* The leaf at /first/second, or at /first where second is NULL. */
static void try_path(trying *it, const char *first, const char *second)
{
    char path[2 * NAME_ROOM + 3];
    if (it->found != NONE || *first == '\0' || (second != NULL && *second == '\0'))
        return;
    int len = snprintf(path, sizeof path, "/%s%s%s", first, second ? "/" : "",
                       second != NULL ? second : "");
    int32_t consumer = allot_plan_find(it->sim->plan, path, (size_t)len);
    if (consumer >= 0 && it->sim->accounts[consumer].leaf)
        it->found = consumer;
    else if (is_newcomer(it->sim, it->report, path, &it->status))
        it->found = NEWCOMER;
    else
        note(it, path);
}

static void try_name(trying *it, const char *name)
{
    if (it->found != NONE || *name == '\0')
        return;
    int32_t number = allot__strings_find(&it->leaves->names, name, strlen(name));
    if (number >= 0)
        it->found = ((const int32_t *)it->leaves->handles.items)[number];
}

static int32_t find_queue(trying *it, const allot_record *record)
{
    const allot_plan *plan = it->sim->plan;
    char name[NAME_ROOM];
    const char *header =
        record->queue.number >= 0 ? allot_trace_queue(it->sim->trace, record->queue.number) : NULL;
    allot__record_text(&record->queue, 'q', name, sizeof name);
    int32_t queue = *name != '\0' ? allot_plan_queue_find(plan, name) : -1;
    if (queue < 0 && header)
        queue = allot_plan_queue_find(plan, header);
    if (*name != '\0')
        note(it, name);
    if (header)
        note(it, header);
    allot__record_text(&record->group, 'g', name, sizeof name);
    if (queue < 0 && *name != '\0') {
        queue = allot_plan_queue_find(plan, name);
        note(it, name);
    }
    return queue < 0 && allot_plan_queues(plan) == 1 ? 0 : queue;
}

/* The consumer of an unmapped record, NONE or NEWCOMER; `tried` lists the paths that were tried. */
static int32_t find_consumer(trying *it, const allot_record *record)
{
    char user[NAME_ROOM], group[NAME_ROOM], queue[NAME_ROOM], partition[NAME_ROOM];
    it->tried[0] = '\0';
    if (it->sim->queues)
        return find_queue(it, record);
    allot__record_text(&record->user, 'u', user, sizeof user);
    allot__record_text(&record->group, 'g', group, sizeof group);
    allot__record_text(&record->queue, 'q', queue, sizeof queue);
    allot__record_text(&record->partition, 'p', partition, sizeof partition);
    if (*user != '\0') {
        try_path(it, group, user);
        try_path(it, queue, user);
        try_path(it, user, NULL);
        try_name(it, user);
    }
    try_path(it, group, NULL);
    try_path(it, queue, NULL);
    try_path(it, partition, NULL);
    return it->found;
}

/* ---- Faults ---------------------------------------------------------------------------------- */

typedef struct loading {
    allot_simulation *sim;
    allot_record_map map;
    void *ud;
    allot_report *report;
    leaves_by_name leaves;
    allot__strings said; /* messages, each reported once */
    allot_record record;
    int32_t number;
    int32_t told, faults;    /* kinds of faults (TOLD_MOST are reported), and records with one */
    bool invalid, newcomers; /* newcomers: the report lists some */
} loading;

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static int
fault(loading *it, const char *code, const char *hint, const char *format, ...)
{
    char message[TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    it->invalid = true;
    it->faults++;
    size_t len = strlen(message);
    if (it->told == TOLD_MOST || allot__strings_find(&it->said, message, len) >= 0)
        return ALLOT_OK;
    it->told++;
    if (allot__strings_put(it->sim->engine, &it->said, message, len) < 0)
        return ALLOT_ENOMEM;
    allot__log_say(it->report,
                   &(allot_diagnostic){.code = code,
                                       .file = allot_trace_file(it->sim->trace),
                                       .line = it->record.line,
                                       .hint = hint},
                   "%s", message);
    return ALLOT_OK;
}

/* ---- Whose it is ----------------------------------------------------------------------------- */

static int unknown_consumer(loading *it, const char *name)
{
    const allot_plan *plan = it->sim->plan;
    char near[300], hint[340] = "consumers are leaves: \"/a/b\"";
    size_t len = strlen(name);
    if (it->sim->queues)
        return fault(it, "E-map", "queues are those of the plan",
                     "the plan has no queue \"%.100s\"", name);
    int32_t found = allot_plan_find(plan, name, len);
    if (found >= 0 && allot_plan_children(plan, found) == 0)
        return fault(it, "E-map", "name one of these in place of \"*\"",
                     "%.200s stands for others, and has no jobs of its own", name);
    if (found >= 0)
        return fault(it, "E-map", "name one of those below it",
                     "%.200s has consumers below it, and so no jobs of its own", name);
    if (allot_plan_nearest(plan, name, len, near, sizeof near) > 0)
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    return fault(it, "E-map", hint, "the plan has no consumer \"%.200s\"", name);
}

static int nobodys(loading *it, const char *tried)
{
    char near[300], hint[400];
    const char *map = "a function says what each job becomes: --map FILE.lua";
    size_t first = strcspn(tried, ",");
    snprintf(hint, sizeof hint, "%s", map);
    if (!it->sim->queues && allot_plan_nearest(it->sim->plan, tried, first, near, sizeof near) > 0)
        snprintf(hint, sizeof hint, "the nearest is %s; %s", near, map);
    const char *what = it->sim->queues ? "queue" : "leaf";
    if (*tried == '\0')
        return fault(it, "E-map", map, "nothing in the log says whose jobs are these");
    return fault(it, "E-map", hint, "the plan has no %s for this job: none of %.400s", what, tried);
}

/* The consumer of a record; below 0: a newcomer, or none (reported, or out of memory: *status). */
static int32_t consumer_of(loading *it, const char *name, int *status)
{
    allot_simulation *sim = it->sim;
    char tried[TEXT];
    int32_t found = NONE;
    if (!name) {
        trying trial = {.sim = sim,
                        .leaves = &it->leaves,
                        .report = it->report,
                        .tried = tried,
                        .size = sizeof tried,
                        .found = NONE};
        found = find_consumer(&trial, &it->record);
        it->newcomers = it->newcomers || found == NEWCOMER;
        *status = found == NONE ? nobodys(it, tried) : trial.status;
        return found;
    }
    if (sim->queues)
        found = allot_plan_queue_find(sim->plan, name[0] == '/' ? name + 1 : name);
    else
        found = allot_plan_find(sim->plan, name, strlen(name));
    if (found < 0 && !sim->queues && is_newcomer(sim, it->report, name, status)) {
        it->newcomers = true;
        return NEWCOMER;
    }
    if (found < 0 || !sim->accounts[found].leaf) {
        *status = unknown_consumer(it, name);
        return -1;
    }
    return found;
}

static int32_t group_of(loading *it, const char *name, int *status)
{
    const allot_plan *plan = it->sim->plan;
    int32_t group = name ? allot_plan_group_find(plan, name, strlen(name)) : 0;
    if (group < 0)
        *status = fault(it, "E-map", "name one of the plan's `groups`",
                        "the plan has no resource group \"%.100s\"", name);
    return group;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static int check_numbers(loading *it, const allot_mapped *mapped)
{
    bool queues = it->sim->queues;
    int64_t least = queues ? -ALLOT_AMOUNT_MAX : 1;
    int64_t most = queues ? ALLOT_AMOUNT_MAX : PRIORITY_MOST;
    if (mapped->priority < least || mapped->priority > most)
        return fault(it, "E-map", NULL, "a priority is %lld ... %lld, not %lld", (long long)least,
                     (long long)most, (long long)mapped->priority);
    if (mapped->slots > ALLOT_AMOUNT_MAX || mapped->run > ALLOT_AMOUNT_MAX ||
        mapped->run_limit > ALLOT_AMOUNT_MAX)
        return fault(it, "E-map", NULL, "slots and seconds of a job are at most %d",
                     ALLOT_AMOUNT_MAX);
    if (mapped->session && strlen(mapped->session) > NAME_MOST)
        return fault(it, "E-map", NULL, "a session's name has at most %d bytes", NAME_MOST);
    return ALLOT_OK;
}

static int add_job(loading *it, const allot_mapped *mapped, int32_t account)
{
    allot_simulation *sim = it->sim;
    int32_t session = -1;
    if (mapped->session) {
        session = allot__strings_put(sim->engine, &sim->sessions, mapped->session,
                                     strlen(mapped->session));
        if (session < 0)
            return ALLOT_ENOMEM;
    }
    allot__sim_job *job = allot__push(sim->engine, &sim->jobs, sizeof *job);
    if (!job)
        return ALLOT_ENOMEM;
    *job = (allot__sim_job){
        .submit = it->record.at,
        .wait = -1,
        .record = it->number,
        .account = account,
        .slots = (int32_t)mapped->slots,
        .run = (int32_t)mapped->run,
        .run_limit = mapped->run_limit > 0 ? (int32_t)mapped->run_limit : -1,
        .priority = (int32_t)mapped->priority,
        .session = session,
        .fate = ALLOT__FATE_OPEN,
        .rigid = sim->queues || mapped->rigid,
    };
    return ALLOT_OK;
}

static int load_job(loading *it)
{
    allot_simulation *sim = it->sim;
    const allot_record *record = &it->record;
    allot_mapped mapped = {
        .consumer = record->consumer,
        .session = record->session,
        .priority = record->priority != INT64_MIN ? record->priority
                    : sim->queues                 ? 0
                                                  : 1,
        .slots = record->slots,
        .run = record->run,
        .run_limit = record->requested,
        .rigid = sim->options.rigid,
    };
    bool early = sim->options.from != 0 && record->at < sim->options.from;
    if (early || (sim->options.to != 0 && record->at >= sim->options.to)) {
        sim->counts.outside++;
        return ALLOT_OK;
    }
    int status =
        it->map != NULL ? it->map(it->ud, sim->trace, record, &mapped, it->report) : ALLOT_OK;
    if (status != ALLOT_OK)
        return status;
    if (mapped.left_out || mapped.slots < 1 || mapped.run < 0) {
        sim->counts.left_out++;
        return ALLOT_OK;
    }
    int32_t consumer = consumer_of(it, sim->queues ? mapped.queue : mapped.consumer, &status);
    int32_t group = consumer >= 0 ? group_of(it, mapped.group, &status) : -1;
    if (status == ALLOT_OK && group >= 0)
        status = check_numbers(it, &mapped);
    if (status != ALLOT_OK || group < 0)
        return status;
    int32_t account = group * sim->consumers + consumer;
    if (mapped.rigid && !sim->queues)
        sim->whole = sim->accounts[account].whole = true;
    return add_job(it, &mapped, account);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* The job that stands for a leaf's demand. */
static int need_standing(loading *it, int32_t number)
{
    allot__account *account = &it->sim->accounts[number];
    allot_mapped mapped = {.priority = 1};
    if (account->standing >= 0)
        return ALLOT_OK;
    int status = add_job(it, &mapped, number);
    if (status != ALLOT_OK)
        return status;
    account->standing = (int32_t)it->sim->jobs.count - 1;
    allot__job_of(it->sim, account->standing)->standing = 1;
    return ALLOT_OK;
}

static int load_demand(loading *it, int32_t *account)
{
    int status = ALLOT_OK;
    if (it->sim->queues)
        return fault(it, "E-map", "submit jobs",
                     "queues have no demand of their own: it is that of their jobs");
    int32_t consumer = consumer_of(it, it->record.consumer, &status);
    if (consumer < 0)
        return status;
    *account = consumer;
    return need_standing(it, consumer);
}

static int load_change(loading *it)
{
    allot_simulation *sim = it->sim;
    int status = ALLOT_OK;
    int32_t account = 0;
    if (it->record.kind == ALLOT_RECORD_DEMAND)
        status = load_demand(it, &account);
    else if (it->record.kind == ALLOT_RECORD_SLOTS)
        account = group_of(it, it->record.group.text, &status);
    if (it->record.kind == ALLOT_RECORD_HOST && it->record.slots < 0 &&
        allot_plan_host_find(sim->plan, it->record.id.text) < 0)
        status = fault(it, "E-map", "give its `slots`", "the plan does not know the host %.100s",
                       it->record.id.text);
    if (status != ALLOT_OK || it->invalid)
        return status;
    sim->varies = sim->varies || it->record.kind != ALLOT_RECORD_DEMAND;
    sim->hosted = sim->hosted || it->record.kind == ALLOT_RECORD_HOST;
    allot__change *change = allot__push(sim->engine, &sim->changes, sizeof *change);
    if (!change)
        return ALLOT_ENOMEM;
    *change = (allot__change){.at = it->record.at,
                              .slots = it->record.slots,
                              .record = it->number,
                              .account = account,
                              .kind = (uint8_t)it->record.kind,
                              .closed = (uint8_t)it->record.closed};
    return ALLOT_OK;
}

static int load_all(loading *it)
{
    int32_t count = allot_trace_records(it->sim->trace);
    int status = make_leaves(it->sim, &it->leaves);
    for (it->number = 0; it->number < count && status == ALLOT_OK; it->number++) {
        allot_trace_record(it->sim->trace, it->number, &it->record);
        status = it->record.kind == ALLOT_RECORD_SUBMIT ? load_job(it) : load_change(it);
    }
    if (status != ALLOT_OK || !it->invalid)
        return status == ALLOT_OK && it->newcomers ? ALLOT_ENOENT : status;
    if (it->faults > it->told) /* only the first fault of a kind is reported */
        allot__log_say(
            it->report,
            &(allot_diagnostic){.code = "E-map", .file = allot_trace_file(it->sim->trace)},
            "%d of %d records have such faults", it->faults, count);
    return ALLOT_EINVALID;
}

int allot_simulation_load(allot_simulation *sim, const allot_trace *trace, allot_record_map map,
                          void *ud, allot_report *report)
{
    if (!sim || !trace || sim->loaded)
        return ALLOT_EUSAGE;
    loading it = {.sim = sim, .map = map, .ud = ud, .report = report};
    sim->trace = trace;
    sim->loaded = true;
    int status = load_all(&it);
    free_leaves(sim, &it.leaves);
    allot__strings_free(sim->engine, &it.said);
    allot__vector_trim(sim->engine, &sim->jobs);
    return status;
}
