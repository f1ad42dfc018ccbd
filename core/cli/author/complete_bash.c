/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* complete_bash.c: completion for bash, without the package bash-completion. */
#include "cli/author/complete.h"

static const char head[] =
    "# Completion of `allot` for bash: source it, or put it where bash looks for it:\n"
    "#   allot completion bash > ~/.local/share/bash-completion/completions/allot\n\n";

/* What the words are is found first: the verb, how many operands stand before, and whether it is an
 * option's argument. bash takes "--format=json" apart at "=". */
static const char body[] =
    "_allot_offer() { COMPREPLY+=($(compgen -W \"$*\" -- \"$_allot_cur\")); }\n\n"
    "_allot_files() {\n"
    "    local each\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    while IFS= read -r each; do\n"
    "        COMPREPLY+=(\"$each\")\n"
    "    done < <(\n"
    "        if [ $# = 0 ]; then compgen -f -- \"$_allot_cur\"; else compgen -d -- "
    "\"$_allot_cur\"; "
    "fi\n"
    "        for each; do compgen -f -X \"!*.$each\" -- \"$_allot_cur\"; done\n"
    "    )\n"
    "}\n\n"
    "_allot_alternatives() {\n"
    "    local each\n"
    "    for each in ${1//|/ }; do\n"
    "        case $each in\n"
    "        PLAN | STATE) _allot_files json ;;\n"
    "        POLICY) _allot_files lua; _allot_offer \"$(_allot_policies)\" ;;\n"
    "        TRACE) _allot_files swf gz jsonl ;;\n"
    "        FILE) _allot_files ;;\n"
    "        DIR) compopt -o filenames 2>/dev/null\n"
    "            COMPREPLY+=($(compgen -d -- \"$_allot_cur\")) ;;\n"
    "        VERB) _allot_offer \"$(_allot_verbs)\" ;;\n"
    "        TOPIC) _allot_offer \"$(_allot_topics)\" ;;\n"
    "        [a-z]*) _allot_offer \"$each\" ;;\n"
    "        esac\n"
    "    done\n"
    "}\n\n"
    "_allot() {\n"
    "    local _allot_cur=${COMP_WORDS[COMP_CWORD]} verb='' place=0 i word before='' takes list\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [ \"$word\" = = ]; then continue; fi\n"
    "        if [ -n \"$before\" ]; then before=''; continue; fi\n"
    "        case $word in\n"
    "        -?*) _allot_argument \"$verb\" \"$word\" >/dev/null && before=$word ;;\n"
    "        *) if [ -z \"$verb\" ]; then verb=$word; else place=$((place + 1)); fi ;;\n"
    "        esac\n"
    "    done\n"
    "    [ \"$_allot_cur\" = = ] && _allot_cur=''\n"
    "    if [ -n \"$before\" ]; then\n"
    "        takes=$(_allot_argument \"$verb\" \"$before\")\n"
    "        _allot_alternatives \"$takes\"\n"
    "        return\n"
    "    fi\n"
    "    case $_allot_cur in\n"
    "    -*) list=$(_allot_options \"$verb\" | sed 's/=[^ ]*//g; s/,/ /g')\n"
    "        _allot_offer \"$list\"\n"
    "        return ;;\n"
    "    esac\n"
    "    if [ -z \"$verb\" ]; then _allot_offer \"$(_allot_verbs)\"; return; fi\n"
    "    list=($(_allot_operands \"$verb\"))\n"
    "    [ ${#list[@]} = 0 ] && return\n"
    "    word=${list[place]-${list[${#list[@]} - 1]}}\n"
    "    if [ \"$place\" -lt ${#list[@]} ] || [ \"$word\" != \"${word%...}\" ]; then\n"
    "        _allot_alternatives \"${word%...}\"\n"
    "    fi\n"
    "}\n\n"
    "complete -F _allot allot\n";

void allot__complete_bash(allot__text *out, const allot__verb *verbs, const allot__text *topics)
{
    allot__cli_puts(out, head);
    allot__complete_tables(out, verbs, topics);
    allot__cli_puts(out, body);
}
