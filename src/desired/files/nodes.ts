/** The content of a file with positions, and the mistakes in it: maps, lists and scalars; keys are text as written. */

import type { JsonValue } from '../../base/objects.js'
import { type HeldText, textSize } from '../../base/secrets/scrub.js'
import { didYouMean } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { Failure } from '../../errors.js'
import { parseReference, type Reference } from '../address.js'
import { type Origin, originText, type SourcedValue } from '../state.js'
import { byText } from '../values.js'

export interface WrittenMap {
  readonly is: 'map'
  readonly origin: Origin
  /** Each key once. */
  readonly entries: readonly WrittenEntry[]
}

interface WrittenList {
  readonly is: 'list'
  readonly origin: Origin
  readonly items: readonly WrittenValue[]
}

interface WrittenScalar {
  readonly is: 'scalar'
  readonly origin: Origin
  readonly value: string | number | boolean | null
  /** As it was written, where that is not its value; '' of a null that nobody wrote. */
  readonly text: string
}

export interface WrittenEntry {
  readonly key: string
  readonly origin: Origin
  readonly value: WrittenValue
}

export type WrittenValue = WrittenMap | WrittenList | WrittenScalar

/** What a value is, in words, and nothing of it: where no attribute is known, any file may have been named. */
export const sort = (written: WrittenValue): string => {
  if (written.is !== 'scalar') return written.is === 'map' ? 'a map' : 'a list'
  if (written.value === null) return 'nothing'
  return typeof written.value === 'string' ? textSize(written.text) : `a ${typeof written.value}`
}

/** The same of an attribute that is known and no secret: people know a wrong value by its text. */
export const shownSort = (written: WrittenValue): string => {
  if (written.is !== 'scalar' || written.value === null) return sort(written)
  return written.text === '' ? textSize('') : `"${quoteText(written.text)}"`
}

export const isNull = (written: WrittenValue): boolean =>
  written.is === 'scalar' && written.value === null

/**
 * The same without what has no value. Of YAML that is null as well, and null deletes: whoever leaves attributes out,
 * or comments them out, does not mean that.
 * @param items whether the keys of a map are items, which null would remove
 */
export const withValues = (
  written: WrittenValue,
  mistakes: Mistakes,
  items = false,
): WrittenValue => {
  const isEmpty = (value: WrittenValue): boolean =>
    isNull(value) && 'text' in value && value.text === ''
  if (written.is === 'scalar') return written
  if (written.is === 'list') {
    for (const { origin } of written.items.filter(isEmpty))
      mistakes.add(origin, 'an item of this list has no value')
    const all = written.items.filter((item) => !isEmpty(item))
    return { ...written, items: all.map((item) => withValues(item, mistakes)) }
  }
  for (const { key, origin } of written.entries.filter(({ value }) => isEmpty(value))) {
    const name = quoteText(key)
    const instead = items
      ? `write null to remove ${name}, or its attributes`
      : 'write null to unset it, or leave it out'
    mistakes.add(origin, `${name} has no value: ${instead}`)
  }
  const entries = written.entries.flatMap(({ value, ...entry }): readonly WrittenEntry[] =>
    isEmpty(value) ? [] : [{ ...entry, value: withValues(value, mistakes) }],
  )
  return { ...written, entries }
}

/** A value as it is, where nothing is known of what it should be. Numbers that JSON does not have are mistakes. */
export const plainValue = (written: WrittenValue, mistakes?: Mistakes): JsonValue => {
  if (written.is === 'list') return written.items.map((item) => plainValue(item, mistakes))
  if (written.is === 'map')
    return Object.fromEntries(
      written.entries.map(({ key, value }) => [key, plainValue(value, mistakes)]),
    )
  const { value, text, origin } = written
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) mistakes?.add(origin, `${text} is a number that cannot be sent`)
  else if (Number.isInteger(value) && !Number.isSafeInteger(value))
    mistakes?.add(origin, `${text} is too large`, 'Quote it to make it text.')
  return value
}

// Mistakes in files are collected, and reported together, each with its position.

interface Mistake {
  readonly origin: Origin
  readonly text: string
  readonly hint: string | undefined
}

/** Collects mistakes and notes; each is kept once. */
export class Mistakes {
  readonly #found = new Map<string, Mistake>()
  readonly #notes = new Set<string>()

  /** @param files in the order in which their mistakes are found; without them mistakes come in any order */
  constructor(private readonly files?: readonly string[]) {}

