/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_host.c: hosts as a state tells of them. */
#include <string.h>

#include <allot/stated.h>

#include "json/state/item.h"
#include "json/text/names.h"

enum { CHUNK = 64, HINTS_MAX = 16, SEARCH_MAX = 65536 };

/* The plan's host whose name is nearest, or NULL: where many are wrong or there are very many, it
 * is not looked for. */
static const char *nearest_host(const allot__doc *doc, const allot_plan *plan, const char *name)
{
    const char *names[CHUNK] = {NULL}; /* the nearest so far, then some more */
    int32_t hosts = doc->faults < HINTS_MAX ? allot_plan_hosts(plan) : 0;
    for (int32_t i = 0; i < hosts && hosts <= SEARCH_MAX;) {
        size_t count = 1;
        for (; count < CHUNK && i < hosts; i++)
            names[count++] = allot_plan_host_name(plan, i);
        names[0] = allot_nearest(name, strlen(name), names, count);
    }
    return names[0];
}

/* Says what the model does not take of a host. */
static void took(allot__state_reader *reader, uint32_t member, int status)
{
    allot__doc *doc = &reader->doc;
    allot__spot spot = allot__at_key(member);
    char quote[ALLOT__QUOTE_MAX + 4], hint[320];
    allot__doc_quote(doc, spot, quote);
    if (status == ALLOT_ENAME)
        allot__doc_fault(doc, spot, "E-name", NULL,
                         "found the host's name %s, allowed " ALLOT__LABEL_RULE, quote);
    else if (status == ALLOT_ENOENT)
        allot__doc_fault(
            doc, spot, "E-unknown-host",
            allot__did_you_mean(nearest_host(doc, reader->plan, allot__doc_key(doc, member)), hint,
                                sizeof hint),
            "found the host %s, which the plan does not have: \"slots\" is missing", quote);
    else
        allot__doc_keep(doc, status);
}

/* One that is faulty otherwise is known all the same, so that nobody misses it. */
static void take_host(allot__item_reader *it, void *thing, bool sound)
{
    allot_stated_host *host = thing;
    const allot__value *slots = allot__item_reader_value(it, "slots");
    (void)sound;
    host->name = allot__doc_key(&it->reader->doc, it->object);
    if (slots->number == 0 || slots->kind != 0)
        took(it->reader, it->object, allot_state_host_set(it->reader->state, host));
}

void allot__hosts_read(allot__state_reader *reader)
{
    allot__item_reader it;
    if (allot__item_reader_begin(reader, ALLOT_ITEM_HOST, &it))
        allot__item_reader_read(&it, &reader->top[ALLOT__STATE_HOSTS], take_host);
}
