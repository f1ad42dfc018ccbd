/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * repl.c: the verb `repl`: a session on a terminal, or with pieces from --eval or standard input.
 *
 * On a terminal everything is shown as it comes, and an error does not end the session. Otherwise
 * the verb prints a whole result or none, as others do, and ends at the first error.
 */
#include <allot/repl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/author/repl_line.h"
#include "cli/term/tool.h"

typedef struct repl {
    allot__tool_ud host; /* the tool's host; must be first */
    allot_repl *session;
    bool terminal, quit;
} repl;

/* ---- What the session asks for --------------------------------------------------------------- */

static void put(void *ud, const char *text, size_t len)
{
    repl *it = ud;
    if (it->terminal)
        allot__cli_write(STDOUT_FILENO, text, len);
    else
        allot__text_add(&it->host.cli->out, text, len);
}

/* Printed lines are not part of a document. */
static void say(void *ud, const char *text, size_t len)
{
    const repl *it = ud;
    allot__text clean = {.engine = it->host.cli->engine};
    allot__text_puts_safe(&clean, text, len);
    if (!clean.failed && it->host.cli->options.json && !it->terminal)
        allot__cli_write(STDERR_FILENO, clean.bytes, clean.len);
    else if (!clean.failed)
        put(ud, clean.bytes, clean.len);
    allot__text_free(&clean);
}

static int32_t width(void *ud)
{
    return ((const repl *)ud)->terminal ? allot__cli_width(STDOUT_FILENO) : 0;
}

/* The text is the command's result, or shown at once. */
static void put_decision(void *ud, const allot_decision *decision)
{
    allot__cli *cli = ((repl *)ud)->host.cli;
    size_t before = cli->out.len;
    allot__cli_decision(cli, decision, width(ud));
    if (((repl *)ud)->terminal) {
        allot__cli_write(STDOUT_FILENO, cli->out.bytes + before, cli->out.len - before);
        cli->out.len = before;
    }
}

/* Help asks for options, and has none here. */
static const char *no_option(void *ud, const char *name)
{
    (void)ud;
    (void)name;
    return NULL;
}

static void complete(void *ud, const char *text, size_t len, size_t *from,
                     void (*each)(void *ud, const char *candidate), void *each_ud)
{
    allot_repl_complete(((repl *)ud)->session, text, len, len, from, each, each_ud);
}

/* ---- A terminal ------------------------------------------------------------------------------ */

/* The session that a signal is for. */
static allot_repl *volatile signalled;

static void stop(int number)
{
    (void)number;
    if (signalled)
        allot_repl_interrupt(signalled);
}

static void tell(const repl *it)
{
    allot__cli_findings(it->host.cli);
    allot_report_clear(it->host.cli->report);
}

static allot_repl_outcome eval_line(repl *it, const allot__text *piece)
{
    int status;
    signalled = it->session;
    allot_repl_outcome outcome = allot_repl_eval(it->session, piece->bytes, piece->len, "repl", 1,
                                                 it->host.cli->report, &status);
    signalled = NULL;
    if (status == ALLOT_ENOMEM)
        allot__cli_status(it->host.cli, status);
    tell(it);
    return outcome;
}

/* Reads a piece of one line or more, and evaluates it. */
static allot_repl_outcome converse(repl *it, allot__editor *line, allot__text *piece,
                                   allot__text *next)
{
    const char *prompt = "> ";
    allot_repl_outcome outcome = ALLOT_INCOMPLETE;
    piece->len = 0;
    while (outcome == ALLOT_INCOMPLETE) {
        switch (allot__editor_read(line, prompt, next)) {
        case CLI_LINE_CLEARED:
            return ALLOT_EVALUATED;
        case CLI_LINE_END:
            allot__cli_write(STDOUT_FILENO, "\n", 1);
            return piece->len > 0 ? ALLOT_EVALUATED : ALLOT_QUIT;
        case CLI_LINE:
            break;
        }
        allot__text_add(piece, next->bytes, next->len);
        outcome = eval_line(it, piece);
        prompt = ". ";
    }
    allot__editor_remember(line, piece->bytes, piece->len);
    return outcome;
}

