/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_resource.c: what of resources jobs hold, and when resources were preempted for. */
#include "json/text/names.h"
#include "json/jobs/queues.h"
#include "json/state/state.h"

static const allot__field amount = {NULL, ALLOT__INTEGER, 0, ALLOT_AMOUNT_MAX, false, false};

void allot__job_resources_read(allot__state_reader *reader, const allot__value *value,
                               allot_job_resource **out, size_t *room, int32_t *count)
{
    allot__doc *doc = &reader->doc;
    cJSON *node;
    if (value->kind != ALLOT__OBJECT || allot__doc_parse(doc, value->number, &node))
        return;
    *room = (size_t)cJSON_GetArraySize(node);
    *out = allot__block_new(doc, *room, sizeof **out);
    for (const cJSON *it = node->child; it && *out; it = it->next) {
        allot__spot spot = allot__at_key((uint32_t)it->valueint);
        if (it->valueint == 0)
            continue;
        int32_t resource = allot__resource_find(doc, reader->plan, spot, it->string);
        allot__value of = allot__value_read(doc, it, &amount);
        if (resource >= 0 && of.kind != 0)
            (*out)[(*count)++] = (allot_job_resource){resource, of.integer};
    }
    cJSON_Delete(node);
}

static void read_time(allot__state_reader *reader, const cJSON *member)
{
    static const allot__field time = {
        NULL, ALLOT__INTEGER | ALLOT__STRING, INT64_MIN + 1, INT64_MAX, false, false};
    allot__doc *doc = &reader->doc;
    int64_t when;
    if (member->valueint == 0)
        return;
    int32_t resource = allot__resource_find(
        doc, reader->plan, allot__at_key((uint32_t)member->valueint), member->string);
    allot__value value = allot__value_read(doc, member, &time);
    if (allot__time_read(doc, &value, &when) && resource >= 0)
        allot__doc_keep(doc, allot_state_resource_preempted(reader->state, resource, when));
}

void allot__preempted_at_read(allot__state_reader *reader)
{
    allot__members_read(reader, ALLOT__STATE_PREEMPTED_AT, read_time);
}
