/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read.c: looks up keys, and checks kinds and ranges. */
#include "json/text/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The most keys of an object that are candidates for "did you mean". */
#define KEYS_MAX 128

/* ---- Values ---------------------------------------------------------------------------------- */

/* Reads an integer of `len` bytes; saturates beyond 64 bits. */
static void read_integer(const char *text, size_t len, allot__value *value)
{
    bool negative = text[0] == '-';
    int64_t sum = 0;
    for (size_t i = negative; i < len; i++) {
        int digit = text[i] - '0';
        if (sum < (INT64_MIN + digit) / 10) {
            value->huge = true;
            sum = INT64_MIN;
            break;
        }
        sum = sum * 10 - digit; /* one more value below zero than above */
    }
    if (!negative && sum == INT64_MIN)
        value->huge = true;
    value->integer = negative ? sum : sum == INT64_MIN ? INT64_MAX : -sum;
}

static allot__kind number_kind(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == '.' || text[i] == 'e' || text[i] == 'E')
            return ALLOT__NUMBER;
    return ALLOT__INTEGER;
}

static allot__kind kind_of(const char *text, size_t len)
{
    switch (text[0]) {
    case '{':
        return ALLOT__OBJECT;
    case '[':
        return ALLOT__LIST;
    case '"':
        return ALLOT__STRING;
    case 't':
    case 'f':
        return ALLOT__BOOLEAN;
    case 'n':
        return ALLOT__NULL;
    default:
        return number_kind(text, len);
    }
}

allot__value allot__value_of(const allot__doc *doc, uint32_t number)
{
    allot__value value = {.number = number};
    size_t len;
    const char *text = allot__doc_text(doc, number, &len);
    value.kind = kind_of(text, len);
    if (value.kind == ALLOT__STRING)
        value.string = text + 1;
    if (value.kind == ALLOT__BOOLEAN)
        value.integer = text[0] == 't';
    if (value.kind == ALLOT__INTEGER)
        read_integer(text, len, &value);
    return value;
}

static bool nests(const allot__value *value)
{
    return value->kind == ALLOT__LIST || value->kind == ALLOT__OBJECT;
}

uint32_t allot__value_in(allot__doc *doc, const allot__value *value)
{
    return nests(value) ? allot__doc_in(doc, value->number) : 0;
}

size_t allot__value_count(const allot__doc *doc, const allot__value *value)
{
    return nests(value) ? allot__doc_count(doc, value->number) : 0;
}

/* ---- What is wrong --------------------------------------------------------------------------- */

static const char *kind_text(allot__kind kind)
{
    switch (kind) {
    case ALLOT__STRING:
        return "the string ";
    case ALLOT__INTEGER:
    case ALLOT__NUMBER:
        return "the number ";
    case ALLOT__LIST:
        return "a list";
    case ALLOT__OBJECT:
        return "an object";
    default:
        return "";
    }
}

/* "an integer 0 ... 9, a string or null" */
static void allowed_text(const allot__field *field, char *buf, size_t size)
{
    static const struct {
        unsigned kinds;
        const char *text;
    } words[] = {{ALLOT__NUMBER, "a number"},  {ALLOT__BOOLEAN, "true or false"},
                 {ALLOT__STRING, "a string"},  {ALLOT__LIST, "a list"},
                 {ALLOT__OBJECT, "an object"}, {ALLOT__NULL, "null"}};
    size_t len = 0;
    buf[0] = '\0';
    if ((field->kinds & ALLOT__INTEGER) && !(field->kinds & ALLOT__NUMBER)) {
        if (field->min == INT64_MIN)
            len = (size_t)snprintf(buf, size, "an integer of 64 bits");
        else if (field->min == field->max)
            len = (size_t)snprintf(buf, size, "only %" PRId64, field->min);
        else
            len = (size_t)snprintf(buf, size, "an integer %" PRId64 " ... %" PRId64, field->min,
                                   field->max);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0] && len < size; i++)
        if (field->kinds & words[i].kinds)
            len += (size_t)snprintf(buf + len, size - len, "%s%s", len > 0 ? " or " : "",
                                    words[i].text);
}

static void say_value(allot__doc *doc, const allot__field *field, const allot__value *value,
                      const char *code)
{
    char allowed[160];
    allowed_text(field, allowed, sizeof allowed);
    allot__doc_fault(doc, allot__at(value->number), code,
                     value->kind == ALLOT__NUMBER && (field->kinds & ALLOT__INTEGER)
                         ? "write integers without a point or exponent"
                         : NULL,
                     "found %s%s, allowed %s", kind_text(value->kind),
                     nests(value) ? "" : allot__doc_quote(doc, allot__at(value->number)), allowed);
}

