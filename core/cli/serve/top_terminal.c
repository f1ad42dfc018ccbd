/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * top_terminal.c: a terminal taken and given back, and its keys.
 *
 * It has to be given back when a signal ends the process, too, and a signal handler knows only
 * static data: so the data are here, and nowhere else.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/serve/top.h"

static struct termios before;
static volatile sig_atomic_t taken, resized, quitting, resumed;

static const char enter[] = "\033[?1049h\033[?25l", leave[] = "\033[0m\033[?25h\033[?1049l";

static void write_all(const char *bytes, size_t len)
{
    ssize_t wrote = write(STDOUT_FILENO, bytes, len);
    (void)wrote; /* no one is left to read a message */
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
        /* A crash: as it would have been, but on a terminal that can be used. */
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

void allot__terminal_size(int *wide, int *high)
{
    struct winsize size;
    *wide = 80;
    *high = 24;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        *wide = size.ws_col;
        *high = size.ws_row;
    }
}

bool allot__terminal_fancy(void)
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

static int sequence(const char *bytes, size_t len)
{
    static const struct {
        const char *bytes;
        int key;
    } keys[] = {
        {"A", TOP_KEY_UP},    {"B", TOP_KEY_DOWN},     {"C", TOP_KEY_RIGHT},
        {"D", TOP_KEY_LEFT},  {"H", TOP_KEY_HOME},     {"F", TOP_KEY_END},
        {"1~", TOP_KEY_HOME}, {"7~", TOP_KEY_HOME},    {"4~", TOP_KEY_END},
        {"8~", TOP_KEY_END},  {"5~", TOP_KEY_PAGE_UP}, {"6~", TOP_KEY_PAGE_DOWN},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].bytes) == len && memcmp(keys[i].bytes, bytes, len) == 0)
            return keys[i].key;
    return TOP_KEY_NONE;
}

/* Behind an escape: bytes that come at once make a key; without them the escape is the key. */
static int read_escape(void)
{
    char bytes[16], byte;
    size_t len = 0;
    if (!readable(30) || read(STDIN_FILENO, &byte, 1) != 1)
        return TOP_KEY_ESCAPE;
    if (byte != '[' && byte != 'O')
        return TOP_KEY_NONE;
    while (len < sizeof bytes && readable(30) && read(STDIN_FILENO, &bytes[len], 1) == 1) {
        byte = bytes[len++];
        if ((byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '~')
            break;
    }
    return sequence(bytes, len);
}

int allot__terminal_key(int wait)
{
    unsigned char byte;
    if (resumed) {
        resumed = 0;
        raw();
        resized = 1;
    }
    if (quitting)
        return TOP_KEY_QUIT;
    if (resized) {
        resized = 0;
        return TOP_KEY_RESIZE;
    }
    if (!readable(wait))
        return TOP_KEY_NONE;
    ssize_t got = read(STDIN_FILENO, &byte, 1);
    if (got == 0)
        return TOP_KEY_QUIT; /* its other end is gone */
    if (got != 1)
        return TOP_KEY_NONE;
    return byte == '\033' ? read_escape() : byte;
}
