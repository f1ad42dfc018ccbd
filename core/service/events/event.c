/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: reads an event as documents are read, by the tables of its kind's members. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/name.h"
#include "service/events/event.h"
#include "service/events/fields.h"

/* Holds the text of the last event, of which its strings and lists are parts. */
struct allot__event_reader {
    allot_engine *engine;
    allot_json *json;
};

/* ---- Names ----------------------------------------------------------------------------------- */

static int missing(const allot_member *member, allot__error *fault, const char *code,
                   const char *name, const char *near)
{
    char hint[150] = "";
    if (near && near[0] != '\0')
        snprintf(hint, sizeof hint, "did you mean \"%.100s\"?", near);
    return allot__error_set(fault, ALLOT_ENOENT, code, member->name, hint,
                            "%s: the plan has no \"%.100s\"", member->name, name);
}

static int find_consumer(const allot_plan *plan, const allot_member *member, const char *name,
                         size_t len, int32_t *out, allot__error *fault)
{
    char near[128] = "";
    int32_t consumer = allot_plan_find(plan, name, len);
    if (consumer == ALLOT_ROOT) {
        size_t size = allot_plan_nearest(plan, name, len, near, sizeof near);
        return missing(member, fault, "E-unknown-path", name,
                       size > 0 && size < sizeof near ? near : NULL);
    }
    if (member->type == ALLOT_MEMBER_LEAF && allot_plan_children(plan, consumer) > 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-not-leaf", member->name, NULL,
                                "%s: \"%.100s\" has consumers below it, allowed is one without",
                                member->name, name);
    *out = consumer;
    return ALLOT_OK;
}

int allot__name_find(const allot_plan *plan, const allot_member *member, const char *name,
                     size_t len, int32_t *out, allot__error *fault)
{
    int32_t number = -1;
    const char *code = "E-unknown-group";
    if (member->type == ALLOT_MEMBER_CONSUMER || member->type == ALLOT_MEMBER_LEAF)
        return find_consumer(plan, member, name, len, out, fault);
    if (member->type == ALLOT_MEMBER_GROUP) {
        number = allot_plan_group_find(plan, name, len);
    } else {
        number = allot_plan_queue_find(plan, name);
        code = "E-unknown-queue";
    }
    if (number < 0)
        return missing(member, fault, code, name, NULL);
    *out = number;
    return ALLOT_OK;
}

/* ---- Bounds that documents do not have ------------------------------------------------------- */

/* Most bytes of an event's params; most items in a client's list, which books compare. */
enum { PARAMS_MOST = 256 * 1024, ITEMS_MOST = 256 };

static int check_text(const allot_member *member, const char *text, allot__error *fault)
{
    bool label = member->flags & ALLOT_MEMBER_LABEL;
    size_t len = strlen(text);
    if (label ? allot__label_valid(text) : len >= 1 && len <= 255)
        return ALLOT_OK;
    return allot__error_unfit(fault, ALLOT_EINVALID, "E-name", member->name,
                              "%s: found \"%.60s\", allowed 1 ... 255 bytes%s", member->name, text,
                              label ? " without control characters" : "");
}

static int check_list(const allot_member *member, const char *item, allot__error *fault)
{
    int32_t count;
    memcpy(&count, item + member->count_at, sizeof count);
    if (count <= ITEMS_MOST)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-range", member->name, NULL,
                            "%s: found more than %d, allowed at most %d", member->name, ITEMS_MOST,
                            ITEMS_MOST);
}

static int check_part(const allot_json_part *part, allot__speaker speaker, allot__error *fault)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; part->stated >> i != 0 && status == ALLOT_OK; i++) {
        const allot_member *member = &part->members->items[i];
        const char *at = (const char *)part->item + member->at;
        if (!(part->stated >> i & 1))
            continue;
        if (member->type == ALLOT_MEMBER_TEXT)
            status = check_text(member, *(const char *const *)(const void *)at, fault);
        else if (member->count_at != 0 && speaker == ALLOT__CLIENT)
            status = check_list(member, part->item, fault);
    }
    return status;
}

/* Parts of a task's slots are in the plan's order, whatever order they are given in. */
static void sort_slots(const allot_task *task)
{
    allot_task_slots *list = (allot_task_slots *)task->also; /* the reader's */
    for (int32_t i = 1; i < task->also_count; i++)
        for (int32_t k = i; k > 0 && list[k - 1].group > list[k].group; k--) {
            allot_task_slots part = list[k];
            list[k] = list[k - 1];
            list[k - 1] = part;
        }
}

