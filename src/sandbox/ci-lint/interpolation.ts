/** Replaces blocks such as `$[[ inputs.name | truncate(0, 8) ]]` in a configuration by the values of inputs. */
import {
  Budget,
  describeChange,
  type Hash,
  isHash,
  type JudgedVersion,
  UnreadableError,
} from './types.js'

/** The values that blocks can refer to. */
export interface Scope {
  readonly inputs: ReadonlyMap<string, unknown>
  /** True if a file of inputs was not fetched, so that unknown names are not errors. */
  readonly isOpen: boolean
  readonly asOf: JudgedVersion
}

const throwProblem = (problem: string): never => {
  throw new UnreadableError([problem])
}

// Names in blocks: `inputs.name`, `inputs.list[0][1]`.

const maxParts = 5
const maxIndices = 5
const maxBytes = 1024

/** Splits a name at its dots. The last part contains the dots beyond the limit. */
const splitAccess = (access: string): readonly string[] => {
  const parts = access.split('.')
  return parts.length <= maxParts
    ? parts
    : [...parts.slice(0, maxParts - 1), parts.slice(maxParts - 1).join('.')]
}

/** Returns the problem with the brackets of a part. */
const describeIndexProblem = (part: string, access: string): string => {
  if (part.split('[').length !== part.split(']').length)
    return `invalid array index in \`${access}\`: missing closing bracket`
  const wrong = [...part.matchAll(/\[([^[\]]*)\]/g)].find(([, index = '']) => !/^\d+$/.test(index))
  return wrong === undefined
    ? `invalid array index syntax in \`${access}\``
    : `invalid array index in \`${access}\`: \`${wrong[1]}\` is not a valid index`
}

const getItem = (list: unknown, index: number, access: string): unknown => {
  if (!Array.isArray(list))
    return throwProblem(`cannot index into non-array value at [${index}] in \`${access}\``)
  if (index >= list.length)
    return throwProblem(
      `array index ${index} out of bounds (size: ${list.length}) in \`${access}\``,
    )
  return list[index]
}

/** Splits a part into the name of a key and the indices after it. */
const splitIndices = (
  part: string,
  access: string,
  asOf: JudgedVersion,
): { readonly key: string; readonly indices: readonly number[] } => {
  if (!part.includes('[')) return { key: part, indices: [] }
  const change = describeChange('an index', { since: '18.11' }, asOf)
  if (change !== '')
    throwProblem(`unknown interpolation provided: \`${part}\` in \`${access}\` (${change})`)
  const [, key, brackets = ''] = /^(\w*)((?:\[\d+\])+)$/.exec(part) ?? []
  if (key === undefined) throwProblem(describeIndexProblem(part, access))
  if (key === '') throwProblem(`invalid indexed access without a key in \`${access}\``)
  const indices = brackets.slice(1, -1).split('][').map(Number)
  if (indices.length > maxIndices)
    throwProblem(`too many array indices in \`${access}\` (maximum depth: ${maxIndices})`)
  return { key: key ?? '', indices }
}

const getKey = (of: unknown, key: string): { readonly value: unknown } | undefined => {
  if (of instanceof Map) return of.has(key) ? { value: of.get(key) } : undefined
  return isHash(of) && Object.hasOwn(of, key) ? { value: of[key] } : undefined
}

/** Returns the value that a name refers to. Returns undefined if a file that was not fetched may declare it. */
const getNamed = (access: string, scope: Scope): { readonly value: unknown } | undefined => {
  const parts = splitAccess(access)
  if (parts.length <= 1)
    throwProblem('invalid pattern used for interpolation. valid pattern is $[[ inputs.input ]]')
  if (Buffer.byteLength(access) > maxBytes)
    throwProblem('maximum interpolation expression size exceeded')
  let at: unknown = { inputs: scope.inputs, component: {} }
  for (const part of parts) {
    const { key, indices } = splitIndices(part, access, scope.asOf)
    const found = getKey(at, key)
    if (found === undefined && at === scope.inputs && scope.isOpen) return undefined
    if (found === undefined)
      return throwProblem(`unknown interpolation provided: \`${key}\` in \`${access}\``)
    at = indices.reduce((list, index) => getItem(list, index, access), found.value)
  }
  return { value: at }
}

// Functions.

type TextFunction = (text: string) => string

const quoteForShell: TextFunction = (text) =>
  text === ''
    ? "''"
    : text.replace(/[^\w\-.,:+/@\n]/g, (character) => `\\${character}`).replaceAll('\n', "'\n'")

