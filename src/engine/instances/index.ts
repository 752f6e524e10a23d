/** A command on the several instances that its line means: all at once, or, where it writes, one after the other. */

import { Failure } from '../../errors.js'
import type { Format } from '../../output/types.js'
import { ClosedPipe } from '../../terminal/streams/stdout.js'
import { changes } from '../command/derive/index.js'
import type { OfInstance } from '../command/described.js'
import type { Globals } from '../command/globals.js'
import { failureIn } from '../failed.js'
import { outputFormat, toldBy } from '../format.js'
import { StandardInput } from '../input.js'
import type { AskedLine, InstancePart, LinePart } from '../options.js'
import { ownOf } from '../own/found.js'
import { globalsOf } from '../plan/given.js'
import type { Raw } from '../plan/line.js'
import { everybodys } from '../plan/shared-flags.js'
import { Ended } from '../targets/shared.js'
import type { MostFailures } from '../work/report.js'
import { checkSeveral, checkWriting, profilesFor, wantedBy } from './asked.js'
import { keptAnswer, OneAnswer } from './merged.js'
import { type AskedSite, sitesOf } from './sites.js'

// How a run of several instances ends.

/** What one of them came to. */
interface Ending {
  readonly name: string
  readonly code: number
  readonly failure?: Failure
}

const unreachable = 7
/** These say more than how many failed. */
const foremost = [130, 9]

/** Whether it is noted only. */
const isNoted = ({ failure, code }: Ending, tolerant: boolean): boolean =>
  tolerant && code === unreachable && failure !== undefined

/**
 * The exit code of several: that of all, where they are alike.
 * @param tolerant those that cannot be reached do not count, while one can
 */
export const codeOf = (endings: readonly Ending[], tolerant: boolean): number => {
  const all = endings.map(({ code }) => code)
  const first = foremost.find((code) => all.includes(code))
  if (first !== undefined) return first
  const counted = endings.filter((ending) => !isNoted(ending, tolerant)).map(({ code }) => code)
  const [code = unreachable, ...others] = counted
  return others.every((other) => other === code) ? code : 8
}

/** Whether so many failed that no further one is begun; without a word about it the first is too many. */
export const isEnough = (failed: number, of: number, most: MostFailures | undefined): boolean => {
  if (most === undefined) return failed > 0
  return 'count' in most ? failed >= most.count : failed > 0 && (failed / of) * 100 >= most.percent
}

/** What was wrong with the line for each of them in the same words; undefined where something else was. */
const sameMistake = (endings: readonly Ending[]): Failure | undefined => {
  const [first] = endings
  const failure = first?.failure
  if (failure?.category !== 'usage') return undefined
  const same = endings.every(
    (one) => one.failure?.category === 'usage' && one.failure.message === failure.message,
  )
  return same ? new Failure('usage', failure.message, failure.details) : undefined
}

// Standard input for several instances: read once, given to each.

/** What one of them sees of it; it is not theirs to close. */
class Copied extends StandardInput {
  override readonly text: () => Promise<string>

  constructor(whole: StandardInput) {
    super()
    this.text = whole.text
  }

  override head(): Promise<string> {
    return this.text()
  }

  override async *chunks(): AsyncGenerator<string> {
    yield await this.text()
  }

  override close(): void {}
}

/** Standard input, as each instance gets it. */
const inputForEach = (whole: StandardInput) => (): StandardInput => new Copied(whole)

/** Runs the line on one instance. */
type RunOne = (line: AskedLine, part?: LinePart) => Promise<number>

/** The line as it would be of one of them. */
const lineOf = (raw: Raw, name: string): Raw => {
  const flags = new Map(raw.flags)
  flags.delete('all-profiles')
  flags.set('profile', [name])
  // Whose name it is was looked at.
  const confirmed = flags.get('confirm')?.includes(name) === true
  if (confirmed) flags.set('confirm', [name])
  else flags.delete('confirm')
  return { ...raw, flags }
}

class Several {
  readonly #line: AskedLine
  readonly #run: RunOne
  readonly #globals: Globals
  readonly #format: Format
  readonly #merged: OneAnswer
  readonly #stop = new AbortController()
  readonly #input: () => StandardInput
  readonly #endings: Ending[] = []
  readonly #kept = new Map<string, OfInstance>()
  /** What ends all of it: the answer cannot be printed. */
  #lost: unknown

  constructor(
    line: AskedLine,
    run: RunOne,
    globals: Globals,
    format: Format,
    merged: OneAnswer,
    input: StandardInput,
  ) {
    this.#line = line
    this.#run = run
    this.#globals = globals
    this.#format = format
    this.#merged = merged
    this.#input = inputForEach(input)
  }

  /** All at once; what they print waits for those before them. */
  async together(sites: readonly AskedSite[]): Promise<void> {
    let turn: Promise<void> = Promise.resolve()
    const runs: Promise<void>[] = []
    for (const site of sites) {
      const run = this.#one(site, turn)
      runs.push(run)
      turn = Promise.all([turn, run]).then(() => {})
    }
    await Promise.all(runs)
  }

