/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* doc.c: a document, and the members of its objects. */
#include "json/text/doc.h"

#include <string.h>

int allot__doc_open(allot__doc *doc, allot_engine *engine, const char *text, size_t len,
                    const char *file, int32_t line, bool relaxed, allot_report *report)
{
    *doc = (allot__doc){.engine = engine,
                        .report = report,
                        .file = file,
                        .first_line = line,
                        .given = text ? text : ""};
    doc->scan = (allot__scan){.engine = engine, .len = len, .relaxed = relaxed};
    doc->scan.text = len < SIZE_MAX ? allot_engine_alloc(engine, NULL, 0, len + 1) : NULL;
    if (!doc->scan.text)
        return ALLOT_ENOMEM;
    if (len > 0)
        memcpy(doc->scan.text, text, len);
    doc->scan.text[len] = '\0';
    int status = allot__scan_run(&doc->scan);
    if (status == ALLOT_EINVALID)
        allot__doc_flaw(doc);
    return status;
}

void allot__doc_close(allot__doc *doc)
{
    if (!doc->engine)
        return;
    if (doc->scan.text)
        allot_engine_alloc(doc->engine, doc->scan.text, doc->scan.len + 1, 0);
    allot__scan_free(&doc->scan);
    allot__pool_free(doc->engine, &doc->kept);
    allot__pool_free(doc->engine, &doc->entry);
    *doc = (allot__doc){0};
}

void *allot__doc_take(allot__doc *doc, size_t count, size_t size)
{
    allot__pool *pool = doc->in_entry ? &doc->entry : &doc->kept;
    void *block = allot__pool_take(doc->engine, pool, count * size, 16);
    if (!block)
        allot__doc_keep(doc, ALLOT_ENOMEM);
    return block;
}

void allot__entry_begin(allot__doc *doc)
{
    doc->in_entry = true;
}

void allot__entry_end(allot__doc *doc)
{
    doc->in_entry = false;
    allot__pool_clear(doc->engine, &doc->entry);
}

/* ---- Repeated keys --------------------------------------------------------------------------- */

static uint32_t hash_of(const char *key)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * UINT64_C(1099511628211);
    return (uint32_t)(hash ^ (hash >> 29));
}

/* The size of `seen` is a power of two, and above the object's number of members. */
static void find_repeated(allot__doc *doc, uint32_t object, uint32_t *seen, size_t places)
{
    uint32_t end = allot__doc_end(doc, object);
    for (uint32_t it = object + 1; it < end; it = allot__doc_next(doc, it)) {
        const char *key = allot__doc_key(doc, it);
        if (!key)
            continue;
        size_t place = hash_of(key) & (places - 1);
        while (seen[place] != 0 && strcmp(allot__doc_key(doc, seen[place]), key) != 0)
            place = (place + 1) & (places - 1);
        if (seen[place] == 0) {
            seen[place] = it;
            continue;
        }
        allot__spot spot = allot__at_key(it);
        allot__doc_found(doc, spot, "E-duplicate-key", NULL, "the key ",
                         " again, allowed once in an object");
        doc->scan.text[allot__doc_key_at(doc, it)] = ALLOT__REPEATED;
    }
}

static void check_keys(allot__doc *doc, uint32_t object)
{
    enum { FEW = 32 };
    uint32_t few[FEW] = {0};
    size_t places = FEW, count = allot__doc_count(doc, object);
    if (count < FEW / 2) {
        find_repeated(doc, object, few, FEW);
        return;
    }
    while (places < count * 2)
        places *= 2;
    uint32_t *seen = allot_engine_alloc(doc->engine, NULL, 0, places * sizeof *seen);
    if (!seen) {
        allot__doc_keep(doc, ALLOT_ENOMEM);
        return;
    }
    memset(seen, 0, places * sizeof *seen);
    find_repeated(doc, object, seen, places);
    allot_engine_alloc(doc->engine, seen, places * sizeof *seen, 0);
}

/* ---- Members --------------------------------------------------------------------------------- */

/* The item itself, or the first later one that is not a repeated member; 0: none is left. */
static uint32_t from(const allot__doc *doc, uint32_t number, uint32_t item)
{
    bool object = allot__doc_first(doc, number) == '{';
    uint32_t end = allot__doc_end(doc, number);
    while (item < end && object && !allot__doc_key(doc, item))
        item = allot__doc_next(doc, item);
    return item < end ? item : 0;
}

uint32_t allot__doc_in(allot__doc *doc, uint32_t number)
{
    if (allot__doc_first(doc, number) == '{')
        check_keys(doc, number);
    return from(doc, number, number + 1);
}

uint32_t allot__doc_after(const allot__doc *doc, uint32_t number, uint32_t item)
{
    return from(doc, number, allot__doc_next(doc, item));
}

size_t allot__doc_count(const allot__doc *doc, uint32_t number)
{
    size_t count = 0;
    uint32_t end = allot__doc_end(doc, number);
    for (uint32_t item = number + 1; item < end; item = allot__doc_next(doc, item))
        count++;
    return count;
}

uint32_t allot__doc_item(const allot__doc *doc, uint32_t number, int64_t i)
{
    uint32_t item = number + 1, end = allot__doc_end(doc, number);
    while (i-- > 0 && item < end)
        item = allot__doc_next(doc, item);
    return item < end ? item : 0;
}

uint32_t allot__doc_member(const allot__doc *doc, uint32_t object, const char *key)
{
    uint32_t item = from(doc, object, object + 1);
    while (item != 0 && strcmp(allot__doc_key(doc, item), key) != 0)
        item = allot__doc_after(doc, object, item);
    return item;
}
