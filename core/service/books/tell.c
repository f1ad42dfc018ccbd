/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tell.c: the state is told what changes in the books. */
#include "service/books/own.h"

void allot__books_watch(allot__books *books, void (*changes)(void *ud), void *ud)
{
    books->changes = changes;
    books->changes_ud = ud;
}

void allot__books_change(allot__books *books)
{
    void (*changes)(void *ud) = books->changes;
    books->changes = NULL;
    if (changes)
        changes(books->changes_ud);
}

void allot__books_unseal(allot__books *books)
{
    allot__books_change(books);
    if (books->sealed)
        allot_state_open(books->state);
    books->sealed = false;
}

void allot__books_tell(allot__books *books, allot_item kind, const void *item)
{
    if (books->state && allot_state_set(books->state, kind, item) != ALLOT_OK)
        allot__books_forget(books);
}

void allot__books_untell(allot__books *books, allot_item kind, const char *id)
{
    if (books->state)
        allot_state_end(books->state, kind, id);
}

void allot__books_forget(allot__books *books)
{
    allot__books_change(books);
    allot_state_free(books->state);
    books->state = NULL;
    books->sealed = false;
}
