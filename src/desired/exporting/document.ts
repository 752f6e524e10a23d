/** Documents of declared state: what a place says, and the text around it. */

import { Document, isScalar, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml'
import type { JsonValue } from '../../base/json/value.js'
import type { ManagedPlace } from '../address.js'
import { FileMap, type FileValue, plain } from './model.js'

// Values of files as YAML 1.2, which reads back as they are.

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
const yamlOf = (map: FileMap): string => {
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
const indented = (text: string, by = '  '): string => text.replace(/^(?=[^\n])/gm, by)

/**
 * The schema beside the files of a folder, where editors find what they may hold; what begins with a dot is no
 * file that declares anything.
 */
export const schemaFile = '.schema.json'

/** What files say that were written here: such a one may be written anew. */
export const writtenHere = '# written by svcctl export'

/** For editors: the schema beside it, or, of a document by itself, where there is one. */
const editorsLine = (path: string | undefined): string =>
  path === undefined
    ? '# what may stand here: svcctl explain --config-schema'
    : `# yaml-language-server: $schema=${'../'.repeat(path.split('/').length - 1)}${schemaFile}`

/**
 * What a document of YAML begins with.
 * @param path of its file below the folder of an export; undefined of one by itself
 */
export const openingOf = (path?: string): string =>
  `${editorsLine(path)}\n${writtenHere}\nversion: 1\n`

/** What stands under a place's key. `all`: of what is below a group, its key ends in `/**`. */
export interface FileSection {
  readonly place: ManagedPlace
  readonly all?: true
  readonly value: FileMap
}

/** The keys of a document, in their order. */
const sections = { site: 'site', group: 'groups', project: 'projects' } as const

const keyOf = ({ place, all }: FileSection): string =>
  all === true ? `${place.path}/**` : place.path

/** Writes a document section by section, in the order of its keys. */
export interface DocumentWriter {
  /** The text of the next section; sections of one scope follow each other. */
  add(section: FileSection): string
  /** What ends the document. */
  end(): string
}

/** YAML, with what is said to people. @param path of its file, where it is one of a folder */
export const yamlWriter = (path?: string): DocumentWriter => {
  const opening = openingOf(path)
  let scope: ManagedPlace['scope'] | undefined
  return {
    add: (section) => {
      const begun = scope === undefined ? opening : ''
      const heading = scope === section.place.scope ? '' : `${sections[section.place.scope]}:\n`
      scope = section.place.scope
      const { value } = section
      const body = scope === 'site' ? value : new FileMap([[keyOf(section), value]])
      return `${begun}${heading}${indented(yamlOf(body))}`
    },
    end: () => (scope === undefined ? opening : ''),
  }
}

/** JSON: pretty where people read it. */
export const jsonWriter = (pretty: boolean): DocumentWriter => {
  const space = pretty ? ' ' : ''
  const line = (depth: number): string => (pretty ? `\n${'  '.repeat(depth)}` : '')
  const json = (value: FileValue, depth: number): string =>
    JSON.stringify(plain(value), null, pretty ? 2 : 0).replaceAll('\n', line(depth))
  const field = (name: string, text: string): string => `${JSON.stringify(name)}:${space}${text}`
  let scope: ManagedPlace['scope'] | undefined
  const closed = (): string => (scope === undefined || scope === 'site' ? '' : `${line(1)}}`)
  return {
    add: (section) => {
      const before = scope === undefined ? `{${line(1)}${field('version', '1')}` : ''
      const same = scope === section.place.scope
      const heading = same ? ',' : `${closed()},${line(1)}`
      scope = section.place.scope
      if (scope === 'site') return `${before}${heading}${field('site', json(section.value, 1))}`
      const opened = same ? '' : field(sections[scope], '{')
      return `${before}${heading}${opened}${line(2)}${field(keyOf(section), json(section.value, 2))}`
    },
    end: () =>
      scope === undefined
        ? `{${line(1)}${field('version', '1')}${line(0)}}\n`
        : `${closed()}${line(0)}}\n`,
  }
}

/** The whole text of a document. */
export const documentOf = (writer: DocumentWriter, list: readonly FileSection[]): string =>
  list.map((section) => writer.add(section)).join('') + writer.end()
