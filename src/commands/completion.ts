/** Implements `completion`, which prints or installs the completion script of a shell. */
import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { writeWhole } from '../base/files/files.js'
import { readRegular } from '../base/files/regular.js'
import { boolean } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { createNoteRow, createTextRow } from '../engine/rows.js'
import { Failure, getErrorCode, getReason, usage } from '../errors.js'
import { type Arguments, define } from './define.js'

// The completion scripts. Each passes the words to `svcctl __complete`, which prints one candidate per line (`value<TAB>description`).
// The last line is a directive, `:file` or `:none`.
// Candidates contain no characters that are special in a shell, so that a hostile name cannot run a program.

const bash = `# bash completion for svcctl. Load it with: source <(svcctl completion bash)
_svcctl() {
  local IFS=$'\\n' word line value text directive=':none' i
  local -a words=() values=() shown=()
  # bash splits at = and : as well; put the words together again
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((i > 1)) && [[ \${#words[@]} -gt 0 && ( $word == [=:] || \${COMP_WORDS[i-1]} == [=:] ) ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  local current=\${words[\${#words[@]}-1]}
  local last=\${COMP_WORDS[COMP_CWORD]}
  [[ $last == [=:] ]] && last=
  local prefix=\${current%"$last"}
  while IFS= read -r line; do
    case $line in
      :*) directive=$line ;;
      *)
        value=\${line%%$'\\t'*}
        value=\${value#"$prefix"}
        text=\${line#*$'\\t'}
        [[ $line == *$'\\t'* && -n $text ]] || text=
        values+=("$value")
        shown+=("$value\${text:+  ($text)}")
        ;;
    esac
  done < <(SVC_NO_PROMPT=1 svcctl __complete bash -- "\${words[@]}" 2>/dev/null </dev/null)
  if [[ $directive == ':file' ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$last"))
  elif ((\${#values[@]} == 1)); then
    COMPREPLY=("\${values[0]}")
  elif ((COMP_TYPE == 63)); then
    COMPREPLY=("\${shown[@]}")
  else
    COMPREPLY=("\${values[@]}")
  fi
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _svcctl svcctl
`

const zsh = `#compdef svcctl
# zsh completion for svcctl. Load it with: source <(svcctl completion zsh)
_svcctl() {
  local line value text directive=':none'
  local -a candidates
  while IFS= read -r line; do
    case $line in
      :*) directive=$line ;;
      *)
        value=\${line%%$'\\t'*}
        text=\${line#*$'\\t'}
        [[ $line == *$'\\t'* ]] || text=
        candidates+=("\${value//:/\\\\:}\${text:+:$text}")
        ;;
    esac
  done < <(SVC_NO_PROMPT=1 svcctl __complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)
  if [[ $directive == ':file' ]]; then
    # a file may follow an equals sign: --to=file, --report junit=file
    _files || { [[ $PREFIX == *=* ]] && compset -P '*=' && _files }
  else
    _describe -V 'svcctl' candidates
  fi
}
if [[ \${funcstack[1]} == _svcctl ]]; then
  _svcctl "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _svcctl svcctl
fi
`

const fish = `# fish completion for svcctl. Load it with: svcctl completion fish | source
function __svcctl_complete
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    set -l directive ':none'
    for line in (SVC_NO_PROMPT=1 svcctl __complete fish -- $words 2>/dev/null </dev/null)
        if string match -q ':*' -- $line
            set directive $line
        else
            printf '%s\\n' $line
        end
    end
    if test $directive = ':file'
        set -l token (commandline -ct)
        set -l paths (__fish_complete_path $token)
        if test (count $paths) -gt 0
            printf '%s\\n' $paths
        # a file may follow an equals sign: --to=file, --report junit=file
        else if string match -q '*=*' -- $token
            set -l lead (string replace -r '[^=]*$' '' -- $token)
            for path in (__fish_complete_path (string replace -r '.*=' '' -- $token))
                printf '%s%s\\n' $lead $path
            end
        end
    end
end
complete -c svcctl -e
complete -c svcctl -f -k -a '(__svcctl_complete)'
`

const powershell = `# PowerShell completion for svcctl. Load it with: svcctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svcctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    if ($wordToComplete -eq '') { $words += '' }
    $env:SVC_NO_PROMPT = '1'
    $lines = @(& svcctl __complete powershell -- @words 2>$null)
    Remove-Item Env:SVC_NO_PROMPT
    if ($lines -contains ':file') { return }
    $lines | Where-Object { -not $_.StartsWith(':') } | ForEach-Object {
        $value, $text = $_ -split "\`t", 2
        if (-not $text) { $text = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
    }
}
`

