/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* item.c: reads the items of a state by the tables of their members (allot/members.h). */
#include "json/state/item.h"

#include <allot/stated.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "json/jobs/queues.h"
#include "json/text/names.h"

/* ---- Values ---------------------------------------------------------------------------------- */

static void set_list(const allot_member *member, char *thing, const void *list, int32_t count)
{
    memcpy(thing + member->at, &list, sizeof list);
    memcpy(thing + member->count_at, &count, sizeof count);
}

static void read_text(allot__item_reader *it, const allot_member *member, const allot__value *value,
                      char *thing)
{
    const char *text = value->string;
    enum { DIGITS = 24 };
    if (value->kind == ALLOT__INTEGER) {
        char *digits = allot__doc_take(it->doc, DIGITS, 1);
        if (digits)
            snprintf(digits, DIGITS, "%" PRId64, value->integer);
        text = digits;
    }
    if (text && !(member->flags & ALLOT_MEMBER_DIGITS) && member->most > 0 &&
        (*text == '\0' || strlen(text) > (size_t)member->most)) {
        char allowed[40];
        snprintf(allowed, sizeof allowed, "1 ... %d bytes", (int)member->most);
        allot__value_fault(it->doc, value, allowed);
    }
    memcpy(thing + member->at, &text, sizeof text);
}

static const char *queue_name(const allot_plan *plan, int32_t number)
{
    allot_queue queue;
    return allot_plan_queue_at(plan, number, &queue) == ALLOT_OK ? queue.name : NULL;
}

int32_t allot__queue_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name)
{
    static const allot__named queues = {"E-unknown-queue",     "queue",           "the plan",
                                        allot_plan_queue_find, allot_plan_queues, queue_name};
    return allot__named_read(doc, plan, spot, name, &queues);
}

static void read_name(allot__item_reader *it, const allot_member *member, const allot__value *value,
                      char *thing)
{
    allot__doc *doc = it->doc;
    const allot_plan *plan = it->plan;
    allot__spot spot = allot__at(value->number);
    int32_t number = member->type == ALLOT_MEMBER_QUEUE ? -1 : ALLOT_ROOT;
    if (value->kind == ALLOT__STRING)
        number =
            member->type == ALLOT_MEMBER_QUEUE  ? allot__queue_read(doc, plan, spot, value->string)
            : member->type == ALLOT_MEMBER_LEAF ? allot__leaf_read(doc, plan, spot, value->string)
                                                : allot__path_read(doc, plan, spot, value->string);
    memcpy(thing + member->at, &number, sizeof number);
}

static void read_group(allot__item_reader *it, const allot_member *member,
                       const allot__value *value, char *thing)
{
    int32_t group = it->group_of ? it->group_of(it, value)
                                 : allot__group_read(it->doc, it->plan, it->object, value);
    memcpy(thing + member->at, &group, sizeof group);
}

