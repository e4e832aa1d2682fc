# Offcut: commands of a coding agent reply with the part of their output that matters (`offcut shell bash-env`).
# Anything but the command of an agent's shell passes as if this file were not there; OFFCUT_SHELL=off switches it off.
if [ -n "${BASH_EXECUTION_STRING-}" ] && [ -x @OFFCUT@ ]; then
  case "${OFFCUT_SHELL-}:@AGENT@" in
  on:* | :?*)
    offcut_words=()
    while IFS= read -r -d '' offcut_word; do offcut_words+=("$offcut_word"); done 2>/dev/null < "/proc/$$/cmdline"
    case "${offcut_words[0]-}" in
    '') exec @OFFCUT@ shell run "$BASH_EXECUTION_STRING" -- "$BASH" -c "$BASH_EXECUTION_STRING" ;;
    -*) unset offcut_words offcut_word ;;
    *) exec @OFFCUT@ shell run "$BASH_EXECUTION_STRING" -- "$BASH" "${offcut_words[@]:1}" ;;
    esac
    ;;
  esac
fi
