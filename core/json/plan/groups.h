/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* groups.h: named groups of hosts and users, while a plan is read (jobs/queues.h). */
#ifndef ALLOT_JSON_PLAN_GROUPS_H
#define ALLOT_JSON_PLAN_GROUPS_H

#include "json/text/texts.h"

/* A named list of the document, `done` once its members are found. */
typedef struct allot__name_group {
    const char *name;
    uint32_t number; /* its value */
    allot__texts members;
    uint64_t *bits; /* of hosts: one by host */
    enum { ALLOT__GROUP_NEW, ALLOT__GROUP_OPEN, ALLOT__GROUP_DONE } progress;
} allot__name_group;

typedef struct allot__name_groups {
    allot__name_group *list;
    size_t count, room;
    cJSON *node;
} allot__name_groups;

#endif
