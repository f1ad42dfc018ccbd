/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * repl_line.c: lines from a terminal, by libedit, which no other file knows.
 *
 * While a line is edited Ctrl-C is a key; while code runs it is a signal.
 */
#include "cli/author/repl_line.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_MAX 1000
#define SHOWN_MAX   200 /* candidates */

struct allot__editor {
    allot__cli *cli;
    EditLine *edit;
    History *history;
    allot__text file;  /* the history's path; empty: no history */
    allot__text found; /* candidates, each with its NUL */
    size_t found_count;
    const char *prompt;
    bool cleared;
    allot__editor_complete *complete;
    void *ud;
};

static allot__editor *line_of(EditLine *edit)
{
    void *line = NULL;
    el_get(edit, EL_CLIENTDATA, &line);
    return line;
}

static char *get_prompt(EditLine *edit)
{
    return (char *)line_of(edit)->prompt;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Ctrl-C: drops the line. */
static unsigned char key_clear(EditLine *edit, int c)
{
    (void)c;
    allot__editor *line = line_of(edit);
    const LineInfo *info = el_line(edit);
    line->cleared = true;
    el_cursor(edit, (int)(info->lastchar - info->cursor));
    el_deletestr(edit, (int)(info->lastchar - info->buffer));
    fputs("^C\n", stdout);
    return CC_NEWLINE;
}

static void keep(void *ud, const char *candidate)
{
    allot__editor *line = ud;
    allot__text_add(&line->found, candidate, strlen(candidate) + 1);
    line->found_count += !line->found.failed;
}

/* Bytes that all candidates begin with. */
static size_t common(const allot__editor *line)
{
    const char *first = line->found.bytes, *at = first;
    size_t len = strlen(first);
    for (size_t i = 0; i < line->found_count; i++, at += strlen(at) + 1)
        while (len > 0 && strncmp(first, at, len) != 0)
            len--;
    while (len > 0 && ((unsigned char)first[len] & 0xC0) == 0x80)
        len--;
    return len;
}

/* All candidates in columns, below the line. */
static void show_found(const allot__editor *line)
{
    int width = allot__cli_width(1), widest = 1, column = 0;
    const char *at = line->found.bytes;
    for (size_t i = 0; i < line->found_count; i++, at += strlen(at) + 1)
        widest = (int)strlen(at) > widest ? (int)strlen(at) : widest;
    int columns = width > widest + 2 ? width / (widest + 2) : 1;
    at = line->found.bytes;
    putchar('\n');
    for (size_t i = 0; i < line->found_count && i < SHOWN_MAX; i++, at += strlen(at) + 1) {
        bool last = ++column == columns || i + 1 == line->found_count || i + 1 == SHOWN_MAX;
        printf("%-*s%s", last ? 0 : widest + 2, at, last ? "\n" : "");
        column = last ? 0 : column;
    }
    if (line->found_count > SHOWN_MAX)
        printf("... and %zu more\n", line->found_count - SHOWN_MAX);
    fflush(stdout);
}

/* True: only blanks precede the cursor, so the tab is part of pasted text, or indents. */
static bool begins_line(const char *text, size_t cursor)
{
    while (cursor > 0 && text[cursor - 1] == ' ')
        cursor--;
    return cursor == 0 || text[cursor - 1] == '\n';
}

static unsigned char key_complete(EditLine *edit, int c)
{
    (void)c;
    allot__editor *line = line_of(edit);
    const LineInfo *info = el_line(edit);
    size_t cursor = (size_t)(info->cursor - info->buffer), from = cursor;
    if (begins_line(info->buffer, cursor)) {
        el_insertstr(edit, "  ");
        return CC_REFRESH;
    }
    line->found.len = line->found_count = 0;
    line->complete(line->ud, info->buffer, cursor, &from, keep, line);
    if (line->found_count == 0)
        return CC_REFRESH_BEEP;
    size_t len = common(line), there = cursor - from;
    if (len > there) {
        line->found.bytes[len] = '\0';
        el_insertstr(edit, line->found.bytes + there);
        return CC_REFRESH;
    }
    if (line->found_count == 1)
        return CC_REFRESH;
    show_found(line);
    return CC_REDISPLAY;
}

/* ---- History --------------------------------------------------------------------------------- */

/* $XDG_STATE_HOME/allot/history, or ~/.local/state/allot/history; empty: no home. */
static void find_history(allot__text *path)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        allot__text_printf(path, "%s/allot", state);
    else if (home && *home == '/')
        allot__text_printf(path, "%s/.local/state/allot", home);
}

