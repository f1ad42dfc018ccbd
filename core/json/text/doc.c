/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* doc.c: opening a document, and its objects one at a time. */
#include "json/text/doc.h"

#include <string.h>

#include "json/text/place.h"

/* Objects of at most so many members are searched for repeated keys pair by pair. */
#define FEW 8

int allot__doc_open(allot__doc *doc, allot_engine *engine, const char *text, size_t len,
                    const char *file, bool relaxed, allot_report *report)
{
    return allot__doc_open_part(doc, engine, text, len, file, 0, relaxed, report);
}

int allot__doc_open_part(allot__doc *doc, allot_engine *engine, const char *text, size_t len,
                         const char *file, int32_t lines_before, bool relaxed, allot_report *report)
{
    memset(doc, 0, sizeof *doc);
    doc->lines_before = lines_before;
    doc->engine = doc->scan.engine = engine;
    doc->report = report;
    doc->file = file;
    doc->given = text ? text : "";
    doc->scan.len = len;
    doc->scan.relaxed = relaxed;
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
    if (doc->scan.text)
        allot_engine_alloc(doc->engine, doc->scan.text, doc->scan.len + 1, 0);
    if (doc->scratch)
        allot_engine_alloc(doc->engine, doc->scratch, doc->scratch_size, 0);
    if (doc->engine)
        allot__scan_free(&doc->scan);
    memset(doc, 0, sizeof *doc);
}

uint32_t allot__doc_member(const allot__doc *doc, uint32_t object, const char *key)
{
    size_t len = strlen(key);
    uint32_t end = allot__doc_end(doc, object);
    for (uint32_t item = object + 1; item < end; item = allot__doc_next(doc, item)) {
        const char *found = doc->scan.text + allot__place_key(doc, item) + 1;
        if (strncmp(found, key, len) == 0 && found[len] == '"')
            return item;
    }
    return 0;
}

/* ---- Repeated keys --------------------------------------------------------------------------- */

static void repeated(allot__doc *doc, cJSON *member)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    allot__spot spot = allot__at_key((uint32_t)member->valueint);
    allot__doc_fault(doc, spot, "E-duplicate-key", NULL,
                     "found the key %s again, allowed once in an object",
                     allot__doc_quote(doc, spot, quote));
    member->valueint = 0;
}

static void check_pairs(allot__doc *doc, cJSON *object)
{
    for (cJSON *member = object->child; member; member = member->next)
        for (cJSON *other = object->child; other != member; other = other->next)
            if (strcmp(member->string, other->string) == 0) {
                repeated(doc, member);
                break;
            }
}

static size_t hash(const char *key)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * UINT64_C(1099511628211);
    return (size_t)(hash ^ (hash >> 29));
}

static int check_hashed(allot__doc *doc, cJSON *object, size_t count)
{
    size_t slots = 32;
    while (slots < count * 2)
        slots *= 2;
    size_t size = slots * sizeof(cJSON *);
    cJSON **seen = allot_engine_alloc(doc->engine, NULL, 0, size);
    if (!seen)
        return ALLOT_ENOMEM;
    memset(seen, 0, size);
    for (cJSON *member = object->child; member; member = member->next) {
        size_t slot = hash(member->string) & (slots - 1);
        while (seen[slot] && strcmp(seen[slot]->string, member->string) != 0)
            slot = (slot + 1) & (slots - 1);
        if (seen[slot])
            repeated(doc, member);
        else
            seen[slot] = member;
    }
    allot_engine_alloc(doc->engine, seen, size, 0);
    return ALLOT_OK;
}

/* ---- Objects --------------------------------------------------------------------------------- */

static int need_scratch(allot__doc *doc, size_t size)
{
    if (size <= doc->scratch_size)
        return ALLOT_OK;
    char *grown = allot_engine_alloc(doc->engine, doc->scratch, doc->scratch_size, size);
    if (!grown)
        return ALLOT_ENOMEM;
    doc->scratch = grown;
    doc->scratch_size = size;
    return ALLOT_OK;
}

/* The object's text without what is inside its lists and objects, in the scratch. */
static size_t empty_inside(const allot__doc *doc, uint32_t number, char *out)
{
    const char *text = doc->scan.text;
    size_t at = doc->scan.marks[number].at, len = 0;
    uint32_t end = allot__doc_end(doc, number);
    for (uint32_t item = number + 1; item < end; item = allot__doc_next(doc, item)) {
        if (!allot__doc_nests(doc, item))
            continue;
        size_t open = (size_t)doc->scan.marks[item].at + 1;
        if (out)
            memcpy(out + len, text + at, open - at);
        len += open - at;
        at = allot__doc_behind(doc, item) - 1;
    }
    size_t rest = allot__doc_behind(doc, number) - at;
    if (out)
        memcpy(out + len, text + at, rest);
    return len + rest;
}

static int shallow_text(allot__doc *doc, uint32_t number, const char **text, size_t *len)
{
    *text = allot__doc_text(doc, number, len);
    if (!allot__doc_nests(doc, number))
        return ALLOT_OK;
    size_t size = empty_inside(doc, number, NULL);
    if (size == *len)
        return ALLOT_OK; /* nothing inside: read in place */
    int status = need_scratch(doc, size);
    if (status != ALLOT_OK)
        return status;
    *text = doc->scratch;
    *len = empty_inside(doc, number, doc->scratch);
    return ALLOT_OK;
}

static size_t number_members(const allot__doc *doc, uint32_t number, cJSON *object)
{
    size_t count = 0;
    uint32_t item = number + 1;
    for (cJSON *member = object->child; member; member = member->next, count++) {
        member->valueint = (int)item;
        item = allot__doc_next(doc, item);
    }
    return count;
}

int allot__doc_parse(allot__doc *doc, uint32_t number, cJSON **out)
{
    const char *text;
    size_t len;
    int status = shallow_text(doc, number, &text, &len);
    if (status != ALLOT_OK)
        return allot__doc_keep(doc, status);
    cJSON *node = cJSON_ParseWithLengthOpts(text, len, NULL, 0);
    if (!node) /* the scan let it pass, so only memory can lack */
        return allot__doc_keep(doc, ALLOT_ENOMEM);
    if (cJSON_IsObject(node)) {
        size_t count = number_members(doc, number, node);
        if (count <= FEW)
            check_pairs(doc, node);
        else
            status = check_hashed(doc, node, count);
    }
    if (cJSON_IsArray(node))
        number_members(doc, number, node);
    node->valueint = (int)number;
    if (status != ALLOT_OK)
        cJSON_Delete(node);
    else
        *out = node;
    return allot__doc_keep(doc, status);
}
