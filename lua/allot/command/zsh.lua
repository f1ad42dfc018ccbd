-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Completion for zsh.

local HEAD = [[
#compdef allot
# Completion of `allot` for zsh: put it as _allot into a folder of $fpath.

]]

local BODY = [=[
_allot_alternatives() {
    local each
    for each in ${(s:|:)1}; do
        case $each in
        PLAN|STATE) _files -g '*.json(-.)' ;;
        POLICY) _files -g '*.lua(-.)'
            compadd -- ${=$(_allot_policies)} ;;
        TRACE) _files -g '*.(swf|gz|jsonl)(-.)' ;;
        FILE) _files ;;
        ADDRESS) _files -g '*.sock(-=)' ;;
        DIR) _files -/ ;;
        VERB) compadd -- ${=$(_allot_verbs)} ;;
        TOPIC) compadd -- ${=$(_allot_topics)} ;;
        [a-z]*) compadd -- $each ;;
        esac
    done
}

_allot() {
    local verb='' before='' word takes i
    local -i place=0
    local -a list
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        if [[ -n $before ]]; then before=''; continue; fi
        case $word in
        -*=*) ;;
        -?*) _allot_argument "$verb" $word >/dev/null && before=$word ;;
        *) if [[ -z $verb ]]; then verb=$word; else place+=1; fi ;;
        esac
    done
    if [[ -n $before ]]; then
        takes=$(_allot_argument "$verb" $before)
        _allot_alternatives $takes
    elif [[ $PREFIX = --*=* ]]; then
        takes=$(_allot_argument "$verb" ${PREFIX%%=*})
        compset -P '*='
        _allot_alternatives "$takes"
    elif [[ $PREFIX = -* ]]; then
        list=(${=$(_allot_options "$verb" | sed 's/=[^ ]*//g; s/,/ /g')})
        compadd -- $list
    elif [[ -z $verb ]]; then
        list=(${(f)"$(_allot_summaries)"})
        _describe verb list
    else
        list=(${=$(_allot_operands $verb)})
        if ((place < $#list)); then word=$list[place+1]; else word=${list[-1]-}; fi
        if ((place < $#list)) || [[ $word = *... ]]; then
            _allot_alternatives ${word%...}
        fi
    fi
}

_allot "$@"
]=]

return function (of)
  local verbs = {} -- with their summaries, a line each, for _describe
  for i, verb in ipairs(of.verbs) do verbs[i] = ("%s:%s\n"):format(verb.name, verb.summary) end
  return HEAD .. of.functions() .. "_allot_summaries() {\n    cat <<'.'\n" .. table.concat(verbs)
    .. ".\n}\n\n" .. BODY
end
