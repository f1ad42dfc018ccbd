/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* text.h: text that grows in memory or goes to a sink in pieces, and JSON written into it. */
#ifndef ALLOT_BASE_TEXT_H
#define ALLOT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/*
 * To begin, zero it and set the engine. After the first addition a NUL follows `bytes`.
 *
 * With a sink the text goes there in pieces, and `bytes` keeps the rest: at least the last byte,
 * which shows whether a member needs a comma. Without an engine the caller provides `bytes`, at
 * least 64, and adds no number or path longer than these at once.
 */
typedef struct allot__text {
    allot_engine *engine;
    char *bytes;
    size_t len, capacity;
    bool failed; /* later additions are dropped; the caller checks once */
    int status;  /* then: why; 0: out of memory */
    int (*sink)(void *ud, const char *bytes, size_t len); /* nonzero: EIO */
    void *ud;
} allot__text;

/* Space for `len` more bytes and a NUL, to be filled and counted; NULL: `failed` is set. */
char *allot__text_room(allot__text *text, size_t len);
void allot__text_add(allot__text *text, const char *bytes, size_t len);
void allot__text_puts(allot__text *text, const char *string);
void allot__text_int(allot__text *text, int64_t number);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void allot__text_printf(allot__text *text, const char *format, ...);
/* Removes blanks from the end. */
void allot__text_trim(allot__text *text);
/* For people: control characters, which could steer a terminal, become "?". */
void allot__text_puts_safe(allot__text *text, const char *string, size_t len);
/* Passes the rest to the sink; returns the status of the whole text. */
int allot__text_end(allot__text *text);
/* Checks a getter's status: any but ALLOT_OK ends the text with that status. */
bool allot__text_got(allot__text *text, int status);
/* As an allot_sink. */
int allot__text_sink(void *text, const char *bytes, size_t len);
/* Empties the text and keeps its memory, unless that is more than `most` bytes. */
void allot__text_clear(allot__text *text, size_t most);
/* Puts a JSON document on one line, from byte `from` on, with blanks only after commas. No text in
 * it has a line end. */
void allot__text_join(allot__text *text, size_t from);
void allot__text_free(allot__text *text);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The bytes of the UTF-8 character at `text`, of which `len` are there; 0: not UTF-8. */
size_t allot__utf8(const char *text, size_t len);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. NULL gives null. */
void allot__text_json(allot__text *text, const char *string);
void allot__text_json_len(allot__text *text, const char *string, size_t len);
/* Members of an object or items of a list: a comma, unless the byte before opens one or ends a
 * line; the key (NULL: none), which needs no escapes; and the value, if given. */
void allot__text_key(allot__text *text, const char *key);
/* The same with a key that may need escapes. */
void allot__text_named(allot__text *text, const char *name);
void allot__text_named_number(allot__text *text, const char *name, int64_t number);
/* A line break, for readability, before a member or an item, with the comma that is due. */
void allot__text_line(allot__text *text);
/* Opens a value that is an object or a list, with "{" or "[". */
void allot__text_open(allot__text *text, const char *key, const char *bracket);
void allot__text_member(allot__text *text, const char *key, const char *string); /* NULL: none */
void allot__text_string(allot__text *text, const char *key, const char *string); /* NULL: null */
void allot__text_number(allot__text *text, const char *key, int64_t number);
void allot__text_bool(allot__text *text, const char *key, bool value);

/*
 * Values by name: ALLOT__FACTS(value, ...) of up to 12 numbers and texts, and their names, as in
 * "slots path closed?". A text that is NULL or "" is left out. Of a name with "?" only whether its
 * value is not 0: then it is true, else it is left out.
 */
typedef struct allot__fact {
    const char *text; /* NULL: it is a number */
    int64_t number;
} allot__fact;

static inline allot__fact allot__fact_number(int64_t number)
{
    return (allot__fact){.number = number};
}

static inline allot__fact allot__fact_text(const char *text)
{
    return (allot__fact){.text = text ? text : ""};
}

#ifdef __cppcheck__ /* which cannot parse _Generic */
#define ALLOT__FACT(x) allot__fact_number((int64_t)(x))
#else
#define ALLOT__FACT(x)                                                                             \
    _Generic((x), char * : allot__fact_text, const char * : allot__fact_text, default              \
             : allot__fact_number)(x)
#endif
#define ALLOT__FACT_OF(with, x) ALLOT__FACT(x)
#define ALLOT__FACTS(...)       ((const allot__fact[]){ALLOT__LIST(ALLOT__FACT_OF, 0, __VA_ARGS__)})

/* A fact that is not left out, with its name, of `len` bytes. */
typedef struct allot__named_fact {
    const char *name;
    size_t len;
    bool flag;
    const allot__fact *of;
} allot__named_fact;
/* The next of `names` and `facts`, which move on; false: there is none. */
bool allot__fact_next(const char **names, const allot__fact **facts, allot__named_fact *out);

/* Adds them as members to the open object; or such an object, with NULL an item of a list. */
void allot__text_facts(allot__text *text, const char *names, const allot__fact *facts);
void allot__text_object(allot__text *text, const char *key, const char *names,
                        const allot__fact *facts);
#define ALLOT__MEMBERS(text, names, ...) allot__text_facts(text, names, ALLOT__FACTS(__VA_ARGS__))
#define ALLOT__OBJECT(text, key, names, ...)                                                       \
    allot__text_object(text, key, names, ALLOT__FACTS(__VA_ARGS__))

/* An int64_t member of a struct; its key is the member's name. */
typedef struct allot__number {
    const char *key;
    size_t at;
} allot__number;
#define ALLOT__NUMBER_OF(type, member)                                                             \
    {                                                                                              \
#member, offsetof(type, member)                                                            \
    }
int64_t allot__number_of(const allot__number *number, const void *thing);
void allot__text_numbers(allot__text *text, const allot__number *numbers, size_t count,
                         const void *thing);

#endif
