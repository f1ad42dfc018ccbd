/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* column.c: the names of columns and options. */
#include <string.h>

#include <allot/plan.h>

static const struct {
    const char *name, *doc;
} columns[] = {
#define COLUMN(name, text, doc) {text, doc},
    ALLOT_COLUMN_MAP(COLUMN)
#undef COLUMN
};

const char *allot_column_name(int column)
{
    return column >= 0 && column < ALLOT_COLUMN_COUNT ? columns[column].name : NULL;
}

const char *allot_column_doc(int column)
{
    return column >= 0 && column < ALLOT_COLUMN_COUNT ? columns[column].doc : NULL;
}

int allot_column_find(const char *name, size_t len)
{
    for (int i = 0; name && i < ALLOT_COLUMN_COUNT; i++) {
        if (strlen(columns[i].name) == len && memcmp(columns[i].name, name, len) == 0)
            return i;
    }
    return -1;
}

const char *allot_option_name(int option)
{
    static const char *const names[] = {
#define OPTION(name, text, min, max, fallback) text,
        ALLOT_OPTION_MAP(OPTION)
#undef OPTION
    };
    return option >= 0 && option < ALLOT_OPTION_COUNT ? names[option] : NULL;
}
