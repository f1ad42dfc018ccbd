/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * names.h: names in a document: groups, consumers, queues and resources of a plan.
 */
#ifndef ALLOT_JSON_TEXT_NAMES_H
#define ALLOT_JSON_TEXT_NAMES_H

#include "json/text/read.h"

/* The rule of names, for messages. */
#define ALLOT__NAME_RULE  "a name like [A-Za-z][A-Za-z0-9_-]{0,127}"
#define ALLOT__LABEL_RULE "1 ... 255 bytes without control characters"

/* The group that `value`, a member of `object`, names. Not stated: the plan's only group, or a
 * fault if there are several. -1: a fault (reported). */
int32_t allot__group_read(allot__doc *doc, const allot_plan *plan, uint32_t object,
                          const allot__value *value);

/* The group of that name, found at that spot. -1: a fault (reported). */
int32_t allot__group_find(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name);

/* The consumer at a path, found at that spot. ALLOT_ROOT: a fault (reported), or, in a document
 * that `grows`, a newcomer (noted). */
int32_t allot__path_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                         const char *path);
/* The same for a leaf that is no wildcard. */
int32_t allot__leaf_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                         const char *path);

/* A kind of named things of a plan, and the words for an unknown name. */
typedef struct allot__named {
    const char *code, *what, *whose; /* "E-unknown-queue", "queue", "the plan" */
    int32_t (*find)(const allot_plan *plan, const char *name);
    int32_t (*count)(const allot_plan *plan);
    const char *(*at)(const allot_plan *plan, int32_t number); /* borrowed */
} allot__named;
/* The number of that name, found at that spot. -1: a fault (reported). */
int32_t allot__named_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name, const allot__named *kind);

/* A list of names: a list of texts, or one text with blanks between the names. */
typedef struct allot__texts {
    const char **items;
    uint32_t *numbers; /* where each stands */
    int32_t count;
    bool sound; /* false: a part could not be read (reported) */
} allot__texts;

/* Reads a value of kind LIST or STRING; any other kind, or no value, gives an empty list. Reports
 * malformed names (allowed: 1 ... 255 bytes without control characters). The list lives as by
 * allot__doc_take. */
void allot__texts_read(allot__doc *doc, const allot__value *value, allot__texts *out);

/* Reports an empty list that must not be empty. */
void allot__texts_some(allot__doc *doc, const allot__value *value, const allot__texts *texts);

/* Is it that word, in letters of either case? */
bool allot__word_is(const char *text, const char *word);

#endif
