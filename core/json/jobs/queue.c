/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue.c: a plan's queues. */
#include <string.h>

#include "json/text/names.h"
#include "json/jobs/queues.h"

enum {
    NAME = ALLOT__PROTECTION_KEYS,
    PRIORITY,
    PREEMPTION,
    PREEMPTIVE,
    PREEMPTABLE,
    SLOT_POOL,
    SLOT_SHARE,
    MAX_SLOTS_IN_POOL,
    USE_PRIORITY_IN_POOL,
    HOSTS,
    QJOB_LIMIT,
    UJOB_LIMIT,
    PJOB_LIMIT,
    HJOB_LIMIT,
    RUNLIMIT,
    TERMINATE_WHEN,
    JOB_CONTROLS,
    FAIRSHARE,
    BACKFILL,
    INTERRUPTIBLE_BACKFILL,
    SLOT_RESERVE,
    FAIRSHARE_QUEUES,
    QUEUE_KEYS
};
#define NAMES    ALLOT__LIST | ALLOT__STRING, 0, 0, false
#define RELATION ALLOT__BOOLEAN | ALLOT__LIST | ALLOT__STRING, 0, 0, false
static const allot__field queue_fields[QUEUE_KEYS] = {
    ALLOT__PROTECTION_FIELDS,
    [NAME] = {"name", ALLOT__STRING, 0, 0, true},
    [PRIORITY] = {"priority", ALLOT__AMOUNT, false},
    [PREEMPTION] = {"preemption", ALLOT__STRING, 0, 0, false},
    [PREEMPTIVE] = {"preemptive", RELATION},
    [PREEMPTABLE] = {"preemptable", RELATION},
    [SLOT_POOL] = {"slot_pool", ALLOT__STRING, 0, 0, false},
    [SLOT_SHARE] = {"slot_share", ALLOT__INTEGER, 1, 100, false},
    [MAX_SLOTS_IN_POOL] = {"max_slots_in_pool", ALLOT__LIMIT},
    [USE_PRIORITY_IN_POOL] = {"use_priority_in_pool", ALLOT__YES},
    [HOSTS] = {"hosts", NAMES},
    [QJOB_LIMIT] = {"qjob_limit", ALLOT__STRING | ALLOT__LIMIT},
    [UJOB_LIMIT] = {"ujob_limit", ALLOT__STRING | ALLOT__LIMIT},
    [PJOB_LIMIT] = {"pjob_limit", ALLOT__NUMBER | ALLOT__LIMIT},
    [HJOB_LIMIT] = {"hjob_limit", ALLOT__LIMIT},
    [RUNLIMIT] = {"runlimit", ALLOT__INTEGER | ALLOT__STRING | ALLOT__NULL, 1, ALLOT__MINUTES_MAX,
                  false},
    [TERMINATE_WHEN] = {"terminate_when", NAMES},
    [JOB_CONTROLS] = {"job_controls", ALLOT__OBJECT, 0, 0, false},
    [FAIRSHARE] = {"fairshare", ALLOT__YES},
    [BACKFILL] = {"backfill", ALLOT__YES},
    [INTERRUPTIBLE_BACKFILL] = {"interruptible_backfill", ALLOT__INTEGER | ALLOT__NULL, 1,
                                ALLOT_AMOUNT_MAX, false},
    [SLOT_RESERVE] = {"slot_reserve", ALLOT__YES},
    [FAIRSHARE_QUEUES] = {"fairshare_queues", ALLOT__YES},
};
static const allot__shape queue_shape = {queue_fields, QUEUE_KEYS, 0};

/* ---- Numbers --------------------------------------------------------------------------------- */

static void take_numbers(allot__doc *doc, const allot__value *values, allot_queue *queue)
{
    queue->priority = allot__number_take(&values[PRIORITY], 1);
    queue->slot_share = allot__number_take(&values[SLOT_SHARE], 0);
    queue->max_slots_in_pool = allot__number_take(&values[MAX_SLOTS_IN_POOL], ALLOT_NONE);
    queue->qjob_limit = allot__part_take(doc, &values[QJOB_LIMIT], 100, &queue->qjob_percent);
    queue->ujob_limit =
        allot__part_take(doc, &values[UJOB_LIMIT], ALLOT_PERCENT_MAX, &queue->ujob_percent);
    queue->hjob_limit = allot__number_take(&values[HJOB_LIMIT], ALLOT_NONE);
    queue->interruptible_backfill = allot__number_take(&values[INTERRUPTIBLE_BACKFILL], ALLOT_NONE);
    queue->use_priority_in_pool = allot__yes_take(doc, &values[USE_PRIORITY_IN_POOL]);
    queue->fairshare = allot__yes_take(doc, &values[FAIRSHARE]);
    queue->backfill = allot__yes_take(doc, &values[BACKFILL]);
    queue->slot_reserve = allot__yes_take(doc, &values[SLOT_RESERVE]);
    queue->cross_fairshare = allot__yes_take(doc, &values[FAIRSHARE_QUEUES]);
}

