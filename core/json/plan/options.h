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
    int32_t count;
} allot__choices;

/* In place of a group: branch i, window i. */
#define ALLOT__BRANCH(i) (-2 - (int32_t)(i))
#define ALLOT__WINDOW(i) (INT32_MIN + (int32_t)(i))
static inline bool allot__is_window(int32_t group)
{
    return group < ALLOT__WINDOW(ALLOT_WINDOWS_MAX);
}

/* A list that begins as a copy of `shared` (NULL: empty), with room for `more`. False: out of
 * memory. */
bool allot__choices_new(allot__doc *doc, allot__choices *list, const allot__choices *shared,
                        size_t more);

/* Takes the member when it is an option of the core, for a group, window or ALLOT_ALL, then for
 * groups that go by the plan's policy, or `everywhere`. Is it one? */
bool allot__core_option_take(allot__plan_reader *reader, uint32_t member, int32_t group,
                             bool everywhere);
/* An option that a policy alone knows joins the list. */
void allot__any_option_take(allot__doc *doc, uint32_t member, bool mine, allot__choices *list);
/* A member of `options`; `single`: the plan has one policy. */
void allot__option_take(allot__plan_reader *reader, uint32_t member, bool single,
                        allot__choices *list);

#endif
