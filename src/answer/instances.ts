/** A command on the several instances that its line means: all at once, or, where it writes, one after the other. */

import { NobodyTakesError, yieldPushed } from '../base/async.js'
import { getCurrentIo } from '../base/io.js'
import { StandardInput } from '../base/standard-input.js'
import { toUnprintedRun } from '../engine/bulk/plan-work.js'
import { isFullySent, mayChangeInstance } from '../engine/command/derive.js'
import { type Globals, getMostRecords } from '../engine/command/globals.js'
import { getFlagTarget, withTargets } from '../engine/command/target-fields.js'
import { findOwnWords } from '../engine/command/words.js'
import { describeUnread, TurnScheduler, takeRecords } from '../engine/order.js'
import { parseGlobals } from '../engine/plan/given.js'
import { getSite, type Row, type Target } from '../engine/rows.js'
import { type FailureLimit, parseFailureLimit } from '../engine/work/report.js'
import { Failure } from '../errors.js'
import type { Format } from '../output/types.js'
import { chooseFormat } from './choose-format.js'
import { getFailureFormat, getRunFailure } from './failure-report.js'
import { InstancesAnswer } from './instances-answer.js'
import type { AskedLine, OuterLine } from './options.js'
import {
  type AskedSite,
  checkSeveral,
  checkWriting,
  createSiteEnvironment,
  getAskedProfiles,
  resolveInstances,
  resolveNamedProfiles,
  variables,
} from './sites.js'

// How a run of several instances ends.

/** The end of the run on one instance. */
interface InstanceResult {
  readonly name: string
  readonly code: number
  readonly failure?: Failure
}

const unreachable = 7
/** The exit codes that say more than how many failed. */
const foremost = [130, 9]

/** True if the failure of an instance is noted only. */
const isNoted = ({ failure, code }: InstanceResult, tolerant: boolean): boolean =>
  tolerant && code === unreachable && failure !== undefined

/**
 * Returns the exit code of several: that of all, if they are alike.
 * @param tolerant those that cannot be reached do not count, while one can
 */
export const getExitCode = (endings: readonly InstanceResult[], tolerant: boolean): number => {
  const all = endings.map(({ code }) => code)
  const first = foremost.find((code) => all.includes(code))
  if (first !== undefined) return first
  const counted = endings.filter((ending) => !isNoted(ending, tolerant)).map(({ code }) => code)
  const [code = unreachable, ...others] = counted
  return others.every((other) => other === code) ? code : 8
}

/** True if so many failed that no further one is begun; without `--max-failures` the first is too many. */
export const isEnough = (failed: number, of: number, most: FailureLimit | undefined): boolean => {
  if (most === undefined) return failed > 0
  return 'count' in most ? failed >= most.count : failed > 0 && (failed / of) * 100 >= most.percent
}

/** Returns the mistake in the line that all of them reported in the same words; undefined if there is none such. */
const findSameMistake = (endings: readonly InstanceResult[]): Failure | undefined => {
  const [first] = endings
  const failure = first?.failure
  if (failure?.category !== 'usage') return undefined
  const same = endings.every(
    (one) => one.failure?.category === 'usage' && one.failure.message === failure.message,
  )
  return same ? new Failure('usage', failure.message, failure.details) : undefined
}

// Standard input for several instances: read once, given to each.

/** A copy of standard input for one instance; closing the copy leaves the input open. */
class InputCopy extends StandardInput {
  override readonly text: () => Promise<string>

  constructor(whole: StandardInput) {
    super()
    this.text = whole.text
  }

  override head(): Promise<string> {
    return this.text()
  }

  override async endsSoon(): Promise<boolean> {
    await this.text()
    return true
  }

  override async *chunks(): AsyncGenerator<string> {
    yield await this.text()
  }

  override close(): void {}
}

/** Runs the line on one instance. */
export type LineRunner = (line: AskedLine, outer?: OuterLine) => Promise<number>

type RowListener = (row: Row) => Promise<void>

