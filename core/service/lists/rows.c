/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rows.c: what the books have, each as documents of states have it. */
#include "service/lists/rows.h"

#include <stdio.h>

#include "base/path.h"

/* ---- Members, by the table ------------------------------------------------------------------- */

typedef struct page {
    allot__text *out;
    const allot_plan *plan;
    const char *item;
} page;

static int32_t number_at(const page *it, size_t at)
{
    int32_t number;
    memcpy(&number, it->item + at, sizeof number);
    return number;
}

static const void *list_at(const page *it, const allot_member *member, int32_t *count)
{
    const void *list;
    memcpy(&list, it->item + member->at, sizeof list);
    *count = number_at(it, member->count_at);
    return list;
}

static void put_named(page *it, const char *name, int64_t number)
{
    allot__text_key(it->out, NULL);
    allot__text_json(it->out, name);
    allot__text_puts(it->out, ": ");
    allot__text_int(it->out, number);
}

static void put_texts(page *it, const allot_member *member)
{
    int32_t count;
    const char *const *texts = list_at(it, member, &count);
    if (count == 0)
        return;
    allot__text_open(it->out, member->name, "[");
    for (int32_t i = 0; i < count; i++) {
        allot__text_key(it->out, NULL);
        allot__text_json(it->out, texts[i]);
    }
    allot__text_puts(it->out, "]");
}

/* Of the only host, which has no name, its slots are written, where the table allows it. */
static void put_places(page *it, const allot_member *member)
{
    int32_t count;
    const allot_job_host *places = list_at(it, member, &count);
    if (count > 0 && !places[0].host && member->most > 0)
        allot__text_number(it->out, member->name, places[0].slots);
    if (count == 0 || !places[0].host)
        return;
    allot__text_open(it->out, member->name, "{");
    for (int32_t i = 0; i < count; i++)
        put_named(it, places[i].host, places[i].slots);
    allot__text_puts(it->out, "}");
}

static void put_amounts(page *it, const allot_member *member)
{
    int32_t count;
    const allot_job_resource *amounts = list_at(it, member, &count);
    if (count == 0)
        return;
    allot__text_open(it->out, member->name, "{");
    for (int32_t i = 0; i < count; i++) {
        allot_resource of;
        if (allot_plan_resource_at(it->plan, amounts[i].resource, &of) == ALLOT_OK)
            put_named(it, of.name, amounts[i].amount);
    }
    allot__text_puts(it->out, "}");
}

static void put_claims(page *it, const allot_member *member)
{
    int32_t count;
    const allot_claim *claims = list_at(it, member, &count);
    if (count == 0)
        return;
    allot__text_open(it->out, member->name, "[");
    for (int32_t i = 0; i < count; i++) {
        allot__text_open(it->out, NULL, "{");
        allot__text_key(it->out, "consumer");
        allot__text_json_path(it->out, it->plan, claims[i].consumer);
        allot__text_number(it->out, "slots", claims[i].slots);
        allot__text_puts(it->out, "}");
    }
    allot__text_puts(it->out, "]");
}

/* Those of its own group, where there are no others. */
static void put_slots(page *it, const allot_member *member)
{
    const allot_task *task =
        (const allot_task *)(const void *)it->item; /* no other item has some */
    if (task->also_count == 0) {
        if (task->slots != member->unset)
            allot__text_number(it->out, member->name, task->slots);
        return;
    }
    allot__text_open(it->out, member->name, "{");
    put_named(it, allot_plan_group_name(it->plan, task->group), task->slots);
    for (int32_t i = 0; i < task->also_count; i++)
        put_named(it, allot_plan_group_name(it->plan, task->also[i].group), task->also[i].slots);
    allot__text_puts(it->out, "}");
}

static void put_values(page *it, const allot_member *member)
{
    int32_t count;
    const allot_task_value *values = list_at(it, member, &count);
    for (int32_t i = 0; i < count; i++) {
        allot_attribute of;
        if (allot_plan_task_attribute_at(it->plan, values[i].attribute, &of) == ALLOT_OK)
            allot__text_number(it->out, of.name, values[i].value);
    }
}

static void put_number(page *it, const allot_member *member)
{
    int64_t number;
    memcpy(&number, it->item + member->at, sizeof number);
    if (number != member->unset)
        allot__text_number(it->out, member->name, number);
}

/* What names a thing of the plan by its number. */
static void put_name(page *it, const allot_member *member)
{
    int32_t number = number_at(it, member->at);
    allot_queue queue;
    if (member->type == ALLOT_MEMBER_GROUP) {
        if (allot_plan_groups(it->plan) > 1)
            allot__text_member(it->out, member->name, allot_plan_group_name(it->plan, number));
    } else if (member->type == ALLOT_MEMBER_QUEUE) {
        if (allot_plan_queue_at(it->plan, number, &queue) == ALLOT_OK)
            allot__text_member(it->out, member->name, queue.name);
    } else if (number != ALLOT_ROOT) {
        allot__text_key(it->out, member->name);
        allot__text_json_path(it->out, it->plan, number);
    }
}

static void put_member(page *it, const allot_member *member);

/* An object of which nothing is stated is not, unless a bit says that it is there. */
static void put_object(page *it, const allot_member *member)
{
    size_t from = it->out->len;
    allot__text_open(it->out, member->name, "{");
    size_t begun = it->out->len;
    for (int32_t i = 0; i < member->member_count; i++)
        put_member(it, &member->members[i]);
    bool stated =
        member->least > 0 ? (number_at(it, member->at) & member->least) != 0 : it->out->len > begun;
    if (stated || member->flags & ALLOT_MEMBER_REQUIRED)
        allot__text_puts(it->out, "}");
    else
        it->out->len = from;
}

