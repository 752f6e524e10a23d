/** Collects the mistakes in files, each with its position, and reports them together. */
import { Failure } from '../../errors.js'
import { suggestSimilar } from '../suggest.js'
import { quoteText } from '../text.js'
import { formatOrigin, type Origin, type WrittenEntry } from './written.js'

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

interface Finding {
  readonly origin: Origin
  readonly text: string
  readonly hint: string | undefined
}

/** Collects mistakes and notes. Each is kept once, and all are reported together. */
export class Findings {
  readonly #found = new Map<string, Finding>()
  readonly #notes = new Set<string>()

  /** @param files the order of files in the report; without it, findings are sorted by file name */
  constructor(private readonly files?: readonly string[]) {}

  get notes(): readonly string[] {
    return [...this.#notes]
  }

  get any(): boolean {
    return this.size > 0
  }

  get size(): number {
    return this.#found.size
  }

  add(origin: Origin, text: string, hint?: string): undefined {
    const key = `${formatOrigin(origin)}: ${text}`
    if (!this.#found.has(key)) this.#found.set(key, { origin, text, hint })
  }

  /** Adds a note about something that is correct and worth knowing. */
  note(origin: Origin, text: string): void {
    this.#notes.add(`${formatOrigin(origin)}: ${text}`)
  }

  /** Adds the finding for an unknown key. */
  unknown({ key, origin }: Pick<WrittenEntry, 'key' | 'origin'>, known: readonly string[]): void {
    this.add(origin, `${quoteText(key)} is not allowed here`, suggestSimilar(key, known))
  }

  /** Adds the finding for something that is declared twice, even if both values are equal. */
  addDuplicate(origin: Origin, text: string, first: Origin): undefined {
    return this.add(origin, `${text}, first at ${formatOrigin(first)}`)
  }

  /** Returns the result of a step; a usage failure of it becomes a finding at this position. */
  tried<T>(origin: Origin | (() => Origin), step: () => T): T | undefined {
    try {
      return step()
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'usage') throw error
      const at = typeof origin === 'function' ? origin() : origin
      return this.add(at, error.message, error.details.hint)
    }
  }

  /**
   * Refuses if there are findings.
   * @param hint the next step, in place of the findings' own hints
   * @throws Failure `usage` with all findings
   */
  refuse(hint?: string): void {
    const failure = this.toFailure(hint)
    if (failure !== undefined) throw failure
  }

  /** Returns the failure that `refuse` throws; undefined if there are no findings. */
  toFailure(hint?: string): Failure | undefined {
    const order = new Map(this.files?.map((file, index) => [file, index]))
    const getRank = ({ file }: Origin): number => order.get(file) ?? order.size
    const sorted = [...this.#found.values()].sort(
      ({ origin: a, text }, { origin: b, text: other }) =>
        getRank(a) - getRank(b) ||
        compareText(a.file, b.file) ||
        a.line - b.line ||
        a.column - b.column ||
        (this.files === undefined ? compareText(text, other) : 0),
    )
    const [first] = sorted
    if (first === undefined) return undefined
    const lines = sorted.map(
      ({ origin, text, hint }) =>
        `${formatOrigin(origin)}: ${text}${hint === undefined ? '' : ` (${hint})`}`,
    )
    return sorted.length === 1
      ? new Failure('usage', `${formatOrigin(first.origin)}: ${first.text}`, {
          hint: hint ?? first.hint,
        })
      : new Failure('usage', `${sorted.length} errors in files:\n${lines.join('\n')}`, { hint })
  }
}