  get notes(): readonly string[] {
    return [...this.#notes]
  }

  get any(): boolean {
    return this.#found.size > 0
  }

  add(origin: Origin, text: string, hint?: string): undefined {
    const key = `${originText(origin)}: ${text}`
    if (!this.#found.has(key)) this.#found.set(key, { origin, text, hint })
  }

  /** Something that is correct, and worth knowing. */
  note(origin: Origin, text: string): void {
    this.#notes.add(`${originText(origin)}: ${text}`)
  }

  /** A key that is none of the known ones. @param otherwise the hint where none of them is near */
  unknown(
    { key, origin }: Pick<WrittenEntry, 'key' | 'origin'>,
    known: readonly string[],
    otherwise?: string,
    text = `${quoteText(key)} is not allowed here`,
  ): void {
    this.add(origin, text, didYouMean(key, known) ?? otherwise)
  }

  /** A value of another type. */
  mistyped(written: WrittenValue, takes: string, hint?: string): undefined {
    return this.add(written.origin, `${takes}, not ${quoteText(sort(written))}`, hint)
  }

  /** Something that may be said once only, even where both are equal. */
  twice(origin: Origin, text: string, first: Origin): undefined {
    return this.add(origin, `${text}, first at ${originText(first)}`)
  }

  /** The first of two values for one attribute of one level; the second is a mistake. */
  once<T>(known: SourcedValue<T> | undefined, said: SourcedValue<T> | undefined, name: string) {
    if (known !== undefined && said !== undefined)
      this.twice(said.origin, `${name} is set twice at this level`, known.origin)
    return known ?? said
  }

  /** The boolean of a key such as `$exact`, after what is known of it at the level. */
  switched(known: SourcedValue<boolean> | undefined, { key, origin, value }: WrittenEntry) {
    if (value.is === 'scalar' && typeof value.value === 'boolean')
      return this.once(known, { value: value.value, origin }, key)
    this.mistyped(value, `${key} must be true or false`)
    return known
  }

  /** A user, group or the like, by name or by ID. */
  reference(origin: Origin, text: string): Reference | undefined {
    const reference = parseReference(text)
    const name = quoteText(text)
    const hint = `Write a name that consists of digits as '@${name}'.`
    return reference ?? this.add(origin, `${name} is not an ID`, hint)
  }

  /** The result of a step; its failure is a mistake at this position. */
  tried<T>(origin: Origin, step: () => T): T | undefined {
    try {
      return step()
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'usage') throw error
      return this.add(origin, error.message, error.details.hint)
    }
  }

  /** @throws Failure `usage` with all mistakes, if there are any */
  refuse(): void {
    const order = new Map(this.files?.map((file, index) => [file, index]))
    const rank = ({ file }: Origin): number => order.get(file) ?? order.size
    const sorted = [...this.#found.values()].sort(
      ({ origin: a, text }, { origin: b, text: other }) =>
        rank(a) - rank(b) ||
        byText(a.file, b.file) ||
        a.line - b.line ||
        a.column - b.column ||
        (this.files === undefined ? byText(text, other) : 0),
    )
    const [first] = sorted
    if (first === undefined) return
    const lines = sorted.map(
      ({ origin, text, hint }) =>
        `${originText(origin)}: ${text}${hint === undefined ? '' : ` (${hint})`}`,
    )
    throw sorted.length === 1
      ? new Failure('usage', `${originText(first.origin)}: ${first.text}`, { hint: first.hint })
      : new Failure('usage', `${sorted.length} errors in files:\n${lines.join('\n')}`)
  }
}

/** Which secrets, and which other files, files may name. */
export interface NamingOptions {
  readonly cwd: string
  /** Secrets may be written out. */
  readonly allowLiteralSecrets?: boolean
  /** Secrets may come from commands. */
  readonly allowCommands?: boolean
  /** What a named file holds, where that is not what stands there now. */
  readonly open?: (path: string) => Buffer
}

/** The same for one reading. */
export interface SourceRules extends NamingOptions {
  /** The folder that must contain the files that a file names; undefined if they may be anywhere. */
  within(file: string): string | undefined
  /** Called for each named file that was read. */
  held(path: string, text: HeldText): void
}

/** What reading a file's values needs. */
export interface ReadContext {
  readonly mistakes: Mistakes
  readonly rules: SourceRules
}

/** The boolean of a key such as `$exact`, for editors. */
export const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
export const inherit = flag('false ignores the values of less specific levels')
