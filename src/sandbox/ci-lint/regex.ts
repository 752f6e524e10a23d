/** Regular expressions of configurations: RE2's dialect, as instances read them. */
import type { RE2JS } from 're2js'
import { Budget } from './values.js'

let engine: typeof RE2JS | undefined
let budget = new Budget(0)
let known = new Map<string, RE2JS | undefined>()

const maxCost = 1_000_000
const dressed = /^\/(.*)\/([ismU]*)$/s

/** Whether a text is written as a regular expression: `/…/`, with flags or without. */
export const isDressed = (text: string): boolean => dressed.test(text)

/**
 * Makes ready for one configuration; the library is only loaded for one that holds a regular
 * expression. What they may cost together is bounded.
 */
export const readyRegexes = async (needed: boolean): Promise<void> => {
  if (needed) engine ??= (await import('re2js')).RE2JS
  budget = new Budget(maxCost)
  known = new Map()
}

/** A program is as long as its text, times what it repeats. */
const costOf = (source: string): number => {
  const counts = [...source.matchAll(/\{(\d{1,4})?,?(\d{1,4})?\}/g)]
  return source.length * Math.max(1, ...counts.map((m) => Number(m[2] ?? m[1] ?? 1)))
}

/** One part of a glob as RE2 has it: names with `*` and `?`, alternatives in braces. */
const globPart = (part: string, quote: (text: string) => string): string =>
  part
    .split(/(\*\*\/|\*+|\?|\{[^{}]*\})/)
    .map((piece) => {
      if (piece === '**/') return '(?:.*/)?'
      if (piece.startsWith('*')) return '[^/]*'
      if (piece === '?') return '[^/]'
      if (!piece.startsWith('{')) return quote(piece)
      const choices = piece.slice(1, -1).split(',')
      return `(?:${choices.map((choice) => globPart(choice, quote)).join('|')})`
    })
    .join('')

/** What `rules:changes` and `rules:exists` name paths by: `docs/**` followed by `/*`, `*.md`, `{a,b}.txt`. */
export const compileGlob = (glob: string): RE2JS | undefined => {
  if (engine === undefined) throw new Error('regular expressions were not made ready')
  return compiled(`^${globPart(glob, engine.quote)}$`, 's')
}

const compiled = (source: string, flags: string): RE2JS | undefined => {
  if (engine === undefined) throw new Error('regular expressions were not made ready')
  budget.spend(costOf(source))
  try {
    return engine.compile(flags === '' ? source : `(?${flags})${source}`)
  } catch {
    return undefined
  }
}

/** The expression between the slashes; undefined where it is none in this dialect. */
export const compileRegex = (text: string): RE2JS | undefined => {
  if (known.has(text)) return known.get(text)
  const match = dressed.exec(text)
  const result = match === null ? undefined : compiled(match[1] ?? '', match[2] ?? '')
  known.set(text, result)
  return result
}
