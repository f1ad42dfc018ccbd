/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* getter.h: public functions that only read a value. */
#ifndef ALLOT_BASE_GETTER_H
#define ALLOT_BASE_GETTER_H

/* Defines one: the value of the object `it`; `none` for NULL. */
#define ALLOT__GETTER(type, function, object, value, none)                                         \
    type function(const object *it)                                                                \
    {                                                                                              \
        return it ? (value) : (none);                                                              \
    }
/* The same of the part `it` with number `i` of the object `of`; `none`: there is no such part. */
#define ALLOT__GETTER_AT(type, function, object, part, value, none)                                \
    type function(const object *of, int32_t i)                                                     \
    {                                                                                              \
        return (part) ? (part)->value : (none);                                                    \
    }
/* Defines one: the word of a number, from 0 on; NULL: it has none. */
#define ALLOT__WORDS(function, ...)                                                                \
    const char *function(int number)                                                               \
    {                                                                                              \
        static const char *const words[] = {__VA_ARGS__};                                          \
        int count = (int)(sizeof words / sizeof *words);                                           \
        return number >= 0 && number < count ? words[number] : NULL;                               \
    }

#endif
