/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* value.c: values of a document by number. */
#include "json/text/doc.h"

char allot__doc_first(const allot__doc *doc, uint32_t number)
{
    return doc->scan.text[doc->scan.marks[number].at];
}

bool allot__doc_nests(const allot__doc *doc, uint32_t number)
{
    char c = allot__doc_first(doc, number);
    return c == '{' || c == '[';
}

uint32_t allot__doc_end(const allot__doc *doc, uint32_t number)
{
    return doc->scan.marks[number].link;
}

uint32_t allot__doc_next(const allot__doc *doc, uint32_t number)
{
    return allot__doc_nests(doc, number) ? doc->scan.marks[number].link + 1 : number + 1;
}

int32_t allot__doc_items(const allot__doc *doc, uint32_t number)
{
    int32_t count = 0;
    uint32_t end = allot__doc_end(doc, number);
    for (uint32_t item = number + 1; item < end; item = allot__doc_next(doc, item))
        count++;
    return count;
}

size_t allot__doc_behind(const allot__doc *doc, uint32_t number)
{
    const allot__mark *marks = doc->scan.marks;
    return allot__doc_nests(doc, number) ? (size_t)marks[marks[number].link].at + 1
                                         : marks[number].link;
}

const char *allot__doc_text(const allot__doc *doc, uint32_t number, size_t *len)
{
    size_t at = doc->scan.marks[number].at;
    *len = allot__doc_behind(doc, number) - at;
    return doc->scan.text + at;
}
