/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* path.c: a consumer's path as text. */
#include "cli/term/cli.h"

void allot__cli_puts_path(allot__text *text, const allot_plan *plan, int32_t consumer)
{
    size_t len = allot_plan_path(plan, consumer, NULL, 0);
    char *at = allot__text_room(text, len);
    if (at)
        text->len += allot_plan_path(plan, consumer, at, len + 1);
}
