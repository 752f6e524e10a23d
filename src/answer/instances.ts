/** Runs a line on several instances: all at once, or one after the other if it writes. */

import { yieldPushed } from '../base/async.js'
import type { Io } from '../base/io.js'
import { StandardInput } from '../base/standard-input.js'
import { toMaxCount } from '../client/paging.js'
import { createUnprintedFailure } from '../engine/bulk/plan-work.js'
import { isFullySent, mayChangeInstance } from '../engine/command/derive.js'
import { type Globals, getMaxRecords } from '../engine/command/globals.js'
import { createWordsLoader } from '../engine/command/load-words.js'
import { getFlagTarget, withTargets } from '../engine/command/target-fields.js'
import { checkProfile } from '../engine/instance/extension.js'
import type { ObjectBudget } from '../engine/options.js'
import { parseGlobals } from '../engine/plan/given.js'
import { getSite, type Row, type Target } from '../engine/rows.js'
import { describeUnread, TurnScheduler, takeRecords } from '../engine/target-order.js'
import type { FailureLimit } from '../engine/work/report.js'
import { ClosedPipe, exitCodes, Failure } from '../errors.js'
import type { Format } from '../output/types.js'
import type { Notes } from '../terminal/notes.js'
import { chooseFormat } from './choose-format.js'
import { getFailureFormat, getRunFailure } from './failure-report.js'
import { InstancesAnswer, type SharedLine } from './instances-answer.js'
import type { AskedLine, OuterLine } from './options.js'
import {
  checkSeveralInstances,
  checkWrites,
  createSiteEnvironment,
  getAskedProfiles,
  instanceVariables,
  type LineSite,
  resolveInstances,
  resolveNamedProfiles,
} from './sites.js'

// The end of a run on several instances.

/** The end of the run on one instance. */
interface InstanceResult {
  readonly name: string
  readonly code: number
  readonly failure?: Failure
}

const unreachable = 7
/** The exit codes that become the exit code of the whole run if one instance has them: interruption and defect. */
const decisiveCodes = [130, 9]

/** True if the failure of an instance is only noted, because of `--tolerate unreachable`. */
const isNoted = ({ failure, code }: InstanceResult, tolerant: boolean): boolean =>
  tolerant && code === unreachable && failure !== undefined

/**
 * Returns the exit code of a run on several instances. It is 8 if their exit codes differ.
 * @param tolerant true if instances that cannot be reached do not count, as long as another one can
 */
export const getExitCode = (endings: readonly InstanceResult[], tolerant: boolean): number => {
  const all = endings.map(({ code }) => code)
  const first = decisiveCodes.find((code) => all.includes(code))
  if (first !== undefined) return first
  const counted = endings.filter((ending) => !isNoted(ending, tolerant)).map(({ code }) => code)
  const [code = unreachable, ...others] = counted
  return others.every((other) => other === code) ? code : 8
}

/** True if no further instance is begun. Without `--max-failures`, this is true after the first failure. */
export const hasReachedFailureLimit = (
  failed: number,
  of: number,
  most: FailureLimit | undefined,
): boolean => {
  if (most === undefined) return failed > 0
  return 'count' in most ? failed >= most.count : failed > 0 && (failed / of) * 100 >= most.percent
}

/** Returns the usage error that all instances reported in the same words; undefined if they did not. */
const findSameMistake = (endings: readonly InstanceResult[]): Failure | undefined => {
  const [first] = endings
  const failure = first?.failure
  if (failure?.category !== 'usage') return undefined
  const same = endings.every(
    (one) => one.failure?.category === 'usage' && one.failure.message === failure.message,
  )
  return same ? new Failure('usage', failure.message, failure.details) : undefined
}

// Standard input for several instances, which is read once.

/** A copy of standard input for one instance. Closing the copy leaves the input open. */
class InputCopy extends StandardInput {
  override readonly text: () => Promise<string>

  constructor(io: Io, whole: StandardInput) {
    super(io)
    this.text = whole.text
  }

