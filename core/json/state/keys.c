/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* keys.c: the keys of tasks and jobs: their own, and behind them what policies declare. */
#include <string.h>

#include "json/state/state.h"
#include "json/text/texts.h"

bool allot__keys_begin(allot__state_reader *reader, const allot__field *fields, size_t count,
                       allot__keys *keys)
{
    allot__doc *doc = &reader->doc;
    int32_t attributes = allot_plan_task_attributes(reader->plan);
    keys->room = count + (size_t)attributes;
    keys->own = keys->count = count;
    keys->fields = allot__block_new(doc, keys->room, sizeof *keys->fields);
    keys->values = allot__block_new(doc, keys->room, sizeof *keys->values);
    keys->stated = allot__block_new(doc, keys->room, sizeof *keys->stated);
    keys->attributes = allot__block_new(doc, keys->room, sizeof *keys->attributes);
    if (!keys->fields || !keys->values || !keys->stated || !keys->attributes)
        return false;
    memcpy(keys->fields, fields, count * sizeof *fields);
    for (int32_t i = 0; i < attributes; i++) {
        allot_attribute of;
        if (allot_plan_task_attribute_at(reader->plan, i, &of) != ALLOT_OK || of.type == ALLOT_TAG)
            continue;
        unsigned kinds = of.type == ALLOT_BOOLEAN ? ALLOT__BOOLEAN : ALLOT__INTEGER;
        keys->attributes[keys->count] = i;
        keys->fields[keys->count++] = (allot__field){
            of.name, of.fallback == ALLOT_NONE ? kinds | ALLOT__NULL : kinds, of.min, of.max, false,
            false};
    }
    reader->keys = keys;
    return true;
}

void allot__keys_end(allot__state_reader *reader, allot__keys *keys)
{
    allot__doc *doc = &reader->doc;
    allot__block_free(doc, keys->fields, keys->room, sizeof *keys->fields);
    allot__block_free(doc, keys->values, keys->room, sizeof *keys->values);
    allot__block_free(doc, keys->stated, keys->room, sizeof *keys->stated);
    allot__block_free(doc, keys->attributes, keys->room, sizeof *keys->attributes);
    reader->keys = NULL;
}

int32_t allot__keys_stated(const allot__keys *keys)
{
    int32_t count = 0;
    for (size_t i = keys->own; i < keys->count; i++) {
        const allot__value *value = &keys->values[i];
        if (value->kind != 0 && value->kind != ALLOT__NULL)
            keys->stated[count++] = (allot_task_value){keys->attributes[i], value->integer};
    }
    return count;
}

void allot__members_read(allot__state_reader *reader, allot__state_key key,
                         void (*read)(allot__state_reader *reader, const cJSON *member))
{
    cJSON *node;
    if (reader->top[key].kind == 0 ||
        allot__doc_parse(&reader->doc, reader->top[key].number, &node))
        return;
    for (const cJSON *it = node->child; it; it = it->next)
        read(reader, it);
    allot__doc_about(&reader->doc, NULL, 0, 0);
    cJSON_Delete(node);
}
