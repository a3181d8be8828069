/**
 * The completion script of each shell. Each calls `plumbline complete` on every completion, so that it offers what
 * this checkout has. The line `:0` in the output means that file names are allowed too.
 * `COMMAND` is replaced by the quoted command.
 */
export const scripts: Readonly<Record<string, string>> = {
  bash: String.raw`_plumbline() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default 2>/dev/null ;;
      :*) ;;
      *) COMPREPLY+=("${'$'}{line%%$'\t'*}") ;;
    esac
  done < <(COMMAND complete -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _plumbline plumbline
`,
  zsh: String.raw`#compdef plumbline
_plumbline() {
  local line value
  local -a candidates
  for line in "${'$'}{(@f)$(COMMAND complete -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :0) _files ;;
      :*) ;;
      *) value=${'$'}{line%%$'\t'*}; candidates+=("${'$'}{value//:/\\:}:${'$'}{line#*$'\t'}") ;;
    esac
  done
  (( $#candidates )) && _describe plumbline candidates
}
(( $+functions[compdef] )) && compdef _plumbline plumbline
`,
  fish: `function __plumbline
  set -l words (commandline -opc) (commandline -ct)
  for line in (COMMAND complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case ':0'
        __fish_complete_path (commandline -ct)
      case ':*'
      case '*'
        echo $line
    end
  end
end
complete -c plumbline -f -a '(__plumbline)'
`,
}
