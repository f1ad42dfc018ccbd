-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Completion for bash; does not need the package bash-completion.

local HEAD = [[
# Completion of `allot` for bash: source it, or put it where bash looks for it:
#   allot completion bash > ~/.local/share/bash-completion/completions/allot

]]

-- What the words are is found first: the verb, how many operands stand before, and whether it is an
-- option's argument. bash takes "--format=json" apart at "=".
local BODY = [[
_allot_offer() { COMPREPLY+=($(compgen -W "$*" -- "$_allot_cur")); }

_allot_files() {
    local each
    compopt -o filenames 2>/dev/null
    while IFS= read -r each; do
        COMPREPLY+=("$each")
    done < <(
        if [ $# = 0 ]; then compgen -f -- "$_allot_cur"; else compgen -d -- "$_allot_cur"; fi
        for each; do compgen -f -X "!*.$each" -- "$_allot_cur"; done
    )
}

_allot_alternatives() {
    local each
    for each in ${1//|/ }; do
        case $each in
        PLAN | STATE) _allot_files json ;;
        POLICY) _allot_files lua; _allot_offer "$(_allot_policies)" ;;
        TRACE) _allot_files swf gz jsonl ;;
        FILE) _allot_files ;;
        ADDRESS) _allot_files sock ;;
        DIR) compopt -o filenames 2>/dev/null
            COMPREPLY+=($(compgen -d -- "$_allot_cur")) ;;
        VERB) _allot_offer "$(_allot_verbs)" ;;
        TOPIC) _allot_offer "$(_allot_topics)" ;;
        [a-z]*) _allot_offer "$each" ;;
        esac
    done
}

_allot() {
    local _allot_cur=${COMP_WORDS[COMP_CWORD]} verb='' place=0 i word before='' takes list
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [ "$word" = = ]; then continue; fi
        if [ -n "$before" ]; then before=''; continue; fi
        case $word in
        -?*) _allot_argument "$verb" "$word" >/dev/null && before=$word ;;
        *) if [ -z "$verb" ]; then verb=$word; else place=$((place + 1)); fi ;;
        esac
    done
    [ "$_allot_cur" = = ] && _allot_cur=''
    if [ -n "$before" ]; then
        takes=$(_allot_argument "$verb" "$before")
        _allot_alternatives "$takes"
        return
    fi
    case $_allot_cur in
    -*) list=$(_allot_options "$verb" | sed 's/=[^ ]*//g; s/,/ /g')
        _allot_offer "$list"
        return ;;
    esac
    if [ -z "$verb" ]; then _allot_offer "$(_allot_verbs)"; return; fi
    list=($(_allot_operands "$verb"))
    [ ${#list[@]} = 0 ] && return
    word=${list[place]-${list[${#list[@]} - 1]}}
    if [ "$place" -lt ${#list[@]} ] || [ "$word" != "${word%...}" ]; then
        _allot_alternatives "${word%...}"
    fi
}

complete -F _allot allot
]]

return function (of)
  return HEAD .. of.functions() .. BODY
end
