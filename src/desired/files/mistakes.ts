/** What is wrong in files: all of it is told at once, each with where it stands. */
import { Failure } from '../../errors.js'
import { type Origin, originText } from '../wishes.js'

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