/* ---- One event ------------------------------------------------------------------------------- */

int allot__event_reader_new(allot_engine *engine, allot__event_reader **out)
{
    allot__event_reader *reader = allot__new(engine, 1, sizeof *reader);
    if (!reader)
        return ALLOT_ENOMEM;
    reader->engine = engine;
    *out = reader;
    return ALLOT_OK;
}

void allot__event_reader_free(allot__event_reader *reader)
{
    if (!reader)
        return;
    allot_json_close(reader->json);
    allot__free(reader->engine, reader, 1, sizeof *reader);
}

/* An event being read: what its params may have, and who gives them. */
typedef struct reading {
    allot__event_reader *reader;
    const allot_plan *plan;
    allot__event *event;
    const char *params;
    size_t len;
    allot_json_part parts[ALLOT__FIELD_LISTS];
} reading;

static int read_params(reading *it, allot_report *report)
{
    allot__event_init(it->event, it->event->kind);
    allot_json_close(it->reader->json);
    it->reader->json = NULL;
    int status = allot_json_open(it->reader->engine, it->params, it->len, NULL, 1, 0, report,
                                 &it->reader->json);
    return status == ALLOT_OK
               ? allot_json_members(it->reader->json, it->plan, it->parts, ALLOT__FIELD_LISTS)
               : status;
}

/* Earlier versions took tags for members. */
static bool is_tag(const reading *it, const char *name)
{
    allot_attribute attribute = {0};
    for (int32_t i = 0; allot_plan_task_attribute_at(it->plan, i, &attribute) == ALLOT_OK; i++)
        if (attribute.type == ALLOT_TAG && strcmp(attribute.name, name) == 0)
            return true;
    return false;
}

/* Reads the params once more, for the words about their first fault. */
static int explain(reading *it, allot__error *fault)
{
    allot_report *report;
    int status = allot_report_new(it->reader->engine, &report);
    if (status != ALLOT_OK)
        return status;
    status = read_params(it, report);
    if (status == ALLOT_EINVALID)
        status = allot__error_take(fault, report);
    allot_report_free(report);
    if (status == ALLOT_EINVALID && strcmp(fault->code, "E-unknown-key") == 0 &&
        is_tag(it, fault->path)) {
        char name[sizeof fault->path];
        memcpy(name, fault->path, sizeof name);
        return allot__error_unfit(fault, status, "E-unknown-key", name,
                                  "\"%.80s\" is a tag: it is said as a word of \"tags\"", name);
    }
    return status;
}

int allot__event_read(allot__event_reader *reader, const allot_plan *plan, allot__event_kind kind,
                      allot__speaker speaker, const char *params, size_t len, allot__event *out,
                      allot__error *fault)
{
    const allot__fields *fields = &allot__event_fields[kind];
    const int32_t kept = speaker == ALLOT__CLIENT ? ALLOT__MEMBER_KEPT : 0;
    allot__event event = {.kind = kind};
    reading it = {.reader = reader,
                  .plan = plan,
                  .event = &event,
                  .params = params ? params : "{}",
                  .len = params ? len : 2};
    for (int list = 0; list < ALLOT__FIELD_LISTS; list++)
        it.parts[list] = (allot_json_part){.members = allot__fields_of(fields, list),
                                           .item = allot__field_base(&event, list),
                                           .without = kept};
    it.parts[ALLOT__ITEM].without = ALLOT_MEMBER_PASSED;
    it.parts[ALLOT__ITEM].but = fields->but;
    it.parts[ALLOT__ITEM].optional = fields->known;
    if (it.len > PARAMS_MOST)
        return allot__error_set(fault, ALLOT_EINVALID, "E-size", "params", NULL,
                                "params have %zu bytes, at most %d are allowed", len, PARAMS_MOST);
    int status = read_params(&it, NULL);
    if (status == ALLOT_EINVALID)
        status = explain(&it, fault);
    for (int list = 0; list < ALLOT__FIELD_LISTS && status == ALLOT_OK; list++)
        status = check_part(&it.parts[list], speaker, fault);
    if (status != ALLOT_OK)
        return status;
    event.said = (uint32_t)it.parts[ALLOT__OWN].stated;
    event.stated = (uint32_t)it.parts[ALLOT__ITEM].stated;
    event.at_given = it.parts[ALLOT__COMMON].stated & 1;
    if (fields->item == ALLOT_ITEM_TASK)
        sort_slots(&event.task);
    *out = event;
    return ALLOT_OK;
}