/* ---- Who preempts whom (P-1) ----------------------------------------------------------------- */

/* "low+2": cuts the level off. */
static void split_level(allot__doc *doc, char *text, uint32_t number, allot_prefers *out)
{
    char *plus = strchr(text, '+');
    *out = (allot_prefers){.queue = text};
    if (!plus)
        return;
    *plus = '\0';
    size_t digits = strspn(plus + 1, "0123456789");
    for (size_t i = 1; i <= digits && i <= 9; i++)
        out->level = out->level * 10 + (plus[i] - '0');
    if (digits < 1 || digits > 9 || plus[digits + 1] != '\0' || out->level == 0 || plus == text)
        allot__doc_found(
            doc, allot__at(number), "E-range", NULL, "",
            ", allowed a queue's name, perhaps with a level 1 ... behind \"+\", as in \"low+2\"");
}

/* Names become queues with levels, in copies of their own. */
static void take_levels(allot__doc *doc, const allot__texts *low, allot_queue *queue)
{
    allot_prefers *prefers = allot__doc_take(doc, (size_t)low->count, sizeof *prefers);
    for (int32_t i = 0; i < low->count && prefers; i++) {
        size_t size = strlen(low->items[i]) + 1;
        char *name = allot__doc_take(doc, size, 1);
        if (!name)
            return;
        memcpy(name, low->items[i], size);
        split_level(doc, name, low->numbers[i], &prefers[i]);
        queue->low_count = i + 1;
    }
    queue->low = prefers;
}

/* One of the two keys: true, false, or names. */
static void take_side(allot__doc *doc, const allot__value *value, allot__texts *texts, int32_t *out)
{
    allot__texts_read(doc, value, texts);
    bool named = value->kind == ALLOT__LIST || value->kind == ALLOT__STRING;
    if (named)
        allot__texts_some(doc, value, texts);
    *out = named || (value->kind == ALLOT__BOOLEAN && value->integer != 0);
}

/* The names in brackets behind a keyword at *at, if any; false: an unclosed bracket. */
static bool bracket(const char **at, const char **from, size_t *len)
{
    *len = 0;
    if (**at != '[')
        return true;
    *from = *at + 1;
    *len = strcspn(*from, "]");
    *at = *from + *len;
    return *(*at)++ == ']';
}

/* LSF's own text: "PREEMPTIVE[low+1 mid] PREEMPTABLE[high]" (P-1). */
typedef struct preemption {
    bool stated[2]; /* preemptive, preemptable */
    char *names[2]; /* NULL: no list */
} preemption;

