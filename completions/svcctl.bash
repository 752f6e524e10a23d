# bash completion for svcctl. Load it with: source <(svcctl completion bash)
_svcctl() {
  local IFS=$'\n' word line value text directive=':none' i
  local -a words=() values=() shown=()
  # bash splits at = and : as well; put the words together again
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 1)) && [[ ${#words[@]} -gt 0 && ( $word == [=:] || ${COMP_WORDS[i-1]} == [=:] ) ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  local current=${words[${#words[@]}-1]}
  local last=${COMP_WORDS[COMP_CWORD]}
  [[ $last == [=:] ]] && last=
  local prefix=${current%"$last"}
  while IFS= read -r line; do
    case $line in
      :*) directive=$line ;;
      *)
        value=${line%%$'\t'*}
        value=${value#"$prefix"}
        text=${line#*$'\t'}
        [[ $line == *$'\t'* && -n $text ]] || text=
        values+=("$value")
        shown+=("$value${text:+  ($text)}")
        ;;
    esac
  done < <(SVC_NO_PROMPT=1 svcctl __complete bash -- "${words[@]}" 2>/dev/null </dev/null)
  if [[ $directive == ':file' ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$last"))
  elif ((${#values[@]} == 1)); then
    COMPREPLY=("${values[0]}")
  elif ((COMP_TYPE == 63)); then
    COMPREPLY=("${shown[@]}")
  else
    COMPREPLY=("${values[@]}")
  fi
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _svcctl svcctl
