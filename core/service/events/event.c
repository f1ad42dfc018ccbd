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

int allot__params_take(allot_engine *engine, allot_json **json, const allot_plan *plan,
                       const char *params, size_t len, allot_json_part *parts, int32_t count,
                       allot__error *fault)
{
    allot_report *report = NULL;
    int status = ALLOT_EINVALID;
    /* A fault is rare: the words about it are made by a second reading. */
    for (int pass = 0; pass < 2 && status == ALLOT_EINVALID; pass++) {
        allot_json_close(*json);
        *json = NULL;
        if (pass > 0 && allot_report_new(engine, &report) != ALLOT_OK)
            return ALLOT_ENOMEM;
        status = allot_json_open(engine, params ? params : "{}", params ? len : 2, NULL, 1, 0,
                                 report, json);
        if (status == ALLOT_OK)
            status = allot_json_members(*json, plan, parts, count);
    }
    if (status == ALLOT_EINVALID)
        status = allot__error_take(fault, report);
    allot_report_free(report);
    return status;
}

/* Earlier versions took tags for members. */
static bool is_tag(const allot_plan *plan, const char *name)
{
    allot_attribute attribute = {0};
    for (int32_t i = 0; allot_plan_task_attribute_at(plan, i, &attribute) == ALLOT_OK; i++)
        if (attribute.type == ALLOT_TAG && strcmp(attribute.name, name) == 0)
            return true;
    return false;
}

static int unfit_tag(const allot_plan *plan, int status, allot__error *fault)
{
    char name[sizeof fault->path];
    if (status != ALLOT_EINVALID || strcmp(fault->code, "E-unknown-key") != 0 ||
        !is_tag(plan, fault->path))
        return status;
    memcpy(name, fault->path, sizeof name);
    return allot__error_unfit(fault, status, "E-unknown-key", name,
                              "\"%.80s\" is a tag: it is said as a word of \"tags\"", name);
}

int allot__event_read(allot__event_reader *reader, const allot_plan *plan, allot__event_kind kind,
                      allot__speaker speaker, const char *params, size_t len, allot__event *out,
                      allot__error *fault)
{
    const allot__fields *fields = &allot__event_fields[kind];
    const int32_t kept = speaker == ALLOT__CLIENT ? ALLOT__MEMBER_KEPT : 0;
    allot__event event;
    allot_json_part parts[ALLOT__FIELD_LISTS];
    for (int list = 0; list < ALLOT__FIELD_LISTS; list++)
        parts[list] = (allot_json_part){.members = allot__fields_of(fields, list),
                                        .item = allot__field_base(&event, list),
                                        .without = kept};
    parts[ALLOT__ITEM].without = ALLOT_MEMBER_PASSED;
    parts[ALLOT__ITEM].but = fields->but;
    parts[ALLOT__ITEM].optional = fields->known;
    if (params && len > PARAMS_MOST)
        return allot__error_set(fault, ALLOT_EINVALID, "E-size", "params", NULL,
                                "params have %zu bytes, at most %d are allowed", len, PARAMS_MOST);
    allot__event_init(&event, kind);
    int status = allot__params_take(reader->engine, &reader->json, plan, params, len, parts,
                                    ALLOT__FIELD_LISTS, fault);
    status = unfit_tag(plan, status, fault);
    for (int list = 0; list < ALLOT__FIELD_LISTS && status == ALLOT_OK; list++)
        status = check_part(&parts[list], speaker, fault);
    if (status != ALLOT_OK)
        return status;
    event.said = (uint32_t)parts[ALLOT__OWN].stated;
    event.stated = (uint32_t)parts[ALLOT__ITEM].stated;
    event.at_given = parts[ALLOT__COMMON].stated & 1;
    if (fields->item == ALLOT_ITEM_TASK)
        sort_slots(&event.task);
    *out = event;
    return ALLOT_OK;
}
