/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* select.c: which hosts an export policy means. */
#include "json/jobs/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Reading --------------------------------------------------------------------------------- */

static const char *copy_text(allot__doc *doc, const char *text, size_t len)
{
    char *copy = allot__doc_take(doc, len + 1, 1);
    return copy ? memcpy(copy, text, len) : "";
}

/* Numbers and booleans stand as they are written. */
static void read_object(allot__doc *doc, const allot__value *value, allot__select *out)
{
    static const allot__field field = {.kinds = ALLOT__INTEGER | ALLOT__NUMBER | ALLOT__BOOLEAN |
                                                ALLOT__STRING,
                                       .min = INT64_MIN,
                                       .max = INT64_MAX};
    out->terms = allot__doc_take(doc, allot__value_count(doc, value), sizeof *out->terms);
    uint32_t it = out->terms ? allot__value_in(doc, value) : 0;
    for (; it; it = allot__doc_after(doc, value->number, it)) {
        allot__value of = allot__value_read(doc, it, &field);
        size_t len;
        const char *text = allot__doc_text(doc, it, &len);
        if (of.kind != 0)
            out->terms[out->count++] =
                (allot__term){.name = allot__doc_key(doc, it),
                              .text = of.string ? of.string : copy_text(doc, text, len)};
    }
}

static size_t blank(const char *text)
{
    return strspn(text, " \t");
}

static bool read_compare(const char **at, allot__compare *out)
{
    static const struct {
        const char *text;
        allot__compare compare;
    } signs[] = {{"==", ALLOT__EQUAL},   {"!=", ALLOT__UNEQUAL}, {">=", ALLOT__AT_LEAST},
                 {"<=", ALLOT__AT_MOST}, {"=", ALLOT__EQUAL},    {">", ALLOT__ABOVE},
                 {"<", ALLOT__BELOW}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t len = strlen(signs[i].text);
        if (strncmp(*at, signs[i].text, len) != 0)
            continue;
        *at += len;
        *out = signs[i].compare;
        return true;
    }
    return false;
}

/* One comparison at *at; false: it is none. */
static bool read_term(allot__doc *doc, const char **at, allot__select *out)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    allot__term term;
    const char *name = *at + blank(*at);
    size_t name_len = strspn(name, letters);
    *at = name + name_len + blank(name + name_len);
    if (name_len == 0 || !read_compare(at, &term.compare))
        return false;
    const char *text = *at + blank(*at);
    char mark = *text == '"' || *text == '\'' ? *text : '\0';
    text += mark != '\0';
    size_t len = mark != '\0' ? strcspn(text, "\"'") : strspn(text, letters);
    if (len == 0 || (mark != '\0' && text[len] != mark))
        return false;
    *at = text + len + (mark != '\0');
    *at += blank(*at);
    term.name = copy_text(doc, name, name_len);
    term.text = copy_text(doc, text, len);
    out->terms[out->count++] = term;
    return true;
}

static bool read_terms(allot__doc *doc, const char *at, allot__select *out)
{
    while (read_term(doc, &at, out)) {
        if (*at == '\0')
            return true;
        if (strncmp(at, "&&", 2) != 0)
            return false;
        at += 2;
    }
    return false;
}

static void read_text(allot__doc *doc, const allot__value *value, allot__select *out)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    out->terms = allot__doc_take(doc, strlen(value->string) / 2 + 1, sizeof *out->terms);
    if (out->terms && !read_terms(doc, value->string, out))
        allot__doc_fault(doc, allot__at(value->number), "E-unsupported", NULL,
                         "found %s, allowed comparisons with \"&&\" between them, as in "
                         "\"type == LINUX && mem >= 64\"",
                         allot__doc_quote(doc, allot__at(value->number), quote));
}

void allot__select_read(allot__doc *doc, const allot__value *value, allot__select *out)
{
    *out = (allot__select){0};
    if (value->kind == ALLOT__OBJECT)
        read_object(doc, value, out);
    else if (value->kind == ALLOT__STRING)
        read_text(doc, value, out);
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* What a host says, as text; false: it does not say it. */
static bool text_of(const allot_plan *plan, int32_t host, const char *name, char *buf, size_t size,
                    const char **out)
{
    allot_host_value value;
    *out = buf;
    if (strcmp(name, "slots") == 0)
        snprintf(buf, size, "%" PRId64, allot_plan_host_slots(plan, host));
    else if (strcmp(name, "name") == 0)
        *out = allot_plan_host_name(plan, host);
    else if (strcmp(name, "group") == 0)
        *out = allot_plan_group_name(plan, allot_plan_host_group(plan, host));
    else if (allot_plan_host_value(plan, host, name, &value) != ALLOT_OK)
        return false;
    else if (value.text)
        *out = value.text;
    else if (value.boolean)
        *out = value.number != 0 ? "true" : "false";
    else
        snprintf(buf, size, "%" PRId64, value.number);
    return *out != NULL;
}

/* In thousandths; false: it is no number from 0 on. */
static bool number_of(const char *text, int64_t *out)
{
    size_t len = strlen(text);
    if (len == 0 || strspn(text, "0123456789.") != len)
        return false;
    *out = allot__thousandths(text, len);
    return *out >= 0;
}

static bool matches(const allot__term *term, const char *text)
{
    int64_t left = 0, right = 0;
    bool equal = strcmp(text, term->text) == 0;
    bool numbers = number_of(text, &left) && number_of(term->text, &right);
    switch (term->compare) {
    case ALLOT__EQUAL:
        return equal || (numbers && left == right);
    case ALLOT__UNEQUAL:
        return !equal && !(numbers && left == right);
    case ALLOT__AT_LEAST:
        return numbers && left >= right;
    case ALLOT__AT_MOST:
        return numbers && left <= right;
    case ALLOT__ABOVE:
        return numbers && left > right;
    case ALLOT__BELOW:
        return numbers && left < right;
    }
    return false;
}

bool allot__select_matches(const allot__select *select, const allot_plan *plan, int32_t host)
{
    char buf[24];
    const char *text;
    for (int32_t i = 0; i < select->count; i++) {
        const allot__term *term = &select->terms[i];
        if (term->compare == ALLOT__EQUAL && strcmp(term->text, "any") == 0)
            continue;
        if (!text_of(plan, host, term->name, buf, sizeof buf, &text) || !matches(term, text))
            return false;
    }
    return true;
}
