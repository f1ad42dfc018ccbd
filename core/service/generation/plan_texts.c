/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan_texts.c: writes generations as texts to the store, and reads them. */
#include "service/generation/plan_texts.h"

#include <string.h>

#include "base/memory.h"

void allot__plan_texts_ask(const allot__plan_texts *texts, allot__generation_ask *ask)
{
    ask->text = texts->text;
    ask->len = texts->len;
    ask->texts = &texts->policies;
    ask->instead = texts->instead;
}

/* ---- From the store -------------------------------------------------------------------------- */

/* Reads a line of a list: "SHA256 NAME" or "instead NAME". */
static int take_line(allot__plan_texts *it, allot__store *store, const char *line,
                     allot_report *report)
{
    char sha256[65] = "";
    const char *name = strchr(line, ' ');
    if (!name || (size_t)(name - line) >= sizeof sha256)
        return ALLOT_ENOENT;
    memcpy(sha256, line, (size_t)(name++ - line));
    if (strcmp(sha256, "instead") == 0) {
        it->instead = allot__copy(it->engine, name, strlen(name));
        return it->instead ? ALLOT_OK : ALLOT_ENOMEM;
    }
    allot__text text = {.engine = it->engine};
    int status = allot__store_policy(store, sha256, report, &text);
    if (status == ALLOT_OK)
        status = allot__sources_put(&it->policies, name, text.bytes, text.len);
    allot__text_free(&text);
    return status;
}

static int take_list(allot__plan_texts *it, allot__store *store, const allot__text *list,
                     allot_report *report)
{
    static const char head[] = ALLOT__POLICIES_HEAD;
    size_t at = sizeof head;
    if (list->len < at || memcmp(list->bytes, head, at) != 0)
        return ALLOT_ENOENT; /* an old row has only the first group's policy */
    int status = ALLOT_OK;
    for (; at < list->len && status == ALLOT_OK; at += strlen(list->bytes + at) + 1)
        status = take_line(it, store, list->bytes + at, report);
    return status;
}

int allot__plan_texts_store(allot_engine *engine, allot__store *store,
                            const allot__store_pair *names, allot_report *report,
                            allot__plan_texts **out)
{
    allot__plan_texts *it = NULL;
    allot__text plan = {.engine = engine}, list = {.engine = engine};
    int status = allot__store_plan(store, names->plan, report, &plan);
    if (status == ALLOT_OK)
        status = allot__store_policy(store, names->policies, report, &list);
    if (status == ALLOT_OK)
        status = allot__plan_texts_new(plan.bytes, plan.len, NULL, &it);
    if (status == ALLOT_OK)
        status = take_list(it, store, &list, report);
    allot__text_free(&plan);
    allot__text_free(&list);
    if (status == ALLOT_OK)
        *out = it;
    else
        allot__plan_texts_free(it);
    return status;
}

/* ---- Into the store -------------------------------------------------------------------------- */

int allot__plan_texts_keep(allot__store *store, const allot__generation *generation)
{
    const allot__plan_texts *texts = generation->texts;
    const allot__sources *policies = &texts->policies;
    char sha256[65];
    int64_t batch = allot__store_put_plan(store, generation->sha256, texts->text, texts->len);
    for (size_t i = 0; i < policies->count && batch > 0; i++) {
        const allot__source *it = &policies->items[i];
        allot_sha256(it->bytes, (size_t)it->size, sha256);
        batch = allot__store_put_policy(store, sha256, it->bytes, (size_t)it->size);
    }
    if (batch > 0)
        batch = allot__store_put_policy(store, generation->policies_sha256, generation->list.bytes,
                                        generation->list.len);
    return batch > 0 ? ALLOT_OK : ALLOT_ENOMEM;
}

bool allot__plan_texts_is(const allot__store_pair *names, const allot__generation *generation)
{
    return strcmp(names->plan, generation->sha256) == 0 &&
           strcmp(names->policies, generation->policies_sha256) == 0;
}