static void check(allot__doc *doc, const allot__field *field, allot__value *value)
{
    if ((value->kind & field->kinds) == 0)
        say_value(doc, field, value, "E-type");
    else if (value->kind == ALLOT__INTEGER &&
             (value->huge || value->integer < field->min || value->integer > field->max))
        say_value(doc, field, value, "E-range");
    else
        return;
    value->kind = 0;
}

allot__value allot__value_read(allot__doc *doc, uint32_t number, const allot__field *field)
{
    allot__value value = allot__value_of(doc, number);
    check(doc, field, &value);
    return value;
}

bool allot__kind_check(allot__doc *doc, uint32_t number, allot__kind kind)
{
    return allot__value_read(doc, number, &(allot__field){.kinds = kind}).kind != 0;
}

void allot__value_fault(allot__doc *doc, const allot__value *value, const char *allowed)
{
    allot__doc_fault(doc, allot__at(value->number), "E-range", NULL, "found %s, allowed %s",
                     allot__doc_quote(doc, allot__at(value->number)), allowed);
}

/* ---- Objects --------------------------------------------------------------------------------- */

/* The nearest key of the shape. `unstated`: among keys that the object does not state; a word near
 * a stated key is a word of its own. */
static const char *nearest_key(const allot__doc *doc, uint32_t object, const char *key,
                               const allot__shape *shape, bool unstated)
{
    const char *keys[KEYS_MAX];
    size_t count = shape->count < KEYS_MAX ? shape->count : KEYS_MAX;
    for (size_t i = 0; i < count; i++) {
        const char *known = shape->fields[i].key;
        keys[i] = unstated && allot__doc_member(doc, object, known) != 0 ? NULL : known;
    }
    return allot_nearest(key, strlen(key), keys, count);
}

/* "allowed are "a", "b", ...", as far as the buffer goes. */
static const char *list_keys(const allot__shape *shape, char *hint, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < shape->count && used < size; i++) {
        const char *key = shape->fields[i].key;
        if (used + strlen(key) + 24 > size) {
            snprintf(hint + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(hint + used, size - used, "%s\"%s\"",
                                 i == 0 ? "allowed are " : ", ", key);
    }
    return used > 0 ? hint : NULL;
}

static void read_other(allot__doc *doc, uint32_t object, uint32_t member, const allot__shape *shape)
{
    char hint[400];
    const allot__field other = {NULL, shape->others, INT64_MIN, INT64_MAX, false};
    allot__spot spot = allot__at_key(member);
    const char *near =
        nearest_key(doc, object, allot__doc_key(doc, member), shape, shape->others != 0);
    if (shape->others == 0 || near)
        allot__doc_fault(doc, spot, "E-unknown-key",
                         near ? allot__doc_hint(doc, near) : list_keys(shape, hint, sizeof hint),
                         "found the unknown key %s", allot__doc_quote(doc, spot));
    else
        allot__value_read(doc, member, &other);
}

static void read_member(allot__doc *doc, uint32_t object, uint32_t member,
                        const allot__shape *shape, allot__value *values)
{
    const char *key = allot__doc_key(doc, member);
    size_t i = 0;
    while (i < shape->count && strcmp(shape->fields[i].key, key) != 0)
        i++;
    if (i < shape->count)
        values[i] = allot__value_read(doc, member, &shape->fields[i]);
    else
        read_other(doc, object, member, shape);
}

void allot__object_read(allot__doc *doc, uint32_t number, const allot__shape *shape,
                        allot__value *values)
{
    memset(values, 0, shape->count * sizeof *values);
    for (uint32_t it = allot__doc_in(doc, number); it; it = allot__doc_after(doc, number, it))
        read_member(doc, number, it, shape, values);
    for (size_t i = 0; i < shape->count; i++)
        if (shape->fields[i].required && values[i].number == 0)
            allot__doc_fault(doc, allot__at(number), "E-missing", NULL, "\"%s\" is missing",
                             shape->fields[i].key);
}

/* ---- Numbers with a point, in whole thousandths ---------------------------------------------- */

/* The exponent of a number, cut at +/- 9999. */
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
    size_t len;
    if (value->kind != ALLOT__INTEGER && value->kind != ALLOT__NUMBER)
        return ALLOT_NONE;
    const char *text = allot__doc_text(doc, value->number, &len);
    int64_t number = allot__thousandths(text, len);
    if (number < 0)
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found the number %s, allowed a number 0 ... %d",
                         allot__doc_quote(doc, allot__at(value->number)), ALLOT_AMOUNT_MAX / 1000);
    return number < 0 ? ALLOT_NONE : number;
}