  override head(): Promise<string> {
    return this.text()
  }

  override async endsSoon(): Promise<boolean> {
    await this.text()
    return true
  }

  override async *readChunks(): AsyncGenerator<string> {
    yield await this.text()
  }

  override close(): void {}
}

/** Runs the line on one instance. */
export type LineRunner = (line: AskedLine, outer?: OuterLine) => Promise<number>

type RowListener = (row: Row) => Promise<void>

/** A line on several instances or snapshots, or one that resumes several runs. */
class MultiInstanceRun {
  readonly #line: AskedLine
  readonly #run: LineRunner
  readonly #globals: Globals
  readonly #format: Format
  readonly #merged: InstancesAnswer
  readonly #stop = new AbortController()
  /** Standard input, which is read once for all instances. */
  readonly #input: StandardInput
  readonly #results: InstanceResult[] = []
  /** The objects that `--limit` leaves to `--select`. */
  readonly #budget: ObjectBudget
  /** True once `--limit` is reached. */
  #isFull = false
  /** True if the line changes its instances. */
  #isWrite = false
  /** True once no row is printed any more: the reader left, the output is full, or `--limit` is reached. */
  #isOutputEnded = false
  /** The error of printing, which ends the whole run. */
  #printError: unknown

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
    this.#input = new StandardInput(line.io, line.signal)
    this.#budget = { left: toMaxCount(globals.limit ?? 'all') }
  }

  get notes(): Notes {
    return this.#merged.notes
  }

  /**
   * Runs the line on all instances.
   * @param inOrder true for one after the other, false for all at once
   * @param least the exit code if all instances end well
   * @returns the exit code
   */
  async run(sites: readonly LineSite[], inOrder: boolean, least = 0): Promise<number> {
    this.#isWrite = inOrder && isFullySent({ command: this.#line.command, globals: this.#globals })
    try {
      await this.#print(sites, (push) =>
        inOrder ? this.#runInOrder(sites, push) : this.#runAtOnce(sites, push),
      )
      return await this.#end(sites, least)
    } finally {
      this.#input.close()
    }
  }

  /** Prints the rows of the instances. An error of printing ends the runs under way. */
  async #print(
    sites: readonly LineSite[],
    work: (push: RowListener) => Promise<void>,
  ): Promise<void> {
    const rows = yieldPushed<Row>(async (push) => {
      await work((row) =>
        push(row).catch((error: unknown) => {
          this.#isOutputEnded = true
          throw error
        }),
      )
      if (!this.#results.some(({ code }) => code === 130)) await push({ kind: 'end' })
    })
    try {
      const most = getMaxRecords(this.#globals)
      await this.#merged.print(takeRecords(rows, most, (at) => this.#stopAtLimit(sites, most, at)))
    } catch (error) {
      this.#printError ??= error
    }
  }

  /** Notes that `--limit` is reached. The runs under way end without a failure. */
  #stopAtLimit(sites: readonly LineSite[], most: number, at: Target): void {
    this.#isFull = true
    const left = sites.slice(sites.findIndex(({ name }) => name === getSite(at)?.name))
    const names = left.map(({ name }) => name)
    this.#merged.noteLimit(describeUnread(most, names))
  }

  /** Runs the line on all instances at once. Their rows wait for those of the instances before. */
  async #runAtOnce(sites: readonly LineSite[], push: RowListener): Promise<void> {
    const turns = new TurnScheduler()
    await Promise.all(sites.map((site) => turns.schedule((turn) => this.#runOne(site, turn, push))))
  }

  /** Runs the line on one instance after the other, until too many have failed. */
  async #runInOrder(sites: readonly LineSite[], push: RowListener): Promise<void> {
    const { maxFailures: most } = this.#globals
    for (const [i, site] of sites.entries()) {
      if (this.#budget.left <= 0)
        return this.#skip(sites.slice(i), (notes) => notes.note('not started: --limit is reached'))
      await this.#runOne(site, Promise.resolve(), push)
      const left = sites.slice(i + 1)
      if (this.#isOutputEnded) {
        if (!this.#isWrite) return
        this.#results.push(...left.map(({ name }) => ({ name, code: exitCodes.partial })))
        return this.#skip(left, (notes) => notes.warn('not started, because the output ended'))
      }
      const failed = this.#results.filter((one) => one.code !== 0 && !isNoted(one, this.#tolerant))
      const ends = failed.some(({ code }) => code === 130) || this.#printError !== undefined
      // Shards were meant to run at the same time. One that failed does not stop the others, unless --max-failures says so.
      const isIndependent = this.#merged.column === 'run' && most === undefined
      const stops = !isIndependent && hasReachedFailureLimit(failed.length, sites.length, most)
      if (left.length === 0 || !(ends || stops)) continue
      const last = failed.at(-1)?.name ?? site.name
      return this.#skip(left, (notes) => notes.warn(`not started, because ${last} failed`))
    }
  }

  /** Says why the line does not run on these instances. */
  async #skip(sites: readonly LineSite[], say: (notes: Notes) => void): Promise<void> {
    for (const { name } of sites) say(await this.#merged.openNotesFor(name))
  }

  /** Ends the answer, and reports failures that concern the whole line. @returns the exit code */
  async #end(sites: readonly LineSite[], least: number): Promise<number> {
    const code = getExitCode(this.#results, this.#tolerant) || least
    const mistake = findSameMistake(this.#results)
    const names = sites.map(({ name }) => name)
    const whole = this.#printError === undefined && code !== 130
    const failed = whole
      ? this.#findOnlyFailure()
      : (this.#printError ?? new Failure('interrupted', 'interrupted'))
    await this.#merged.close(names, { code, failed }).catch((error: unknown) => {
      this.#printError ??= error
    })
    if (this.#printError !== undefined) return this.#endUnprinted(sites, code)
    if (mistake !== undefined) throw mistake
    for (const { name, failure } of this.#results)
      if (failure?.category === 'usage') (await this.#merged.openNotesFor(name)).report(failure)
    if (code === 130) throw new Failure('interrupted', 'interrupted')
    return code
  }

  /** Ends a run whose answer cannot be printed. A write that stopped for that reason does not end well, even if only the reader left. */
  #endUnprinted(sites: readonly LineSite[], code: number): number {
    const error = this.#printError
    if (!this.#isWrite) throw error
    if (error instanceof ClosedPipe && code !== 0) return code
    const done = this.#results.filter((one) => one.code === 0).length
    throw error instanceof Failure
      ? createUnprintedFailure(error, `${done} of ${sites.length} instances done`)
      : error
  }

  /** Returns the first failure if all instances failed. */
  #findOnlyFailure(): Failure | undefined {
    const [first] = this.#results
    return this.#results.every(({ failure }) => failure !== undefined) ? first?.failure : undefined
  }

  get #tolerant(): boolean {
    return this.#globals.tolerate?.includes('unreachable') === true
  }

  async #runOne(site: LineSite, turn: Promise<void>, push: RowListener): Promise<void> {
    const { name, command } = site
    const { raw } = this.#line
    const signal = AbortSignal.any([this.#line.signal, this.#stop.signal])
    const { part, ...target } = await this.#merged.createTarget(name, turn, push)
    const outer = {
      ...target,
      part: { ...part, budget: this.#budget },
      input: new InputCopy(this.#line.io, this.#input),
      format: this.#format,
      env: site.env,
    }
    try {
      const own = { command, raw: site.toOwnLine(raw), signal, onFormat: () => {} }
      this.#results.push({ name, code: await this.#run({ ...this.#line, ...own }, outer) })
    } catch (error) {
      // A failure counts only if its turn comes before --limit is reached.
      await turn
      await this.#recordFailure(name, error, signal)
    }
  }

  async #recordFailure(name: string, error: unknown, { aborted }: AbortSignal): Promise<void> {
    if (this.#isFull) {
      this.#results.push({ name, code: 0 })
      return this.#stop.abort()
    }
    // An error of printing ends the runs on all instances.
    if (this.#printError !== undefined || error instanceof ClosedPipe) {
      if (this.#isWrite) this.#results.push({ name, code: 0 })
      return this.#stop.abort()
    }
    const failure = getRunFailure({ error, interrupted: aborted, env: this.#line.io.env })
    const ending = { name, code: failure.exitCode, failure }
    this.#results.push(ending)
    if (failure.category === 'interrupted' || failure.category === 'usage') return
    const notes = await this.#merged.openNotesFor(name)
    if (isNoted(ending, this.#tolerant)) notes.note(`${failure.message} (tolerated)`)
    else notes.report(failure)
  }
}

/** The global flags and the format of a line for several instances, with the notes on the format. */
interface SharedFormat {
  readonly globals: Globals
  readonly format: Format
  readonly early: readonly string[]
}

/** Parses the global flags of a line for several instances, and chooses its format. */
export const chooseSharedFormat = async (
  line: AskedLine,
  env: NodeJS.ProcessEnv,
): Promise<SharedFormat> => {
  const early: string[] = []
  // The run on each instance prints the notes on its flags.
  const globals = parseGlobals(line.command, line.raw, env, { now: line.io.now() })
  const format = await chooseFormat(line, globals, env, (text) => void early.push(text))
  line.onFormat(getFailureFormat(globals, format))
  return { globals, format, early }
}

/** Opens the answer that several instances share, and prints the notes on its format. */
export const openSharedRun = async (
  { line, run }: { readonly line: AskedLine; readonly run: LineRunner },
  { globals, format, early }: SharedFormat,
  of: Pick<SharedLine, 'asOf' | 'column' | 'env' | 'getSource'>,
): Promise<MultiInstanceRun> => {
  const { raw, io, signal } = line
  const targeted = of.column === 'run' ? undefined : withTargets(line.command, [of.column])
  targeted?.addOnly(getFlagTarget(line.command, raw.flags))
  const { command } = targeted ?? line
  const merged = await InstancesAnswer.open({ command, globals, format, io, signal, raw, ...of })
  for (const text of early) merged.notes.note(text)
  return new MultiInstanceRun(line, run, globals, format, merged)
}

/** Converts a line whose list of profiles has one name to a line for that profile. */
const toSingleLine = (line: AskedLine, name: string): AskedLine => ({
  ...line,
  command: {
    ...line.command,
    loadWords: createWordsLoader([`--profile=${name}`], line.io.env),
  },
  raw: { ...line.raw, flags: new Map(line.raw.flags).set('profile', [name]) },
})

/**
 * Runs a line on each of its instances.
 * @returns the exit code
 * @throws Failure `usage` if the line cannot run on several instances; nothing is sent then
 */
export const executeSeveral = async (line: AskedLine, run: LineRunner): Promise<number> => {
  const { command, raw, io } = line
  const env = createSiteEnvironment(io.env)
  const wanted = getAskedProfiles(raw)
  if ('one' in wanted) return run(toSingleLine(line, wanted.one))
  const chosen = await chooseSharedFormat(line, env)
  checkSeveralInstances(command, raw, 'all' in wanted)
  const profiles = resolveNamedProfiles(wanted.several, env)
  const writing = mayChangeInstance(command, raw.args)
  if (writing) {
    checkWrites(line, wanted, profiles, chosen.globals)
    for (const profile of profiles) await checkProfile(command, env, { profile })
  }
  const sites = await resolveInstances(command, profiles, writing, env)
  const instances = profiles.map(({ name, baseUrl }) => ({ name, address: baseUrl }))
  const getSource = async () => ({ instances, readAccount: async () => undefined })
  const shared = await openSharedRun({ line, run }, chosen, { env, getSource, column: 'profile' })
  const unused = instanceVariables.filter((name) => io.env[name])
  if (unused.length > 0)
    shared.notes.warn(
      `${unused.join(', ')} ${unused.length === 1 ? 'is' : 'are'} not used: each profile has its own`,
    )
  return shared.run(sites, writing)
}
