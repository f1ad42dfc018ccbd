/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * markup.h: XML and YAML as JSON, each part with its place, for tools in Lua.
 *
 * Nothing is read but the text: XML with a document type, YAML with aliases, and what is nested
 * deeper than ALLOT__MARKUP_DEEP are refused. A refused text gives {error, line, col}. Lines and
 * columns count from 1, columns in bytes.
 */
#ifndef ALLOT_CLI_TERM_MARKUP_H
#define ALLOT_CLI_TERM_MARKUP_H

#include "base/text.h"

enum { ALLOT__MARKUP_DEEP = 64 };

/* An element: {name, line, col, of: {attribute: text}, in: [elements], text}. Names have their
 * prefix; text is that between the elements inside, all of it. */
void allot__markup_xml(const char *text, size_t len, allot__text *out);

/* {documents: [nodes]}; a node is {line, col} and: text, and plain: true if it has no quotes; list:
 * [nodes]; or map: [key, value, key, value, ...], of nodes. */
void allot__markup_yaml(const char *text, size_t len, allot__text *out);

#endif
