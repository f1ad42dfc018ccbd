/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* markup_xml.c: XML as JSON, by libexpat. */
#include "cli/term/markup.h"

#include <limits.h>

#include <expat.h>

typedef struct reading {
    XML_Parser parser;
    allot__text *out;
    allot__text texts[ALLOT__MARKUP_DEEP]; /* of the open elements, the outermost first */
    int depth;
    const char *wrong; /* NULL: as expat says */
} reading;

static void refuse(reading *it, const char *why)
{
    it->wrong = why;
    XML_StopParser(it->parser, XML_FALSE);
}

static void put_place(reading *it, allot__text *out)
{
    allot__text_number(out, "line", (int64_t)XML_GetCurrentLineNumber(it->parser));
    allot__text_number(out, "col", (int64_t)XML_GetCurrentColumnNumber(it->parser) + 1);
}

static void begin(void *ud, const char *name, const char **attributes)
{
    reading *it = ud;
    if (it->depth == ALLOT__MARKUP_DEEP) {
        refuse(it, "elements are nested too deep");
        return;
    }
    it->texts[it->depth++] = (allot__text){.engine = it->out->engine};
    allot__text_open(it->out, NULL, "{");
    allot__text_member(it->out, "name", name);
    put_place(it, it->out);
    allot__text_open(it->out, "of", "{");
    for (; *attributes; attributes += 2) {
        allot__text_named(it->out, attributes[0]);
        allot__text_json(it->out, attributes[1]);
    }
    allot__text_puts(it->out, "}");
    allot__text_open(it->out, "in", "[");
}

static void end(void *ud, const char *name)
{
    reading *it = ud;
    allot__text *text = &it->texts[--it->depth];
    (void)name;
    allot__text_puts(it->out, "]");
    allot__text_member(it->out, "text", text->len > 0 ? text->bytes : "");
    allot__text_puts(it->out, "}");
    it->out->failed = it->out->failed || text->failed;
    allot__text_free(text);
}

static void add_text(void *ud, const char *text, int len)
{
    reading *it = ud;
    if (it->depth > 0)
        allot__text_add(&it->texts[it->depth - 1], text, (size_t)len);
}

static void refuse_type(void *ud, const char *name, const char *system, const char *public_id,
                        int inside)
{
    (void)name, (void)system, (void)public_id, (void)inside;
    refuse(ud, "a document type declaration is not read");
}

static void parse(reading *it, const char *text, size_t len)
{
    XML_SetUserData(it->parser, it);
    XML_SetElementHandler(it->parser, begin, end);
    XML_SetCharacterDataHandler(it->parser, add_text);
    XML_SetStartDoctypeDeclHandler(it->parser, refuse_type);
    size_t from = it->out->len;
    if (len > INT_MAX)
        it->wrong = "the text is too long";
    else if (XML_Parse(it->parser, text, (int)len, 1) == XML_STATUS_OK)
        return;
    it->out->len = from; /* nothing of it counts */
    allot__text_puts(it->out, "{");
    allot__text_member(it->out, "error",
                       it->wrong ? it->wrong : XML_ErrorString(XML_GetErrorCode(it->parser)));
    put_place(it, it->out);
    allot__text_puts(it->out, "}");
    while (it->depth > 0)
        allot__text_free(&it->texts[--it->depth]);
}

void allot__markup_xml(const char *text, size_t len, allot__text *out)
{
    reading it = {.parser = XML_ParserCreate(NULL), .out = out};
    if (!it.parser) {
        out->failed = true;
        return;
    }
    parse(&it, text, len);
    XML_ParserFree(it.parser);
}
