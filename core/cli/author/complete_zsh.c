/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* complete_zsh.c: completion for zsh. */
#include "cli/author/complete.h"

static const char head[] =
    "#compdef allot\n"
    "# Completion of `allot` for zsh: put it as _allot into a folder of $fpath.\n\n";

static const char body[] =
    "_allot_alternatives() {\n"
    "    local each\n"
    "    for each in ${(s:|:)1}; do\n"
    "        case $each in\n"
    "        PLAN|STATE) _files -g '*.json(-.)' ;;\n"
    "        POLICY) _files -g '*.lua(-.)'\n"
    "            compadd -- ${=$(_allot_policies)} ;;\n"
    "        TRACE) _files -g '*.(swf|gz|jsonl)(-.)' ;;\n"
    "        FILE) _files ;;\n"
    "        DIR) _files -/ ;;\n"
    "        VERB) compadd -- ${=$(_allot_verbs)} ;;\n"
    "        TOPIC) compadd -- ${=$(_allot_topics)} ;;\n"
    "        [a-z]*) compadd -- $each ;;\n"
    "        esac\n"
    "    done\n"
    "}\n\n"
    "_allot() {\n"
    "    local verb='' before='' word takes i\n"
    "    local -i place=0\n"
    "    local -a list\n"
    "    for ((i = 2; i < CURRENT; i++)); do\n"
    "        word=$words[i]\n"
    "        if [[ -n $before ]]; then before=''; continue; fi\n"
    "        case $word in\n"
    "        -*=*) ;;\n"
    "        -?*) _allot_argument \"$verb\" $word >/dev/null && before=$word ;;\n"
    "        *) if [[ -z $verb ]]; then verb=$word; else place+=1; fi ;;\n"
    "        esac\n"
    "    done\n"
    "    if [[ -n $before ]]; then\n"
    "        takes=$(_allot_argument \"$verb\" $before)\n"
    "        _allot_alternatives $takes\n"
    "    elif [[ $PREFIX = --*=* ]]; then\n"
    "        takes=$(_allot_argument \"$verb\" ${PREFIX%%=*})\n"
    "        compset -P '*='\n"
    "        _allot_alternatives \"$takes\"\n"
    "    elif [[ $PREFIX = -* ]]; then\n"
    "        list=(${=$(_allot_options \"$verb\" | sed 's/=[^ ]*//g; s/,/ /g')})\n"
    "        compadd -- $list\n"
    "    elif [[ -z $verb ]]; then\n"
    "        list=(${(f)\"$(_allot_summaries)\"})\n"
    "        _describe verb list\n"
    "    else\n"
    "        list=(${=$(_allot_operands $verb)})\n"
    "        if ((place < $#list)); then word=$list[place+1]; else word=${list[-1]-}; fi\n"
    "        if ((place < $#list)) || [[ $word = *... ]]; then\n"
    "            _allot_alternatives ${word%...}\n"
    "        fi\n"
    "    fi\n"
    "}\n\n"
    "_allot \"$@\"\n";

/* Verbs with what they do, a line each, as _describe takes them. */
static void put_summaries(allot__text *out, const allot__verb *verbs)
{
    allot__cli_puts(out, "_allot_summaries() {\n    cat <<'.'\n");
    for (const allot__verb *verb = verbs; verb->name; verb++)
        allot__cli_printf(out, "%s:%s\n", verb->name, verb->summary);
    allot__cli_puts(out, ".\n}\n\n");
}

void allot__complete_zsh(allot__text *out, const allot__verb *verbs, const allot__text *topics)
{
    allot__cli_puts(out, head);
    allot__complete_tables(out, verbs, topics);
    put_summaries(out, verbs);
    allot__cli_puts(out, body);
}