/** A line on several instances or snapshots. */
export class MultiInstanceRun {
  readonly #line: AskedLine
  readonly #run: LineRunner
  readonly #globals: Globals
  readonly #format: Format
  readonly #merged: InstancesAnswer
  readonly #stop = new AbortController()
  /** Read once, whoever of them asks for it. */
  readonly #input: StandardInput
  readonly #endings: InstanceResult[] = []
  /** True if no further records are wanted. */
  #isFull = false
  /** The error that ends all of it: the answer cannot be printed. */
  #lost: unknown

  constructor(
    line: AskedLine,
    run: LineRunner,
    globals: Globals,
    format: Format,
    merged: InstancesAnswer,
  ) {
    this.#line = line
    this.#run = run
    this.#globals = globals
    this.#format = format
    this.#merged = merged
    this.#input = new StandardInput(line.signal)
  }

  /**
   * Runs the line on all of them: one after the other, or at once.
   * @param least the exit code where all of them went well
   * @returns the exit code
   */
  async run(sites: readonly AskedSite[], inOrder: boolean, least = 0): Promise<number> {
    try {
      await this.#print(sites, (push) =>
        inOrder ? this.#inOrder(sites, push) : this.#together(sites, push),
      )
      return await this.#end(sites, least)
    } finally {
      this.#input.close()
    }
  }

  /** Prints the rows that come of the instances, and ends what is under way where that fails. */
  async #print(
    sites: readonly AskedSite[],
    work: (push: RowListener) => Promise<void>,
  ): Promise<void> {
    const rows = yieldPushed<Row>(async (push) => {
      await work(push)
      if (!this.#endings.some(({ code }) => code === 130)) await push({ kind: 'end' })
    })
    try {
      const most = getMostRecords(this.#globals)
      await this.#merged.print(takeRecords(rows, most, (at) => this.#fill(sites, most, at)))
    } catch (error) {
      this.#lost ??= error
    }
  }

  /** There are as many records as were asked for: what is under way ends, and nothing is wrong with that. */
  #fill(sites: readonly AskedSite[], most: number, at: Target): void {
    this.#isFull = true
    const left = sites.slice(sites.findIndex(({ name }) => name === getSite(at)?.name))
    const names = left.map(({ name }) => name)
    this.#merged.fill(describeUnread(most, names))
  }

  /** All at once; what they print waits for those before them. */
  async #together(sites: readonly AskedSite[], push: RowListener): Promise<void> {
    const turns = new TurnScheduler()
    await Promise.all(sites.map((site) => turns.take((turn) => this.#one(site, turn, push))))
  }

  /** Runs one instance after the other, until one fails. */
  async #inOrder(sites: readonly AskedSite[], push: RowListener): Promise<void> {
    const { maxFailures } = this.#globals
    const most = parseFailureLimit(maxFailures)
    for (const [i, site] of sites.entries()) {
      await this.#one(site, Promise.resolve(), push)
      const failed = this.#endings.filter((one) => one.code !== 0 && !isNoted(one, this.#tolerant))
      const ends = failed.some(({ code }) => code === 130) || this.#lost !== undefined
      const left = sites.slice(i + 1)
      if (left.length === 0 || !(ends || isEnough(failed.length, sites.length, most))) continue
      const last = failed.at(-1)?.name ?? site.name
      for (const { name } of left)
        (await this.#merged.notesOf(name)).warn(`not started, because ${last} failed`)
      return
    }
  }

  /** Tells what is to be told of all of them. @returns the exit code */
  async #end(sites: readonly AskedSite[], least: number): Promise<number> {
    const code = getExitCode(this.#endings, this.#tolerant) || least
    const mistake = findSameMistake(this.#endings)
    const names = sites.map(({ name }) => name)
    const whole = this.#lost === undefined && code !== 130
    const failed = whole
      ? this.#nothing()
      : (this.#lost ?? new Failure('interrupted', 'interrupted'))
    await this.#merged.close(names, { code, failed }).catch((error: unknown) => {
      const { command, raw } = this.#line
      const done = code === 0 && isFullySent({ command, globals: this.#globals })
      this.#lost ??=
        done && mayChangeInstance(command, raw.args) ? toUnprintedRun(error, command) : error
    })
    if (this.#lost !== undefined) throw this.#lost
    if (mistake !== undefined) throw mistake
    for (const { name, failure } of this.#endings)
      if (failure?.category === 'usage') (await this.#merged.notesOf(name)).report(failure)
    if (code === 130) throw new Failure('interrupted', 'interrupted')
    return code
  }

  /** Returns the first failure, if none of them answered. */
  #nothing(): Failure | undefined {
    const [first] = this.#endings
    return this.#endings.every(({ failure }) => failure !== undefined) ? first?.failure : undefined
  }

  get #tolerant(): boolean {
    return this.#globals.tolerate?.includes('unreachable') === true
  }

  async #one(site: AskedSite, turn: Promise<void>, push: RowListener): Promise<void> {
    const { name, own, command, asked } = site
    const { raw, parse } = this.#line
    const signal = AbortSignal.any([this.#line.signal, this.#stop.signal])
    const outer = {
      ...(await this.#merged.part(site, turn, push)),
      words: asked,
      input: new InputCopy(this.#input),
      format: this.#format,
      env: createSiteEnvironment(getCurrentIo().env),
    }
    try {
      const line = { command, raw: site.line(raw), signal, decided: () => {}, own, parse }
      this.#endings.push({ name, code: await this.#run(line, outer) })
    } catch (error) {
      // What is behind the last record that was asked for is nobody's failure.
      await turn
      await this.#failed(name, error, signal)
    }
  }

  async #failed(name: string, error: unknown, { aborted }: AbortSignal): Promise<void> {
    if (this.#isFull) {
      this.#endings.push({ name, code: 0 })
      return this.#stop.abort()
    }
    // What cannot be printed ends all of them.
    if (this.#lost !== undefined || error instanceof NobodyTakesError) return this.#stop.abort()
    const failure = getRunFailure({ error, interrupted: aborted })
    const ending = { name, code: failure.exitCode, failure }
    this.#endings.push(ending)
    if (failure.category === 'interrupted' || failure.category === 'usage') return
    const notes = await this.#merged.notesOf(name)
    if (isNoted(ending, this.#tolerant)) notes.note(`${failure.message} (tolerated)`)
    else notes.report(failure)
  }
}

/** Converts a line whose list comes to one name: it means that one. */
const toSingleLine = (line: AskedLine, name: string): AskedLine => ({
  ...line,
  raw: { ...line.raw, flags: new Map(line.raw.flags).set('profile', [name]) },
  own: findOwnWords([`--profile=${name}`], getCurrentIo().env),
})

/**
 * Runs a line on each of the instances that it means.
 * @returns the exit code
 * @throws Failure `usage` for what does not go with several, before anything is sent
 */
export const executeSeveral = async (line: AskedLine, run: LineRunner): Promise<number> => {
  const { command, raw, signal, decided } = line
  const env = createSiteEnvironment(getCurrentIo().env)
  const wanted = getAskedProfiles(raw)
  if ('one' in wanted) return run(toSingleLine(line, wanted.one))
  const globals = parseGlobals(command, raw, env, () => {})
  const early: string[] = []
  const format = await chooseFormat(command, globals, env, (text) => void early.push(text), signal)
  decided(getFailureFormat(globals, format))
  checkSeveral(command, raw, 'all' in wanted)
  const profiles = resolveNamedProfiles(wanted.several, env)
  const writing = mayChangeInstance(command, raw.args)
  if (writing) checkWriting(line, wanted, profiles, globals)
  const { sites, words } = await resolveInstances(command, profiles, writing, env)
  const targeted = withTargets(command, ['profile'])
  targeted.addOnly(getFlagTarget(command, raw.flags))
  const instances = profiles.map(({ name, baseUrl }) => ({ name, address: baseUrl }))
  const source = async () => ({ instances, account: async () => undefined })
  const shown = { command: targeted.command, globals, format, env, signal, raw, source }
  const merged = await InstancesAnswer.of(shown, words)
  for (const text of early) merged.notes.note(text)
  const unused = variables.filter((name) => getCurrentIo().env[name])
  if (unused.length > 0)
    merged.notes.warn(
      `${unused.join(', ')} ${unused.length === 1 ? 'is' : 'are'} not used: each profile has its own`,
    )
  return new MultiInstanceRun(line, run, globals, format, merged).run(sites, writing)
}
