/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decimal.c: numbers with a point, in whole thousandths. */
#include <string.h>

#include "json/text/read.h"

/* What stands behind the 'e' of a number, cut at +/- 9999. */
static int64_t exponent_of(const char *text, size_t len)
{
    bool down = len > 0 && text[0] == '-';
    int64_t exponent = 0;
    for (size_t i = down || (len > 0 && text[0] == '+'); i < len; i++)
        exponent = exponent > 999 ? 9999 : 10 * exponent + (text[i] - '0');
    return down ? -exponent : exponent;
}

int64_t allot__thousandths(const char *text, size_t len)
{
    const char *mark = memchr(text, 'e', len);
    mark = mark ? mark : memchr(text, 'E', len);
    size_t digits = mark ? (size_t)(mark - text) : len;
    const char *dot = memchr(text, '.', digits);
    int64_t places = 3 + (int64_t)(dot ? (size_t)(dot - text) : digits);
    places += mark ? exponent_of(mark + 1, len - digits - 1) : 0;
    int64_t sum = 0;
    if (text[0] == '-')
        return -1;
    for (size_t i = 0; i < digits && places > 0; i++) {
        if (text[i] == '.')
            continue;
        if (sum > ALLOT_AMOUNT_MAX)
            return -1;
        sum = 10 * sum + (text[i] - '0');
        places--;
    }
    for (; places > 0 && sum > 0 && sum <= ALLOT_AMOUNT_MAX; places--)
        sum *= 10;
    return sum <= ALLOT_AMOUNT_MAX ? sum : -1;
}

int64_t allot__thousandths_take(allot__doc *doc, const allot__value *value)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    size_t len;
    if (value->kind != ALLOT__INTEGER && value->kind != ALLOT__NUMBER)
        return ALLOT_NONE;
    const char *text = allot__doc_text(doc, value->number, &len);
    int64_t number = allot__thousandths(text, len);
    if (number < 0)
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found the number %s, allowed a number 0 ... %d",
                         allot__doc_quote(doc, allot__at(value->number), quote),
                         ALLOT_AMOUNT_MAX / 1000);
    return number < 0 ? ALLOT_NONE : number;
}
