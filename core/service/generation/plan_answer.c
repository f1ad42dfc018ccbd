/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan_answer.c: a generation, for clients. */
#include "service/generation/plan_answer.h"

void allot__plan_answer_put(const allot__generation *generation, const char *file, allot__text *out)
{
    allot__text_puts(out, "{");
    allot__text_member(out, "file", file);
    allot__text_member(out, "sha256", generation->sha256);
    allot__text_key(out, "text");
    allot__text_json_len(out, generation->text, generation->len);
    allot__text_member(out, "instead", generation->instead);
    allot__text_open(out, "policies", "{");
    for (size_t i = 0; i < generation->policies.count; i++) {
        const allot__source *policy = &generation->policies.items[i];
        allot__text_puts(out, i > 0 ? ", " : "");
        allot__text_json(out, policy->path);
        allot__text_puts(out, ": ");
        allot__text_json_len(out, policy->bytes, (size_t)policy->size);
    }
    allot__text_puts(out, "}}");
}
