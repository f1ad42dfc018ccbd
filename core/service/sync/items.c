/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* items.c: hosts, sessions, tasks and jobs of a truth. */
#include <stdio.h>

#include "service/sync/truth.h"

/* ---- Rows that are wrong --------------------------------------------------------------------- */

/* The value as text: a string, or a whole number's digits; false: neither, or ENOMEM (the row is
 * dropped all the same). */
static bool text_of(const allot__truth *truth, allot__span value, char out[256])
{
    allot_json *json;
    allot_json_event event = {0};
    bool is =
        allot_json_open(truth->engine, value.at, value.len, NULL, 1, 0, NULL, &json) == ALLOT_OK;
    if (!is)
        return false;
    allot_json_next(json, &event);
    if (event.kind == ALLOT_JSON_TEXT && event.len < 256)
        memcpy(out, event.text, event.len + 1);
    else if (event.kind == ALLOT_JSON_WHOLE)
        snprintf(out, 256, "%lld", (long long)event.whole);
    else
        is = false;
    allot_json_close(json);
    return is;
}

static bool name_of(const allot__truth *truth, const allot__truth_row *row, const char *key,
                    char out[256])
{
    allot__span name, value;
    const char *at = row->text, *end = row->text + row->len;
    if (row->len == 0 || *at != '{')
        return false;
    while (allot__span_member(&at, end, &name, &value))
        if (allot__span_is(&name, key))
            return text_of(truth, value, out);
    return false;
}

