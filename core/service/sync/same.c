/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* same.c: whether two items are the same, by the table of their members. */
#include "service/sync/truth.h"

static int32_t number_at(const char *item, size_t at)
{
    int32_t number;
    memcpy(&number, item + at, sizeof number);
    return number;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Places, by whatever order they were told in. */
static bool has_place(const allot_job_host *places, int32_t count, const allot_job_host *place)
{
    for (int32_t i = 0; i < count; i++)
        if (same_text(places[i].host, place->host))
            return places[i].slots == place->slots;
    return false;
}

static bool same_item(allot_member_type type, const void *a, const void *b, int32_t count)
{
    bool same = true;
    for (int32_t i = 0; i < count && same; i++) {
        if (type == ALLOT_MEMBER_TEXTS)
            same = strcmp(((const char *const *)a)[i], ((const char *const *)b)[i]) == 0;
        else if (type == ALLOT_MEMBER_PLACES)
            same = has_place(b, count, (const allot_job_host *)a + i);
        else if (type == ALLOT_MEMBER_AMOUNTS)
            same = ((const allot_job_resource *)a)[i].resource ==
                       ((const allot_job_resource *)b)[i].resource &&
                   ((const allot_job_resource *)a)[i].amount ==
                       ((const allot_job_resource *)b)[i].amount;
        else if (type == ALLOT_MEMBER_SLOTS)
            same =
                ((const allot_task_slots *)a)[i].group == ((const allot_task_slots *)b)[i].group &&
                ((const allot_task_slots *)a)[i].slots == ((const allot_task_slots *)b)[i].slots;
        else if (type == ALLOT_MEMBER_VALUES)
            same = ((const allot_task_value *)a)[i].attribute ==
                       ((const allot_task_value *)b)[i].attribute &&
                   ((const allot_task_value *)a)[i].value == ((const allot_task_value *)b)[i].value;
    }
    return same;
}

static bool same_list(const allot_member *member, const char *a, const char *b)
{
    const void *one, *other;
    int32_t count = number_at(a, member->count_at);
    if (count != number_at(b, member->count_at))
        return false;
    memcpy(&one, a + member->at, sizeof one);
    memcpy(&other, b + member->at, sizeof other);
    return same_item(member->type, one, other, count);
}

static bool same_members(const allot_member *members, int32_t count, const char *a, const char *b);

static bool same_member(const allot_member *member, const char *a, const char *b)
{
    const char *one, *other;
    switch (member->type) {
    case ALLOT_MEMBER_TEXT:
        memcpy(&one, a + member->at, sizeof one);
        memcpy(&other, b + member->at, sizeof other);
        return same_text(one, other);
    case ALLOT_MEMBER_WHOLE:
    case ALLOT_MEMBER_TIME:
    case ALLOT_MEMBER_THOUSANDTHS:
        return memcmp(a + member->at, b + member->at, sizeof(int64_t)) == 0;
    case ALLOT_MEMBER_FLAG:
        return ((number_at(a, member->at) ^ number_at(b, member->at)) & member->least) == 0;
    case ALLOT_MEMBER_OBJECT:
        return same_members(member->members, member->member_count, a, b);
    case ALLOT_MEMBER_SLOTS:
        return same_list(member, a, b) && same_members(member->members, member->member_count, a, b);
    case ALLOT_MEMBER_TEXTS:
    case ALLOT_MEMBER_PLACES:
    case ALLOT_MEMBER_AMOUNTS:
    case ALLOT_MEMBER_CLAIMS:
    case ALLOT_MEMBER_VALUES:
        return same_list(member, a, b);
    default:
        return number_at(a, member->at) == number_at(b, member->at);
    }
}

static bool same_members(const allot_member *members, int32_t count, const char *a, const char *b)
{
    for (int32_t i = 0; i < count; i++)
        if (!(members[i].flags & ALLOT_MEMBER_PASSED) && !same_member(&members[i], a, b))
            return false;
    return true;
}

bool allot__items_same(allot_item kind, const void *a, const void *b)
{
    const allot_members *members = allot_members_of(kind);
    return same_members(members->items, members->count, a, b);
}
