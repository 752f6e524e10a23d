/**
 * Writes plain values as YAML that means the same in YAML 1.1 and 1.2, for `-o yaml` and exported files. The `yaml` library builds a tree
 * of nodes first, which takes 26 times as long.
 */
import { hasParts, isObject } from '../objects.js'
import { ExactNumber, serializeExact } from './json.js'

/** A map whose entries keep their order, even if their names are numbers, with comments below them. */
export class YamlMap<Value = unknown> {
  readonly entries: ReadonlyMap<string, Value>
  readonly remarks: readonly string[]

  constructor(entries: Iterable<readonly [string, Value]>, remarks: readonly string[] = []) {
    this.entries = new Map(entries)
    this.remarks = remarks
  }
}

/** Matches texts that need no quotes: words, possibly the address of a page. Texts that `reserved` matches do need quotes. */
const plain =
  /^(?:[A-Za-z_/$]|https?:\/\/[\w/.@+()*'=!?$-])[\w/.@+()*'=!?$-]*(?: [\w/.@+()*'=!?$-]+)*$/
const reserved = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i
/** The characters that move a cursor, cannot be seen, or must not stand in YAML. Line breaks and tabs are allowed in a block. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\ud800-\udfff\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/u
const ordinary = /^[ -~]*$/
const allUnseen = new RegExp(unseen.source, 'gu')
const outsideBlocks = new RegExp(`(?![\\n\\t])${unseen.source}|^[ \\t\\n]|[ \\t](?:\\n|$)`, 'u')
/** The maximum length of a block. Longer texts are written on one line, since readers of blocks need a multiple of their memory. */
const maxBlock = 1 << 20
/** The maximum length of a key in the short form. PyYAML expects the colon within 1,024 characters. */
const maxKey = 1000
/** The depth below which a value is written as JSON on one line, so that hostile nesting stays small. */
const maxDepth = 40

const escapeUnseen = (text: string): string =>
  ordinary.test(text)
    ? text
    : text.replace(allUnseen, (sign) => {
        const code = sign.codePointAt(0)?.toString(16) ?? ''
        return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
      })

const isPlain = (text: string): boolean =>
  plain.test(text) && !(text.length <= 5 && reserved.test(text))

const quoteYaml = (text: string): string => escapeUnseen(JSON.stringify(text))

/** Formats a text as a key, or as a value on one line. */
export const formatYamlWord = (text: string): string => (isPlain(text) ? text : quoteYaml(text))

/** Formats a comment. Line breaks in the text are escaped, so that it cannot end the comment. */
export const formatYamlComment = (text: string): string => `# ${escapeUnseen(text)}`

const toEscapedJson = (value: unknown): string => escapeUnseen(serializeExact(value) ?? 'null')

const formatBlock = (text: string, pad: string): string => {
  const whole = text.endsWith('\n')
  const chomping = whole ? (text.endsWith('\n\n') ? '+' : '') : '-'
  return `|${chomping}\n${(whole ? text.slice(0, -1) : text).replace(/^(?=[^\n])/gm, pad)}`
}

const formatText = (text: string, depth: number): string => {
  if (isPlain(text)) return text
  const block = text.includes('\n') && text.length <= maxBlock && !outsideBlocks.test(text)
  return block ? formatBlock(text, '  '.repeat(depth)) : quoteYaml(text)
}

const formatScalar = (value: unknown): string => {
  if (value instanceof ExactNumber) return value.text
  return typeof value === 'boolean' || Number.isFinite(value) ? String(value) : toEscapedJson(value)
}

/** The layout: a list of scalars is written on one line if its JSON has at most `shortList` characters. */
interface YamlLayout {
  readonly shortList?: number
}

/** Formats an empty value or a short list on one line; undefined if the value needs several lines. */
const formatFlow = (value: object, { shortList = 0 }: YamlLayout): string | undefined => {
  if (value instanceof YamlMap) return value.entries.size === 0 ? '{}' : undefined
  if (!Array.isArray(value))
    return Object.values(value).every((one) => one === undefined) ? '{}' : undefined
  if (value.length === 0) return '[]'
  if (value.length > shortList || value.some(hasParts) || toEscapedJson(value).length > shortList)
    return undefined
  return `[${value.map((one) => (typeof one === 'string' ? formatYamlWord(one) : formatScalar(one))).join(', ')}]`
}

/** The number of labels of keys that are kept, since records repeat the same keys. */
const keptLabels = 1000
const labels = new Map<string, string>()

const formatRemarks = (map: YamlMap, depth: number): string =>
  map.remarks.map((line) => `${'  '.repeat(depth)}${formatYamlComment(line)}\n`).join('')

/** Formats a key with its colon. The colon of a long key is on a line of its own. */
const formatLabel = (key: string, pad: string): string => {
  const kept = labels.get(key)
  if (kept !== undefined) return kept
  const name = formatYamlWord(key)
  if (name.length > maxKey) return `? ${name}\n${pad}:`
  const label = `${name}:`
  if (labels.size < keptLabels) labels.set(key, label)
  return label
}

/** Formats the entries of a map or the items of a list, each on one or more lines. The first line is not indented. */
const formatParts = (value: object, depth: number, layout: YamlLayout): string => {
  const pad = '  '.repeat(depth)
  let text = ''
  if (Array.isArray(value)) {
    for (const one of value)
      text += `${text === '' ? '' : pad}-${formatValue(one, depth + 1, layout)}`
    return text
  }
  const gap = `\n${pad}  `
  const add = (key: string, one: unknown): void => {
    if (one === undefined) return
    if (text !== '') text += pad
    text += formatLabel(key, pad) + formatValue(one, depth + 1, layout, gap)
  }
  if (value instanceof YamlMap) for (const [key, one] of value.entries) add(key, one)
  else if (isObject(value)) for (const key in value) add(key, value[key])
  return text
}

/** Formats a value as the text after `-` or `key:`, up to and including a line break. A value of several lines begins with `gap`. */
const formatValue = (value: unknown, depth: number, layout: YamlLayout, gap = ' '): string => {
  if (typeof value === 'string') return ` ${formatText(value, depth)}\n`
  if (!hasParts(value)) return ` ${formatScalar(value)}\n`
  const inLine = depth > maxDepth ? toEscapedJson(value) : formatFlow(value, layout)
  const text = inLine === undefined ? gap + formatParts(value, depth, layout) : ` ${inLine}\n`
  return value instanceof YamlMap && value.remarks.length > 0
    ? text + formatRemarks(value, depth)
    : text
}

/** Writes a value as YAML text that ends in a line break. @throws RangeError if the value is nested too deeply */
export const toYaml = (value: unknown, layout: YamlLayout = {}): string =>
  hasParts(value) && formatFlow(value, layout) === undefined
    ? formatValue(value, 0, layout, '')
    : formatValue(value, 1, layout).slice(1)
