/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tell.h: sentences, made of templates and values.
 *
 * In a template `{}` is the next value, a number or a text, and `{.60}` at most 60 bytes of a text.
 * `{one|several}` depends on the number before it: "one" for 1, else "several", as in "{} slot{|s}
 * {is|are}". `{?yes|no}` depends on the next value, which is not written: "yes" for 1, true or a
 * text that is not empty. `{&, user {}}` is left out if the value in it is empty or 0. Any of these
 * may contain holes; values in parts left out are skipped.
 */
#ifndef ALLOT_ENGINE_EXPLAIN_TELL_H
#define ALLOT_ENGINE_EXPLAIN_TELL_H

#include <stddef.h>
#include <stdint.h>

typedef struct allot__told {
    const char *text; /* NULL: it is a number */
    int64_t number;
} allot__told;

static inline allot__told allot__told_number(int64_t number)
{
    return (allot__told){.number = number};
}
static inline allot__told allot__told_text(const char *text)
{
    return (allot__told){.text = text ? text : ""};
}

#ifdef __cppcheck__ /* which cannot parse _Generic */
#define ALLOT__TOLD(x) allot__told_number((int64_t)(x))
#else
#define ALLOT__TOLD(x)                                                                             \
    _Generic((x), char * : allot__told_text, const char * : allot__told_text, default            \
             : allot__told_number)(x)
#endif
#define ALLOT__TOLD_1(x)       ALLOT__TOLD(x)
#define ALLOT__TOLD_2(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_1(__VA_ARGS__)
#define ALLOT__TOLD_3(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_2(__VA_ARGS__)
#define ALLOT__TOLD_4(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_3(__VA_ARGS__)
#define ALLOT__TOLD_5(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_4(__VA_ARGS__)
#define ALLOT__TOLD_6(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_5(__VA_ARGS__)
#define ALLOT__TOLD_7(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_6(__VA_ARGS__)
#define ALLOT__TOLD_8(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_7(__VA_ARGS__)
#define ALLOT__TOLD_9(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_8(__VA_ARGS__)
#define ALLOT__TOLD_10(x, ...) ALLOT__TOLD(x), ALLOT__TOLD_9(__VA_ARGS__)
#define ALLOT__TOLD_11(x, ...) ALLOT__TOLD(x), ALLOT__TOLD_10(__VA_ARGS__)
#define ALLOT__TOLD_12(x, ...) ALLOT__TOLD(x), ALLOT__TOLD_11(__VA_ARGS__)

#define ALLOT__EACH(a, b, c, d, e, f, g, h, i, j, k, l, of, ...) ALLOT__TOLD_##of
/* A template and up to 11 values; missing ones are 0. */
#define ALLOT__TOLDS(...)                                                                          \
    ((const allot__told[12]){                                                                      \
        ALLOT__EACH(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)})

/* A part of a sentence; cut if too long. */
typedef struct allot__phrase {
    char text[300];
} allot__phrase;

/* A list or sentence being built; an addition that does not fit is left out. */
typedef struct allot__sentence {
    char text[1800];
    size_t len;
    int32_t items;
} allot__sentence;

struct allot__explanation;

/* Writes a sentence of an explanation. */
#define SAY(about, ...)    allot__tell(about, ALLOT__TOLDS(__VA_ARGS__))
#define PHRASE(...)        allot__phrase_of(ALLOT__TOLDS(__VA_ARGS__))
#define ADD(sentence, ...) allot__sentence_add(sentence, ALLOT__TOLDS(__VA_ARGS__))
/* Adds an item to a list: behind a comma, if it is not the first. */
#define LIST(sentence, ...) allot__sentence_list(sentence, ALLOT__TOLDS(__VA_ARGS__))

void allot__tell(const struct allot__explanation *about, const allot__told *values);
allot__phrase allot__phrase_of(const allot__told *values);
void allot__sentence_add(allot__sentence *to, const allot__told *values);
void allot__sentence_list(allot__sentence *to, const allot__told *values);

#endif