interface Shell {
  readonly name: string
  /** The name of the script's file in `completions/`. */
  readonly file: string
  readonly script: string
  /** A command that installs the script. */
  readonly install: string
}

/** The shells that have a completion script. */
export const shells: readonly Shell[] = [
  {
    name: 'bash',
    file: 'svcctl.bash',
    script: bash,
    install: "echo 'source <(svcctl completion bash)' >> ~/.bashrc",
  },
  {
    name: 'zsh',
    file: '_svcctl',
    script: zsh,
    install: "echo 'source <(svcctl completion zsh)' >> ~/.zshrc",
  },
  {
    name: 'fish',
    file: 'svcctl.fish',
    script: fish,
    install: 'svcctl completion fish > ~/.config/fish/completions/svcctl.fish',
  },
  {
    name: 'powershell',
    file: 'svcctl.ps1',
    script: powershell,
    install: "Add-Content $PROFILE 'svcctl completion powershell | Out-String | Invoke-Expression'",
  },
]

const names = shells.map((shell) => shell.name)

/** Finds the user's shell in the environment; undefined if no script exists for it. */
export const findShell = (env: Readonly<NodeJS.ProcessEnv>): Shell | undefined => {
  if (env.PSModulePath !== undefined && env.SHELL === undefined)
    return shells.find((shell) => shell.name === 'powershell')
  return shells.find((shell) => shell.name === basename(env.SHELL ?? ''))
}

// The files that a shell reads.

/** Finds the file to write, or the start file to which `line` must be added. */
const findStartFile = (shell: Shell, env: NodeJS.ProcessEnv): { file: string; line?: string } => {
  const home = env.HOME ?? ''
  const line = `source <(svcctl completion ${shell.name})`
  if (home === '' || shell.name === 'powershell')
    throw usage(`--install does not know the files of ${shell.name}`, `Run: ${shell.install}`)
  if (shell.name === 'bash') return { file: join(home, '.bashrc'), line }
  if (shell.name === 'zsh') return { file: join(env.ZDOTDIR || home, '.zshrc'), line }
  const config = env.XDG_CONFIG_HOME || join(home, '.config')
  return { file: join(config, 'fish', 'completions', shell.file) }
}

const readText = (file: string): string => {
  try {
    return readRegular(file).toString()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return ''
    throw error
  }
}

/**
 * Installs the script, so that the shell loads it at its next start.
 * @returns the change in words
 */
const install = async (shell: Shell, env: NodeJS.ProcessEnv): Promise<string> => {
  const { file, line } = findStartFile(shell, env)
  try {
    const before = readText(file)
    const gap = before === '' || before.endsWith('\n') ? '' : '\n'
    const after = line === undefined ? shell.script : `${before}${gap}${line}\n`
    const isInstalled = line === undefined ? before === after : before.split('\n').includes(line)
    if (isInstalled) return `${file} already loads the completion`
    mkdirSync(dirname(file), { recursive: true })
    await writeWhole(file, after)
    return `${line === undefined ? 'wrote' : 'added a line to'} ${file}; start a new shell`
  } catch (cause) {
    throw new Failure('failed', `cannot write ${file}: ${getReason(cause)}`, {
      hint: `Run: ${shell.install}`,
      cause,
    })
  }
}

const flags = {
  install: boolean('make the shell load the script from its next start'),
} as const

export const completion = define({
  args: [
    {
      name: 'shell',
      required: false,
      variadic: false,
      help: `${names.join(', ')}; the present one unless given`,
      values: async () => names.map((value) => ({ value })),
    },
  ],
  flags,
  rows: async function* ({ answer, place }: Context, given: Arguments<typeof flags>) {
    const wanted = given.args[0] ?? findShell(place.env)?.name
    const shell = shells.find((s) => s.name === wanted)
    if (shell === undefined)
      throw usage(
        wanted === undefined ? 'unknown shell' : `there is no completion for "${wanted}"`,
        `Name one of ${names.join(', ')}.`,
      )
    if (given.flags.install === true) return yield createNoteRow(await install(shell, place.env))
    if (answer.terminal) yield createNoteRow(`install it with: ${shell.install}`)
    yield createTextRow(shell.script)
  },
})
