/**
 * Recognizes conditions in the syntax of SQL, jq, JavaScript, kubectl and search boxes, and translates them. The parser of conditions uses
 * the result for its errors and hints.
 */
import { type Op, opposites, type WrittenOp } from './operators.js'

/** Operators of other languages, and the operators with the same meaning. */
const signs: Readonly<Record<string, WrittenOp>> = {
  '==': '=',
  '===': '=',
  ':': '=',
  ':=': '=',
  '!==': '!=',
  '<>': '!=',
  '=~': '~',
  '~=': '~',
  '~~': '~',
  '^=': '~',
  '$=': '~',
  '*=': '~',
  '!=~': '!~',
  '!~=': '!~',
  '!~~': '!~',
  '=<': '<=',
  ':<': '<',
  ':<=': '<=',
  '=>': '>=',
  ':>': '>',
  ':>=': '>=',
}

/** Operators of other languages that are words, and the operators with the same meaning. */
const words: Readonly<Record<string, WrittenOp>> = {
  is: '=',
  in: '=',
  eq: '=',
  equals: '=',
  'is not': '!=',
  'not in': '!=',
  notin: '!=',
  ne: '!=',
  neq: '!=',
  like: '~',
  ilike: '~',
  contains: '~',
  includes: '~',
  match: '~',
  matches: '~',
  'not like': '!~',
  'not ilike': '!~',
  gt: '>',
  gte: '>=',
  ge: '>=',
  lt: '<',
  lte: '<=',
  le: '<=',
}

const ownSign = '!=|!~|<=|>=|[=~<>]'
const foreignSign = '!==|!~[=~]|!=~|===?|=[~<>]|~[=~]|<>|:(?:[<>]=?|=)?|[*^$]='
const foreignWord =
  '-?(?:is not|is|not in|notin|in|eq|equals|neq?|not i?like|i?like|contains|includes|match(?:es)?|gte?|ge|lte?|le)(?=[ "\'([]|$)'
const operator = new RegExp(`^ ?(${foreignSign}|${ownSign}|(?<= )${foreignWord})`, 'i')
const foreign = new RegExp(`^(?:${foreignSign}|${foreignWord})`, 'i')

/** Replaces each run of white space by one space. */
const collapseSpaces = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Finds the operator of another language that a text begins with; empty if it begins with none. */
export const findForeignOperator = (text: string): string =>
  foreign.exec(collapseSpaces(text))?.[0] ?? ''

const toOperator = (found: string): WrittenOp => {
  const name = found.toLowerCase().replace(/^-(?=\w)/, '')
  return signs[found] ?? words[name] ?? (found as WrittenOp)
}

// Patterns of text that an unquoted value cannot be.

