/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resource.c: resources of plans. */
#include <string.h>

#include "json/text/names.h"
#include "json/jobs/queues.h"

static const char *resource_name(const allot_plan *plan, int32_t number)
{
    allot_resource of;
    return allot_plan_resource_at(plan, number, &of) == ALLOT_OK ? of.name : NULL;
}

int32_t allot__resource_find(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                             const char *name)
{
    static const allot__named resources = {"E-unknown-resource",        "resource",
                                           "\"resources\" of the plan", allot_plan_resource_find,
                                           allot_plan_resources,        resource_name};
    return allot__named_read(doc, plan, spot, name, &resources);
}

/* Keys of `params` about resources. */
enum { PREEMPTABLE, WAIT, PARAM_KEYS };
typedef struct terms {
    allot__texts preemptable;
    allot__value wait;
} terms;

/* terms.c has checked these keys; its findings are not reported again. */
static void read_terms(allot__plan_reader *reader, terms *out)
{
    allot__doc *doc = &reader->doc;
    const allot__value *params = &reader->top[ALLOT__PLAN_PARAMS];
    if (params->kind == 0)
        return;
    uint32_t names = allot__doc_member(doc, params->number, "preemptable_resources");
    uint32_t wait = allot__doc_member(doc, params->number, "preemption_wait_time");
    allot__value value = names != 0 ? allot__value_of(doc, names) : (allot__value){0};
    allot__texts_read(doc, &value, &out->preemptable);
    out->wait = wait != 0 ? allot__value_of(doc, wait) : (allot__value){0};
}

/* {name: amount}, or {name: {"amount": n}}. */
static allot__value read_amount(allot__doc *doc, uint32_t member)
{
    static const allot__field either = {NULL, ALLOT__INTEGER | ALLOT__OBJECT, 0, ALLOT_AMOUNT_MAX,
                                        false};
    static const allot__field fields[] = {
        {"amount", ALLOT__INTEGER, 0, ALLOT_AMOUNT_MAX, true},
        {"hosts", ALLOT__LIST | ALLOT__STRING | ALLOT__OBJECT, 0, 0, false}};
    static const allot__shape shape = {fields, 2, 0};
    allot__value values[2], value = allot__value_read(doc, member, &either);
    if (value.kind != ALLOT__OBJECT)
        return value;
    allot__object_read(doc, member, &shape, values);
    if (values[1].number != 0)
        allot__doc_fault(doc, allot__at_key(values[1].number), "E-unsupported", NULL,
                         "found \"hosts\", allowed an amount alone: resources are of the whole "
                         "cluster");
    return values[0];
}

static bool names(const allot__texts *texts, const char *name)
{
    for (int32_t i = 0; i < texts->count; i++)
        if (strcmp(texts->items[i], name) == 0)
            return true;
    return false;
}

static void read_resource(allot__plan_reader *reader, uint32_t member, const terms *terms)
{
    allot__doc *doc = &reader->doc;
    const char *name = allot__doc_key(doc, member);
    allot__value value = read_amount(doc, member);
    /* Added even with a faulty amount, since other keys name it. */
    allot_resource resource = {name, value.kind != 0 ? value.integer : 0,
                               names(&terms->preemptable, name)};
    int status = allot_plan_resource(reader->plan, &resource);
    allot__doc_named(doc, status, allot__at_key(member), "the resource ", ALLOT__LABEL_RULE);
}

static void apply(allot__plan_reader *reader, const terms *terms)
{
    allot__doc *doc = &reader->doc;
    const allot__value *wait = &terms->wait;
    for (int32_t i = 0; i < terms->preemptable.count; i++)
        allot__resource_find(doc, reader->plan, allot__at(terms->preemptable.numbers[i]),
                             terms->preemptable.items[i]);
    if (wait->kind != ALLOT__INTEGER || wait->integer < 300 || wait->integer > ALLOT_AMOUNT_MAX)
        return;
    if (terms->preemptable.count > 0)
        allot__doc_keep(doc, allot_plan_preemption_wait(reader->plan, (int32_t)wait->integer));
    else if (terms->preemptable.sound)
        allot__doc_fault(doc, allot__at_key(wait->number), "E-conflict", NULL,
                         "found \"preemption_wait_time\" without \"preemptable_resources\" that it "
                         "is about (P-36)");
}

void allot__resources_read(allot__plan_reader *reader)
{
    allot__doc *doc = &reader->doc;
    const allot__value *top = &reader->top[ALLOT__PLAN_RESOURCES];
    terms terms = {.wait = {0}};
    read_terms(reader, &terms);
    for (uint32_t it = allot__value_in(doc, top); it; it = allot__doc_after(doc, top->number, it))
        read_resource(reader, it, &terms);
    apply(reader, &terms);
}

/* *any: a queue preempts another; *ends: preempted jobs of a queue end, and release resources. */
static void find_victims(const allot_plan *plan, bool *any, bool *ends)
{
    allot_queue queue;
    for (int32_t low = 0; low < allot_plan_queues(plan) && !*ends; low++) {
        bool may = allot_plan_preempted(plan, low) > 0;
        *any = *any || may;
        *ends = may && allot_plan_queue_at(plan, low, &queue) == ALLOT_OK &&
                (queue.on_preempt == ALLOT_KILL || queue.on_preempt == ALLOT_REQUEUE);
    }
}

void allot__resources_effect(allot__plan_reader *reader)
{
    const allot__value *params = &reader->top[ALLOT__PLAN_PARAMS];
    bool any = false, ends = false, wanted = false;
    allot_resource resource;
    for (int32_t i = 0; i < allot_plan_resources(reader->plan) && !wanted; i++)
        wanted =
            allot_plan_resource_at(reader->plan, i, &resource) == ALLOT_OK && resource.preemptable;
    if (!wanted || reader->doc.faults > 0)
        return;
    find_victims(reader->plan, &any, &ends);
    uint32_t number = allot__doc_member(&reader->doc, params->number, "preemptable_resources");
    if (!ends)
        allot__doc_warn(&reader->doc, allot__at(number), "W-unused", NULL,
                        "nothing comes of \"preemptable_resources\": %s (P-42)",
                        any ? "no job that may be preempted ends then (\"terminate_when\", "
                              "\"job_controls\"), so none releases any"
                            : "no queue preempts another");
}
