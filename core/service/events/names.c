/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.c: names and words in events, found in the plan. */
#include "service/events/names.h"

#include <stdio.h>
#include <string.h>

static int missing(const allot__event_field *field, allot__error *fault, const char *code,
                   const char *name, const char *near)
{
    char hint[150] = "";
    if (near && near[0] != '\0')
        snprintf(hint, sizeof hint, "did you mean \"%.100s\"?", near);
    return allot__error_set(fault, ALLOT_ENOENT, code, field->name, hint,
                            "%s: the plan has no \"%.100s\"", field->name, name);
}

static int find_consumer(const allot_plan *plan, const allot__event_field *field, const char *name,
                         size_t len, int32_t *out, allot__error *fault)
{
    char near[128] = "";
    int32_t consumer = allot_plan_find(plan, name, len);
    if (consumer == ALLOT_ROOT) {
        size_t size = allot_plan_nearest(plan, name, len, near, sizeof near);
        return missing(field, fault, "E-unknown-path", name,
                       size > 0 && size < sizeof near ? near : NULL);
    }
    if (field->type == ALLOT__F_LEAF && allot_plan_children(plan, consumer) > 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-not-leaf", field->name, NULL,
                                "%s: \"%.100s\" has consumers below it, allowed is one without",
                                field->name, name);
    *out = consumer;
    return ALLOT_OK;
}

int allot__name_find(const allot_plan *plan, const allot__event_field *field, const char *name,
                     size_t len, int32_t *out, allot__error *fault)
{
    int32_t number = -1;
    const char *code = "E-unknown-group";
    if (field->type == ALLOT__F_CONSUMER || field->type == ALLOT__F_LEAF)
        return find_consumer(plan, field, name, len, out, fault);
    if (field->type == ALLOT__F_GROUP) {
        number = allot_plan_group_find(plan, name, len);
    } else if (field->type == ALLOT__F_QUEUE) {
        number = allot_plan_queue_find(plan, name);
        code = "E-unknown-queue";
    } else {
        number = allot_plan_lease_find(plan, name);
        code = "E-unknown-lease";
    }
    if (number < 0)
        return missing(field, fault, code, name, NULL);
    *out = number;
    return ALLOT_OK;
}

static const char *word_at(const allot__event_field *field, int i)
{
    static const char *const closed[] = {"", "drain", "reclaim"};
    switch (field->type) {
    case ALLOT__F_SCHEDULING:
        return i < ALLOT_SCHEDULING_COUNT ? allot_scheduling_name(i) : NULL;
    case ALLOT__F_JOB_STATE:
        return i < ALLOT_JOB_STATE_COUNT ? allot_job_state_name(i) : NULL;
    case ALLOT__F_TASK_STATE:
        return i == 0 ? "running" : i == 1 ? "pending" : NULL;
    case ALLOT__F_PHASE:
        return i < ALLOT_LEASE_PHASE_COUNT ? allot_lease_phase_name(i) : NULL;
    default:
        return i < 3 ? closed[i] : NULL;
    }
}

int32_t allot__word_find(const allot__event_field *field, const allot_json_event *value)
{
    if (field->type == ALLOT__F_CLOSED && value->kind == ALLOT_JSON_FALSE)
        return ALLOT_OPEN;
    if (value->kind != ALLOT_JSON_TEXT || value->len == 0)
        return -1;
    for (int i = 0;; i++) {
        const char *word = word_at(field, i);
        if (!word)
            return -1;
        if (strcmp(word, value->text) == 0)
            return i;
    }
}

const char *allot__word_list(const allot__event_field *field)
{
    switch (field->type) {
    case ALLOT__F_SCHEDULING:
        return "\"proportional\", \"minimum\" or \"priority\"";
    case ALLOT__F_JOB_STATE:
        return "\"pending\", \"running\", \"suspended\" or \"stopped\"";
    case ALLOT__F_TASK_STATE:
        return "\"running\" or \"pending\"";
    case ALLOT__F_PHASE:
        return "a phase of leases, as \"ok\"";
    default:
        return "false, \"drain\" or \"reclaim\"";
    }
}

int allot__label_check(const allot__event_field *field, const char *path, const char *text,
                       allot__error *fault)
{
    static const uint32_t labels =
        1u << ALLOT__F_LABEL | 1u << ALLOT__F_LABEL_ID | 1u << ALLOT__F_LABELS;
    size_t len = 0;
    while (text[len] != '\0' && (unsigned char)text[len] >= 0x20 && text[len] != 0x7f)
        len++;
    if ((labels >> field->type & 1) == 0 || (text[len] == '\0' && len >= 1 && len <= 255))
        return ALLOT_OK;
    return allot__error_unfit(fault, ALLOT_EINVALID, "E-name", path,
                              "%s: found \"%.60s\", allowed 1 ... 255 bytes without control "
                              "characters",
                              path, text);
}

bool allot__has_group(const allot__fields *fields)
{
    for (int32_t i = 0; i < fields->count; i++)
        if (fields->items[i].type == ALLOT__F_GROUP)
            return true;
    return false;
}
