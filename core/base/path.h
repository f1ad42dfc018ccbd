/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* path.h: a consumer's path, written into a text. Inline, so that the compiled files of base/ need
 * no plan. */
#ifndef ALLOT_BASE_PATH_H
#define ALLOT_BASE_PATH_H

#include <allot/plan.h>

#include "base/text.h"

static inline void allot__text_path(allot__text *text, const allot_plan *plan, int32_t consumer)
{
    size_t len = allot_plan_path(plan, consumer, NULL, 0);
    char *at = allot__text_room(text, len);
    if (at)
        text->len += allot_plan_path(plan, consumer, at, len + 1);
}

/* As a JSON string; names need no escapes (E-1). */
static inline void allot__text_json_path(allot__text *text, const allot_plan *plan,
                                         int32_t consumer)
{
    allot__text_add(text, "\"", 1);
    allot__text_path(text, plan, consumer);
    allot__text_add(text, "\"", 1);
}

/* As a member, or with NULL an item. */
static inline void allot__text_path_member(allot__text *text, const char *key,
                                           const allot_plan *plan, int32_t consumer)
{
    allot__text_key(text, key);
    allot__text_json_path(text, plan, consumer);
}

#endif