static bool parse_preemption(const char *text, preemption *out)
{
    static const char *const words[] = {"PREEMPTIVE", "PREEMPTABLE"};
    char *copy = out->names[0];
    out->names[0] = NULL;
    for (const char *at = text + strspn(text, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        const char *from;
        size_t len;
        int side = strncmp(at, words[1], strlen(words[1])) == 0;
        if (strncmp(at, words[side], strlen(words[side])) != 0 || out->stated[side])
            return false;
        out->stated[side] = true;
        at += strlen(words[side]);
        if (!bracket(&at, &from, &len))
            return false;
        if (len > 0) {
            memcpy(copy, from, len);
            copy[len] = '\0';
            out->names[side] = copy;
            copy += len + 1;
        }
    }
    return out->stated[0] || out->stated[1];
}

static void take_text(allot__doc *doc, const allot__value *value, allot__texts *low,
                      allot__texts *high, allot_queue *queue)
{
    preemption said = {.names[0] = allot__doc_take(doc, strlen(value->string) + 2, 1)};
    if (!said.names[0])
        return;
    if (!parse_preemption(value->string, &said)) {
        allot__doc_found(doc, allot__at(value->number), "E-range", NULL, "",
                         ", allowed as in \"PREEMPTIVE[low+1 mid] PREEMPTABLE[high]\"");
        said = (preemption){0};
    }
    allot__value sides[2];
    for (int i = 0; i < 2; i++)
        sides[i] = (allot__value){.number = value->number,
                                  .kind = said.names[i] ? ALLOT__STRING : ALLOT__BOOLEAN,
                                  .integer = said.stated[i],
                                  .string = said.names[i]};
    take_side(doc, &sides[0], low, &queue->preemptive);
    take_side(doc, &sides[1], high, &queue->preemptable);
}

/* LSF's text, or the two keys in its place: true, false, or names; names of lower queues may have
 * levels, "low+2". */
static void take_preemption(allot__doc *doc, const allot__value *text,
                            const allot__value *preemptive, const allot__value *preemptable,
                            allot_queue *queue)
{
    allot__texts low = {0}, high = {0};
    const allot__value *other = preemptive->number != 0 ? preemptive : preemptable;
    if (text->number != 0 && other->number != 0)
        allot__doc_fault(doc, allot__at_key(other->number), "E-conflict", NULL,
                         "found what \"preemption\" says too, allowed one of them");
    else if (text->kind == ALLOT__STRING)
        take_text(doc, text, &low, &high, queue);
    else
        take_side(doc, preemptive, &low, &queue->preemptive);
    if (text->number == 0)
        take_side(doc, preemptable, &high, &queue->preemptable);
    queue->high = high.items;
    queue->high_count = high.count;
    take_levels(doc, &low, queue);
}

/* ---- Pools ----------------------------------------------------------------------------------- */

static const char *take_pool(allot__doc *doc, const allot__value *value)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (value->kind != ALLOT__STRING)
        return NULL;
    size_t len = strlen(value->string);
    if (len >= 1 && len <= 60 && strspn(value->string, letters) == len)
        return value->string;
    allot__doc_found(doc, allot__at(value->number), "E-name", NULL, "the pool ",
                     ", allowed 1 ... 60 letters, digits, \"_\" and \"-\"");
    return NULL;
}

/* ---- What becomes of preempted jobs (P-41) --------------------------------------------------- */

/* Other events of LSF have no effect. */
static void take_events(allot__doc *doc, const allot__value *value, allot_queue *queue)
{
    allot__texts events;
    allot__texts_read(doc, value, &events);
    for (int32_t i = 0; i < events.count; i++) {
        const char *event = events.items[i];
        allot__spot spot = allot__at(events.numbers[i]);
        if (allot__word_is(event, "PREEMPT"))
            queue->on_preempt = ALLOT_KILL;
        else if (allot__word_is(event, "LOAD") || allot__word_is(event, "WINDOW"))
            allot__doc_warn(doc, spot, "W-event", NULL,
                            "%s is no event of this program: it has no effect",
                            allot__doc_quote(doc, spot));
        else
            allot__doc_found(doc, spot, "E-range", NULL, "", ", allowed \"PREEMPT\"");
    }
}

/* LSF's own words; the job's number may follow brequeue. */
static bool action_of_lsf(const char *text, allot_action *out)
{
    if (allot__word_is(text, "CHKPNT"))
        *out = ALLOT_CHECKPOINT;
    else if (strcmp(text, "brequeue") == 0 || strcmp(text, "brequeue $LSB_JOBID") == 0)
        *out = ALLOT_REQUEUE;
    else if (allot__word_is(text, "TERMINATE"))
        *out = ALLOT_KILL;
    else
        return false;
    return true;
}

static void take_action(allot__doc *doc, const allot__value *value, allot_queue *queue)
{
    const char *names[ALLOT_ACTION_COUNT];
    for (int i = 0; i < ALLOT_ACTION_COUNT && value->kind == ALLOT__STRING; i++) {
        names[i] = allot_action_name(i);
        if (allot__word_is(value->string, names[i])) {
            queue->on_preempt = (allot_action)i;
            return;
        }
    }
    if (value->kind != ALLOT__STRING || action_of_lsf(value->string, &queue->on_preempt))
        return;
    const char *near =
        allot_nearest(value->string, strlen(value->string), names, ALLOT_ACTION_COUNT);
    allot__doc_found(doc, allot__at(value->number), "E-range", near, "",
                     ", allowed \"suspend\", \"checkpoint\", \"requeue\" or \"kill\"");
}