static int talk(repl *it)
{
    allot__cli *cli = it->host.cli;
    allot__editor *line;
    allot__text piece = {.engine = cli->engine}, next = {.engine = cli->engine};
    struct sigaction action = {.sa_handler = stop}, before;
    int code = allot__editor_open(cli, complete, it, &line);
    if (code != CLI_DONE)
        return code;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
    printf("allot %s; :help tells what there is, Ctrl-D leaves\n", allot_version());
    fflush(stdout);
    while (converse(it, line, &piece, &next) != ALLOT_QUIT)
        continue;
    sigaction(SIGINT, &before, NULL);
    allot__editor_close(line);
    allot__text_free(&piece);
    allot__text_free(&next);
    return CLI_DONE;
}

/* ---- Without one ----------------------------------------------------------------------------- */

/* Evaluates a text as a whole, or piece by piece; a piece has as many lines as it needs. */
static int run_text(repl *it, const char *text, size_t len, const char *name, bool whole)
{
    size_t from = 0, to = 0;
    int32_t line = 1, lines = 0;
    allot_repl_outcome outcome = ALLOT_EVALUATED;
    while (to < len && outcome != ALLOT_QUIT) {
        const char *end = whole ? NULL : memchr(text + to, '\n', len - to);
        int status;
        to = end ? (size_t)(end - text) + 1 : len;
        lines++;
        outcome = allot_repl_eval(it->session, text + from, to - from, name, line,
                                  it->host.cli->report, &status);
        if (outcome == ALLOT_FAILED)
            return allot__cli_status(it->host.cli, status);
        if (outcome == ALLOT_INCOMPLETE)
            continue;
        from = to;
        line += lines;
        lines = 0;
    }
    it->quit = outcome == ALLOT_QUIT;
    if (outcome == ALLOT_INCOMPLETE)
        return allot__cli_fail(it->host.cli, CLI_SCRIPT, "E-repl-syntax", NULL,
                               "%s ends in the middle of a statement", name);
    return CLI_DONE;
}

static int run_all(repl *it)
{
    allot__cli *cli = it->host.cli;
    const allot__list *list = &cli->options.eval;
    int code = CLI_DONE;
    for (int i = 0; code == CLI_DONE && i < list->count && !it->quit; i++)
        code = run_text(it, list->items[i], strlen(list->items[i]), "eval", true);
    if (list->count > 0)
        return code;
    allot__text text = {0};
    code = allot__cli_read(cli, "-", &text);
    if (code == CLI_DONE)
        code = run_text(it, text.bytes, text.len, "<stdin>", false);
    allot__text_free(&text);
    return code;
}

/* ---- The verb -------------------------------------------------------------------------------- */

typedef int put_on(allot_repl *session, const char *text, size_t len, const char *file,
                   allot_report *report);

static int load(repl *it, const char *path, put_on *function)
{
    allot__cli *cli = it->host.cli;
    allot__text text = {0};
    int code = allot__cli_read(cli, path, &text);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, function(it->session, text.bytes, text.len,
                                               allot__cli_file_name(path), cli->report));
    allot__text_free(&text);
    return code;
}

static int load_live(repl *it)
{
    allot__cli *cli = it->host.cli;
    const char *answer;
    size_t len;
    int code = allot__client_state(cli, &it->host.client, &answer, &len);
    if (code == CLI_DONE)
        code = allot__cli_status(
            cli, allot_repl_live(it->session, answer, len, cli->options.socket, cli->report));
    return code;
}

static int open_session(repl *it, allot__cli *cli)
{
    allot_repl_host host = {.tool = allot__cli_host(&it->host, cli),
                            .decision = put_decision,
                            .say = say,
                            .width = width,
                            .json = !it->terminal && cli->options.json};
    host.clock = host.tool.clock;
    host.tool.out = put;
    host.tool.option = no_option;
    int code = allot__cli_status(cli, allot_repl_new(cli->engine, &host, &it->session));
    if (code == CLI_DONE && allot__cli_is_live(cli))
        code = load_live(it);
    if (code == CLI_DONE && cli->operand_count > 0)
        code = load(it, cli->operands[0], allot_repl_plan);
    if (code == CLI_DONE && cli->operand_count > 1)
        code = load(it, cli->operands[1], allot_repl_state);
    return code;
}

int allot__cli_repl(allot__cli *cli)
{
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    repl it = {.terminal = terminal && cli->options.eval.count == 0};
    int code = open_session(&it, cli);
    if (code == CLI_DONE)
        code = it.terminal ? talk(&it) : run_all(&it);
    allot_repl_free(it.session);
    allot__cli_host_end(&it.host);
    return code;
}
