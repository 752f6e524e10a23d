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
import { needsShell, pathToLines } from '../support/shell.js'
import { started } from '../support/starting.js'
import { svcctl } from '../support/within.js'
import type { Entry, Step } from './entries.js'
import { createPinnedRandom } from './random.js'

/** A line that goes on for longer has no end, in milliseconds: it is interrupted. */
const patience = 20_000

/** The moment at which an entry begins. Each of its lines is a minute after the one before. */
const moment = Date.parse('2026-11-20T12:00:00Z')
const minute = 60_000

/** The length of the names of folders, the same on all machines, so that texts with them are folded at the same place. */
const nameLength = 64

/** Creates a folder of an entry. */
export const createFolder = (): string =>
  mkdtempSync(join(tmpdir(), 'record-').padEnd(nameLength - 6, '-'))

/** What is the same in each run of a line. */
type Pinned = Pick<Io, 'now' | 'uptime' | 'random' | 'randomBytes'>

/** The clock of the record, which stands still while a line runs. */
export class Clock {
  #line = 0

  /** Goes on to a line of an entry. */
  goTo(line: number): void {
    this.#line = line
  }

  now(): Date {
    return new Date(moment + this.#line * minute)
  }

  /** Returns the clock and the random values of a line. A clock that ticks goes on in real time. */
  pin(seed: string, ticks: boolean): Pinned {
    const began = performance.now()
    const now = () =>
      ticks ? new Date(this.now().getTime() + performance.now() - began) : this.now()
    return { now, uptime: () => 0, ...createPinnedRandom(seed) }
  }
}

/** How a line ended, and what it printed. */
export interface Printed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What stood on the screen, where it ran at a terminal. */
  readonly screen?: string
}

/** Where a line runs, and how. */
export interface Surroundings {
  readonly entry: Entry
  readonly step: Step
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly pin: (args: readonly string[]) => Pinned
  /** Adds rows to the instance while the line runs. */
  readonly seed: (rows: string) => void
}

/** What programs need of the machine: nothing else of its environment reaches a line. */
const getSystemVariables = () => ({ PATH: process.env.PATH ?? '', TMPDIR: tmpdir() })

const runInShell = async (line: string, { cwd, env, pin }: Surroundings): Promise<Printed> => {
  changesByFolder.set(cwd, pin)
  try {
    const { code, stdout, stderr } = await started('bash', ['-o', 'pipefail', '-c', line], {
      cwd,
      env: { ...getSystemVariables(), ...env, PATH: await pathToLines() },
    })
    return { code: code ?? -1, stdout: stdout.toString(), stderr: stderr.toString() }
  } finally {
    changesByFolder.delete(cwd)
  }
}

const runAtTerminal = async (
  args: readonly string[],
  { entry, step, cwd, env, pin, seed }: Surroundings,
): Promise<Printed> => {
  const [columns = 80, rows = 24] = (entry.terminal ?? '').split('x').map(Number)
  const screen = openScreen([args], { cwd, env, columns, rows, io: pin(args) })
  const shown: string[] = []
  const keep = async () => {
    const text = await screen.coloured()
    // The library of the prompts asks the process whether it has colours, and that says no where CI is set.
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
  { step: { stopAfter, input }, cwd, env, pin }: Surroundings,
): Promise<Printed> => {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), patience)
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
  { step: { input }, cwd, env }: Surroundings,
): Promise<Printed> => {
  const all = { ...getSystemVariables(), ...env }
  const { exitCode, ...printed } = await runInLibrary(args, {
    cwd,
    env: all,
    ...(input === undefined ? {} : { input }),
  })
  return { code: exitCode, ...printed }
}

/** Runs a line: in a shell only where it needs one. */
export const runLine = (line: string, how: Surroundings): Promise<Printed> => {
  const words = /^svcctl ?(.*)$/s.exec(line)?.[1]
  if (words === undefined || needsShell(words)) return runInShell(line, how)
  const args = splitCommand(words)
  if (how.entry.terminal !== undefined) return runAtTerminal(args, how)
  return how.entry.library ? runByProgram(args, how) : runInProcess(args, how)
}
