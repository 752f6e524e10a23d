/** Runs lines in a shell, as a person or a job does, with `svcctl` on the PATH. */
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { splitCommand } from '../../src/base/shell-words.js'
import { buildShellProgram } from './lines-of-shells.js'
import { createConfiguration, createFolder, getCleanEnv, program } from './program.js'
import { runProgram } from './starting.js'
import { hasProgram } from './terminal.js'
import { svcctl } from './within.js'

/** Writes a script for `sh`. */
export const writeScript = (file: string, text: string): void => {
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
}

/** Returns a PATH that begins with a folder of these `sh` scripts. */
export const createPath = (programs: Readonly<Record<string, string>>): string => {
  const bin = createFolder()
  for (const [name, text] of Object.entries(programs)) writeScript(join(bin, name), text)
  return `${bin}${delimiter}${process.env.PATH ?? ''}`
}

/** Returns a PATH on which `svcctl` is this program or another command. */
export const createProgramPath = (command = `'${process.execPath}' '${program}'`): string =>
  createPath({ svcctl: `exec ${command} "$@"` })

/** Returns a PATH on which `svcctl` runs its lines in the process of the test. */
export const createLinePath = async (): Promise<string> => {
  const bin = createFolder()
  const file = join(bin, 'svcctl')
  writeFileSync(file, await buildShellProgram())
  chmodSync(file, 0o755)
  return `${bin}${delimiter}${process.env.PATH ?? ''}`
}

/** Programs that examples and pages pipe into, and that a machine may not have. */
const pipePrograms = ['jq']

/** Returns the programs that the lines pipe into and that are not installed. The test is skipped then, and names them. */
export const findMissingPrograms = (lines: string): readonly string[] =>
  pipePrograms.filter((program) => new RegExp(`\\b${program} `).test(lines) && !hasProgram(program))

export interface ShellOptions {
  readonly cwd?: string
  /** Added to a clean environment with a configuration of its own. */
  readonly env?: Readonly<Record<string, string>>
  /** The shell and its flags; by default bash that stops at the first line that fails. */
  readonly shell?: readonly string[]
}

const trimFinalNewline = (text: string): string => text.replace(/\n$/, '')

/** Runs lines in a shell. Never throws for an exit code. */
export const runInShell = async (
  lines: string,
  { cwd = createFolder(), env = {}, shell = ['bash', '-euo', 'pipefail'] }: ShellOptions = {},
) => {
  const [command = 'bash', ...flags] = shell
  const { code, stdout, stderr, all } = await runProgram(command, [...flags, '-c', lines], {
    cwd,
    env: {
      ...getCleanEnv(),
      SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? createConfiguration(),
      ...env,
      PATH: env.PATH ?? (await createLinePath()),
    },
  })
  const read = (bytes: Buffer): string => trimFinalNewline(bytes.toString())
  return { code: code ?? undefined, stdout: read(stdout), stderr: read(stderr), all: read(all) }
}

/** Matches a pipe, a redirection, a substitution, a glob, several lines, or a program whose output is printed too. */
const shellSyntax = /[|<>$*~&;\n]|\s#|--exec|--resume-after/

/** True if a line needs a shell. Text in single quotes does not count. */
export const needsShell = (line: string): boolean => shellSyntax.test(line.replace(/'[^']*'/g, ''))

/** Runs a line that begins with `svcctl`: in the process of the test if it needs no shell, and otherwise as `runInShell` does. */
export const runLine = async (line: string, how: ShellOptions = {}) => {
  const [, words] = /^svcctl (.+)/s.exec(line) ?? []
  if (words === undefined || needsShell(words)) return runInShell(line, how)
  const { code, stdout, stderr } = await svcctl(splitCommand(words), how)
  return { code, stdout: trimFinalNewline(stdout), stderr: trimFinalNewline(stderr) }
}
