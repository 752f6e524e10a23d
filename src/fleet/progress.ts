/** How far a run is, in a line of text, and what it says at its end. */
import type { Category } from '../errors.js'
import type { Clock } from './gate/clock.js'
import type { Waiting } from './gate/gate.js'
import type { Failed, Report } from './report.js'

/** The rate is that of so many milliseconds. */
const recent = 10_000
/** Samples in that time. */
const samples = 20

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** `49 s`, `3 min`, `2 h 5 min`. */
export const spanText = (seconds: number): string => {
  if (seconds < 120) return `${Math.ceil(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const rest = minutes % 60
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`
}

const rateText = (perSecond: number): string =>
  perSecond >= 10
    ? `${grouped(Math.round(perSecond))}/s`
    : perSecond >= 0.1
      ? `${perSecond.toFixed(1)}/s`
      : `${(perSecond * 60).toFixed(1)}/min`

/** What a line of progress is made of. */
export interface RunProgress {
  /** Area and verb. */
  readonly command: string
  /** Objects that came to an outcome, and how many there will be, where that is known. */
  readonly done: number
  readonly total?: number | undefined
  readonly failed: number
  /** Outcomes a second; undefined before there is any. */
  readonly rate?: number | undefined
  readonly waiting?: Waiting | undefined
}

/** `runners pause  4,213/10,000  42%  3 failed  118/s  ETA 49 s  (waiting 12 s: …)` */
export const progressLine = ({
  command,
  done,
  total,
  failed,
  rate,
  waiting,
}: RunProgress): string => {
  const known = total !== undefined && total > 0
  const left = known && rate !== undefined && rate > 0 ? (total - done) / rate : undefined
  const wait = waiting === undefined ? 0 : Math.ceil(waiting.milliseconds / 1000)
  return [
    command,
    known ? `${grouped(done)}/${grouped(total)}` : grouped(done),
    ...(known ? [`${Math.floor((done / total) * 100)}%`] : []),
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
    ...(rate === undefined ? [] : [rateText(rate)]),
    ...(left === undefined || done === total ? [] : [`ETA ${spanText(left)}`]),
    ...(waiting === undefined ? [] : [`(waiting ${wait} s: ${waiting.why})`]),
  ].join('  ')
}

/** Outcomes a second, over the last ten seconds. */
export class Speed {
  readonly #now: Clock['now']
  readonly #marks: { readonly at: number; readonly count: number }[] = []
  #count = 0

  constructor(now: Clock['now']) {
    this.#now = now
    this.#marks.push({ at: now(), count: 0 })
  }

  add(count = 1): void {
    this.#count += count
    const at = this.#now()
    const last = this.#marks.at(-1)
    if (last !== undefined && at - last.at < recent / samples) return
    this.#marks.push({ at, count: this.#count })
    while ((this.#marks[1]?.at ?? at) < at - recent) this.#marks.shift()
  }

  /** Undefined before there is anything to tell. */
  get value(): number | undefined {
    const [first] = this.#marks
    const passed = this.#now() - (first?.at ?? 0)
    const came = this.#count - (first?.count ?? 0)
    return passed <= 0 || came === 0 ? undefined : (came * 1000) / passed
  }
}

const categoryWords: Readonly<Partial<Record<Category, string>>> = {
  failed: 'refused as they are',
  auth: 'refused',
  not_found: 'not found',
  conflict: 'in conflict',
  rate_limited: 'too many requests',
  unreachable: 'unreachable',
}

/** `2 not found, 1 refused`: only where all that failed are in hand. */
const kindsOf = (failures: readonly Failed[], count: number): string => {
  if (failures.length !== count) return ''
  const kinds = new Map<string, number>()
  for (const { failure } of failures) {
    const word = categoryWords[failure.category] ?? failure.category
    kinds.set(word, (kinds.get(word) ?? 0) + 1)
  }
  const words = [...kinds].map(([word, times]) => `${grouped(times)} ${word}`)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

const remainderText = ({ counts }: Report): string => {
  const [failed, rest] = [counts.failed + counts.unknown, counts.not_tried]
  if (rest > 0)
    return failed > 0 ? 'does the rest, and tries the failed ones again' : 'does the rest'
  return failed > 0 ? 'tries the failed ones again' : ''
}

/** Where a run is written down. */
export interface Kept {
  readonly file: string
  /** The line that goes on with it; undefined where that cannot be. */
  readonly again: string | undefined
}

/**
 * `9,994 done, 3 already so, 3 failed (2 not found, 1 refused). Journal: … — svcctl runners pause
 * --resume last tries the failed ones again`
 */
export const closingLine = (report: Report, kept?: Kept): string => {
  const { counts, failures } = report
  const wrong = counts.failed + counts.unknown
  const parts = [
    `${grouped(counts.done)} done`,
    ...(counts.unchanged === 0 ? [] : [`${grouped(counts.unchanged)} already so`]),
    ...(counts.failed === 0
      ? []
      : [
          `${grouped(counts.failed)} failed${counts.unknown === 0 ? kindsOf(failures, wrong) : ''}`,
        ]),
    ...(counts.unknown === 0 ? [] : [`${grouped(counts.unknown)} not known`]),
    ...(counts.not_tried === 0 ? [] : [`${grouped(counts.not_tried)} not tried`]),
  ].join(', ')
  if (kept === undefined) return parts
  const { file, again } = kept
  const remainder = remainderText(report)
  const how = remainder === '' || again === undefined ? '' : ` — svcctl ${again} ${remainder}`
  return `${parts}. Journal: ${file}${how}`
}
