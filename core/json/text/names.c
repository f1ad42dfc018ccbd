/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.c: names and paths become numbers, or faults with the nearest known one. */
#include "json/text/names.h"

#include <stdio.h>
#include <string.h>

/* At most so many groups are candidates for "did you mean". */
#define GROUPS_MAX 128

static void unknown_group(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name)
{
    const char *names[GROUPS_MAX];
    char quote[ALLOT__QUOTE_MAX + 4], hint[160], known[160] = "";
    int32_t count = allot_plan_groups(plan);
    size_t len = 0;
    count = count < GROUPS_MAX ? count : GROUPS_MAX;
    names[0] = "default"; /* which a plan without any gets */
    for (int32_t i = 0; i < count; i++)
        names[i] = allot_plan_group_name(plan, i);
    count = count > 0 ? count : 1;
    for (int32_t i = 0; i < count && len < sizeof known; i++)
        len += (size_t)snprintf(known + len, sizeof known - len, "%s\"%s\"", i > 0 ? ", " : "",
                                names[i]);
    if (len >= sizeof known)
        memcpy(known + sizeof known - 4, "...", 4);
    const char *near = allot_nearest(name, strlen(name), names, (size_t)count);
    allot__doc_fault(doc, spot, "E-unknown-group", allot__did_you_mean(near, hint, sizeof hint),
                     "found the unknown group %s, allowed %s", allot__doc_quote(doc, spot, quote),
                     known);
}

int32_t allot__group_find(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name)
{
    int32_t group = allot_plan_group_find(plan, name, strlen(name));
    if (group < 0 && allot_plan_groups(plan) == 0 && strcmp(name, "default") == 0)
        return 0; /* a plan without groups gets this one */
    if (group < 0)
        unknown_group(doc, plan, spot, name);
    return group;
}

int32_t allot__group_read(allot__doc *doc, const allot_plan *plan, uint32_t object,
                          const allot__value *value)
{
    if (value->kind == ALLOT__STRING)
        return allot__group_find(doc, plan, allot__at(value->number), value->string);
    if (value->number != 0 && value->kind == 0)
        return -1;
    if (allot_plan_groups(plan) <= 1)
        return 0;
    allot__doc_fault(doc, allot__at(object), "E-missing", NULL,
                     "\"group\" is missing: the plan has %d groups", (int)allot_plan_groups(plan));
    return -1;
}

int32_t allot__path_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                         const char *path)
{
    size_t len = strlen(path);
    char quote[ALLOT__QUOTE_MAX + 4], near[256], hint[300];
    int32_t consumer = allot_plan_find(plan, path, len);
    if (consumer >= 0)
        return consumer;
    size_t size = allot_plan_nearest(plan, path, len, near, sizeof near);
    if (size == 0 || size >= sizeof near)
        near[0] = '\0';
    allot__doc_fault(doc, spot, "E-unknown-path", allot__did_you_mean(near, hint, sizeof hint),
                     "found the path %s, which no consumer of the plan has%s",
                     allot__doc_quote(doc, spot, quote),
                     path[0] == '/' ? "" : "; paths begin with \"/\"");
    return ALLOT_ROOT;
}

int32_t allot__leaf_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                         const char *path)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    int32_t consumer = allot__path_read(doc, plan, spot, path);
    if (consumer < 0 || allot_plan_children(plan, consumer) == 0)
        return consumer;
    allot__doc_fault(doc, spot, "E-not-leaf", NULL,
                     "found %s, which has children, allowed only consumers without",
                     allot__doc_quote(doc, spot, quote));
    return ALLOT_ROOT;
}

int32_t allot__named_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name, const allot__named *kind)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    char quote[ALLOT__QUOTE_MAX + 4], hint[320];
    int32_t found = kind->find(plan, name), count = kind->count(plan);
    if (found >= 0)
        return found;
    count = count < NAMES_MAX ? count : NAMES_MAX;
    for (int32_t i = 0; i < count; i++)
        names[i] = kind->at(plan, i);
    const char *near = allot_nearest(name, strlen(name), names, (size_t)count);
    allot__doc_fault(doc, spot, kind->code, allot__did_you_mean(near, hint, sizeof hint),
                     "found the %s %s, which %s does not have", kind->what,
                     allot__doc_quote(doc, spot, quote), kind->whose);
    return -1;
}
