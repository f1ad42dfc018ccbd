/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory.c: texts, each once. */
#include "simulate/log/trace.h"

#include <string.h>

const char *allot__strings_text(const allot__strings *names, int32_t number)
{
    if (number < 0)
        return NULL;
    return (const char *)names->bytes.items + ((const size_t *)names->starts.items)[number];
}

static bool is(const allot__strings *names, int32_t number, const char *text, size_t len)
{
    const char *own = allot__strings_text(names, number);
    return strncmp(own, text, len) == 0 && own[len] == '\0';
}

int32_t allot__strings_find(const allot__strings *names, const char *text, size_t len)
{
    uint32_t probe = 0, hash = allot__hash(0, text, len);
    int32_t number = allot__index_next(&names->index, hash, &probe);
    while (number >= 0 && !is(names, number, text, len))
        number = allot__index_next(&names->index, hash, &probe);
    return number;
}

int32_t allot__strings_put(allot_engine *engine, allot__strings *names, const char *text,
                           size_t len)
{
    int32_t found = allot__strings_find(names, text, len), number = (int32_t)names->starts.count;
    if (found >= 0)
        return found;
    if (names->starts.count >= INT32_MAX - 1 || allot__index_room(engine, &names->index) ||
        allot__vector_room(engine, &names->bytes, len + 1, 1))
        return -1;
    size_t *start = allot__push(engine, &names->starts, sizeof *start);
    if (!start)
        return -1;
    *start = names->bytes.count;
    char *copy = (char *)names->bytes.items + names->bytes.count;
    memcpy(copy, text, len);
    copy[len] = '\0';
    names->bytes.count += len + 1;
    allot__index_add(&names->index, allot__hash(0, text, len), number);
    return number;
}

void allot__strings_free(allot_engine *engine, allot__strings *names)
{
    allot__vector_free(engine, &names->bytes);
    allot__vector_free(engine, &names->starts);
    allot__index_free(engine, &names->index);
}
