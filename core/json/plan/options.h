/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * options.h: what a plan states for policies and for the core, while it is read.
 *
 * An option beside `use` is for that use alone. One under `options` is for all, and a policy that
 * does not know it lets it pass, as other policies of the plan may; but where the plan has a
 * single policy, nobody else can, so there it is an error unless the contract names it.
 */
#ifndef ALLOT_JSON_PLAN_OPTIONS_H
#define ALLOT_JSON_PLAN_OPTIONS_H

#include "json/plan/plan.h"

/* What policies are loaded with, and where it stands. */
typedef struct allot__choices {
    allot_use_option *options;
    uint32_t *numbers;
    int32_t count, capacity;
    int32_t shared; /* the first are those under `options` */
} allot__choices;

/* In place of a group: branch i, window i. */
#define ALLOT__BRANCH(i) (-2 - (int32_t)(i))
#define ALLOT__WINDOW(i) (INT32_MIN + (int32_t)(i))
static inline bool allot__is_window(int32_t group)
{
    return group < ALLOT__WINDOW(ALLOT_WINDOWS_MAX);
}

/* Room for so many; to be ended in any case. False: out of memory. */
bool allot__choices_new(allot__doc *doc, allot__choices *list, size_t capacity);
void allot__choices_free(allot__doc *doc, allot__choices *list);
void allot__choose(allot__choices *list, const char *name, const allot__value *value, bool mine);

/* Takes the member when it is an option of the core, for a group, window or ALLOT_ALL, then for
 * groups that go by the plan's policy, or `everywhere`. Is it one? */
bool allot__core_option_take(allot__plan_reader *reader, const cJSON *member, int32_t group,
                             bool everywhere);
/* An option that a policy alone knows joins the list. */
void allot__any_option_take(allot__doc *doc, cJSON *member, bool mine, allot__choices *list);
/* A member of `options`; `single`: the plan has one policy. */
void allot__option_take(allot__plan_reader *reader, cJSON *member, bool single,
                        allot__choices *list);

#endif