  /** One after the other, until one fails. */
  async inOrder(sites: readonly AskedSite[]): Promise<void> {
    const { maxFailures } = this.#globals
    const { parseMostFailures } = await import('../work/report.js')
    const most = maxFailures === undefined ? undefined : parseMostFailures(maxFailures)
    for (const [i, site] of sites.entries()) {
      await this.#one(site, Promise.resolve())
      const failed = this.#endings.filter((one) => one.code !== 0 && !isNoted(one, this.#tolerant))
      const ends = failed.some(({ code }) => code === 130) || this.#lost !== undefined
      const left = sites.slice(i + 1)
      if (left.length === 0 || !(ends || isEnough(failed.length, sites.length, most))) continue
      const last = failed.at(-1)?.name ?? site.name
      for (const { name } of left)
        (await this.#merged.notesOf(name)).warn(`not begun, since ${last} failed`)
      return
    }
  }

  /** Tells what is to be told of all of them. @returns the exit code */
  async end(sites: readonly AskedSite[]): Promise<number> {
    const code = codeOf(this.#endings, this.#tolerant)
    const mistake = sameMistake(this.#endings)
    if (mistake === undefined) await this.#across(sites)
    const names = sites.map(({ name }) => name)
    const whole = this.#lost === undefined && code !== 130
    await this.#merged.close(whole, names).catch((error: unknown) => {
      this.#lost ??= error
    })
    if (this.#lost !== undefined) throw this.#lost
    if (mistake !== undefined) throw mistake
    for (const { name, failure } of this.#endings)
      if (failure?.category === 'usage') (await this.#merged.notesOf(name)).report(failure)
    if (code === 130) throw new Failure('interrupted', 'interrupted')
    return code
  }

  get #tolerant(): boolean {
    return this.#globals.tolerate?.includes('unreachable') === true
  }

  async #across(sites: readonly AskedSite[]): Promise<void> {
    const answers = sites.flatMap(({ name }) => this.#kept.get(name) ?? [])
    await this.#merged.across(answers)
  }

  async #one(site: AskedSite, turn: Promise<void>): Promise<void> {
    const { name, own, command, asked } = site
    const { raw } = this.#line
    const signal = AbortSignal.any([this.#line.signal, this.#stop.signal])
    const part = {
      ...(await this.#merged.part(name, turn)),
      words: asked,
      input: this.#input(),
      format: this.#format,
      ...this.#keeping(site),
    }
    try {
      const line = { command, raw: lineOf(raw, name), signal, decided: () => {}, own }
      this.#endings.push({ name, code: await this.#run(line, part) })
    } catch (error) {
      await this.#failed(name, error, signal)
    }
  }

  /** Takes the answer, where the line asks for all of them side by side. */
  #keeping(site: AskedSite): Pick<InstancePart, 'keep'> {
    const { command, raw } = this.#line
    const flag = command.across?.flag
    if (flag === undefined || raw.flags.get(flag)?.at(-1) !== 'true') return {}
    return { keep: (answer, emit) => this.#kept.set(site.name, keptAnswer(site, answer, emit)) }
  }

  async #failed(name: string, error: unknown, { aborted }: AbortSignal): Promise<void> {
    // What cannot be printed ends all of them.
    const failure =
      error instanceof Ended
        ? undefined
        : failureIn({ error, interrupted: aborted, argv: [], how: undefined })
    if (failure === undefined || error instanceof ClosedPipe) {
      this.#lost ??= error instanceof Ended ? error.cause : error
      this.#stop.abort()
      return
    }
    const ending = { name, code: failure.exitCode, failure }
    this.#endings.push(ending)
    if (failure.category === 'interrupted' || failure.category === 'usage') return
    const notes = await this.#merged.notesOf(name)
    if (isNoted(ending, this.#tolerant)) notes.note(`${failure.message} (tolerated)`)
    else notes.report(failure)
  }
}

/** A list that comes to one name means that one. */
const aloneOf = (line: AskedLine, name: string): AskedLine => ({
  ...line,
  raw: { ...line.raw, flags: new Map(line.raw.flags).set('profile', [name]) },
  own: ownOf([`--profile=${name}`], process.env),
})

/**
 * Runs a line on each of the instances that it means.
 * @returns the exit code
 * @throws Failure `usage` for what does not go with several, before anything is sent
 */
export const executeSeveral = async (line: AskedLine, run: RunOne): Promise<number> => {
  const { command, raw, signal, decided } = line
  const { env } = process
  const wanted = wantedBy(raw)
  if ('one' in wanted) return run(aloneOf(line, wanted.one))
  const globals = globalsOf(everybodys(command, raw), env, () => {})
  const format = outputFormat(globals, env)
  decided(toldBy(globals, format))
  checkSeveral(command, raw, globals, env)
  const profiles = profilesFor(wanted.several, env)
  const writing = changes(command, raw.args)
  if (writing) checkWriting(line, wanted, profiles, globals)
  const { sites, words } = await sitesOf(command, profiles, writing)
  const merged = await OneAnswer.of({ command, globals, format, env, signal }, words)
  const input = new StandardInput(signal)
  const several = new Several(line, run, globals, format, merged, input)
  try {
    await (writing ? several.inOrder(sites) : several.together(sites))
    return await several.end(sites)
  } finally {
    input.close()
  }
}
