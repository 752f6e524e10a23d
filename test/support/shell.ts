/** Lines of a shell, as a person or a job runs them, with `svcctl` on the path. */
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { splitCommand } from '../../src/base/shell-words.js'
import { programForShells } from './lines-of-shells.js'
import { clean, configuration, folder, program } from './program.js'
import { started } from './starting.js'
import { has } from './terminal.js'
import { svcctl } from './within.js'

/** Writes a program in the words of `sh`. */
export const writeScript = (file: string, text: string): void => {
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
}

/** A PATH that begins with a folder of these programs, each in the words of `sh`. */
export const pathWith = (programs: Readonly<Record<string, string>>): string => {
  const bin = folder()
  for (const [name, text] of Object.entries(programs)) writeScript(join(bin, name), text)
  return `${bin}${delimiter}${process.env.PATH ?? ''}`
}

/** A PATH on which `svcctl` is this program, or another command. */
export const pathToProgram = (command = `'${process.execPath}' '${program}'`): string =>
  pathWith({ svcctl: `exec ${command} "$@"` })

/** A PATH on which `svcctl` runs its lines in the process of the test. */
export const pathToLines = async (): Promise<string> => {
  const bin = folder()
  const file = join(bin, 'svcctl')
  writeFileSync(file, await programForShells())
  chmodSync(file, 0o755)
  return `${bin}${delimiter}${process.env.PATH ?? ''}`
}

/** What examples and pages pipe into, and a machine may be without. */
const inPipes = ['jq']

/** Programs that these lines pipe into and that are not there: without them the test is skipped, and says which. */
export const absentIn = (lines: string): readonly string[] =>
  inPipes.filter((program) => new RegExp(`\\b${program} `).test(lines) && !has(program))

export interface InShell {
  readonly cwd?: string
  /** Beside a clean environment with a configuration of its own. */
  readonly env?: Readonly<Record<string, string>>
  /** The shell and its flags: unless given, bash that stops at the first line that fails. */
  readonly shell?: readonly string[]
}

const withoutEnd = (text: string): string => text.replace(/\n$/, '')

/** Runs lines in a shell; never throws for an exit code. */
export const inShell = async (
  lines: string,
  { cwd = folder(), env = {}, shell = ['bash', '-euo', 'pipefail'] }: InShell = {},
) => {
  const [command = 'bash', ...flags] = shell
  const { code, stdout, stderr, all } = await started(command, [...flags, '-c', lines], {
    cwd,
    env: {
      ...clean(),
      SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? configuration(),
      ...env,
      PATH: env.PATH ?? (await pathToLines()),
    },
  })
  const read = (bytes: Buffer): string => withoutEnd(bytes.toString())
  return { code: code ?? undefined, stdout: read(stdout), stderr: read(stderr), all: read(all) }
}

/** A pipe, a file as a stream, a substitution, a pattern of files, several lines, or a program that prints beside ours. */
const forShell = /[|<>$*~&;\n]|\s#|--exec|--resume-after/

/** Whether a line needs a shell: what stands between single quotes is text. */
export const needsShell = (line: string): boolean => forShell.test(line.replace(/'[^']*'/g, ''))

/** Runs a line that begins with `svcctl`, as `inShell` does: in the process that is there already where it needs no shell. */
export const runLine = async (line: string, how: InShell = {}) => {
  const [, words] = /^svcctl (.+)/s.exec(line) ?? []
  if (words === undefined || needsShell(words)) return inShell(line, how)
  const { code, stdout, stderr } = await svcctl(splitCommand(words), how)
  return { code, stdout: withoutEnd(stdout), stderr: withoutEnd(stderr) }
}
