/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read.c: the truth of a source, read from a call's params. */
#include <stdio.h>

#include "service/events/keys.h"
#include "service/sync/own.h"

/* A list in the params: its key, its first byte, its reader. */
typedef struct list_kind {
    const char *name, *allowed;
    char opens;
    int8_t queues; /* only of plans with queues (1), or without (-1) */
    allot__truth_reads *read;
} list_kind;

static const list_kind kinds[ALLOT__TRUTH_LISTS] = {
    [ALLOT__TRUTH_SLOTS] = {"slots", NULL, '\0', 0, allot__truth_slots},
    [ALLOT__TRUTH_HOSTS] = {"hosts", "an object, {name: {...}}", '{', 0, allot__truth_hosts},
    [ALLOT__TRUTH_SESSIONS] = {"sessions", "a list of objects", '[', -1, allot__truth_items},
    [ALLOT__TRUTH_TASKS] = {"tasks", "a list of objects", '[', -1, allot__truth_items},
    [ALLOT__TRUTH_JOBS] = {"jobs", "a list of objects", '[', 1, allot__truth_items},
    [ALLOT__TRUTH_LEAVES] = {"consumers", "an object, {path: {...}}", '{', -1, allot__truth_leaves},
};

static bool is_fit(const list_kind *kind, allot__span value)
{
    return kind->opens == '\0' || value.at[0] == kind->opens || allot__truth_empty(value);
}

static int check_list(allot__truth *truth, const list_kind *kind, allot__span value, bool twice)
{
    bool queues = allot_plan_queues(truth->plan) > 0;
    if (twice)
        return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-duplicate-key", kind->name, NULL,
                                "\"%s\" stands there twice", kind->name);
    if (!is_fit(kind, value))
        return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-type", kind->name, NULL,
                                "%s: found %.*s, allowed %s", kind->name,
                                (int)(value.len < 40 ? value.len : 40), value.at, kind->allowed);
    if ((kind->queues > 0 && !queues) || (kind->queues < 0 && queues))
        return allot__error_set(&truth->fault, ALLOT_EUSAGE, "E-queues", kind->name, NULL,
                                "%s: the plan has %s", kind->name, queues ? "queues" : "no queues");
    return ALLOT_OK;
}

static int unknown_member(allot__truth *truth, const allot__span *name)
{
    static const char *const names[] = {"slots",     "hosts", "sessions", "tasks",  "jobs",
                                        "consumers", "at",    "key",      "source", "brief"};
    char hint[120] = "", found[84];
    snprintf(found, sizeof found, "%.*s", (int)(name->len < 80 ? name->len : 80), name->at);
    const char *near = allot_nearest(found, strlen(found), names, sizeof names / sizeof *names);
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-unknown-key", found, hint,
                            "\"%s\" is no parameter of \"sync\"", found);
}

static bool is_head(const allot__span *name)
{
    return allot__span_is(name, "source") || allot__span_is(name, "at") ||
           allot__span_is(name, "key") || allot__span_is(name, "brief");
}

/* Finds the lists; copies the other members to an object of their own. */
static int split(allot__truth *truth, allot__span params, allot__span *lists, allot__text *head)
{
    const char *at = params.at, *end = params.at + params.len;
    allot__span name, value;
    int status = ALLOT_OK;
    allot__text_puts(head, "{");
    while (status == ALLOT_OK && allot__span_member(&at, end, &name, &value)) {
        int list = 0;
        while (list < ALLOT__TRUTH_LISTS && !allot__span_is(&name, kinds[list].name))
            list++;
        if (list < ALLOT__TRUTH_LISTS) {
            status = check_list(truth, &kinds[list], value, lists[list].at != NULL);
            lists[list] = value;
        } else if (is_head(&name)) {
            allot__text_puts(head, head->len > 1 ? ", \"" : "\"");
            allot__text_add(head, name.at, name.len);
            allot__text_puts(head, "\": ");
            allot__text_add(head, value.at, value.len);
        } else {
            status = unknown_member(truth, &name);
        }
    }
    allot__text_puts(head, "}");
    return head->failed ? ALLOT_ENOMEM : status;
}

static int copy(allot__truth *truth, const char *from, char **to)
{
    *to = from ? allot__copy(truth->engine, from, strlen(from)) : NULL;
    return from && !*to ? ALLOT_ENOMEM : ALLOT_OK;
}

static int read_head(allot__truth *truth, const allot__text *head, allot__span params)
{
    allot__event event;
    int status = allot__event_read(truth->reader, truth->plan, ALLOT__EVENT_KEEP_SYNC, ALLOT__STORE,
                                   head->bytes, head->len, &event, &truth->fault);
    if (status == ALLOT_OK)
        status = allot__event_times(&event, truth->now, &truth->fault);
    if (status == ALLOT_OK)
        status = copy(truth, event.source, &truth->source);
    if (status == ALLOT_OK)
        status = copy(truth, event.key, &truth->key);
    if (status != ALLOT_OK)
        return status;
    truth->brief = event.keep;
    truth->at_given = event.at_given;
    truth->at = event.at_given ? event.at : truth->now;
    if (truth->key)
        truth->digest = allot__event_keys_content("sync", params.at, params.len);
    return ALLOT_OK;
}

int allot__truth_read(allot__truth *truth, const char *params, size_t len)
{
    allot__span lists[ALLOT__TRUTH_LISTS] = {{NULL, 0}}, all = {params, len};
    allot__text head = {.engine = truth->engine};
    int status = split(truth, all, lists, &head);
    if (status == ALLOT_OK)
        status = read_head(truth, &head, all);
    for (int list = 0; list < ALLOT__TRUTH_LISTS && status == ALLOT_OK; list++) {
        truth->told[list] = lists[list].at != NULL;
        if (lists[list].at)
            status = kinds[list].read(truth, (allot__truth_list)list, lists[list]);
    }
    allot__text_free(&head);
    return truth->dropped.failed ? ALLOT_ENOMEM : status;
}