static void take_controls(allot__doc *doc, const allot__value *value, allot_queue *queue)
{
    static const allot__field fields[] = {{"suspend", ALLOT__STRING, 0, 0, true}};
    static const allot__shape shape = {fields, 1, 0};
    allot__value action;
    if (value->kind == 0)
        return;
    allot__object_read(doc, value->number, &shape, &action);
    take_action(doc, &action, queue);
}

/* ---- Queues ---------------------------------------------------------------------------------- */

/* Warns of LSF keys without effect. */
static void warn_unused(allot__doc *doc, const allot__value *values, const allot_queue *queue)
{
    if (queue->slot_pool)
        return; /* the model reports these */
    if (queue->slot_reserve)
        allot__doc_warn(doc, allot__at(values[SLOT_RESERVE].number), "W-unused", NULL,
                        "no slots are reserved for jobs here: slot_reserve has no effect");
    if (queue->cross_fairshare)
        allot__doc_warn(doc, allot__at(values[FAIRSHARE_QUEUES].number), "W-unused", NULL,
                        "there is no fairshare across queues here: nothing comes of "
                        "fairshare_queues");
}

static void take_all(allot__plan_reader *reader, const allot__value *values, allot_queue *queue)
{
    allot__doc *doc = &reader->doc;
    allot__texts hosts;
    allot_queue_init(queue);
    queue->name = values[NAME].string;
    take_numbers(doc, values, queue);
    allot__protection_take(doc, values, &queue->protection);
    queue->pjob_limit = (int32_t)allot__thousandths_take(doc, &values[PJOB_LIMIT]);
    queue->run_limit = allot__run_limit_take(doc, &values[RUNLIMIT]);
    queue->slot_pool = take_pool(doc, &values[SLOT_POOL]);
    warn_unused(doc, values, queue);
    take_preemption(doc, &values[PREEMPTION], &values[PREEMPTIVE], &values[PREEMPTABLE], queue);
    take_controls(doc, &values[JOB_CONTROLS], queue);
    take_events(doc, &values[TERMINATE_WHEN], queue);
    allot__texts_read(doc, &values[HOSTS], &hosts);
    allot__texts_some(doc, &values[HOSTS], &hosts);
    queue->hosts = allot__hosts_named(reader, &hosts, &queue->host_count);
}

/* `faults`: the number of faults before the queue. */
static void add_queue(allot__plan_reader *reader, uint32_t object, const allot__value *name,
                      const allot_queue *queue, int64_t faults)
{
    int32_t consumer = -1;
    int status = queue->name ? allot_plan_queue(reader->plan, queue, &consumer) : ALLOT_OK;
    if (status == ALLOT_EEXIST)
        allot__doc_found(&reader->doc, allot__at(name->number), "E-duplicate-path", NULL,
                         "the queue ", " again, allowed once");
    else
        allot__doc_named(&reader->doc, status, allot__at(name->number), "", ALLOT__NAME_RULE);
    reader->queues_lost = reader->queues_lost || consumer < 0;
    if (consumer >= 0)
        allot__consumer_remember(reader, consumer, object);
    if (reader->doc.status == ALLOT_OK && reader->doc.faults > faults)
        allot__consumer_mark(reader, consumer);
}

static void read_queue(allot__plan_reader *reader, uint32_t object)
{
    allot__value values[QUEUE_KEYS];
    allot_queue queue;
    int64_t faults = reader->doc.faults;
    allot__object_read(&reader->doc, object, &queue_shape, values);
    take_all(reader, values, &queue);
    if (reader->doc.status == ALLOT_OK)
        add_queue(reader, object, &values[NAME], &queue, faults);
}

void allot__queues_read(allot__plan_reader *reader)
{
    const allot__value *list = &reader->top[ALLOT__PLAN_QUEUES];
    allot__doc *doc = &reader->doc;
    uint32_t it = allot__value_in(doc, list);
    for (; it; it = allot__doc_after(doc, list->number, it)) {
        if (!allot__kind_check(doc, it, ALLOT__OBJECT)) {
            reader->queues_lost = reader->doubtful = true;
            continue;
        }
        allot__entry_begin(doc);
        read_queue(reader, it);
        allot__entry_end(doc);
    }
}
