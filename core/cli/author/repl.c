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
#include <sys/stat.h>
#include <unistd.h>

#include "cli/author/repl_line.h"
#include "cli/term/tool.h"

typedef struct repl {
    allot__tool_ud host; /* first: the tool's host */
    allot_repl *session;
    int (*list)(void *ud, const char *path, allot_sink sink, void *sink_ud, char *why);
    bool terminal, quit;
    allot__look look;
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

static void put_decision(void *ud, const allot_decision *decision)
{
    repl *it = ud;
    allot__text text = {.engine = it->host.cli->engine};
    it->look.width = it->terminal ? allot__cli_width(STDOUT_FILENO) : 0;
    allot__cli_decision(decision, &text, &it->look);
    put(it, text.bytes, text.len);
    allot__text_free(&text);
}

static int32_t width(void *ud)
{
    return ((const repl *)ud)->terminal ? allot__cli_width(STDOUT_FILENO) : 0;
}

/* Help asks for options, and has none here. */
static const char *no_option(void *ud, const char *name)
{
    (void)ud;
    (void)name;
    return NULL;
}

typedef struct names {
    const char *folder, *part; /* as it was typed, up to the last slash, and behind it */
    size_t folder_len;
    allot__text *text;
    void (*each)(void *ud, const char *candidate);
    void *ud;
} names;

/* An allot_sink of names in a folder; folders get a slash. */
static int add_name(void *ud, const char *name, size_t len)
{
    const names *it = ud;
    struct stat about;
    if (strncmp(name, it->part, strlen(it->part)) != 0 || (*name == '.' && *it->part == '\0'))
        return 0;
    it->text->len = 0;
    allot__text_add(it->text, it->folder, it->folder_len);
    allot__text_add(it->text, name, len);
    allot__text_add(it->text, "\0", 2);
    if (it->text->failed)
        return 1;
    if (stat(it->text->bytes, &about) == 0 && S_ISDIR(about.st_mode))
        it->text->bytes[it->folder_len + len] = '/';
    it->each(it->ud, it->text->bytes);
    return 0;
}

/* Completes files behind :load and :save; false: another command. */
static bool complete_file(repl *it, const char *text, size_t len, size_t *from,
                          void (*each)(void *ud, const char *candidate), void *each_ud)
{
    allot__text line = {.engine = it->host.cli->engine}, made = line, folder = line;
    char why[ALLOT_TOOL_WHY_MAX];
    if (len < 6 || (strncmp(text, ":load ", 6) != 0 && strncmp(text, ":save ", 6) != 0))
        return false;
    for (*from = len; text[*from - 1] != ' '; --*from)
        continue;
    allot__text_add(&line, text + *from, len - *from);
    allot__text_add(&line, "", 1);
    const char *slash = line.failed ? NULL : strrchr(line.bytes, '/');
    names found = {line.bytes, slash ? slash + 1 : line.bytes, 0, &made, each, each_ud};
    found.folder_len = slash ? (size_t)(slash - line.bytes) + 1 : 0;
    allot__text_printf(&folder, "%.*s", (int)found.folder_len, line.failed ? "" : line.bytes);
    if (!line.failed && !folder.failed)
        it->list(&it->host, folder.len > 0 ? folder.bytes : ".", add_name, &found, why);
    allot__text_free(&line);
    allot__text_free(&made);
    allot__text_free(&folder);
    return true;
}

static void complete(void *ud, const char *text, size_t len, size_t *from,
                     void (*each)(void *ud, const char *candidate), void *each_ud)
{
    if (complete_file(ud, text, len, from, each, each_ud))
        return;
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

static void tell(repl *it)
{
    allot__cli *cli = it->host.cli;
    allot__text text = {.engine = cli->engine};
    allot__cli_findings(cli->report, &text, it->look.color);
    allot__cli_write(STDERR_FILENO, text.bytes, text.len);
    allot__text_free(&text);
    allot_report_clear(cli->report);
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

static int too_soon(repl *it, const char *name)
{
    return allot__cli_fail(it->host.cli, CLI_SCRIPT, "E-repl-syntax", NULL,
                           "%s ends in the middle of a statement", name);
}

/* Evaluates a text piece by piece, a piece being as many lines as it takes. */
static int run_text(repl *it, const char *text, size_t len, const char *name)
{
    size_t from = 0, to = 0;
    int32_t line = 1, lines = 0;
    allot_repl_outcome outcome = ALLOT_EVALUATED;
    while (to < len && outcome != ALLOT_QUIT) {
        const char *end = memchr(text + to, '\n', len - to);
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
    return outcome == ALLOT_INCOMPLETE ? too_soon(it, name) : CLI_DONE;
}

/* A text as one piece. */
static int run_whole(repl *it, const char *text, const char *name)
{
    int status;
    allot_repl_outcome outcome =
        allot_repl_eval(it->session, text, strlen(text), name, 1, it->host.cli->report, &status);
    if (outcome == ALLOT_FAILED)
        return allot__cli_status(it->host.cli, status);
    it->quit = outcome == ALLOT_QUIT;
    return outcome == ALLOT_INCOMPLETE ? too_soon(it, name) : CLI_DONE;
}

static int run_all(repl *it)
{
    allot__cli *cli = it->host.cli;
    const allot__list *list = &cli->options.eval;
    int code = CLI_DONE;
    for (int i = 0; code == CLI_DONE && i < list->count && !it->quit; i++)
        code = run_whole(it, list->items[i], "eval");
    if (list->count > 0)
        return code;
    allot__text text = {0};
    code = allot__cli_read(cli, "-", &text);
    if (code == CLI_DONE)
        code = run_text(it, text.bytes, text.len, "<stdin>");
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
    it->list = host.tool.list;
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
    repl it = {
        .terminal = terminal && cli->options.eval.count == 0,
        .look = {.color = allot__cli_colored((allot__color)cli->options.color, STDOUT_FILENO)}};
    int code = open_session(&it, cli);
    if (code == CLI_DONE)
        code = it.terminal ? talk(&it) : run_all(&it);
    allot_repl_free(it.session);
    allot__cli_host_end(&it.host);
    return code;
}
