/** Runs a line with the clock and the random values of the record: in this process, in a shell, at a terminal, or by `svcctl/run`. */

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Io } from '../../src/base/io.js'
import { splitCommand } from '../../src/base/shell-words.js'
import { run as runInLibrary } from '../../src/run.js'
import { changesByFolder } from '../support/lines-of-shells.js'
import { openScreen } from '../support/screen.js'
import { createLinePath, needsShell } from '../support/shell.js'
import { runProgram } from '../support/starting.js'
import { svcctl } from '../support/within.js'
import type { Entry, Step } from './entries.js'
import { createPinnedRandom } from './random.js'

/** Milliseconds after which a line is interrupted, because it has no end. */
const maxDuration = 20_000

/** The time at which an entry begins. Each line begins a minute after the one before. */
const entryStart = Date.parse('2026-11-20T12:00:00Z')
const minute = 60_000

/** The length of folder names, the same on all machines, so that texts with them wrap at the same place. */
const nameLength = 64

export const createFolder = (): string =>
  mkdtempSync(join(tmpdir(), 'record-').padEnd(nameLength - 6, '-'))

/** The parts of a line's `Io` that are the same in each run. */
type PinnedIo = Pick<Io, 'now' | 'uptime' | 'random' | 'randomBytes'>

/** The clock of the record, which does not move while a line runs. */
export class Clock {
  #line = 0

  /** Sets the clock to the time of a line. */
  goTo(line: number): void {
    this.#line = line
  }

  now(): Date {
    return new Date(entryStart + this.#line * minute)
  }

  /** Returns the clock and the random values of a line. A clock that ticks runs in real time. */
  pin(seed: string, ticks: boolean): PinnedIo {
    const began = performance.now()
    const now = () =>
      ticks ? new Date(this.now().getTime() + performance.now() - began) : this.now()
    return { now, uptime: () => 0, ...createPinnedRandom(seed) }
  }
}

/** The exit code of a line and its output. */
export interface LineResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The screens of a line at a terminal. */
  readonly screen?: string
}

/** The entry and step of a line, and the folder, variables and clock that it runs with. */
export interface LineOptions {
  readonly entry: Entry
  readonly step: Step
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly pin: (args: readonly string[]) => PinnedIo
  /** Adds rows to the instance while the line runs. */
  readonly seed: (rows: string) => void
}

/** Returns the variables that programs need from the machine. Others of its variables do not reach a line. */
const getSystemVariables = () => ({ PATH: process.env.PATH ?? '', TMPDIR: tmpdir() })

const runInShell = async (line: string, { cwd, env, pin }: LineOptions): Promise<LineResult> => {
  changesByFolder.set(cwd, pin)
  try {
    const { code, stdout, stderr } = await runProgram('bash', ['-o', 'pipefail', '-c', line], {
      cwd,
      env: { ...getSystemVariables(), ...env, PATH: await createLinePath() },
    })
    return { code: code ?? -1, stdout: stdout.toString(), stderr: stderr.toString() }
  } finally {
    changesByFolder.delete(cwd)
  }
}

const runAtTerminal = async (
  args: readonly string[],
  { entry, step, cwd, env, pin, seed }: LineOptions,
): Promise<LineResult> => {
  const [columns = 80, rows = 24] = (entry.terminal ?? '').split('x').map(Number)
  const screen = openScreen([args], { cwd, env, columns, rows, io: pin(args) })
  const shown: string[] = []
  const keep = async () => {
    const text = await screen.coloured()
    // The library of the prompts asks the process whether it has colours, which it has not if CI is set.
    const plain = stripVTControlCharacters(text)
    shown.push(`${(/^[?✔√] /m.test(plain) ? plain : text).trimEnd()}\n`)
  }
  const act = async (action: string): Promise<unknown> => {
    const [verb = '', rest = ''] = /^(\w+) ?(.*)$/.exec(action)?.slice(1) ?? []
    if (verb === 'wait') return screen.until((text) => text.includes(rest))
    if (verb === 'type') return screen.type(rest)
    if (verb === 'press') return screen.press(...rest.split(' '))
    if (verb === 'seed') return seed(rest)
    if (verb === 'show') return keep()
    throw new Error(`there is no action "${action}"`)
  }
  try {
    for (const action of step.keys ?? []) await act(action)
    const code = await screen.ended
    await keep()
    return { code, stdout: '', stderr: '', screen: shown.join('--------\n') }
  } finally {
    await screen.close()
  }
}

const runInProcess = async (
  args: readonly string[],
  { step: { stopAfter, input }, cwd, env, pin }: LineOptions,
): Promise<LineResult> => {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), maxDuration)
  let outputs = 0
  const countOutput = (): void => {
    outputs += 1
    if (outputs >= (stopAfter ?? 0)) stop.abort()
  }
  try {
    return await svcctl(args, {
      cwd,
      bare: true,
      env: { ...getSystemVariables(), ...env },
      io: pin(args),
      stop: stop.signal,
      ...(stopAfter === undefined ? {} : { afterOutput: countOutput }),
      ...(input === undefined ? {} : { input }),
    })
  } finally {
    clearTimeout(timer)
  }
}

const runByProgram = async (
  args: readonly string[],
  { step: { input }, cwd, env }: LineOptions,
): Promise<LineResult> => {
  const all = { ...getSystemVariables(), ...env }
  const { exitCode, ...printed } = await runInLibrary(args, {
    cwd,
    env: all,
    ...(input === undefined ? {} : { input }),
  })
  return { code: exitCode, ...printed }
}

/** Runs a line, in a shell only if it needs one. */
export const runLine = (line: string, how: LineOptions): Promise<LineResult> => {
  const words = /^svcctl ?(.*)$/s.exec(line)?.[1]
  if (words === undefined || needsShell(words)) return runInShell(line, how)
  const args = splitCommand(words)
  if (how.entry.terminal !== undefined) return runAtTerminal(args, how)
  return how.entry.library ? runByProgram(args, how) : runInProcess(args, how)
}