static void open_history(allot__editor *line)
{
    HistEvent event;
    history(line->history, &event, H_SETSIZE, HISTORY_MAX);
    history(line->history, &event, H_SETUNIQUE, 1);
    find_history(&line->file);
    if (line->file.len == 0)
        return;
    allot__text_puts(&line->file, "/history");
    allot__text_add(&line->file, "", 1);
    if (!line->file.failed)
        allot__cli_make_folders(line->cli->engine, line->file.bytes, 0700);
    if (line->file.failed)
        line->file.len = 0;
    else
        history(line->history, &event, H_LOAD, line->file.bytes);
}

void allot__editor_remember(allot__editor *line, const char *entry, size_t len)
{
    HistEvent event;
    allot__text copy = {.engine = line->cli->engine};
    while (len > 0 && (entry[len - 1] == '\n' || entry[len - 1] == ' '))
        len--;
    allot__text_add(&copy, entry, len);
    allot__text_add(&copy, "\n", 2); /* and a NUL */
    if (len > 0 && !copy.failed) {
        history(line->history, &event, H_ENTER, copy.bytes);
        if (line->file.len > 0)
            history(line->history, &event, H_SAVE, line->file.bytes);
    }
    allot__text_free(&copy);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Only the editor works in characters; scripts work in bytes. Documents are UTF-8, so an unset
 * locale becomes UTF-8. */
static void set_characters(bool editing)
{
    const char *named = setlocale(LC_CTYPE, editing ? "" : "C");
    if (editing && (!named || strcmp(named, "C") == 0 || strcmp(named, "POSIX") == 0))
        setlocale(LC_CTYPE, "C.UTF-8");
}

static void set_keys(allot__editor *line)
{
    EditLine *edit = line->edit;
    el_set(edit, EL_CLIENTDATA, line);
    el_set(edit, EL_PROMPT, get_prompt);
    el_set(edit, EL_HIST, history, line->history);
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_ADDFN, "allot-complete", "complete the word", key_complete);
    el_set(edit, EL_ADDFN, "allot-clear", "give the line up", key_clear);
    el_set(edit, EL_BIND, "^I", "allot-complete", NULL);
    el_set(edit, EL_BIND, "^C", "allot-clear", NULL);
    el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(edit, EL_SETTY, "-d", "-isig", NULL);
    el_source(edit, NULL);
}

int allot__editor_open(allot__cli *cli, allot__editor_complete *complete, void *ud,
                       allot__editor **out)
{
    allot__editor *line = allot_engine_alloc(cli->engine, NULL, 0, sizeof *line);
    if (!line)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    *line = (allot__editor){.cli = cli, .complete = complete, .ud = ud, .prompt = ""};
    line->file.engine = line->found.engine = cli->engine;
    set_characters(true);
    line->edit = el_init("allot", stdin, stdout, stderr);
    line->history = history_init();
    bool fine = line->edit != NULL && line->history;
    if (fine)
        set_keys(line); /* the locale's characters decide which keys insert */
    set_characters(false);
    if (!fine) {
        allot__editor_close(line);
        return allot__cli_status(cli, ALLOT_ENOMEM);
    }
    open_history(line);
    *out = line;
    return CLI_DONE;
}

void allot__editor_close(allot__editor *line)
{
    if (line->history)
        history_end(line->history);
    if (line->edit)
        el_end(line->edit);
    allot__text_free(&line->file);
    allot__text_free(&line->found);
    allot_engine_alloc(line->cli->engine, line, sizeof *line, 0);
}

allot__editor_end allot__editor_read(allot__editor *line, const char *prompt, allot__text *text)
{
    int len = 0;
    line->prompt = prompt;
    line->cleared = false;
    text->len = 0;
    set_characters(true);
    errno = 0;
    const char *bytes = el_gets(line->edit, &len);
    bool signalled = !bytes && errno == EINTR;
    set_characters(false);
    if (line->cleared || signalled)
        return CLI_LINE_CLEARED;
    if (!bytes || len <= 0)
        return CLI_LINE_END;
    allot__text_add(text, bytes, (size_t)len);
    return CLI_LINE;
}
