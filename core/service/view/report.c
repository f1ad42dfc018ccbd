/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* report.c: what `status` says, in words for people: troubles first. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <allot/json.h>

#include "service/view/view.h"

#include "base/memory.h"

/*
 * A row is shown if its member is there and not 0, false or empty ("a.b=text": if it is that text).
 * In its text {member} is a value, {member:unit} one with a unit: time, since (so many seconds
 * ago), s, ms, us, bytes, id (its first digits), or the noun that is counted. What stands in [...]
 * is left out where one of its members is not there, or 0, false or empty.
 */
static const struct {
    bool trouble;
    const char *when, *name, *text;
} rows[] = {
    {true, "ails", "not well", "{ails}"},
    {true, "store.error", "disk",
     "nothing is acknowledged or decided until {store.path} can be written"
     "[; {store.waiting_bytes:bytes} wait in memory]"},
    {true, "reload.error.at", "reload",
     "changed files were refused {reload.error.at:time}, and what decided before goes on: "
     "[{reload.error.file}: ][line {reload.error.line}: ]{reload.error.message}"
     "[ ({reload.error.hint})]"},
    {true, "since_start.failed_cycles", "cycles",
     "{since_start.failed_cycles:cycle} failed since the start; the log says why"},
    {true, "clock.behind", "clock",
     "{clock.behind:s} behind; the time stands still at {now:time}, and no deadline passes"},
    {true, "shadow.failed", "shadow",
     "{shadow.failed:cycle} failed[: {shadow.error.message}]; the shadow is {shadow.state}"},
    {true, "store.damaged_rows", "store", "{store.damaged_rows:row} of it cannot be read"},
    {true, "since_start.wrong_tokens", "clients",
     "{since_start.wrong_tokens:wrong token} since the start"},
    {true, "since_start.turned_away", "clients",
     "{since_start.turned_away:connection} turned away since the start: of another user, or too "
     "many"},
    {true, "since_start.refused", "clients",
     "{since_start.refused:event} refused since the start; each sender was told why"},
    {true, "since_start.missed", "clients",
     "{since_start.missed:decision} missed by subscribers that read too slowly"},
    {true, "clock.set_back", "clock",
     "{clock.set_back:time jump} forgotten since the start; the log says when"},
    {true, "reload.polled_only", "files",
     "the system does not say when files change: allot looks at them now and then"},
    {false, "healthy", "well", "the store is written, cycles succeed, the clock is right"},
    {false, "version", "runs",
     "allot {version}, since {up_seconds:since}; event {event}, decision {decision}"},
    {false, "plan.file", "plan",
     "{plan.file} ({plan.sha256:id}), {books.consumers:consumer}; "
     "policy {reload.active.policies}[ ({plan.policy_sha256:id})]"
     "[; promoted: {reload.active.promoted}][; since {reload.active.since:time}]"
     "[; {reload.total.swapped:reload}, the last in {reload.last_ms:ms}]"},
    {false, "shadow.state=building", "shadow", "[plan {shadow.plan} ][{shadow.policy} ]is read"},
    {false, "shadow.cycles", "shadow",
     "[plan {shadow.plan}, ][{shadow.policy}, ]since {shadow.since:time}: {shadow.differ} of "
     "{shadow.cycles:cycle} differ[, {shadow.skipped} left out]"},
    {false, "books.consumers", "cluster",
     "{books.tasks:task}, {books.jobs:job}, {books.sessions:session}, "
     "{books.reclaims:reclaim} in flight"},
    {false, "since_start.cycles", "cycles",
     "{since_start.cycles:cycle} since the start: {since_start.cycle_us_mean:us} on average, "
     "{since_start.cycle_us_most:us} at most; {since_start.events:event}, "
     "{since_start.decisions:decision}"},
    {false, "store.path", "disk",
     "{store.path}, {store.bytes:bytes}[, {store.unused_bytes:bytes} of it unused]"
     "[; slowest write {store.slowest_us:us}][; decisions from {store.oldest_decision} on]"},
    {false, "version", "clients",
     "{clients} connected, {subscribers} subscribed"
     "[; live view at http://{http.host}:{http.port}/, {http.viewers} watching]"},
};

