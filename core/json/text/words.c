/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* words.c: what an option of a policy is written as. */
#include "json/text/words.h"

#include <string.h>

static const allot__field any = {.kinds =
                                     ALLOT__INTEGER | ALLOT__BOOLEAN | ALLOT__STRING | ALLOT__LIST,
                                 .min = INT64_MIN,
                                 .max = INT64_MAX};
static const allot__field word = {.kinds = ALLOT__STRING};

/* Adds the text of item `number` behind *len bytes, and a blank where it is not the first; *sound
 * is false where it is no text, which is said. */
static void add_item(allot__doc *doc, uint32_t number, char *text, size_t *len, bool *sound)
{
    cJSON *item;
    if (allot__doc_parse(doc, number, &item))
        return;
    allot__value value = allot__value_read(doc, item, &word);
    *sound = *sound && value.kind != 0;
    if (value.kind != 0) {
        size_t more = strlen(value.string);
        if (*len > 0)
            text[(*len)++] = ' ';
        memcpy(text + *len, value.string, more);
        *len += more;
    }
    cJSON_Delete(item);
}

/* The member becomes a string, which ends with the document's nodes. */
static void join(allot__doc *doc, cJSON *member, allot__value *value)
{
    uint32_t end = allot__doc_end(doc, value->number);
    size_t room, len = 0;
    bool sound = true;
    allot__doc_text(doc, value->number, &room); /* two quotes are more than a blank */
    char *text = cJSON_malloc(room + 1);
    if (!text) {
        allot__doc_keep(doc, ALLOT_ENOMEM);
        return;
    }
    for (uint32_t at = value->number + 1; at < end; at = allot__doc_next(doc, at))
        add_item(doc, at, text, &len, &sound);
    text[len] = '\0';
    member->type = (member->type & ~0xff) | cJSON_String;
    member->valuestring = text;
    value->string = text;
    value->kind = sound ? value->kind : 0;
}

void allot__option_read(allot__doc *doc, cJSON *member, allot__value *out)
{
    *out = allot__value_read(doc, member, &any);
    if (out->kind == ALLOT__LIST)
        join(doc, member, out);
}