/* The thing named by a wrong row stays unchanged; so the name is kept. */
static int spare(allot__truth *truth, allot__truth_list list, const allot__truth_row *like,
                 const allot__error *error)
{
    bool host = list == ALLOT__TRUTH_HOSTS;
    char name[256];
    bool named = name_of(truth, like, host ? "name" : "id", name);
    allot__truth_drop(truth, list, host ? -1 : (int64_t)like->place, named ? name : NULL, error);
    if (!named)
        return ALLOT_OK;
    allot__truth_row *row = allot__push(truth->engine, &truth->rows[list], sizeof *row);
    if (!row)
        return ALLOT_ENOMEM;
    *row = *like;
    row->verdict = ALLOT__TRUTH_DROPPED;
    row->item = allot__item_make(truth->engine, sizeof *row->item, name, strlen(name), 0);
    row->hash = allot__map_hash(name, strlen(name));
    return row->item ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- Hosts, sessions, tasks, jobs ------------------------------------------------------------ */

static int make_task(const allot__truth *truth, const allot__event *event, allot_task *task,
                     allot__error *error)
{
    int status = allot__event_task_new(truth->plan, event, task, error);
    if (status == ALLOT_OK && allot__event_said(event, "adopt"))
        status = allot__error_set(error, ALLOT_EINVALID, "E-unknown-key", "adopt", NULL,
                                  "adopt: tasks of a truth run, whatever was allocated");
    return status;
}

static int make_item(const allot__truth *truth, const allot__event *event, allot__truth_row *row,
                     allot__error *error)
{
    allot_item kind = allot__event_item(event->kind);
    const void *item = &event->id;
    allot_task task;
    int status = ALLOT_OK;
    if (kind == ALLOT_ITEM_TASK) {
        status = make_task(truth, event, &task, error);
        row->started = allot__event_said(event, "started") != NULL;
        item = &task;
    }
    if (status != ALLOT_OK)
        return status;
    row->stated = event->stated;
    row->item = allot__stated_make(truth->engine, kind, item);
    return row->item ? ALLOT_OK : ALLOT_ENOMEM;
}

static const allot__event_kind kinds[ALLOT__TRUTH_LISTS] = {
    [ALLOT__TRUTH_HOSTS] = ALLOT__EVENT_HOST,
    [ALLOT__TRUTH_SESSIONS] = ALLOT__EVENT_SESSION,
    [ALLOT__TRUTH_TASKS] = ALLOT__EVENT_START,
    [ALLOT__TRUTH_JOBS] = ALLOT__EVENT_SUBMIT};

/* Refuses a time or key in a row of a truth. */
static int check_common(const allot__truth *truth, allot__event *event, allot__error *error)
{
    if (event->at_given || event->key)
        return allot__error_set(error, ALLOT_EINVALID, "E-unknown-key", event->key ? "key" : "at",
                                NULL, "%s: the call has one for all of its rows",
                                event->key ? "key" : "at");
    event->at = truth->at;
    return allot__event_times(event, truth->now, error);
}

static int read_item(allot__truth *truth, allot__truth_list list, allot__truth_row *row)
{
    allot__event event;
    allot__error error = {.message = ""};
    int status = allot__event_read(truth->reader, truth->plan, kinds[list], ALLOT__CLIENT,
                                   row->text, row->len, &event, &error);
    if (status == ALLOT_OK)
        status = check_common(truth, &event, &error);
    if (status == ALLOT_OK)
        status = make_item(truth, &event, row, &error);
    if (status != ALLOT_OK)
        return status == ALLOT_ENOMEM ? status : spare(truth, list, row, &error);
    allot__truth_row *kept = allot__push(truth->engine, &truth->rows[list], sizeof *kept);
    if (!kept) {
        allot__item_free(truth->engine, row->item);
        return ALLOT_ENOMEM;
    }
    *kept = *row;
    kept->hash = allot__map_hash(row->item->name, row->item->len);
    return ALLOT_OK;
}

int allot__truth_items(allot__truth *truth, allot__truth_list list, allot__span value)
{
    const char *at = value.at, *end = value.at + value.len;
    allot__span item;
    int status = ALLOT_OK;
    for (uint32_t place = 0; status == ALLOT_OK && allot__span_item(&at, end, &item); place++) {
        allot__truth_row row = {.text = item.at, .len = (uint32_t)item.len, .place = place};
        status = read_item(truth, list, &row);
    }
    return status;
}

/* {"h1": {...}} in the form of the event: {"name": "h1", ...}. */
static int put_name(allot__truth *truth, allot__span name, allot__span value, allot__truth_row *row)
{
    static const char head[] = "{\"name\": \"";
    allot__span rest = {value.at + 1, value.len - 1};
    bool empty = value.at[0] != '{' || allot__truth_empty(value);
    size_t len = sizeof head - 1 + name.len + 1 + (empty ? 1 : 2 + rest.len);
    char *text = allot__truth_text(truth, len);
    if (!text)
        return ALLOT_ENOMEM;
    memcpy(text, head, sizeof head - 1);
    memcpy(text + sizeof head - 1, name.at, name.len);
    char *at = text + sizeof head - 1 + name.len;
    memcpy(at, empty ? "\"}" : "\", ", empty ? 2 : 3);
    if (!empty)
        memcpy(at + 3, rest.at, rest.len);
    row->text = text;
    row->len = (uint32_t)len;
    return ALLOT_OK;
}

int allot__truth_hosts(allot__truth *truth, allot__truth_list list, allot__span value)
{
    const char *at = value.at, *end = value.at + value.len;
    allot__span name, item;
    allot__error error;
    int status = ALLOT_OK;
    while (status == ALLOT_OK && allot__span_member(&at, end, &name, &item)) {
        allot__truth_row row = {.text = item.at};
        status = put_name(truth, name, item, &row);
        if (status == ALLOT_OK && (item.at[0] == '{' || allot__truth_empty(item))) {
            status = read_item(truth, list, &row);
        } else if (status == ALLOT_OK) {
            allot__error_set(&error, ALLOT_EINVALID, "E-type", "hosts", NULL,
                             "found %.*s, allowed an object, as {\"slots\": 4}",
                             (int)(item.len < 40 ? item.len : 40), item.at);
            status = spare(truth, list, &row, &error);
        }
    }
    return status;
}
