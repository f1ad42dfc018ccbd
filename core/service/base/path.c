/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* path.c: a consumer's path as a JSON string. */
#include "service/base/path.h"

void allot__path_json(allot__text *text, const allot_plan *plan, int32_t consumer)
{
    size_t len = allot_plan_path(plan, consumer, NULL, 0);
    allot__text_add(text, "\"", 1);
    char *at = allot__text_room(text, len);
    if (at)
        text->len += allot_plan_path(plan, consumer, at, len + 1);
    allot__text_add(text, "\"", 1); /* names need no escapes (E-1) */
}
