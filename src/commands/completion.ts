/** Implements `completion`, which prints or installs the completion script of a shell. */
import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import zsh from '../../completions/_svcctl?raw'
import bash from '../../completions/svcctl.bash?raw'
import fish from '../../completions/svcctl.fish?raw'
import powershell from '../../completions/svcctl.ps1?raw'
import { writeWhole } from '../base/files/files.js'
import { readRegular } from '../base/files/regular.js'
import { boolean } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { createNoteRow, createTextRow } from '../engine/rows.js'
import { Failure, getErrorCode, getReason, usage } from '../errors.js'
import { type Arguments, define } from './define.js'

// The completion scripts, which the package contains as files, too. Each passes the words to `svcctl __complete`, which prints one candidate per line (`value<TAB>description`).
// The last line is a directive, `:file` or `:none`.
// Candidates contain no characters that are special in a shell, so that a hostile name cannot run a program.

/** The files from which a shell may load the completion: its start files, and the places of the script itself. */
interface ShellFiles {
  readonly starts: readonly string[]
  readonly scripts: readonly string[]
}

interface Shell {
  readonly name: string
  readonly script: string
  /** A command that installs the script. */
  readonly install: string
  readonly getFiles: (home: string, env: Readonly<NodeJS.ProcessEnv>) => ShellFiles
}

/** The shells that have a completion script. */
const shells: readonly Shell[] = [
  {
    name: 'bash',
    script: bash,
    install: "echo 'source <(svcctl completion bash)' >> ~/.bashrc",
    getFiles: (home, env) => ({
      starts: ['.bashrc', '.bash_profile', '.profile', '.bash_completion'].map((name) =>
        join(home, name),
      ),
      scripts: [
        join(env.XDG_DATA_HOME || join(home, '.local/share'), 'bash-completion/completions/svcctl'),
        '/usr/share/bash-completion/completions/svcctl',
        '/etc/bash_completion.d/svcctl',
      ],
    }),
  },
  {
    name: 'zsh',
    script: zsh,
    install: "echo 'source <(svcctl completion zsh)' >> ~/.zshrc",
    getFiles: (home, env) => ({
      starts: ['.zshrc', '.zprofile', '.zshenv'].map((name) => join(env.ZDOTDIR || home, name)),
      scripts: ['site-functions', 'vendor-completions'].flatMap((folder) => [
        `/usr/share/zsh/${folder}/_svcctl`,
        `/usr/local/share/zsh/${folder}/_svcctl`,
      ]),
    }),
  },
  {
    name: 'fish',
    script: fish,
    install: 'svcctl completion fish > ~/.config/fish/completions/svcctl.fish',
    getFiles: (home, env) => {
      const config = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish')
      return {
        starts: [join(config, 'config.fish')],
        scripts: [
          join(config, 'completions', 'svcctl.fish'),
          '/usr/share/fish/vendor_completions.d/svcctl.fish',
        ],
      }
    },
  },
  {
    name: 'powershell',
    script: powershell,
    install: "Add-Content $PROFILE 'svcctl completion powershell | Out-String | Invoke-Expression'",
    getFiles: () => ({ starts: [], scripts: [] }),
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

/** Finds the start file to which a line must be added, or the file of the script itself for fish, which needs no line. */
const findStartFile = (shell: Shell, env: NodeJS.ProcessEnv): { file: string; line?: string } => {
  const home = env.HOME ?? ''
  const { starts, scripts } = shell.getFiles(home, env)
  const isScript = shell.name === 'fish'
  const [file] = isScript ? scripts : starts
  if (home === '' || file === undefined)
    throw usage(`--install does not know the files of ${shell.name}`, `Run: ${shell.install}`)
  return isScript ? { file } : { file, line: `source <(svcctl completion ${shell.name})` }
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
