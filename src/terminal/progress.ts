/**
 * Shows the progress of a run on one line of the terminal that is redrawn. It appears after a delay and disappears when
 * the work ends.
 */

import type { CountedWork, Meter, ShownWork, TimeLimit } from '../base/interaction.js'
import type { Io, OutputStream } from '../base/io.js'
import { escapeControls, formatDuration, roughWidths } from '../base/screen-text.js'
import { groupDigits } from '../base/text.js'
import type { Liveness } from './notes.js'
import {
  getStandardError,
  isWithinLine,
  printAside,
  setLiveLine,
  writeQuietly,
} from './standard.js'
import { drawBar } from './style.js'

interface ProgressOptions {
  readonly io: Io
  readonly liveness: Liveness
  readonly stream?: OutputStream
  /** The delay before anything is shown, in milliseconds. */
  readonly delay?: number
}

/** The default delay before progress is shown, in milliseconds. */
const defaultDelay = 500
const barWidth = 24
/** The columns of the spinner, the space after it, and one column that stays free. */
const reservedColumns = 3

/** Formats the text of the redrawn line, cut to the terminal. */
export const formatProgressLine = (
  text: string,
  fraction: number | undefined,
  columns: number,
): string => {
  const percent = `${Math.floor((fraction ?? 0) * 100)} %`.padStart(5)
  const head = fraction === undefined ? '' : `${drawBar(fraction, barWidth)} ${percent}  `
  return roughWidths.truncate(head + escapeControls(text), columns - reservedColumns)
}

/** A redrawn line with a spinner. */
interface SpinningLine {
  say(text: string, fraction?: number): void
  stop(): void
  /** True if it was stopped because other output needed the terminal. */
  readonly gone: boolean
}

/** Starts to draw the line. */
const startSpinner = async (io: Io, stream: OutputStream): Promise<SpinningLine> => {
  const { default: ora } = await import('ora')
  const columns = stream.columns ?? 80
  const spinner = ora({ stream, discardStdin: false, isEnabled: true, color: false })
  spinner.start()
  const stop = (): void => {
    // Stopping twice would move the cursor, which belongs to other output by then.
    if (!spinner.isSpinning) return
    setLiveLine(io, undefined)
    spinner.stop()
  }
  setLiveLine(io, { clear: () => spinner.clear(), draw: () => spinner.render(), leave: stop })
  return {
    say: (text, fraction) => {
      spinner.text = formatProgressLine(text, fraction, columns)
    },
    get gone() {
      return !spinner.isSpinning
    },
    stop,
  }
}

/** A piece of work with the text that it shows now. */
interface LiveWork {
  said: readonly [text: string, fraction?: number]
}

/**
 * The line that all work shares, such as on several instances, because a terminal has room for one and `ora` warns about
 * a second. It shows the work that began first.
 */
class SharedLine {
  readonly #io: Io
  readonly #stream: OutputStream
  readonly #works: LiveWork[] = []
  #line: Promise<SpinningLine> | undefined

  constructor(io: Io, stream: OutputStream) {
    this.#io = io
    this.#stream = stream
  }

