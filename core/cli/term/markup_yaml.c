/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* markup_yaml.c: YAML as JSON, by the events of libyaml, without a type for what stands there. */
#include "cli/term/markup.h"

#include <yaml.h>

static void put_place(allot__text *out, const yaml_mark_t *mark)
{
    allot__text_number(out, "line", (int64_t)mark->line + 1);
    allot__text_number(out, "col", (int64_t)mark->column + 1);
}

static void open_node(allot__text *out, const yaml_event_t *event, const char *key)
{
    allot__text_open(out, NULL, "{");
    put_place(out, &event->start_mark);
    allot__text_open(out, key, "[");
}

static void put_scalar(allot__text *out, const yaml_event_t *event)
{
    allot__text_open(out, NULL, "{");
    put_place(out, &event->start_mark);
    allot__text_key(out, "text");
    allot__text_json_len(out, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        allot__text_bool(out, "plain", true);
    allot__text_puts(out, "}");
}

/* Writes what an event says; why it cannot, or NULL. */
static const char *put_event(allot__text *out, const yaml_event_t *event, int *depth)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        put_scalar(out, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (++*depth > ALLOT__MARKUP_DEEP)
            return "lists and maps are nested too deep";
        open_node(out, event, event->type == YAML_MAPPING_START_EVENT ? "map" : "list");
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --*depth;
        allot__text_puts(out, "]}");
        break;
    case YAML_ALIAS_EVENT:
        return "an alias is not read: write out what it stands for";
    default: /* streams and documents begin and end */
        break;
    }
    return NULL;
}

static void put_error(allot__text *out, size_t from, const char *why, const yaml_mark_t *mark)
{
    out->len = from; /* nothing of it counts */
    allot__text_puts(out, "{");
    allot__text_member(out, "error", why);
    put_place(out, mark);
    allot__text_puts(out, "}");
}

void allot__markup_yaml(const char *text, size_t len, allot__text *out)
{
    yaml_parser_t parser;
    size_t from = out->len;
    int depth = 0;
    if (!yaml_parser_initialize(&parser)) {
        out->failed = true;
        return;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    allot__text_puts(out, "{");
    allot__text_open(out, "documents", "[");
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            out->failed = out->failed || parser.error == YAML_MEMORY_ERROR;
            put_error(out, from, parser.problem, &parser.problem_mark);
            break;
        }
        const char *why = put_event(out, &event, &depth);
        if (why)
            put_error(out, from, why, &event.start_mark);
        else if (event.type == YAML_STREAM_END_EVENT)
            allot__text_puts(out, "]}");
        more = !why && event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}
