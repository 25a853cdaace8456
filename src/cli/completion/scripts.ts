import { AppError } from '../../base/errors.ts';

/** Returns the completion script of a shell. The script requests completions at every key press. */
export function scriptFor(args: readonly string[]): string {
  const [shell = ''] = args;
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script !== undefined && args.length === 1) return script;
  const usage = 'Usage: switchboard completion bash|zsh|fish';
  throw new AppError('USAGE', `Name a shell. ${usage}. The script begins with installation instructions.`);
}

const scripts: Readonly<Record<string, string>> = {
  bash: `# Bash completion for switchboard. Add this line to ~/.bashrc:
#   source <(switchboard completion bash)
# or, with the bash-completion package, write it to a file that is loaded on first use:
#   switchboard completion bash > ~/.local/share/bash-completion/completions/switchboard
_switchboard() {
  local answer
  COMPREPLY=()
  while IFS= read -r answer; do
    COMPREPLY+=("$answer")
  done < <(command switchboard completion --line "$COMP_WORDBREAKS" -- "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  # Add no space after a key or a server name: more follows. (bash 3 has no compopt.)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[=.] ]]; then
    compopt -o nospace 2>/dev/null
  fi
  # @file: bash would look for a file name that begins with @. Names that need quotes are not completed.
  if [[ \${#COMPREPLY[@]} -eq 0 && $2 == @* ]]; then
    while IFS= read -r answer; do
      if [[ -d $answer ]]; then answer+=/; fi
      if [[ $answer != *[^[:alnum:]_./,+%-]* ]]; then COMPREPLY+=("@$answer"); fi
    done < <(compgen -f -- "\${2#@}")
    compopt -o nospace 2>/dev/null
  fi
  return 0
}
# Without candidates, bash completes file names.
complete -o default -F _switchboard switchboard`,

  zsh: `#compdef switchboard
# Zsh completion for switchboard. Add this line to ~/.zshrc, after compinit:
#   source <(switchboard completion zsh)
# or write it to a folder in your fpath:
#   switchboard completion zsh > "\${fpath[1]}/_switchboard"
_switchboard() {
  local answer word tab=$'\\t'
  local -a words_whole shown_whole words_open shown_open
  for answer in "\${(@f)$(command switchboard completion --words $((CURRENT - 1)) -- "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n $answer ]] || continue
    word=\${answer%%$tab*}
    # Add no space after a key or a server name: more follows.
    if [[ $word == *[=.] ]]; then
      words_open+=("$word")
      shown_open+=("\${answer/$tab/  -- }")
    else
      words_whole+=("$word")
      shown_whole+=("\${answer/$tab/  -- }")
    fi
  done
  if (( ! $#words_whole && ! $#words_open )); then
    compset -P '*[=@]'
    _files
    return
  fi
  (( $#words_whole )) && compadd -l -d shown_whole -a words_whole
  (( $#words_open )) && compadd -l -S '' -d shown_open -a words_open
  return 0
}
if [[ $funcstack[1] == _switchboard ]]; then
  _switchboard "$@"
elif (( $+functions[compdef] )); then
  compdef _switchboard switchboard
fi`,

  fish: `# Fish completion for switchboard. Write it to the folder that fish loads automatically:
#   switchboard completion fish > ~/.config/fish/completions/switchboard.fish
function __switchboard_ask
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l plain (string unescape -- "$current")
    or set plain "$current"
    set -g __switchboard_answers (command switchboard completion --words (count $before) -- $before "$plain" 2>/dev/null)
    test (count $__switchboard_answers) -gt 0
end
# Without candidates, fish completes file names.
complete -c switchboard -n __switchboard_ask -f -a '(printf "%s\\n" $__switchboard_answers)'`,
};
