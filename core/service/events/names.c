/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.c: names and words in events, found in the plan. */
#include "service/events/names.h"

#include <stdio.h>
#include <string.h>

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

/* The words begin with the one that stands for false, if there is one. */
int32_t allot__word_find(const allot_member *member, const allot_json_event *value)
{
    int32_t first = (member->flags & ALLOT_MEMBER_FALSE) != 0;
    const char *word;
    if (first && value->kind == ALLOT_JSON_FALSE)
        return 0;
    for (int32_t i = first; value->kind == ALLOT_JSON_TEXT && (word = member->word(i)); i++)
        if (strcmp(word, value->text) == 0)
            return i;
    return -1;
}

void allot__word_list(const allot_member *member, char *out, size_t size)
{
    const char *word;
    size_t len = 0;
    for (int32_t i = 0; (word = member->word(i)) && len < size; i++) {
        const char *before = i == 0 ? "" : member->word(i + 1) ? ", " : " or ";
        bool plain = i == 0 && member->flags & ALLOT_MEMBER_FALSE;
        len += (size_t)snprintf(out + len, size - len, plain ? "%s%s" : "%s\"%s\"", before, word);
    }
}

int allot__label_check(const allot_member *member, const char *path, const char *text,
                       allot__error *fault)
{
    size_t len = 0;
    while (text[len] != '\0' && (unsigned char)text[len] >= 0x20 && text[len] != 0x7f)
        len++;
    if (!(member->flags & ALLOT_MEMBER_LABEL) || (text[len] == '\0' && len >= 1 && len <= 255))
        return ALLOT_OK;
    return allot__error_unfit(fault, ALLOT_EINVALID, "E-name", path,
                              "%s: found \"%.60s\", allowed 1 ... 255 bytes without control "
                              "characters",
                              path, text);
}
