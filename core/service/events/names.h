/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.h: names and words in events, found in the plan; of the files of this folder alone. */
#ifndef ALLOT_SERVICE_EVENTS_NAMES_H
#define ALLOT_SERVICE_EVENTS_NAMES_H

#include "service/events/fields.h"

/* The number of what a member names; ENOENT, EINVALID (no leaf) with a fault. */
int allot__name_find(const allot_plan *plan, const allot_member *member, const char *name,
                     size_t len, int32_t *out, allot__error *fault);
/* The place of a word in what its member allows, or -1; and what that is, for people. */
int32_t allot__word_find(const allot_member *member, const allot_json_event *value);
void allot__word_list(const allot_member *member, char *out, size_t size);
/* Whether a member that holds a label may be that text; EINVALID with a fault about `path`. */
int allot__label_check(const allot_member *member, const char *path, const char *text,
                       allot__error *fault);

#endif
