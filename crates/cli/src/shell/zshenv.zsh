# Offcut: commands of a coding agent reply with the part of their output that matters (`offcut shell zsh`).
# Anything but the command of an agent's shell passes as if this file were not there; OFFCUT_SHELL=off switches it off.
ZDOTDIR=${OFFCUT_ZDOTDIR:-$HOME}
[[ -r $ZDOTDIR/.zshenv ]] && source "$ZDOTDIR/.zshenv"
if [[ -n ${ZSH_EXECUTION_STRING-} && -x @OFFCUT@ ]]; then
  case "${OFFCUT_SHELL-}:@AGENT@" in
  (on:* | :?*)
    exec @OFFCUT@ shell run "$ZSH_EXECUTION_STRING" -- zsh ${${(M)options[login]:#on}:+-l} -c "$ZSH_EXECUTION_STRING" ;;
  esac
fi