/** Matches another condition after a word or sign that joins conditions, or after a space. */
const joined =
  /&&| (?:and|or|&) (?:not |!)?[a-z_.][\w.-]*(?: ?[=!<>~]|:[^ ]| is (?:not )?null\b| (?:not )?in ?\(| (?:not )?like )| [a-z_][\w.]*(?:[!=]?=|[!=]?~)[^ ]/i
/** Matches another condition after a separator of URL queries. */
const queried = /[&;] ?[a-z_][\w.]* ?[=!<>~]/i
const quotes = /^['`\u2018\u201c\u201e]/
const pattern = /^\/?\^|\$(?:\/[a-z]*)?$|^\.\*|\.[*+]$|\\[dwsb]|^%|\[\w-\w/

/** Explains why unquoted text after an operator is not a value; undefined if it is one. */
export const explainForeignValue = (op: Op, text: string): string | undefined => {
  const packed = collapseSpaces(text)
  const [first = ''] = packed
  if (first !== '' && '=~<>!'.includes(first)) return `"${first}" is not an operator after ${op}`
  if (quotes.test(packed)) return 'text is quoted with " here'
  if (/^[([{][^)\]}]*$/.test(packed)) return 'values are listed with | and without brackets'
  if (joined.test(packed) || (!/[?:]/.test(packed) && queried.test(packed)))
    return 'conditions are joined by a comma'
  if (/^(?:NULL|Null|nil|None|undefined)$/.test(packed)) return `${packed} is written null`
  if (op.endsWith('~') && pattern.test(packed)) return `${op} takes no pattern but *`
  return undefined
}

/** True if text has a wildcard although `=` and `!=` compare whole texts. */
export const hasWildcard = (op: Op, text: string): boolean =>
  !op.endsWith('~') && text.includes('*')

// The translation of such conditions.

interface Part {
  readonly field: string
  readonly op: WrittenOp
  readonly values: readonly string[]
}

/** Removes brackets. Brackets around values become a list of alternatives. Brackets around conditions are dropped. */
const removeBrackets = (text: string): string =>
  text.replaceAll(/[([{]([^()[\]{}]*)[)\]}]/g, (_, inner: string) =>
    /[=<>~:]/.test(inner) ? ` ${inner} ` : ` ${inner.replaceAll(',', '|')} `,
  )

/** True if the meaning changes when the brackets are removed. */
const needsBrackets = (text: string): boolean =>
  [...text.matchAll(/(not |! ?)?\(([^()]*)\)/gi)].some(([whole, not, inner = '']) => {
    const several = /,|&| and /i.test(inner)
    const either = /\|| or /i.test(inner)
    return (
      /[=<>~:]/.test(inner) &&
      ((not !== undefined && (several || either)) || (either && whole.length < text.length))
    )
  })

/** Matches the text between two conditions or two values. */
const joiner =
  /( ?(?:, ?(?:and )?|&&?|\|\|?|;) ?| (?:and|or) |(?<!not|!) (?=[a-z_][\w.]*(?:[!=]?=|[!=]?~|:)[^ ]))/i

const term = /^ ?(not |! ?|-)?[.$]?([a-z_][\w.-]*)/i

/** Removes the quotation marks of any language; undefined if the text has none. */
const unquote = (text: string): string | undefined =>
  /^(["'`]).*\1$|^[\u2018\u201c\u201e].*[\u2019\u201d]$/s.test(text) ? text.slice(1, -1) : undefined

const isNothing = (text: string): boolean => /^(?:null|nil|none|undefined)$/i.test(text)

/** Converts an SQL pattern or a regular expression to a text that `~` accepts. */
const toContained = (text: string): string =>
  text
    .replace(/^\/(\^.*|.*\$)\/[a-z]*$/, '$1')
    .replaceAll(/\.[*+]|[%*]/g, '*')
    .replace(/^[\^*]/, '')
    .replace(/[$*]$/, '')

/** Formats a value, in quotes if it would otherwise have another meaning. */
const formatValue = (op: Op, given: string): string => {
  const literal = unquote(given)
  if (literal === undefined && isNothing(given)) return 'null'
  const text = op.endsWith('~') ? toContained(literal ?? given) : (literal ?? given)
  const plain = /^[^ "|,&;]+(?: [^ "|,&;]+)*$/.test(text) && !isNothing(text)
  return plain && explainForeignValue(op, text) === undefined ? text : JSON.stringify(text)
}

/** Parses one condition; undefined if the text is not a condition. */
const parsePart = (text: string): Part | undefined => {
  const [head = '', not, field] = term.exec(text) ?? []
  if (field === undefined) return undefined
  const rest = text.slice(head.length)
  const [whole = '', found] = operator.exec(rest) ?? []
  const value = rest.slice(whole.length).trim()
  // A name alone tests whether the field has a value.
  if (found === undefined)
    return value === '' ? { field, op: not ? '=' : '!=', values: ['null'] } : undefined
  // The rest contains another operator, or one half of a quotation.
  if (value === '' || (unquote(value) === undefined && /^[=~<>!]|[=!~]=|["'`]/.test(value)))
    return undefined
  const equal = toOperator(found)
  const op = hasWildcard(equal, unquote(value) ?? value) ? (equal === '=' ? '~' : '!~') : equal
  return { field, op: not ? opposites[op] : op, values: [formatValue(op, value)] }
}

const isBare = (text: string): boolean => /^[^=<>~:]*$/.test(text) && !/^ ?(?:not |!)/i.test(text)

/** Adds the text after a joiner to the alternatives; false if it is not a condition. */
const addPiece = (all: Part[][], joined: string, piece: string): boolean => {
  if (joined === 'or' || joined === '||') all.push([])
  const last = all.at(-1)
  const before = last?.at(-1)
  if (before !== undefined && (joined === '|' || joined === ',') && isBare(piece)) {
    const value = formatValue(before.op, piece.trim())
    const several = before.op === '=' || before.op === '!='
    if (several) last?.splice(-1, 1, { ...before, values: [...before.values, value] })
    else if (joined === '|') all.push([{ ...before, values: [value] }])
    if (several || joined === '|') return true
  }
  if (joined === '|') all.push([])
  const part = parsePart(piece)
  if (part !== undefined) all.at(-1)?.push(part)
  return part !== undefined
}

/** Translates conditions of another language. Each text of the result is one flag. Undefined if the conditions cannot be understood. */
export const translate = (text: string): readonly string[] | undefined => {
  const packed = collapseSpaces(text).trim()
  if (needsBrackets(packed)) return undefined
  const pieces = collapseSpaces(removeBrackets(packed)).trim().split(joiner)
  // A quoted text that contains a comma or a bar was split.
  if (pieces.some((piece) => piece !== undefined && piece.split('"').length % 2 === 0))
    return undefined
  const all: Part[][] = [[]]
  for (let i = 0; i < pieces.length; i += 2) {
    if (i > 0 && pieces[i] === '') continue
    const joined = pieces[i - 1]?.trim().toLowerCase() ?? ''
    if (!addPiece(all, joined, pieces[i] ?? '')) return undefined
  }
  return formatConditions(all)
}

/** Formats alternatives. Those of one field become values of one condition. */
const formatConditions = (all: readonly (readonly Part[])[]): readonly string[] => {
  const [[first] = []] = all
  const values = all.flatMap(([one, ...more]) =>
    more.length === 0 && one?.op === '=' && one.field === first?.field ? [one.values] : [],
  )
  const merged =
    first !== undefined && all.length > 1 && values.length === all.length
      ? [[{ ...first, values: values.flat() }]]
      : all
  return merged.map((parts) =>
    parts.map((one) => `${one.field}${one.op}${one.values.join('|')}`).join(','),
  )
}
