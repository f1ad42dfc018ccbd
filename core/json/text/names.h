/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * names.h: what a document names: groups, consumers, queues and resources of a plan.
 */
#ifndef ALLOT_JSON_TEXT_NAMES_H
#define ALLOT_JSON_TEXT_NAMES_H

#include "json/text/read.h"

/* What a name is, for people. */
#define ALLOT__NAME_RULE  "a name like [A-Za-z][A-Za-z0-9_-]{0,127}"
#define ALLOT__LABEL_RULE "1 ... 255 bytes without control characters"

/* The group that `value`, a member of `object`, names. Where it is not there: the plan's only one,
 * or a fault when there are several. -1: a fault, which is said. */
int32_t allot__group_read(allot__doc *doc, const allot_plan *plan, uint32_t object,
                          const allot__value *value);

/* The group of that name, which stands at that spot. -1: a fault, which is said. */
int32_t allot__group_find(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name);

/* The consumer at a path, which stands at that spot. ALLOT_ROOT: a fault, which is said. */
int32_t allot__path_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                         const char *path);
/* The same of a leaf. */
int32_t allot__leaf_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                         const char *path);

/* What of a plan has names and numbers, and how it is said that there is none such. */
typedef struct allot__named {
    const char *code, *what, *whose; /* "E-unknown-queue", "queue", "the plan" */
    int32_t (*find)(const allot_plan *plan, const char *name);
    int32_t (*count)(const allot_plan *plan);
    const char *(*at)(const allot_plan *plan, int32_t number); /* borrowed */
} allot__named;
/* The number of that name, which stands at that spot. -1: a fault, which is said. */
int32_t allot__named_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name, const allot__named *kind);

/* A list of names: a list of texts, or one text with blanks between the names. */
typedef struct allot__texts {
    const char **items;
    uint32_t *numbers; /* where each stands */
    int32_t count;
    bool sound; /* false: not all of it could be read, which is said */
} allot__texts;

/* Reads a value of kind LIST or STRING; of any other kind, and where it is not there, the list is
 * empty. What is no name (1 ... 255 bytes without control characters) is said. It lives as by
 * allot__doc_take. */
void allot__texts_read(allot__doc *doc, const allot__value *value, allot__texts *out);

/* Says that a list is empty which should name something, if so. */
void allot__texts_some(allot__doc *doc, const allot__value *value, const allot__texts *texts);

/* Is it that word, in letters of either case? */
bool allot__word_is(const char *text, const char *word);

#endif