static void put_word(page *it, const allot_member *member)
{
    int32_t word = number_at(it, member->at);
    if (word != member->unset)
        allot__text_member(it->out, member->name, member->word(word));
}

static void put_text(page *it, const allot_member *member)
{
    const char *text;
    memcpy(&text, it->item + member->at, sizeof text);
    allot__text_member(it->out, member->name, text);
}

static void put_member(page *it, const allot_member *member)
{
    static void (*const puts[])(page *, const allot_member *) = {
        [ALLOT_MEMBER_TEXT] = put_text,       [ALLOT_MEMBER_CONSUMER] = put_name,
        [ALLOT_MEMBER_LEAF] = put_name,       [ALLOT_MEMBER_GROUP] = put_name,
        [ALLOT_MEMBER_QUEUE] = put_name,      [ALLOT_MEMBER_WHOLE] = put_number,
        [ALLOT_MEMBER_TIME] = put_number,     [ALLOT_MEMBER_WORD] = put_word,
        [ALLOT_MEMBER_TEXTS] = put_texts,     [ALLOT_MEMBER_PLACES] = put_places,
        [ALLOT_MEMBER_AMOUNTS] = put_amounts, [ALLOT_MEMBER_CLAIMS] = put_claims,
        [ALLOT_MEMBER_SLOTS] = put_slots,     [ALLOT_MEMBER_VALUES] = put_values,
        [ALLOT_MEMBER_OBJECT] = put_object};
    if (member->flags & ALLOT_MEMBER_PASSED)
        return;
    if (member->type != ALLOT_MEMBER_FLAG)
        puts[member->type](it, member);
    else if (number_at(it, member->at) & member->least)
        allot__text_bool(it->out, member->name, true);
}

void allot__row_members(allot__text *out, const allot_plan *plan, allot_item kind, const void *item)
{
    page it = {out, plan, item};
    const allot_members *members = allot_members_of(kind);
    for (int32_t i = 0; i < members->count; i++)
        put_member(&it, &members->items[i]);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

void allot__row_task(const allot__books *books, const allot__map_item *named, int64_t now,
                     allot__text *out)
{
    const allot__task_item *item = (const allot__task_item *)(const void *)named;
    const allot__victim_item *victim =
        books->victims.count > 0 ? allot__item_find(&books->victims, item->it.id) : NULL;
    (void)now;
    allot__text_open(out, NULL, "{");
    allot__row_members(out, books->plan, ALLOT_ITEM_TASK, &item->it);
    if (victim)
        allot__text_member(out, "reclaim", victim->flight);
    if (item->told)
        allot__text_bool(out, "told", true);
    allot__write_origin(out, item->source);
    allot__text_puts(out, "}");
}

void allot__row_session(const allot__books *books, const allot__map_item *named, int64_t now,
                        allot__text *out)
{
    const allot__session_item *item = (const allot__session_item *)(const void *)named;
    (void)now;
    allot__text_open(out, NULL, "{");
    allot__row_members(out, books->plan, ALLOT_ITEM_SESSION, &item->it);
    allot__write_origin(out, item->source);
    allot__text_puts(out, "}");
}

static void put_tasks(const allot__flight_item *item, allot__text *out)
{
    if (item->it.task_count == 0)
        return;
    allot__text_open(out, "tasks", "[");
    for (int32_t i = 0; i < item->it.task_count; i++) {
        allot__text_key(out, NULL);
        allot__text_json(out, item->it.tasks[i]);
    }
    allot__text_puts(out, "]");
}

void allot__row_flight(const allot__books *books, const allot__map_item *named, int64_t now,
                       allot__text *out)
{
    const allot__flight_item *item = (const allot__flight_item *)(const void *)named;
    allot_in_flight flight = item->it;
    (void)now;
    flight.task_count = 0; /* the last member */
    allot__text_open(out, NULL, "{");
    allot__row_members(out, books->plan, ALLOT_ITEM_RECLAIM, &flight);
    allot__write_set(out, "since", item->since, INT64_MIN);
    allot__write_set(out, "gone", item->it.gone, 0);
    if (item->told)
        allot__text_bool(out, "told", true);
    put_tasks(item, out);
    allot__text_puts(out, "}");
}

void allot__row_job(const allot__books *books, const allot__map_item *named, int64_t now,
                    allot__text *out)
{
    const allot__job_item *item = (const allot__job_item *)(const void *)named;
    allot_job job = allot__job_now(item, now);
    allot__text_open(out, NULL, "{");
    allot__row_members(out, books->plan, ALLOT_ITEM_JOB, &job);
    allot__write_origin(out, item->source);
    allot__text_puts(out, "}");
}

void allot__row_host(const allot__books *books, const allot__map_item *named, int64_t now,
                     allot__text *out)
{
    const allot__host_item *item = (const allot__host_item *)(const void *)named;
    (void)now;
    allot__text_open(out, NULL, "{");
    allot__text_member(out, "name", named->name);
    allot__write_set(out, "slots", item->slots, -1);
    if (item->closed != ALLOT_OPEN)
        allot__text_member(out, "closed", item->closed == ALLOT_DRAIN ? "drain" : "reclaim");
    if (item->load >= 0) {
        allot__text_key(out, "load");
        allot__text_printf(out, "%lld.%03d", (long long)(item->load / 1000),
                           (int)(item->load % 1000));
    }
    if (item->exclusive_given && item->exclusive_to != ALLOT_ROOT) {
        allot__text_key(out, "exclusive_to");
        allot__text_json_path(out, books->plan, item->exclusive_to);
    }
    allot__write_origin(out, item->source);
    allot__text_puts(out, "}");
}
