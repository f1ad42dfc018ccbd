/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.h: names and words in events, found in the plan; of the files of this folder alone. */
#ifndef ALLOT_SERVICE_EVENTS_NAMES_H
#define ALLOT_SERVICE_EVENTS_NAMES_H

#include "service/events/fields.h"

/* The number of what a field names; ENOENT, EINVALID (no leaf) with a fault. */
int allot__name_find(const allot_plan *plan, const allot__event_field *field, const char *name,
                     size_t len, int32_t *out, allot__error *fault);
/* The place of a word in what its field allows, or -1; and what that is, for people. */
int32_t allot__word_find(const allot__event_field *field, const allot_json_event *value);
const char *allot__word_list(const allot__event_field *field);
/* Whether a field that holds a label may be that text; EINVALID with a fault about `path`. */
int allot__label_check(const allot__event_field *field, const char *path, const char *text,
                       allot__error *fault);
/* Whether one of the fields is a group of slots. */
bool allot__has_group(const allot__fields *fields);

#endif
