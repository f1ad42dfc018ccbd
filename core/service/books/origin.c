/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* origin.c: who tells the truth of what: sources by name, and what is theirs. */
#include "service/books/own.h"

#include "base/memory.h"

int allot__origin_find(allot__books *books, const char *name, const allot__origin **out)
{
    *out = NULL;
    if (!name)
        return ALLOT_OK;
    allot__origin *source = allot__item_find(&books->sources, name);
    if (!source) {
        source = allot__item_make(books->engine, sizeof *source, name, strlen(name), 0);
        if (!source || allot__item_put(books->engine, &books->sources, source) != ALLOT_OK)
            return ALLOT_ENOMEM;
        source->at = INT64_MIN;
    }
    *out = source;
    return ALLOT_OK;
}

int allot__origin_of(allot__books *books, const allot__event *event, const allot__origin **out)
{
    int status = allot__origin_find(books, event->source, out);
    allot__origin *source = (allot__origin *)*out;
    if (source && event->at > source->at)
        source->at = event->at;
    return status;
}

int allot__origin_set(allot__books *books, int32_t group, int32_t leaf, const allot__origin *source)
{
    allot__books_group *of = &books->groups[group];
    if (!of->sources && source)
        of->sources = allot__new(books->engine, books->consumers, sizeof *of->sources);
    if (!of->sources)
        return source ? ALLOT_ENOMEM : ALLOT_OK;
    of->sources[leaf] = source;
    return ALLOT_OK;
}

int64_t allot__books_standing(const allot__books *books, const allot_decision *decision)
{
    int64_t standing = 0;
    for (int32_t i = 0; i < allot_decision_grants(decision); i++) {
        allot_grant grant;
        standing += allot_decision_grant(decision, i, &grant) == ALLOT_OK &&
                    allot__leaf_origin(&books->groups[grant.group], grant.consumer) != NULL;
    }
    return standing;
}