/* LSF's own names. Cycles do not decide about jobs in its other states (PSUSP, DONE, EXIT). */
static int word_of_lsf(const char *text)
{
    static const struct {
        const char *word;
        allot_job_state state;
    } words[] = {{"PEND", ALLOT_PENDING},
                 {"RUN", ALLOT_RUNNING},
                 {"SSUSP", ALLOT_SUSPENDED},
                 {"USUSP", ALLOT_STOPPED}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (allot__word_is(text, words[i].word))
            return (int)words[i].state;
    return -1;
}

/* Reports "found X, allowed "a", "b" or "c"", with the nearest. */
static void say_word(allot__doc *doc, const allot_member *member, const allot__value *value)
{
    enum { WORDS = 8 };
    const char *names[WORDS] = {NULL};
    char allowed[160];
    allot__spot spot = allot__at(value->number);
    size_t count = 0, len = 0;
    while (count < WORDS && member->word((int)count)) {
        names[count] = member->word((int)count);
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        const char *mark = i == 0 && member->flags & ALLOT_MEMBER_FALSE ? "" : "\"";
        len += (size_t)snprintf(allowed + len, sizeof allowed - len, "%s%s%s%s",
                                i == 0          ? ""
                                : i + 1 < count ? ", "
                                                : " or ",
                                mark, names[i], mark);
    }
    bool string = value->kind == ALLOT__STRING;
    bool range = string || (value->kind == ALLOT__BOOLEAN && member->flags & ALLOT_MEMBER_FALSE);
    const char *near =
        string ? allot_nearest(value->string, strlen(value->string), names, count) : NULL;
    const char *found = value->kind == ALLOT__LIST     ? "a list"
                        : value->kind == ALLOT__OBJECT ? "an object"
                                                       : allot__doc_quote(doc, spot);
    allot__doc_fault(doc, spot, range ? "E-range" : "E-type", allot__doc_hint(doc, near),
                     "found %s, allowed %s", found, allowed);
}

static void read_word(allot__item_reader *it, const allot_member *member, const allot__value *value,
                      char *thing)
{
    int word = member->flags & ALLOT_MEMBER_FALSE ? 1 : 0;
    if (value->kind != ALLOT__STRING) {
        if (word == 0 || value->kind != ALLOT__BOOLEAN || value->integer != 0)
            say_word(it->doc, member, value);
        return;
    }
    while (member->word(word) && !allot__word_is(value->string, member->word(word)))
        word++;
    if (!member->word(word))
        word = member->word == allot_job_state_name ? word_of_lsf(value->string)
               : allot__word_is(value->string, "active") && member->word == allot_lease_phase_name
                   ? ALLOT_LEASE_OK
                   : -1;
    if (word < 0)
        say_word(it->doc, member, value);
    else
        memcpy(thing + member->at, &word, sizeof word);
}

static void set_flag(const allot_member *member, char *thing)
{
    int32_t flags;
    memcpy(&flags, thing + member->at, sizeof flags);
    flags |= (int32_t)member->least;
    memcpy(thing + member->at, &flags, sizeof flags);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static void read_texts(allot__item_reader *it, const allot_member *member,
                       const allot__value *value, char *thing)
{
    static const allot__field text = {.kinds = ALLOT__STRING};
    allot__doc *doc = it->doc;
    int32_t count = 0;
    const char **texts = allot__doc_take(doc, allot__value_count(doc, value), sizeof *texts);
    uint32_t item = texts ? allot__value_in(doc, value) : 0;
    for (; item; item = allot__doc_after(doc, value->number, item)) {
        allot__value of = allot__value_read(doc, item, &text);
        if (of.kind != 0 && member->flags & ALLOT_MEMBER_LABEL && !allot__label_valid(of.string))
            allot__doc_found(doc, allot__at(item), "E-name", NULL, "",
                             ", allowed names of " ALLOT__LABEL_RULE);
        else if (of.kind != 0)
            texts[count++] = of.string;
    }
    set_list(member, thing, texts, count);
}

/* {host: slots}; a number, or the name "": slots on the only host. */
static void read_places(allot__item_reader *it, const allot_member *member,
                        const allot__value *value, char *thing)
{
    static const allot__field slots = {NULL, ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false};
    allot__doc *doc = it->doc;
    int32_t count = 0;
    allot_job_host *places =
        allot__doc_take(doc, allot__value_count(doc, value) + 1, sizeof *places);
    if (value->kind == ALLOT__INTEGER && value->integer > 0 && places)
        places[count++] = (allot_job_host){NULL, value->integer};
    uint32_t item = places ? allot__value_in(doc, value) : 0;
    for (; item; item = allot__doc_after(doc, value->number, item)) {
        allot__value of = allot__value_read(doc, item, &slots);
        const char *host = allot__doc_key(doc, item);
        if (of.kind != 0)
            places[count++] = (allot_job_host){*host != '\0' ? host : NULL, of.integer};
    }
    set_list(member, thing, places, count);
}

static void read_amounts(allot__item_reader *it, const allot_member *member,
                         const allot__value *value, char *thing)
{
    static const allot__field amount = {NULL, ALLOT__AMOUNT, false};
    allot__doc *doc = it->doc;
    int32_t count = 0;
    allot_job_resource *list = allot__doc_take(doc, allot__value_count(doc, value), sizeof *list);
    uint32_t item = list ? allot__value_in(doc, value) : 0;
    for (; item; item = allot__doc_after(doc, value->number, item)) {
        int32_t resource =
            allot__resource_find(doc, it->plan, allot__at_key(item), allot__doc_key(doc, item));
        allot__value of = allot__value_read(doc, item, &amount);
        if (resource >= 0 && of.kind != 0)
            list[count++] = (allot_job_resource){resource, of.integer};
    }
    set_list(member, thing, list, count);
}

/* {group: slots}; its first entry counts as the item's own group until the item is taken. */
static void read_slots(allot__item_reader *it, const allot_member *member,
                       const allot__value *value, char *thing)
{
    const allot__field slots = {NULL, ALLOT__INTEGER, member->least, member->most, false};
    allot__doc *doc = it->doc;
    int32_t count = 0;
    if (value->kind == ALLOT__INTEGER) {
        memcpy(thing + member->members[0].at, &value->integer, sizeof value->integer);
        return;
    }
    allot_task_slots *list = allot__doc_take(doc, allot__value_count(doc, value), sizeof *list);
    uint32_t first = allot__value_in(doc, value);
    for (uint32_t item = first; item && list; item = allot__doc_after(doc, value->number, item)) {
        int32_t group =
            allot__group_find(doc, it->plan, allot__at_key(item), allot__doc_key(doc, item));
        allot__value of = allot__value_read(doc, item, &slots);
        if (group >= 0 && of.kind != 0)
            list[count++] = (allot_task_slots){group, of.integer};
    }
    if (first == 0)
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found {}, allowed slots of at least one group");
    set_list(member, thing, list, count);
}

static allot_claim read_claim(allot__item_reader *it, uint32_t object)
{
    static const allot__field fields[] = {{"consumer", ALLOT__STRING, 0, 0, true},
                                          {"slots", ALLOT__AMOUNT, true}};
    static const allot__shape shape = {fields, 2, 0};
    allot__doc *doc = it->doc;
    allot__value values[2];
    allot_claim claim = {0};
    if (!allot__kind_check(doc, object, ALLOT__OBJECT))
        return claim;
    allot__object_read(doc, object, &shape, values);
    if (values[0].kind == ALLOT__STRING)
        claim.consumer =
            allot__path_read(doc, it->plan, allot__at(values[0].number), values[0].string);
    claim.slots = values[1].kind != 0 ? values[1].integer : 0;
    return claim;
}

static void read_claims(allot__item_reader *it, const allot_member *member,
                        const allot__value *value, char *thing)
{
    allot__doc *doc = it->doc;
    int32_t count = 0;
    allot_claim *claims = allot__doc_take(doc, allot__value_count(doc, value), sizeof *claims);
    uint32_t item = claims ? allot__value_in(doc, value) : 0;
    for (; item; item = allot__doc_after(doc, value->number, item))
        claims[count++] = read_claim(it, item);
    set_list(member, thing, claims, count);
}

/* ---- Members --------------------------------------------------------------------------------- */

static allot__field field_of(const allot_member *member, bool optional);
static void read_member(allot__item_reader *it, const allot_member *member,
                        const allot__value *value, char *thing);

static void read_object(allot__item_reader *it, const allot_member *member,
                        const allot__value *value, char *thing)
{
    enum { MOST = 8 };
    allot__field fields[MOST];
    allot__value values[MOST];
    allot__doc *doc = it->doc;
    if (value->kind != ALLOT__OBJECT && !allot__yes_take(doc, value))
        return;
    if (member->least != 0)
        set_flag(member, thing);
    const allot__shape shape = {fields, (size_t)member->member_count, 0};
    if (value->kind != ALLOT__OBJECT)
        return;
    for (int32_t i = 0; i < member->member_count; i++)
        fields[i] = field_of(&member->members[i], false);
    allot__object_read(doc, value->number, &shape, values);
    for (int32_t i = 0; i < member->member_count; i++)
        read_member(it, &member->members[i], &values[i], thing);
}

static void read_whole(allot__item_reader *it, const allot_member *member,
                       const allot__value *value, char *thing)
{
    (void)it;
    memcpy(thing + member->at, &value->integer, sizeof value->integer);
}

static void read_time(allot__item_reader *it, const allot_member *member, const allot__value *value,
                      char *thing)
{
    int64_t when = INT64_MIN;
    double seconds = 0;
    if (value->kind == ALLOT__NUMBER)
        seconds = allot__doc_double(it->doc, value->number);
    else if (!allot__time_read(it->doc, value, &when))
        return;
    if (value->kind == ALLOT__NUMBER && seconds >= 0 && seconds < 1e18)
        when = (int64_t)seconds;
    memcpy(thing + member->at, &when, sizeof when);
    if (when >= member->least && when <= member->most)
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "Unix seconds %" PRId64 " ... %" PRId64, member->least,
             member->most);
    allot__value_fault(it->doc, value, allowed);
}

static void read_thousandths(allot__item_reader *it, const allot_member *member,
                             const allot__value *value, char *thing)
{
    int64_t number = allot__thousandths_take(it->doc, value);
    if (number >= 0)
        memcpy(thing + member->at, &number, sizeof number);
}

static void read_flag(allot__item_reader *it, const allot_member *member, const allot__value *value,
                      char *thing)
{
    if (allot__yes_take(it->doc, value))
        set_flag(member, thing);
}

static const struct {
    unsigned kinds;
    void (*read)(allot__item_reader *it, const allot_member *member, const allot__value *value,
                 char *thing);
} types[] = {
    [ALLOT_MEMBER_TEXT] = {ALLOT__STRING, read_text},
    [ALLOT_MEMBER_CONSUMER] = {ALLOT__STRING, read_name},
    [ALLOT_MEMBER_LEAF] = {ALLOT__STRING, read_name},
    [ALLOT_MEMBER_GROUP] = {ALLOT__STRING, read_group},
    [ALLOT_MEMBER_QUEUE] = {ALLOT__STRING, read_name},
    [ALLOT_MEMBER_WHOLE] = {ALLOT__INTEGER, read_whole},
    [ALLOT_MEMBER_TIME] = {ALLOT__TIME_KINDS, read_time},
    [ALLOT_MEMBER_WORD] = {ALLOT__ANYTHING & ~ALLOT__NULL, read_word},
    [ALLOT_MEMBER_FLAG] = {ALLOT__YES_KINDS, read_flag},
    [ALLOT_MEMBER_TEXTS] = {ALLOT__LIST, read_texts},
    [ALLOT_MEMBER_PLACES] = {ALLOT__OBJECT, read_places},
    [ALLOT_MEMBER_AMOUNTS] = {ALLOT__OBJECT, read_amounts},
    [ALLOT_MEMBER_CLAIMS] = {ALLOT__LIST, read_claims},
    [ALLOT_MEMBER_SLOTS] = {ALLOT__INTEGER | ALLOT__OBJECT, read_slots},
    [ALLOT_MEMBER_THOUSANDTHS] = {ALLOT__INTEGER | ALLOT__NUMBER, read_thousandths},
    [ALLOT_MEMBER_OBJECT] = {ALLOT__OBJECT, read_object},
};

static unsigned kinds_of(const allot_member *member)
{
    unsigned all = types[member->type].kinds;
    if (member->type == ALLOT_MEMBER_PLACES && member->most > 0)
        all |= ALLOT__INTEGER; /* slots on the only host */
    if (member->type == ALLOT_MEMBER_OBJECT && member->least != 0)
        all |= ALLOT__YES_KINDS; /* true: only the bit */
    if (member->flags & ALLOT_MEMBER_DIGITS)
        all |= ALLOT__INTEGER;
    if (member->flags & ALLOT_MEMBER_DECIMALS)
        all |= ALLOT__NUMBER;
    return member->flags & ALLOT_MEMBER_NULLABLE ? all | ALLOT__NULL : all;
}

static allot__field field_of(const allot_member *member, bool optional)
{
    bool own = member->type == ALLOT_MEMBER_THOUSANDTHS || member->type == ALLOT_MEMBER_TIME ||
               member->type == ALLOT_MEMBER_WORD;
    return (allot__field){member->name, kinds_of(member), own ? INT64_MIN : member->least,
                          own ? INT64_MAX : member->most, /* else its reader checks the range */
                          member->flags & ALLOT_MEMBER_REQUIRED && !optional};
}

static bool is_stated(const allot__value *value)
{
    return value->kind != 0 && value->kind != ALLOT__NULL;
}

static void read_values(allot__item_reader *it, const allot_member *member, char *thing)
{
    int32_t count = 0;
    for (size_t i = it->own; i < it->count; i++)
        if (is_stated(&it->values[i]))
            it->stated[count++] = (allot_task_value){it->attributes[i], it->values[i].integer};
    set_list(member, thing, it->stated, count);
}

static void read_member(allot__item_reader *it, const allot_member *member,
                        const allot__value *value, char *thing)
{
    if (member->type == ALLOT_MEMBER_GROUP ||
        (is_stated(value) && !(member->flags & ALLOT_MEMBER_PASSED)))
        types[member->type].read(it, member, value, thing);
}

static void read_object_of(allot__item_reader *it)
{
    const allot__shape shape = {it->fields, it->count, 0};
    allot__object_read(it->doc, it->object, &shape, it->values);
    for (size_t i = 0; i < it->own; i++) {
        allot_json_part *part = &it->parts[it->slots[i].part];
        const allot_member *member = it->slots[i].member;
        read_member(it, member, &it->values[i], part->item);
        if (is_stated(&it->values[i]))
            part->stated |= UINT64_C(1) << (member - part->members->items);
    }
    for (int32_t k = 0; k < it->part_count; k++) {
        const allot_member *values = allot_member_find(it->parts[k].members, "");
        if (values)
            read_values(it, values, it->parts[k].item);
    }
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Adds attributes of tasks and jobs that policies declare, behind the item's own keys. */
static void add_attributes(allot__item_reader *it)
{
    allot_attribute of;
    for (int32_t i = 0; allot_plan_task_attribute_at(it->plan, i, &of) == ALLOT_OK; i++) {
        unsigned kinds = of.type == ALLOT_BOOLEAN ? ALLOT__BOOLEAN : ALLOT__INTEGER;
        if (of.type == ALLOT_TAG)
            continue;
        if (!it->state && of.min <= 0 && of.max >= 1) /* events may say 1 for true */
            kinds = ALLOT__BOOLEAN | ALLOT__INTEGER;
        it->attributes[it->count] = i;
        it->fields[it->count++] =
            (allot__field){of.name, of.fallback == ALLOT_NONE ? kinds | ALLOT__NULL : kinds, of.min,
                           of.max, false};
    }
}

/* May an object state a member of that part? */
static bool may_state(const allot__item_reader *it, int32_t k, const allot_member *member)
{
    const allot_json_part *part = &it->parts[k];
    if (member->type == ALLOT_MEMBER_VALUES || member->flags & (ALLOT_MEMBER_KEY | part->without))
        return false;
    for (const char *const *but = part->but; but && *but; but++)
        if (strcmp(*but, member->name) == 0)
            return false;
    while (k-- > 0)
        if (allot_member_find(it->parts[k].members, member->name))
            return false;
    return true;
}

/* Makes the keys of all parts. False: out of memory. */
static bool make_fields(allot__item_reader *it)
{
    allot__doc *doc = it->doc;
    bool values = false;
    size_t room = 0;
    for (int32_t k = 0; k < it->part_count; k++) {
        room += it->parts[k].members ? (size_t)it->parts[k].members->count : 0;
        values = values || allot_member_find(it->parts[k].members, "");
    }
    room += values ? (size_t)allot_plan_task_attributes(it->plan) : 0;
    it->fields = allot__doc_take(doc, room, sizeof *it->fields);
    it->values = allot__doc_take(doc, room, sizeof *it->values);
    it->slots = allot__doc_take(doc, room, sizeof *it->slots);
    it->stated = allot__doc_take(doc, room, sizeof *it->stated);
    it->attributes = allot__doc_take(doc, room, sizeof *it->attributes);
    if (!it->fields || !it->values || !it->slots || !it->stated || !it->attributes)
        return false;
    for (int32_t k = 0; k < it->part_count; k++) {
        const allot_members *members = it->parts[k].members;
        for (int32_t i = 0; members && i < members->count; i++) {
            if (!may_state(it, k, &members->items[i]))
                continue;
            it->slots[it->count].member = &members->items[i];
            it->slots[it->count].part = k;
            it->fields[it->count++] = field_of(&members->items[i], it->parts[k].optional);
        }
    }
    it->own = it->count;
    if (values)
        add_attributes(it);
    return true;
}

bool allot__item_reader_begin(allot__state_reader *reader, allot_item item, allot__item_reader *it)
{
    *it = (allot__item_reader){.doc = &reader->doc, .plan = reader->plan, .state = reader};
    it->own_part.members = allot_members_of(item);
    it->parts = &it->own_part;
    it->part_count = 1;
    return make_fields(it);
}

const allot__value *allot__item_reader_value(const allot__item_reader *it, const char *name)
{
    size_t i = 0;
    while (strcmp(it->fields[i].key, name) != 0)
        i++;
    return &it->values[i];
}

/* ---- Items ----------------------------------------------------------------------------------- */

static void read_item(allot__item_reader *it, allot__item_taker take_it)
{
    allot__doc *doc = it->doc;
    int64_t faults = doc->faults;
    allot_any_item thing;
    it->own_part.item = &thing;
    allot_item_init(it->own_part.members, &thing);
    read_object_of(it);
    take_it(it, &thing, doc->faults == faults && doc->status == ALLOT_OK);
}

void allot__item_reader_read(allot__item_reader *it, const allot__value *all,
                             allot__item_taker take_it)
{
    allot__doc *doc = it->doc;
    it->object = allot__value_in(doc, all);
    for (; it->object; it->object = allot__doc_after(doc, all->number, it->object)) {
        allot__entry_begin(doc);
        if (allot__kind_check(doc, it->object, ALLOT__OBJECT))
            read_item(it, take_it);
        allot__entry_end(doc);
    }
}

/* The group that an optional part states; -1: none of several. */
static int32_t group_or_none(allot__item_reader *it, const allot__value *value)
{
    if (value->number == 0 && allot_plan_groups(it->plan) > 1)
        return -1;
    return allot__group_read(it->doc, it->plan, it->object, value);
}

int allot_json_members(allot_json *json, const allot_plan *plan, allot_json_part *parts,
                       int32_t count)
{
    allot__doc *doc = allot__json_doc(json);
    allot__item_reader it = {.doc = doc, .plan = plan, .parts = parts, .part_count = count};
    doc->grows = true;
    for (int32_t k = 0; k < count; k++) {
        parts[k].stated = 0;
        if (parts[k].optional)
            it.group_of = group_or_none;
    }
    if (allot__kind_check(doc, 0, ALLOT__OBJECT) && make_fields(&it))
        read_object_of(&it);
    return allot__doc_verdict(doc);
}

void allot__members_read(allot__state_reader *reader, allot__state_key key,
                         void (*read)(allot__state_reader *reader, uint32_t member))
{
    allot__doc *doc = &reader->doc;
    const allot__value *top = &reader->top[key];
    for (uint32_t it = allot__value_in(doc, top); it; it = allot__doc_after(doc, top->number, it))
        read(reader, it);
    allot__doc_about(doc, NULL, 0, 0);
}
