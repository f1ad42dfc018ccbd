/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* value.c: values of a document by number: their kind, end, text and key. */
#include "json/text/doc.h"

char allot__doc_first(const allot__doc *doc, uint32_t number)
{
    return doc->scan.text[doc->scan.marks[number].at];
}

static bool nests(const allot__doc *doc, uint32_t number)
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
    return nests(doc, number) ? doc->scan.marks[number].link + 1 : number + 1;
}

const char *allot__doc_text(const allot__doc *doc, uint32_t number, size_t *len)
{
    const allot__mark *marks = doc->scan.marks;
    size_t behind =
        nests(doc, number) ? (size_t)marks[marks[number].link].at + 1 : marks[number].link;
    *len = behind - marks[number].at;
    return doc->scan.text + marks[number].at;
}

const char *allot__doc_string(const allot__doc *doc, uint32_t number)
{
    return doc->scan.text + doc->scan.marks[number].at + 1;
}

/* Before a member's key there are only blanks and at most one comma. */
size_t allot__doc_key_at(const allot__doc *doc, uint32_t number)
{
    const allot__mark *before = &doc->scan.marks[number - 1];
    const char *text = doc->scan.text;
    char c = text[before->at];
    size_t at = c == '{' || c == '}' || c == ']' ? (size_t)before->at + 1 : before->link;
    while (text[at] != '"' && text[at] != ALLOT__REPEATED)
        at++;
    return at;
}

const char *allot__doc_key(const allot__doc *doc, uint32_t number)
{
    const char *key = doc->scan.text + allot__doc_key_at(doc, number);
    return *key == ALLOT__REPEATED ? NULL : key + 1;
}
