/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tell.c: the state is told what changes in the books. */
#include "service/books/own.h"

void allot__rows_tell(allot__books *books)
{
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            allot_state_allocated(books->state, g, i, books->groups[g].allocated[i]);
            allot_state_demand(books->state, g, i, allot__books_demand(books, g, i));
        }
}

void allot__books_unseal(allot__books *books)
{
    if (books->sealed)
        allot_state_open(books->state);
    books->sealed = false;
}
