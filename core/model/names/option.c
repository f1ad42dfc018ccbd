/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* option.c: what values an option may have. */
#include "model/names/option.h"

#include <stdbool.h>

static const struct {
    int64_t min, max, fallback;
} options[] = {
#define OPTION(name, text, min, max, fallback) {min, max, fallback},
    ALLOT_OPTION_MAP(OPTION)
#undef OPTION
};

int allot__option_check(int option, int64_t value)
{
    if (option < 0 || option >= ALLOT_OPTION_COUNT)
        return ALLOT_EUSAGE;
    bool allowed = value >= options[option].min && value <= options[option].max;
    return allowed ? ALLOT_OK : ALLOT_ERANGE;
}

int64_t allot__option_fallback(int option)
{
    return options[option].fallback;
}
