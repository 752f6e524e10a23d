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

interface Shell {
  readonly name: string
  readonly script: string
  /** A command that installs the script. */
  readonly install: string
}

/** The shells that have a completion script. */
export const shells: readonly Shell[] = [
  {
    name: 'bash',
    script: bash,
    install: "echo 'source <(svcctl completion bash)' >> ~/.bashrc",
  },
  {
    name: 'zsh',
    script: zsh,
    install: "echo 'source <(svcctl completion zsh)' >> ~/.zshrc",
  },
  {
    name: 'fish',
    script: fish,
    install: 'svcctl completion fish > ~/.config/fish/completions/svcctl.fish',
  },
  {
    name: 'powershell',
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
  return { file: join(config, 'fish', 'completions', 'svcctl.fish') }
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
