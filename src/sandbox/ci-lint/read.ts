/** Converts the nodes of a YAML document to the values that instances read from it. Each alias counts as much as its anchor. */
import type { AliasNode, MapNode, ScalarNode, YamlNode } from '../../base/yaml/nodes.js'
import { Budget, type Hash, isHash, KeywordReference, UnreadableError } from './types.js'

/** The maximum depth of a document, as on instances. */
const deepest = 100
const maxValues = 250_000

// Scalars without quotes.

const isNumber = new RegExp(
  [
    /^[-+]?0b[01_,]+$/,
    /^[-+]?0[0-7_,]+$/,
    /^[-+]?(?:0|[1-9](?:\d|,\d|_\d)*)$/,
    /^[-+]?0[xX][\da-fA-F_,]+$/,
    /^[-+]?(?:\d[\d_,]*)?\.\d*(?:[eE][+-]\d+)?$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
/** Hours, minutes and seconds. YAML 1.1 reads them as a number. */
const sexagesimal = /^[-+]?\d[\d_]*(?::[0-5]?\d){1,2}(?:\.[\d_]*)?$/
const date = /^\d{4}-(?:1[012]|0?\d)-(?:[12]\d|3[01]|0?\d)$/
const time =
  /^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$/
const infinite = /^(?:[-+]?\.inf|\.nan)$/i

/** Converts the text of a number. Octal, binary and hexadecimal numbers begin with 0. */
const toNumber = (text: string): number => {
  const digits = text.replace(/[,_]/g, '')
  const [, sign = '', bare = ''] = /^([-+]?)(.*)$/.exec(digits) ?? []
  const value = /^0\d/.test(bare) ? Number.parseInt(bare, 8) : Number(bare)
  return sign === '-' ? -value : value
}

/** Returns the number of seconds. Two parts are hours and minutes, as in the YAML library of instances. */
const toSeconds = (text: string): number =>
  text
    .replaceAll('_', '')
    .split(':')
    .reduce((sum, part, i) => sum + Number(part) * 60 ** (2 - i), 0)

/** Refuses a value of another class than configurations may have, with the message of instances. */
const refuseClass = (name: string): never => {
  throw new UnreadableError([`(<unknown>): Tried to load unspecified class: ${name}`])
}

/** Converts a text without quotes to its value: `yes` is true, `017` is 15, `~` is null. @throws UnreadableError for a date or a time */
const toValue = (text: string): unknown => {
  if (text === '' || /^(?:~|null)$/i.test(text)) return null
  if (/^(?:yes|true|on)$/i.test(text)) return true
  if (/^(?:no|false|off)$/i.test(text)) return false
  if (date.test(text)) return refuseClass('Date')
  if (time.test(text)) return refuseClass('Time')
  if (infinite.test(text)) return Number.NaN
  if (sexagesimal.test(text)) return toSeconds(text)
  return isNumber.test(text) && !/^[-+]?\.$/.test(text) ? toNumber(text) : text
}

const isText = /^(?:!|tag:yaml\.org,2002:|!!)(?:str|binary)$/
const ofClass = /^!ruby\/(?:object|struct|exception|class|module|regexp|range)\b:?(.*)$/

const readScalar = ({ value, plain, tag }: ScalarNode): unknown => {
  if (tag === undefined) return plain ? toValue(value) : value
  if (isText.test(tag)) return value
  return toValue(value)
}

// Collections.

/** The value of an anchor. It has no size until it is read completely. */
interface AnchorValue {
  value?: unknown
  size?: number
}

/** True for a merge key. Instances merge at a key in quotes, too. */
const isMerge = (key: YamlNode): boolean =>
  key.kind === 'scalar' && key.value === '<<' && key.tag === undefined

const toName = (key: unknown): string => {
  if (key === null) return ''
  return typeof key === 'object' ? '?' : String(key)
}

const toReference = (node: YamlNode): KeywordReference => {
  const items = node.kind === 'list' ? node.items : []
  const texts = items.map((item) => (item.kind === 'scalar' ? readScalar(item) : undefined))
  const valid = texts.length > 0 && texts.every((text) => typeof text === 'string')
  return new KeywordReference(
    texts.map((text) => (text === undefined ? '…' : String(text))),
    valid,
  )
}

class Reader {
  readonly #budget = new Budget(maxValues)
  readonly #anchors = new Map<string, AnchorValue>()

  value(node: YamlNode, depth: number): unknown {
    if (node.kind === 'alias') return this.#readAlias(node)
    if (node.anchor === undefined) return this.#readPlain(node, depth)
    const entry: AnchorValue = {}
    this.#anchors.set(node.anchor, entry)
    const before = this.#budget.left
    entry.value = this.#readPlain(node, depth)
    entry.size = before - this.#budget.left
    return entry.value
  }

  #readAlias({ name }: AliasNode): unknown {
    const entry = this.#anchors.get(name)
    if (entry?.size === undefined)
      throw new UnreadableError([`(<unknown>): Unknown alias: ${name}`])
    this.#budget.spend(entry.size)
    return entry.value
  }

  #readPlain(node: Exclude<YamlNode, AliasNode>, depth: number): unknown {
    this.#budget.spend(1)
    if (depth > deepest) throw new UnreadableError(['The parsed YAML is too deep'])
    if (node.tag === '!reference') return toReference(node)
    const [, name] = ofClass.exec(node.tag ?? '') ?? []
    if (name !== undefined) refuseClass(name)
    if (node.kind === 'scalar') return readScalar(node)
    if (node.kind === 'list') return node.items.map((item) => this.value(item, depth + 1))
    return this.#readHash(node, depth)
  }

  #readHash({ pairs }: MapNode, depth: number): Hash {
    const result = new Map<string, unknown>()
    for (const [key, value] of pairs) {
      const name = toName(this.value(key, depth + 1))
      const read = this.value(value, depth + 1)
      if (isMerge(key)) this.#merge(result, read)
      else result.set(name, read)
    }
    return Object.fromEntries(result)
  }

  /**
   * Merges hashes as instances do: they replace the keys before the merge key, and keys after it replace theirs. Of several hashes, the first
   * one counts. Any other value makes the merge key a common key.
   */
  #merge(result: Map<string, unknown>, read: unknown): void {
    const sources: readonly unknown[] = Array.isArray(read) ? read.toReversed() : [read]
    if (!sources.every(isHash)) {
      result.set('<<', read)
      return
    }
    for (const [key, value] of sources.flatMap(Object.entries)) {
      this.#budget.spend(1)
      result.set(key, value)
    }
  }
}

/** The top-level keys that are not texts: numbers, and words with another meaning such as `true`. */
export type OddKeys = ReadonlyMap<string, 'number' | 'word'>

const getOddKey = (key: YamlNode): readonly (readonly [string, 'number' | 'word'])[] => {
  const value = key.kind === 'scalar' ? readScalar(key) : ''
  if (typeof value === 'string') return []
  return [[toName(value), typeof value === 'number' ? 'number' : 'word']]
}

/**
 * Returns the value of a document's root node, and the top-level keys that are not texts.
 * @throws UnreadableError if the document is too deep or too big, contains a date, or refers to an unknown anchor
 */
export const readValues = (root: YamlNode): { value: unknown; odd: OddKeys } => ({
  value: new Reader().value(root, 0),
  odd: new Map(root.kind === 'map' ? root.pairs.flatMap(([key]) => getOddKey(key)) : []),
})
