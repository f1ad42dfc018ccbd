/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * terminal.c: takes and restores a terminal, and reads its keys.
 *
 * The terminal must be restored also when a signal ends the process. A signal handler needs static
 * data, which therefore are only here.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/term/tool.h"

static struct termios before;
static volatile sig_atomic_t taken, resized, quitting, resumed;

static const char enter[] = "\033[?1049h\033[?25l", leave[] = "\033[0m\033[?25h\033[?1049l";

static void write_all(const char *bytes, size_t len)
{
    ssize_t wrote = write(STDOUT_FILENO, bytes, len);
    (void)wrote; /* nobody can read a message any more */
}

void allot__terminal_give(void)
{
    if (!taken)
        return;
    taken = 0;
    write_all(leave, sizeof leave - 1);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void raw(void)
{
    struct termios now = before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    now.c_cc[VMIN] = 0;
    now.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
    write_all(enter, sizeof enter - 1);
    taken = 1;
}

static void on_signal(int number)
{
    int error = errno;
    if (number == SIGWINCH) {
        resized = 1;
    } else if (number == SIGCONT) {
        resumed = 1;
    } else if (number == SIGTSTP) {
        allot__terminal_give();
        raise(SIGSTOP);
    } else if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
        /* A second one does not wait for the service. */
        if (quitting) {
            allot__terminal_give();
            _exit(128 + number);
        }
        quitting = 1;
    } else {
        /* A crash: restores the terminal, then crashes as before. */
        allot__terminal_give();
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = error;
}

bool allot__terminal_take(void)
{
    static const int numbers[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGINT,  SIGTERM,
                                  SIGHUP,   SIGQUIT, SIGSEGV, SIGABRT, SIGBUS};
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    atexit(allot__terminal_give);
    raw();
    return true;
}

bool allot__terminal_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value != '\0')
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8");
    }
    return false;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static bool readable(int wait)
{
    struct pollfd it = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&it, 1, wait) > 0;
}

static const char *sequence(const char *bytes, size_t len)
{
    static const char *const keys[][2] = {
        {"A", "up"},    {"B", "down"}, {"C", "right"},   {"D", "left"},
        {"H", "home"},  {"F", "end"},  {"1~", "home"},   {"4~", "end"},
        {"7~", "home"}, {"8~", "end"}, {"5~", "pageup"}, {"6~", "pagedown"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i][0]) == len && memcmp(keys[i][0], bytes, len) == 0)
            return keys[i][1];
    return "";
}

/* After an escape: bytes that follow at once make a key; else the escape is the key. */
static const char *read_escape(void)
{
    char bytes[16], byte;
    size_t len = 0;
    if (!readable(30) || read(STDIN_FILENO, &byte, 1) != 1)
        return "escape";
    if (byte != '[' && byte != 'O')
        return "";
    while (len < sizeof bytes && readable(30) && read(STDIN_FILENO, &bytes[len], 1) == 1) {
        byte = bytes[len++];
        if ((byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '~')
            break;
    }
    return sequence(bytes, len);
}

/* An event other than a key; "": none. */
static const char *event(void)
{
    if (resumed) {
        resumed = 0;
        raw();
        resized = 1;
    }
    if (quitting)
        return "quit";
    bool was = resized;
    resized = 0;
    return was ? "resize" : "";
}

void allot__terminal_key(int wait, allot__text *out)
{
    char byte;
    const char *name = event();
    if (*name == '\0' && readable(wait)) {
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got == 1 && byte != '\033')
            allot__text_add(out, &byte, 1);
        else
            name = got == 0 ? "quit" : got == 1 ? read_escape() : ""; /* 0: its other end is gone */
    }
    allot__text_puts(out, name);
}
