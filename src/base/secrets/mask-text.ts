/**
 * Finds secrets inside longer texts: private keys by their form, and assigned values by their names. Notes, answers and CI files may
 * contain both.
 */
import { isSecretName } from './names.js'

/** A function that returns the replacement of a secret; `name` is the name of the secret, `secret` the text that is replaced. */
export type TextMark = (name: string, secret: string) => string

/** The position of a secret in a text, with the secret's name. */
export interface TextPart {
  readonly name: string
  readonly start: number
  readonly end: number
}

// Private keys in PEM, OpenSSH and OpenPGP form. Their markers may be percent-encoded, and anything may be between them.

/**
 * A part of the first line of every private key, which a quick search looks for first. It is `PRIVATE` from a rarer letter on, which Node
 * finds in half the time.
 */
export const keySign = 'VATE'

const firstLine =
  /(?:-|%2d|\\u002d){4,5} ?BEGIN[^\n-]{0,60}PRIVATE[^\n-]{1,12}KEY[^\n-]{0,20}(?:-|%2d|\\u002d){4}/gi
const lastLine = /(?:-|%2d|\\u002d){4,5} ?END[^\n-]{0,80}(?:-|%2d|\\u002d){4,5}/gi

const findMatch = (pattern: RegExp, text: string, from: number): RegExpExecArray | null => {
  pattern.lastIndex = from
  return pattern.exec(text)
}

const noParts: readonly TextPart[] = []

/** Finds the private keys of a text. A key without its last line extends to the end of the text. */
export const findPrivateKeys = (text: string): readonly TextPart[] => {
  if (!text.includes(keySign)) return noParts
  const found: TextPart[] = []
  let end = 0
  for (;;) {
    const first = findMatch(firstLine, text, end)
    if (first === null) return found
    const last = findMatch(lastLine, text, first.index + first[0].length)
    end = last === null ? text.length : last.index + last[0].length
    found.push({ name: 'private_key', start: first.index, end })
  }
}

/** Replaces each part of a text by its mark. The parts must be in the order of their positions. */
export const replaceParts = (text: string, parts: readonly TextPart[], mark: TextMark): string => {
  if (parts.length === 0) return text
  let out = ''
  let from = 0
  for (const { name, start, end } of parts) {
    // A part that begins within the previous one has no mark of its own.
    if (start >= from) out += text.slice(from, start) + mark(name, text.slice(start, end))
    from = Math.max(from, end)
  }
  return out + text.slice(from)
}

/** Masks the private keys of a text. */
export const maskPrivateKeys = (text: string, mark: TextMark): string =>
  replaceParts(text, findPrivateKeys(text), mark)

// Assignments in YAML, JSON, shells and command lines.

/** Matches a line of YAML with an assignment: the text before the name, the name, the sign, and the value. */
const assignment = /^([ \t]*(?:- +)*["']?)([A-Za-z_][\w.-]*)(["']?:(?: |$))(.*)$/
/** Matches the name of an assignment within a line, or of a flag, with its sign. */
const inlineName =
  /(?<![\w.-])(?:--[A-Za-z][\w-]*[ =]|[A-Za-z_][\w.-]*(?:\[[\w.-]*\])*\\?["']? ?[:=] ?)/g
/** Matches a value up to its closing quote, or up to the next word. */
const inlineValue = /(\\?["'])?((?:Basic |Bearer )?(?:(?<=")[^"\\]*|(?<=')[^']*|[^\s"'\\,}&;)]+))/y

/** True if a value is a reference to a secret, or means that there is none. */
const isReference = (value: string): boolean =>
  /^["']?(?:\$\w+|\$\{\w+\}|\$\[\[.*|%\w+%|null|~|true|false|\{\}|\[\])?["']?,?$/.test(value)

const isSecretAssignment = (name: string): boolean =>
  isSecretName(name) || name.toLowerCase() === 'authorization'

const findInline = (line: string): readonly TextPart[] => {
  const found: TextPart[] = []
  for (const { 0: start, index } of line.matchAll(inlineName)) {
    const name = start.replace(/^--|(?<!\W)\W+$/g, '')
    if (!isSecretAssignment(name)) continue
    const { 1: open = '', 2: value = '' } = findMatch(inlineValue, line, index + start.length) ?? []
    const at = index + start.length + open.length
    if (!isReference(value)) found.push({ name, start: at, end: at + value.length })
  }
  return found
}

const getIndent = (line: string): number => line.length - line.trimStart().length

/** Masks the lines of a text one after another. A value may continue in lines with more indentation. */
class AssignmentMasker {
  /** The column of the name whose value is masked, and whether the value begins on the next line. */
  #hidden: { readonly column: number; readonly isBelow: boolean } | undefined
  /** The column of a secret's name with a map below it, whose `value` is the secret. */
  #map: number | undefined

  constructor(private readonly mark: TextMark) {}

  /** Returns the line to write; undefined if it belongs to a masked value. */
  line(line: string, next: string): string | undefined {
    if (this.#isHidden(line)) return undefined
    this.#hidden = undefined
    if (this.#map !== undefined && line.trim() !== '' && getIndent(line) <= this.#map)
      this.#map = undefined
    const [, lead = '', name = '', sign = '', value = ''] = assignment.exec(line) ?? []
    const isSecret = isSecretAssignment(name) || (name === 'value' && this.#map !== undefined)
    if (!isSecret) return replaceParts(line, findInline(line), this.mark)
    const column = lead.length
    const isBelow = value.trim() === ''
    if (isBelow && getIndent(next) > column && assignment.test(next)) this.#map = column
    if (
      isBelow ? this.#map === column || !this.#isContinued(next, column) : isReference(value.trim())
    )
      return line
    this.#hidden = { column, isBelow }
    return `${lead}${name}${sign}${this.mark(name, value)}`
  }

  #isContinued(next: string, column: number): boolean {
    return getIndent(next) > column || /^\s*- /.test(next)
  }

  #isHidden(line: string): boolean {
    if (this.#hidden === undefined) return false
    const { column, isBelow } = this.#hidden
    const indent = getIndent(line)
    return (
      line.trim() === '' ||
      indent > column ||
      (isBelow && indent === column && line.startsWith('- ', indent))
    )
  }
}

/** Masks the values that are assigned to names of secrets. */
export const maskAssignments = (text: string, mark: TextMark): string => {
  if (!/[:=]|--/.test(text)) return text
  const masker = new AssignmentMasker(mark)
  const lines = text.split('\n')
  return lines.flatMap((line, i) => masker.line(line, lines[i + 1] ?? '') ?? []).join('\n')
}