const getFunction = (call: string): readonly [name: string, TextFunction] => {
  // The values of variables are only known when a pipeline is created.
  if (call === 'expand_vars') return [call, (text) => text]
  if (call === 'posix_escape') return [call, quoteForShell]
  const [, offset, length] = /^truncate\(\s*(\d+)\s*,\s*(\d+)\s*\)?$/.exec(call) ?? []
  if (offset === undefined)
    return throwProblem(
      `no function matching \`${call}\`: check that the function name, arguments, and types are correct`,
    )
  return ['truncate', (text) => text.slice(Number(offset), Number(offset) + Number(length))]
}

const maxFunctions = 3

const applyAll = (calls: readonly string[], value: unknown): unknown => {
  if (calls.length > maxFunctions) throwProblem('too many functions in interpolation block')
  const functions = calls.map(getFunction)
  return functions.reduce(
    (text, [name, apply]) =>
      typeof text === 'string'
        ? apply(text)
        : throwProblem(
            `error in \`${name}\` function: invalid input type: ${name} can only be used with string inputs`,
          ),
    value,
  )
}

// Blocks.

interface BlockRange {
  readonly start: number
  readonly end: number
  readonly content: string
}

/** The maximum number of characters in a block, which limits the work for each. */
const longestBlock = 4096

/** Returns the text between the brackets; undefined if it has several lines, since that is not a block. */
const getContent = (text: string, start: number, end: number): string | undefined => {
  const shown = text.slice(start + 3, Math.min(end, start + longestBlock)).trim()
  if (shown.length < 2 || shown.includes('\n')) return undefined
  return end - start > longestBlock
    ? throwProblem('maximum interpolation expression size exceeded')
    : shown
}

/** Finds the blocks of a text, in linear time. */
const findBlocks = (text: string): readonly BlockRange[] => {
  const blocks: BlockRange[] = []
  let end = 0
  for (let start = text.indexOf('$[['); start >= 0; ) {
    if (end < start + 3) end = text.indexOf(']]', start + 3)
    if (end < 0) break
    const content = getContent(text, start, end)
    if (content !== undefined) blocks.push({ start, end: end + 2, content })
    start = text.indexOf('$[[', content === undefined ? start + 3 : end + 2)
  }
  return blocks
}

/** Converts an item of a list to text. Texts have quotes there. */
const toItemText = (item: unknown): string => {
  if (item === null) return 'nil'
  return typeof item === 'string' ? JSON.stringify(item) : toText(item)
}

/** Converts a value to the text that instances write for it. */
const toText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return `[${value.map((item) => toItemText(item)).join(', ')}]`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The maximum number of characters that replace blocks in one document. */
const maxWritten = 4 * 1024 * 1024

/** Replaces all blocks of a document by the values that they refer to. */
class BlockWriter {
  readonly #scope: Scope
  readonly #budget = new Budget(maxWritten)

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** Returns the value of a block; undefined for a block that is not replaced. */
  #getValue(content: string): { readonly value: unknown } | undefined {
    const [access = '', ...calls] = content
      .replace(/(?<!\|)\|+$/, '')
      .split('|')
      .map((part) => part.trim())
    const { asOf } = this.#scope
    const follows = describeChange('', { since: '18.6' }, asOf) === ''
    if (access.split('.')[0] === 'matrix' && follows) return undefined
    const named = getNamed(access, this.#scope)
    return named && { value: applyAll(calls, named.value) }
  }

  #fillText(text: string): unknown {
    const blocks = findBlocks(text)
    const [first] = blocks
    if (first === undefined) return text
    if (first.start === 0 && first.end === text.length) {
      const found = this.#getValue(first.content)
      return found === undefined ? text : found.value
    }
    let written = ''
    let from = 0
    for (const { start, end, content } of blocks) {
      const found = this.#getValue(content)
      const shown = found === undefined ? text.slice(start, end) : toText(found.value)
      this.#budget.spend(shown.length)
      written += text.slice(from, start) + shown
      from = end
    }
    return written + text.slice(from)
  }

  /** Returns the items that replace an item of a list: if its block refers to a list, the items of that list. */
  #fillItem(item: unknown): readonly unknown[] {
    const filled = this.fill(item)
    return typeof item === 'string' && Array.isArray(filled) ? filled : [filled]
  }

  fill(value: unknown): unknown {
    if (typeof value === 'string') return this.#fillText(value)
    if (Array.isArray(value)) return value.flatMap((item) => this.#fillItem(item))
    if (!isHash(value)) return value
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
      toText(this.#fillText(key)),
      this.fill(item),
    ])
    const filled: Hash = Object.fromEntries(entries)
    return filled
  }
}

/**
 * Replaces the blocks of a document. A text that consists of one block becomes the value itself.
 * @throws UnreadableError if a name is unknown, or a function is invalid
 */
export const fillBlocks = (document: unknown, scope: Scope): unknown =>
  new BlockWriter(scope).fill(document)
