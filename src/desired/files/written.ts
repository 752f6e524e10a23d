/**
 * What stands in a file, with where, and the mistakes that are found in it: maps, lists and scalars, keys as
 * the text that was written.
 */
import type { JsonValue } from '../../base/json/value.js'
import { quoteText } from '../../base/quoted.js'
import { type HeldText, textSize } from '../../base/secrets/held.js'
import { Failure } from '../../errors.js'
import { type Origin, originText, type SaidOnce } from '../wishes.js'

export interface WrittenMap {
  readonly is: 'map'
  readonly origin: Origin
  /** Each key once. */
  readonly entries: readonly WrittenEntry[]
}

interface WrittenList {
  readonly is: 'list'
  readonly origin: Origin
  readonly items: readonly Written[]
}

export interface WrittenScalar {
  readonly is: 'scalar'
  readonly origin: Origin
  readonly value: string | number | boolean | null
  /** As it was written, where that is not its value; '' of a null that nobody wrote. */
  readonly text: string
}

export interface WrittenEntry {
  readonly key: string
  readonly origin: Origin
  readonly value: Written
}

export type Written = WrittenMap | WrittenList | WrittenScalar

/** What a value is, in words, and nothing of it: where no attribute is known, any file may have been named. */
export const sort = (written: Written): string => {
  if (written.is !== 'scalar') return written.is === 'map' ? 'a map' : 'a list'
  if (written.value === null) return 'nothing'
  return typeof written.value === 'string' ? textSize(written.text) : `a ${typeof written.value}`
}

/** The same of an attribute that is known and no secret: people know a wrong value by its text. */
export const shownSort = (written: Written): string =>
  written.is === 'scalar' && written.value !== null ? `"${written.text}"` : sort(written)

export const isNull = (written: Written): boolean =>
  written.is === 'scalar' && written.value === null

/**
 * The same without what has no value. Of YAML that is null as well, and null deletes: whoever leaves attributes out,
 * or comments them out, does not mean that.
 * @param items whether the keys of a map are items, which null would remove
 */
export const withValues = (written: Written, mistakes: Mistakes, items = false): Written => {
  const isEmpty = (value: Written): boolean => isNull(value) && 'text' in value && value.text === ''
  if (written.is === 'scalar') return written
  if (written.is === 'list') {
    const all = written.items.filter((item) => !isEmpty(item))
    for (const { origin } of written.items.filter(isEmpty))
      mistakes.add(origin, 'an item of this list has no value')
    return { ...written, items: all.map((item) => withValues(item, mistakes)) }
  }
  const entries = written.entries.flatMap((entry): readonly WrittenEntry[] => {
    const { key, origin, value } = entry
    if (!isEmpty(value)) return [{ ...entry, value: withValues(value, mistakes) }]
    const name = quoteText(key)
    const instead = items
      ? `write null to remove ${name}, or its attributes`
      : 'write null to unset it, or leave it out'
    mistakes.add(origin, `${name} has no value: ${instead}`)
    return []
  })
  return { ...written, entries }
}

/** A value as it is, where nothing is known of what it should be. Numbers that JSON does not have are mistakes. */
export const plainValue = (written: Written, mistakes: Mistakes): JsonValue => {
  if (written.is === 'list') return written.items.map((item) => plainValue(item, mistakes))
  if (written.is === 'map')
    return Object.fromEntries(
      written.entries.map(({ key, value }) => [key, plainValue(value, mistakes)]),
    )
  const { value, text, origin } = written
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) mistakes.add(origin, `${text} is no number that can be sent`)
  else if (Number.isInteger(value) && !Number.isSafeInteger(value))
    mistakes.add(origin, `${text} is too large`, 'Write it as text, in quotation marks.')
  return value
}

// What is wrong in files: all of it is told at once, each with where it stands.

interface Mistake {
  readonly origin: Origin
  readonly text: string
  readonly hint: string | undefined
}

/** Takes mistakes as they are found, and refuses in the end. */
export interface Mistakes {
  add(origin: Origin, text: string, hint?: string): void
  /** What is right and yet worth knowing. */
  note(origin: Origin, text: string): void
  readonly notes: readonly string[]
  readonly any: boolean
  /** What a step finds wrong by its own failure becomes a mistake of this place. */
  tried<T>(origin: Origin, step: () => T): T | undefined
  /** @throws Failure `usage` with every mistake, where there is any */
  refuse(): void
}

const before = (a: Origin, b: Origin): number =>
  a.file === b.file ? a.line - b.line || a.column - b.column : 0

const failureOf = (found: readonly Mistake[]): Failure => {
  const [first] = found
  if (found.length === 1 && first !== undefined)
    return new Failure('usage', `${originText(first.origin)}: ${first.text}`, {
      hint: first.hint,
    })
  const lines = found.map(
    ({ origin, text, hint }) =>
      `${originText(origin)}: ${text}${hint === undefined ? '' : ` (${hint})`}`,
  )
  return new Failure('usage', `${found.length} mistakes in files:\n${lines.join('\n')}`)
}

/** @param files the files in the order in which they are read */
export const collected = (files: readonly string[]): Mistakes => {
  const found = new Map<string, Mistake>()
  const notes = new Set<string>()
  const at = new Map(files.map((file, index) => [file, index]))
  const place = ({ file }: Origin): number => at.get(file) ?? files.length
  const add: Mistakes['add'] = (origin, text, hint) => {
    const key = `${originText(origin)}: ${text}`
    if (!found.has(key)) found.set(key, { origin, text, hint })
  }
  return {
    add,
    note: (origin, text) => {
      notes.add(`${originText(origin)}: ${text}`)
    },
    get notes() {
      return [...notes]
    },
    get any() {
      return found.size > 0
    },
    tried: (origin, step) => {
      try {
        return step()
      } catch (error) {
        if (!(error instanceof Failure) || error.category !== 'usage') throw error
        add(origin, error.message, error.details.hint)
        return undefined
      }
    },
    refuse: () => {
      if (found.size === 0) return
      throw failureOf(
        [...found.values()].sort(
          (a, b) => place(a.origin) - place(b.origin) || before(a.origin, b.origin),
        ),
      )
    },
  }
}

// What all parts of reading a file share: where mistakes go, and what may be said once only.

/** What files may say of secrets, and of other files. */
export interface SourceRules {
  readonly cwd: string
  readonly literals: boolean
  readonly commands: boolean
  /** The folder that the files named in a file must lie in; undefined where they may lie anywhere. */
  within(file: string): string | undefined
  /** What a named file holds, where that is not what stands there now. */
  readonly open?: (path: string) => Buffer
  /** Told of a file that was read for what it holds. */
  held(path: string, text: HeldText): void
}

/** What reading a file's values takes. */
export interface Judging {
  readonly mistakes: Mistakes
  readonly rules: SourceRules
}

/** Something said twice at one level is a mistake even where both are equal. */
export const onlyOnce = <T>(
  known: SaidOnce<T> | undefined,
  said: SaidOnce<T>,
  name: string,
  { mistakes }: Judging,
): SaidOnce<T> => {
  if (known === undefined) return said
  mistakes.add(
    said.origin,
    `${name} is said a second time at this level, first at ${originText(known.origin)}`,
  )
  return known
}

/** `true` or `false` of a word of ours. */
export const switched = (
  { key, origin, value }: WrittenEntry,
  { mistakes }: Judging,
): SaidOnce<boolean> | undefined => {
  if (value.is === 'scalar' && typeof value.value === 'boolean')
    return { value: value.value, origin }
  mistakes.add(value.origin, `${key} takes true or false, not ${quoteText(sort(value))}`)
  return undefined
}
