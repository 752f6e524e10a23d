/** Values of files as YAML 1.2, which reads back as they are. */
import { Document, isScalar, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml'
import type { JsonValue } from '../../base/json/value.js'
import { FileMap, type FileValue } from './model.js'

/** Lists that fit one line stand in one. */
const shortList = 72
/** What moves a cursor, or cannot be seen: written by its number, between quotes. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

const numbered = (text: string): string =>
  text.replace(unseen, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A block scalar that starts with white space does not always read back as it was. */
const mustQuote = (text: string): boolean => text.search(unseen) >= 0 || /^\s/.test(text)

const isList = (value: FileValue): value is readonly (JsonValue | FileMap)[] => Array.isArray(value)

const mapNode = (document: Document, { entries, remarks }: FileMap): YAMLMap => {
  const map = new YAMLMap(document.schema)
  for (const [key, value] of entries)
    map.items.push(document.createPair(key, nodeOf(document, value)))
  if (remarks.length > 0) map.comment = remarks.map((line) => ` ${line}`).join('\n')
  return map
}

const nodeOf = (document: Document, value: FileValue): unknown => {
  if (value instanceof FileMap) return mapNode(document, value)
  if (!isList(value)) return document.createNode(value)
  const list = new YAMLSeq(document.schema)
  list.items.push(...value.map((one) => nodeOf(document, one)))
  const maps = value.some((one) => typeof one === 'object')
  list.flow = !maps && JSON.stringify(value).length <= shortList
  return list
}

/** What YAML 1.1 would read otherwise (`no`, `012`) is quoted as well, for other readers. */
const options = { version: '1.2', compat: 'yaml-1.1', aliasDuplicateObjects: false } as const

/** A map as YAML text that ends in a line break. Lines for people are comments below its entries. */
export const yamlOf = (map: FileMap): string => {
  const document = new Document({}, options)
  document.contents = mapNode(document, map)
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === 'string' && mustQuote(node.value))
        node.type = Scalar.QUOTE_DOUBLE
    },
  })
  const text = document.toString({
    lineWidth: 0,
    flowCollectionPadding: false,
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  })
  return numbered(text)
}

/** The same below a key: each line of it further in. */
export const indented = (text: string, by = '  '): string => text.replace(/^(?=[^\n])/gm, by)