typedef struct fact {
    char path[64];
    int64_t whole;
    char text[400]; /* "": only a number */
} fact;

/* The members of a status, lists as one text. */
typedef struct facts {
    fact items[128];
    int count;
    int64_t now;
} facts;

/* ---- Reading --------------------------------------------------------------------------------- */

enum { DEEP = 8, KEY = 24 };

static void path_of(char keys[DEEP][KEY], int depth, char *out, size_t size)
{
    *out = '\0';
    for (int i = 1; i <= depth && i < DEEP; i++) {
        size_t len = strlen(out);
        if (keys[i][0] != '\0')
            snprintf(out + len, size - len, "%s%s", len > 0 ? "." : "", keys[i]);
    }
}

static void take(facts *of, const char *path, const allot_json_event *event)
{
    fact *last = of->count > 0 ? &of->items[of->count - 1] : NULL;
    bool more = last && strcmp(last->path, path) == 0;
    if (!more && of->count == (int)(sizeof of->items / sizeof *of->items))
        return;
    fact *it = more ? last : &of->items[of->count++];
    size_t len = strlen(it->text);
    snprintf(it->path, sizeof it->path, "%s", path);
    it->whole = event->kind == ALLOT_JSON_WHOLE ? event->whole : event->kind == ALLOT_JSON_TRUE;
    if (event->kind == ALLOT_JSON_TEXT)
        snprintf(it->text + len, sizeof it->text - len, "%s%s", len > 0 ? ", " : "", event->text);
}

static int read_facts(allot_engine *engine, const char *text, size_t len, facts *out)
{
    char keys[DEEP][KEY] = {""}, path[64];
    allot_json_event event;
    allot_json *json;
    int status = allot_json_open(engine, text, len, "status", 1, 0, NULL, &json);
    if (status != ALLOT_OK)
        return status;
    while (allot_json_next(json, &event)) {
        if (event.depth >= DEEP - 1)
            continue;
        if (event.kind == ALLOT_JSON_KEY)
            snprintf(keys[event.depth], KEY, "%s", event.text);
        else if (event.kind == ALLOT_JSON_OBJECT || event.kind == ALLOT_JSON_LIST)
            keys[event.depth + 1][0] = '\0';
        path_of(keys, event.depth, path, sizeof path);
        if (event.kind >= ALLOT_JSON_TEXT && event.kind != ALLOT_JSON_NULL)
            take(out, path, &event);
    }
    allot_json_close(json);
    return ALLOT_OK;
}

static const fact *find(const facts *of, const char *path, size_t len)
{
    for (int i = 0; i < of->count; i++)
        if (strlen(of->items[i].path) == len && memcmp(of->items[i].path, path, len) == 0)
            return &of->items[i];
    return NULL;
}

static bool full(const fact *it)
{
    return it && (it->whole != 0 || *it->text);
}

static bool holds(const facts *of, const char *when)
{
    size_t len = strcspn(when, "=");
    const fact *it = find(of, when, len);
    return it && when[len] == '=' ? strcmp(it->text, when + len + 1) == 0 : full(it);
}

/* ---- Units ----------------------------------------------------------------------------------- */

static void put_count(allot__text *out, int64_t number)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRId64, number);
    for (int i = 0; i < len; i++) {
        allot__text_add(out, &digits[i], 1);
        if ((len - i) % 3 == 1 && i + 1 < len && digits[i] != '-')
            allot__text_puts(out, ",");
    }
}

/* The largest unit of which there is one, with a digit behind the point below ten. */
static void put_scaled(allot__text *out, int64_t number, int64_t step, const char *const *units)
{
    double value = (double)number;
    for (; units[1] && value >= (double)step; units++)
        value /= (double)step;
    bool whole = value >= 10 || value == (double)(int64_t)value;
    allot__text_printf(out, whole ? "%.0f %s" : "%.1f %s", value, *units);
}

