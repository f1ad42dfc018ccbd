/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write_item.c: writes items of a state by the tables of their members. */
#include <string.h>

#include "json/state/item.h"

/* A member of an item. */
typedef struct part {
    const allot_plan *plan;
    const allot_member *member;
    const char *item;
} part;

/* ---- What is stated -------------------------------------------------------------------------- */

static int64_t long_of(const part *it)
{
    int64_t number;
    memcpy(&number, it->item + it->member->at, sizeof number);
    return number;
}

static int32_t number_of(const part *it)
{
    int32_t number;
    memcpy(&number, it->item + it->member->at, sizeof number);
    return number;
}

static const void *list_of(const part *it)
{
    const void *list;
    memcpy(&list, it->item + it->member->at, sizeof list);
    return list;
}

static int32_t count_of(const part *it)
{
    int32_t count;
    memcpy(&count, it->item + it->member->count_at, sizeof count);
    return count;
}

static bool is_stated(const part *it)
{
    if (it->member->flags & (ALLOT_MEMBER_PASSED | ALLOT_MEMBER_KEY))
        return false;
    if (it->member->type == ALLOT_MEMBER_GROUP)
        return allot_plan_groups(it->plan) > 1;
    return allot_member_stated(it->member, it->item);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_name(allot__text *out, const part *it)
{
    const char *key = it->member->name;
    allot_queue queue;
    if (it->member->type == ALLOT_MEMBER_GROUP)
        allot__text_string(out, key, allot_plan_group_name(it->plan, number_of(it)));
    else if (it->member->type != ALLOT_MEMBER_QUEUE)
        allot__text_path_member(out, key, it->plan, number_of(it));
    else if (allot__text_got(out, allot_plan_queue_at(it->plan, number_of(it), &queue)))
        allot__text_string(out, key, queue.name);
}

/* 1500 is 1.500, 2000 is 2. */
static void write_thousandths(allot__text *out, const char *key, int64_t number)
{
    allot__text_number(out, key, number / 1000);
    if (number % 1000 != 0)
        allot__text_printf(out, ".%03d", (int)(number % 1000));
}

static void write_number(allot__text *out, const part *it)
{
    if (it->member->type == ALLOT_MEMBER_THOUSANDTHS)
        write_thousandths(out, it->member->name, long_of(it));
    else
        allot__text_number(out, it->member->name, long_of(it));
}

static void write_texts(allot__text *out, const part *it)
{
    const char *const *texts = list_of(it);
    allot__text_open(out, it->member->name, "[");
    for (int32_t i = 0; i < count_of(it); i++)
        allot__text_string(out, NULL, texts[i]);
    allot__text_puts(out, "]");
}

/* The only host has no name. */
static void write_places(allot__text *out, const part *it)
{
    const allot_job_host *places = list_of(it);
    if (!places[0].host) {
        allot__text_number(out, it->member->name, places[0].slots);
        return;
    }
    allot__text_open(out, it->member->name, "{");
    for (int32_t i = 0; i < count_of(it); i++)
        allot__text_named_number(out, places[i].host, places[i].slots);
    allot__text_puts(out, "}");
}

static void write_amounts(allot__text *out, const part *it)
{
    const allot_job_resource *list = list_of(it);
    allot_resource of;
    allot__text_open(out, it->member->name, "{");
    for (int32_t i = 0; i < count_of(it); i++)
        if (allot__text_got(out, allot_plan_resource_at(it->plan, list[i].resource, &of)))
            allot__text_named_number(out, of.name, list[i].amount);
    allot__text_puts(out, "}");
}

static void write_claims(allot__text *out, const part *it)
{
    const allot_claim *claims = list_of(it);
    allot__text_open(out, it->member->name, "[");
    for (int32_t i = 0; i < count_of(it); i++) {
        allot__text_open(out, NULL, "{");
        allot__text_path_member(out, "consumer", it->plan, claims[i].consumer);
        allot__text_number(out, "slots", claims[i].slots);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]");
}

/* Slots of the item's own group come first. */
static void write_slots(allot__text *out, const part *it)
{
    const allot_task *task =
        (const allot_task *)(const void *)it->item; /* only tasks have such slots */
    if (task->also_count == 0) {
        allot__text_number(out, it->member->name, task->slots);
        return;
    }
    allot__text_open(out, it->member->name, "{");
    allot__text_named_number(out, allot_plan_group_name(it->plan, task->group), task->slots);
    for (int32_t i = 0; i < task->also_count; i++)
        allot__text_named_number(out, allot_plan_group_name(it->plan, task->also[i].group),
                                 task->also[i].slots);
    allot__text_puts(out, "}");
}

static void write_values(allot__text *out, const part *it)
{
    const allot_task_value *values = list_of(it);
    allot_attribute of;
    for (int32_t i = 0; i < count_of(it); i++) {
        int status = allot_plan_task_attribute_at(it->plan, values[i].attribute, &of);
        if (!allot__text_got(out, status))
            return;
        if (of.type == ALLOT_BOOLEAN)
            allot__text_bool(out, of.name, values[i].value != 0);
        else
            allot__text_number(out, of.name, values[i].value);
    }
}

static void write_members(allot__text *out, const allot_plan *plan, const allot_member *members,
                          int32_t count, const char *item);

static void write_object(allot__text *out, const part *it)
{
    allot__text_open(out, it->member->name, "{");
    write_members(out, it->plan, it->member->members, it->member->member_count, it->item);
    allot__text_puts(out, "}");
}

static void write_member(allot__text *out, const part *it)
{
    const allot_member *member = it->member;
    switch (member->type) {
    case ALLOT_MEMBER_TEXT:
        allot__text_string(out, member->name, list_of(it));
        break;
    case ALLOT_MEMBER_WHOLE:
    case ALLOT_MEMBER_TIME:
    case ALLOT_MEMBER_THOUSANDTHS:
        write_number(out, it);
        break;
    case ALLOT_MEMBER_WORD:
        allot__text_string(out, member->name, member->word(number_of(it)));
        break;
    case ALLOT_MEMBER_FLAG:
        allot__text_bool(out, member->name, true);
        break;
    case ALLOT_MEMBER_TEXTS:
        write_texts(out, it);
        break;
    case ALLOT_MEMBER_PLACES:
        write_places(out, it);
        break;
    case ALLOT_MEMBER_AMOUNTS:
        write_amounts(out, it);
        break;
    case ALLOT_MEMBER_CLAIMS:
        write_claims(out, it);
        break;
    case ALLOT_MEMBER_SLOTS:
        write_slots(out, it);
        break;
    case ALLOT_MEMBER_VALUES:
        write_values(out, it);
        break;
    case ALLOT_MEMBER_OBJECT:
        write_object(out, it);
        break;
    default:
        write_name(out, it);
    }
}

static void write_members(allot__text *out, const allot_plan *plan, const allot_member *members,
                          int32_t count, const char *item)
{
    for (int32_t i = 0; i < count; i++) {
        part it = {plan, &members[i], item};
        if (is_stated(&it))
            write_member(out, &it);
    }
}

void allot__item_write(allot__text *out, const allot_plan *plan, const allot_members *members,
                       const void *item)
{
    write_members(out, plan, members->items, members->count, item);
}

int allot_item_write(const allot_plan *plan, allot_item kind, const void *item, allot_sink sink,
                     void *ud)
{
    const allot_members *members = allot_members_of(kind);
    if (!plan || !members || !item || !sink)
        return ALLOT_EUSAGE;
    allot__text out = {.engine = allot_plan_engine(plan), .sink = sink, .ud = ud};
    allot__text_open(&out, NULL, "{");
    for (int32_t i = 0; i < members->count; i++)
        if (members->items[i].flags & ALLOT_MEMBER_KEY)
            write_member(&out, &(part){plan, &members->items[i], item});
    allot__item_write(&out, plan, members, item);
    allot__text_puts(&out, "}");
    int status = allot__text_end(&out);
    allot__text_free(&out);
    return status;
}
