/** What a journal does not say any more: damaged lines, and objects that none of its lines names. */
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../../errors.js'
import type { Counts } from '../work/report.js'

/** So many damaged lines are named; the others are counted. */
const maxNamed = 10

export interface Gap {
  /** The damaged lines by their numbers, from 1 on; the first ten. */
  readonly lines: readonly number[]
  readonly damaged: number
  /** Objects of the run that no line names. */
  readonly missing: number
  /** All of it in words. */
  readonly text: string
}

/** What a journal says of its objects besides the lines about them. */
export interface SaidCounts {
  /** By the line that ends the input. */
  readonly total: number | undefined
  /** By its last line. */
  readonly counts: Counts | undefined
}

const sumOf = ({ done, unchanged, failed, unknown, not_tried }: Counts): number =>
  done + unchanged + failed + unknown + not_tried

const objects = (count: number): string => `${count} object${count === 1 ? '' : 's'}`

const countsText = (found: Counts, said: Counts): string => {
  const names = ['done', 'unchanged', 'failed', 'unknown', 'not_tried'] as const
  const other = names.filter((name) => found[name] !== said[name])
  const words = other.map(
    (name) => `${said[name]} ${name.replace('_', ' ')} and not ${found[name]}`,
  )
  return `its last line counts ${words.join(', ')}`
}

/** Collects the damaged lines of a journal while it is read. */
export class Gaps {
  readonly #lines: number[] = []
  #damaged = 0

  add(line: number): void {
    this.#damaged += 1
    if (this.#lines.length < maxNamed) this.#lines.push(line)
  }

  /** The gap of a journal whose lines came to these counts; undefined where it is whole. */
  of(found: Counts, { total, counts }: SaidCounts): Gap | undefined {
    const known = sumOf(found)
    const missing = Math.max(0, (total ?? 0) - known)
    const texts = [
      ...(this.#damaged === 0 ? [] : [this.#damagedText()]),
      ...(missing === 0
        ? []
        : [`${objects(missing)} of ${total} ${missing === 1 ? 'is' : 'are'} missing`]),
      ...(total === undefined || known <= total
        ? []
        : [`it names ${objects(known)}, and its total is ${total}`]),
      ...(counts === undefined || isDeepStrictEqual(found, counts)
        ? []
        : [countsText(found, counts)]),
    ]
    if (texts.length === 0) return undefined
    return { lines: this.#lines, damaged: this.#damaged, missing, text: texts.join('; ') }
  }

  #damagedText(): string {
    const [named, more] = [this.#lines.join(', '), this.#damaged - this.#lines.length]
    if (this.#damaged === 1) return `line ${named} is damaged`
    return `lines ${named}${more === 0 ? '' : ` and ${more} more`} are damaged`
  }
}

/** What is thrown where a gap is in the way. */
export const gapFailure = (file: string, text: string): Failure =>
  new Failure('partial', `the journal ${file} is damaged: ${text}`, {
    hint: 'svcctl journal show shows what can still be read of it.',
  })
