/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* needs.c: what a plan must have, and what may not stand beside queues and contracts. */
#include <string.h>

#include "json/jobs/queues.h"

/* Queues are not what groups and windows state consumers otherwise for. */
static void refuse_differences(allot__plan_reader *reader, uint32_t consumers)
{
    if (consumers != 0)
        allot__doc_fault(&reader->doc, allot__at_key(consumers), "E-queues", NULL,
                         "found what consumers state otherwise, but the plan has queues, which "
                         "state all in their own place");
}

/* What is of queues alone. */
static void refuse_alone(allot__plan_reader *reader)
{
    static const struct {
        allot__plan_key key;
        const char *name;
    } alone[] = {{ALLOT__PLAN_LIMITS, "limits"},
                 {ALLOT__PLAN_RESOURCES, "resources"},
                 {ALLOT__PLAN_APPLICATIONS, "applications"},
                 {ALLOT__PLAN_USER_GROUPS, "user_groups"}};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
        if (allot__plan_states(reader, alone[i].key))
            allot__doc_fault(&reader->doc, allot__at_key(reader->top[alone[i].key].number),
                             "E-queues", NULL, "found \"%s\" in a plan without queues",
                             alone[i].name);
}

void allot__plan_needs(allot__plan_reader *reader)
{
    const allot__value *top = reader->top;
    if (top[ALLOT__PLAN_CONSUMERS].number == 0 && top[ALLOT__PLAN_QUEUES].number == 0 &&
        top[ALLOT__PLAN_LEASES].number == 0)
        allot__doc_fault(&reader->doc, allot__at(0), "E-missing", NULL, "\"consumers\" is missing");
    if (top[ALLOT__PLAN_QUEUES].number == 0)
        refuse_alone(reader);
}

void allot__queues_begin(allot__plan_reader *reader)
{
    for (size_t i = 0; allot__plan_states(reader, ALLOT__PLAN_QUEUES) && i < reader->group_count;
         i++)
        refuse_differences(reader, reader->groups[i].consumers);
    for (size_t i = 0; allot__plan_states(reader, ALLOT__PLAN_QUEUES) && i < reader->window_count;
         i++)
        refuse_differences(reader, reader->windows[i].consumers);
    allot__groups_of_names_read(reader);
    allot__terms_read(reader);
}
