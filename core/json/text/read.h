/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * read.h: reading objects by a table of their keys.
 *
 * Reading goes on after a fault; a faulty value reads as not stated.
 */
#ifndef ALLOT_JSON_TEXT_READ_H
#define ALLOT_JSON_TEXT_READ_H

#include "json/text/doc.h"

/* A value's kind: a bit, so that a field can allow several. An integer is written without point and
 * exponent: 3, not 3.0 or 3e0, which are other numbers. */
typedef enum allot__kind {
    ALLOT__INTEGER = 1,
    ALLOT__NUMBER = 2,
    ALLOT__BOOLEAN = 4,
    ALLOT__STRING = 8,
    ALLOT__NULL = 16,
    ALLOT__LIST = 32,
    ALLOT__OBJECT = 64,
    ALLOT__SCALAR = 31,
    ALLOT__ANYTHING = 127
} allot__kind;

typedef struct allot__value {
    uint32_t number;    /* 0: not there */
    allot__kind kind;   /* 0: not there, or faulty and said so */
    int64_t integer;    /* INTEGER, BOOLEAN */
    const char *string; /* STRING: borrowed from the document */
    bool huge;          /* INTEGER beyond 64 bits */
} allot__value;

/* A key and its allowed values. */
typedef struct allot__field {
    const char *key;
    unsigned kinds;
    int64_t min, max; /* of an INTEGER */
    bool required;
} allot__field;

/* An amount: 0 ... ALLOT_AMOUNT_MAX. */
#define ALLOT__AMOUNT ALLOT__INTEGER, 0, ALLOT_AMOUNT_MAX
/* A time: Unix seconds or RFC 3339. */
#define ALLOT__TIME_KINDS (ALLOT__INTEGER | ALLOT__STRING)
#define ALLOT__TIME       ALLOT__TIME_KINDS, INT64_MIN, INT64_MAX
/* true, false, "Y" or "N". */
#define ALLOT__YES_KINDS (ALLOT__BOOLEAN | ALLOT__STRING)

typedef struct allot__shape {
    const allot__field *fields;
    size_t count;
    unsigned others; /* kinds allowed under any other key, unless the key is near that of an
                        unstated field; 0: other keys are faults */
} allot__shape;

/* A value's kind; of a string or number also its contents. */
allot__value allot__value_of(const allot__doc *doc, uint32_t number);
/* The same, checked against the field: a value not allowed is reported, and its kind is 0. */
allot__value allot__value_read(allot__doc *doc, uint32_t number, const allot__field *field);
/* Is the value of that kind? Reports another kind. */
bool allot__kind_check(allot__doc *doc, uint32_t number, allot__kind kind);
/* The items or members of a value as by allot__doc_in and _count; 0: not a list or object. */
uint32_t allot__value_in(allot__doc *doc, const allot__value *value);
size_t allot__value_count(const allot__doc *doc, const allot__value *value);

/* Reads the members of object `number` into values[0 ... shape->count-1], by the shape's fields. */
void allot__object_read(allot__doc *doc, uint32_t number, const allot__shape *shape,
                        allot__value *values);

/* "found X, allowed `allowed`": E-range at a value. */
void allot__value_fault(allot__doc *doc, const allot__value *value, const char *allowed);

/* A written number in thousandths, further digits dropped; -1: below 0 or above ALLOT_AMOUNT_MAX
 * thousandths. */
int64_t allot__thousandths(const char *text, size_t len);
/* The same for a value; ALLOT_NONE: not a number, or out of range (reported). */
int64_t allot__thousandths_take(allot__doc *doc, const allot__value *value);

/* The time that a value states; false: no time, or a malformed one (reported). */
bool allot__time_read(allot__doc *doc, const allot__value *value, int64_t *out);
/* RFC 3339 with an offset to Unix seconds; fractions are dropped. False: malformed. */
bool allot__time_parse(const char *text, int64_t *out);

#endif