  /** Shows a piece of work, unless the terminal is in the middle of a line of the answer. */
  begin(work: LiveWork): void {
    if (isWithinLine(this.#io)) return
    this.#works.push(work)
    this.#line ??= startSpinner(this.#io, this.#stream)
    this.draw()
  }

  draw(): void {
    this.#line?.then(
      (line) => {
        if (isWithinLine(this.#io)) line.stop()
        else if (this.#works[0] !== undefined) line.say(...this.#works[0].said)
      },
      () => {},
    )
  }

  async end(work: LiveWork): Promise<void> {
    const at = this.#works.indexOf(work)
    if (at < 0) return
    this.#works.splice(at, 1)
    if (this.#works.length > 0) return this.draw()
    const line = this.#line
    this.#line = undefined
    ;(await line?.catch(() => undefined))?.stop()
  }
}

const sharedLines = new WeakMap<OutputStream, SharedLine>()

const openSharedLine = (io: Io, stream: OutputStream): SharedLine => {
  const line = sharedLines.get(stream) ?? new SharedLine(io, stream)
  sharedLines.set(stream, line)
  return line
}

/** Work that is not shown. */
export const silentWork: ShownWork = { say: () => {}, end: async () => {} }

/** Shows a line for ongoing work after a delay, until `end` is called. */
export const beginProgress = (text: string, options: ProgressOptions): ShownWork => {
  const { io, liveness, stream = getStandardError(io), delay = defaultDelay } = options
  if (liveness === 'off') return silentWork
  if (liveness === 'line') {
    const timer = setTimeout(
      () => printAside(io, true, () => writeQuietly(stream, `${escapeControls(text)} …\n`)),
      delay,
    )
    return { say: () => {}, end: async () => clearTimeout(timer) }
  }
  const own: LiveWork = { said: [text] }
  const line = openSharedLine(io, stream)
  const timer = setTimeout(() => line.begin(own), delay)
  return {
    say: (said, fraction) => {
      own.said = fraction === undefined ? [said] : [said, fraction]
      line.draw()
    },
    end: async () => {
      clearTimeout(timer)
      await line.end(own)
    },
  }
}

// The speed of work.

/** The period over which the rate is measured, in milliseconds. */
const ratePeriod = 10_000
/** The number of samples in that period. */
const sampleCount = 20

/** Measures the rate of work per second over the last ten seconds. */
export class Speed {
  readonly #now: () => number
  readonly #marks: { readonly at: number; readonly count: number }[] = []
  #count = 0

  constructor(now: () => number) {
    this.#now = now
    this.#marks.push({ at: now(), count: 0 })
  }

  add(count = 1): void {
    this.#count += count
    const at = this.#now()
    const last = this.#marks.at(-1)
    if (last !== undefined && at - last.at < ratePeriod / sampleCount) return
    this.#marks.push({ at, count: this.#count })
    while ((this.#marks[1]?.at ?? at) < at - ratePeriod) this.#marks.shift()
  }

  /** The rate per second; undefined while it is unknown. */
  get value(): number | undefined {
    const [first] = this.#marks
    const passed = this.#now() - (first?.at ?? 0)
    const came = this.#count - (first?.count ?? 0)
    return passed <= 0 || came === 0 ? undefined : (came * 1000) / passed
  }
}

/** The progress of a piece of work. */
interface WorkProgress {
  readonly done: number
  readonly failed: number
  readonly total?: number
  /** The seconds since it began. */
  readonly seconds: number
  /** The current rate per second; if it is missing, the average of the whole time is used. */
  readonly rate?: number
  /** The limit that all work is waiting for, if there is one. */
  readonly waiting?: TimeLimit
}

const formatRate = (perSecond: number): string =>
  perSecond >= 10 ? groupDigits(Math.round(perSecond)) : String(Number(perSecond.toFixed(1)))

/**
 * Formats the line of a meter: `runners pause  4,213/10,000  42%  3 failed  118/s  ETA 49 s`. For a single request it
 * shows the waiting time.
 */
export const formatMeterLine = (
  name: string,
  { done, failed, total, seconds, rate: recent, waiting }: WorkProgress,
): string => {
  const came = done + failed
  if (came === 0 && (total ?? 0) < 2)
    return `${name}  waiting for a response, ${formatDuration(Math.floor(seconds))}`
  const rate = recent ?? (seconds > 0 ? came / seconds : 0)
  return [
    name,
    total === undefined ? groupDigits(came) : `${groupDigits(came)}/${groupDigits(total)}`,
    ...(total === undefined ? [] : [`${Math.floor((came / Math.max(1, total)) * 100)}%`]),
    ...(failed === 0 ? [] : [`${groupDigits(failed)} failed`]),
    ...(rate === 0 ? [] : [`${formatRate(rate)}/s`]),
    ...(total === undefined || rate === 0
      ? []
      : [`ETA ${formatDuration(Math.round((total - came) / rate))}`]),
    ...(waiting === undefined
      ? []
      : [`(waiting ${Math.ceil(waiting.milliseconds / 1000)} s: ${waiting.why})`]),
  ].join('  ')
}

interface MeterOptions {
  readonly io: Io
  /** The name of the work: the words of the command. */
  readonly name: string
  readonly liveness: Liveness
  readonly stream: OutputStream
  /** The delay before anything is shown, in milliseconds. */
  readonly delay?: number
  readonly now?: () => number
}

interface Work {
  done: number
  failed: number
  total: number | undefined
  readonly since: number
  readonly speed: Speed
  readonly waiting: () => TimeLimit | undefined
}

const redrawInterval = 200

class LiveMeter implements Meter {
  private readonly works: Work[] = []
  private holds = 0
  private timer: NodeJS.Timeout | undefined
  private shown: SpinningLine | undefined
  private said = false

  constructor(private readonly options: Required<MeterOptions>) {}

  begin(total?: number, waiting: () => TimeLimit | undefined = () => undefined): CountedWork {
    const { now } = this.options
    const work: Work = { done: 0, failed: 0, total, since: now(), speed: new Speed(now), waiting }
    this.works.push(work)
    this.timer ??= setTimeout(() => void this.show(), this.options.delay)
    return {
      add: (count, failed = false) => {
        if (failed) work.failed += count
        else work.done += count
        work.speed.add(count)
      },
      setTotal: (count) => {
        work.total = count
      },
      end: () => {
        const at = this.works.indexOf(work)
        if (at >= 0) this.works.splice(at, 1)
        if (this.works.length === 0) this.hide()
      },
    }
  }

  hold(): () => void {
    this.holds++
    this.shown?.stop()
    this.shown = undefined
    return () => {
      this.holds--
    }
  }

  private hide(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.shown?.stop()
    this.shown = undefined
  }

  private formatLine(): string | undefined {
    // The outermost work with a count is the most informative.
    const work = this.works.find(({ total, done }) => total !== undefined || done > 0)
    const shown = work ?? this.works[0]
    if (shown === undefined) return undefined
    const { since, done, failed, total, speed } = shown
    const [rate, waiting] = [speed.value, shown.waiting()]
    const seconds = (this.options.now() - since) / 1000
    return formatMeterLine(this.options.name, {
      done,
      failed,
      seconds,
      rate,
      waiting,
      total,
    })
  }

  private async show(): Promise<void> {
    const { io, liveness, stream, name } = this.options
    const line = this.formatLine()
    if (line === undefined) return
    if (liveness === 'line') {
      // While the terminal is in use by another, that one shows what is waited for.
      if (!this.said && this.holds === 0)
        printAside(io, true, () => writeQuietly(stream, `${escapeControls(name)} …\n`))
      this.said = true
      return
    }
    if (this.holds === 0 && !isWithinLine(io)) {
      const spinner = this.shown?.gone === false ? this.shown : await startSpinner(io, stream)
      // While the spinner was loading, the work may have ended or the terminal may be in use.
      if (this.timer === undefined || this.holds > 0 || isWithinLine(io)) spinner.stop()
      else {
        this.shown = spinner
        spinner.say(this.formatLine() ?? line)
      }
    }
    if (this.timer !== undefined) this.timer = setTimeout(() => void this.show(), redrawInterval)
  }
}

/** The meter of a run that shows no progress. */
export const silentMeter: Meter = {
  begin: () => ({ add: () => {}, setTotal: () => {}, end: () => {} }),
  hold: () => () => {},
}

/** Creates the meter of a run. */
export const createMeter = (options: MeterOptions): Meter =>
  options.liveness === 'off'
    ? silentMeter
    : new LiveMeter({ delay: defaultDelay, now: () => performance.now(), ...options })