/* The two largest units: "2 h 5 min". */
static void put_span(allot__text *out, int64_t seconds)
{
    static const struct {
        int64_t size;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t i = 0;
    while (i < 3 && seconds < units[i].size)
        i++;
    allot__text_printf(out, "%" PRId64 " %s", seconds / units[i].size, units[i].name);
    int64_t rest = i < 2 ? seconds % units[i].size / units[i + 1].size : 0;
    if (rest > 0)
        allot__text_printf(out, " %" PRId64 " %s", rest, units[i + 1].name);
}

static void put_time(allot__text *out, const facts *of, int64_t when, bool ago)
{
    char text[40];
    allot_time_text(when, text, sizeof text);
    allot__text_printf(out, "%s", text);
    if (ago && when == of->now)
        return;
    allot__text_puts(out, ago && when > of->now ? " (in " : " (");
    put_span(out, when > of->now ? when - of->now : of->now - when);
    allot__text_puts(out, ago && when < of->now ? " ago)" : ")");
}

static void put_value(allot__text *out, const facts *of, const fact *it, const char *unit)
{
    static const char *const bytes[] = {"bytes", "KiB", "MiB", "GiB", "TiB", NULL};
    static const char *const us[] = {"us", "ms", "s", NULL};
    if (strcmp(unit, "id") == 0)
        allot__text_printf(out, "%.12s", it->text);
    else if (*it->text)
        allot__text_puts(out, it->text);
    else if (strcmp(unit, "time") == 0)
        put_time(out, of, it->whole, true);
    else if (strcmp(unit, "since") == 0)
        put_time(out, of, of->now - it->whole, false);
    else if (strcmp(unit, "s") == 0)
        put_span(out, it->whole);
    else if (strcmp(unit, "bytes") == 0)
        put_scaled(out, it->whole, 1024, bytes);
    else if (strcmp(unit, "us") == 0 || strcmp(unit, "ms") == 0)
        put_scaled(out, it->whole, 1000, us + (*unit == 'm'));
    else if (*unit == '\0')
        allot__text_int(out, it->whole);
    else {
        put_count(out, it->whole);
        allot__text_printf(out, " %s%s", unit, it->whole == 1 ? "" : "s");
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The member whose {...} begins at `at`; what follows it. `unit` holds 32 bytes. */
static const char *read_member(const facts *of, const char *at, const fact **out, char *unit)
{
    size_t len = strcspn(++at, ":}"), all = strcspn(at, "}");
    *out = find(of, at, len);
    snprintf(unit, 32, "%.*s", len < all ? (int)(all - len - 1) : 0, at + len + 1);
    return at + all + 1;
}

static void put_text(allot__text *out, const facts *of, const char *at)
{
    const fact *it;
    char unit[32];
    while (*at)
        if (*at == '{') {
            at = read_member(of, at, &it, unit);
            if (it)
                put_value(out, of, it, unit);
        } else if (*at == '[') {
            read_member(of, at + strcspn(at, "{"), &it, unit);
            at += full(it) ? 1 : strcspn(at, "]") + 1;
        } else {
            if (*at != ']')
                allot__text_add(out, at, 1);
            at++;
        }
}

static void put_row(allot__text *out, const facts *of, size_t i)
{
    allot__text text = {.engine = out->engine};
    put_text(&text, of, rows[i].text);
    allot__text_key(out, NULL);
    allot__text_puts(out, "{");
    allot__text_member(out, "name", rows[i].name);
    allot__text_member(out, "text", text.bytes);
    allot__text_bool(out, "trouble", rows[i].trouble);
    allot__text_puts(out, "}");
    out->failed = out->failed || text.failed;
    allot__text_free(&text);
}

int allot__report_put(const char *text, size_t len, allot__text *out)
{
    facts *of = allot__new(out->engine, 1, sizeof *of);
    int status = of ? read_facts(out->engine, text, len, of) : ALLOT_ENOMEM;
    if (status == ALLOT_OK) {
        const fact *now = find(of, "now", 3);
        of->now = now ? now->whole : 0;
        allot__text_puts(out, "{");
        allot__text_bool(out, "healthy", holds(of, "healthy"));
        allot__text_key(out, "rows");
        allot__text_puts(out, "[");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (holds(of, rows[i].when))
                put_row(out, of, i);
        allot__text_puts(out, "]}");
    }
    allot__free(out->engine, of, 1, sizeof *of);
    return out->failed ? ALLOT_ENOMEM : status;
}
