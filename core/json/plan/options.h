/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * options.h: options for policies and for the core, while a plan is read.
 *
 * An option beside `use` is for that use alone. An option under `options` is for all policies of
 * the plan; each ignores those that it does not know. If the plan has a single policy, an option
 * unknown to it is an error, unless the contract names the option.
 */
#ifndef ALLOT_JSON_PLAN_OPTIONS_H
#define ALLOT_JSON_PLAN_OPTIONS_H

#include "json/plan/plan.h"

/* Options for loading a policy, with their places. */
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

/* Makes a list as a copy of `shared` (NULL: empty), with space for `more`. False: out of memory. */
bool allot__choices_new(allot__doc *doc, allot__choices *list, const allot__choices *shared,
                        size_t more);

/* Takes the member if it is an option of the core (else false), for a group, window or ALLOT_ALL:
 * all groups under the plan's policy, or all if `everywhere`. */
bool allot__core_option_take(allot__plan_reader *reader, uint32_t member, int32_t group,
                             bool everywhere);
/* Adds an option that only a policy knows to the list. */
void allot__any_option_take(allot__doc *doc, uint32_t member, bool mine, allot__choices *list);
/* A member of `options`; `single`: the plan has one policy. */
void allot__option_take(allot__plan_reader *reader, uint32_t member, bool single,
                        allot__choices *list);

#endif
