/** Documents of declared state: what a place says, and the text around it. */

import { yamlText } from '../../base/json/yaml-writer.js'
import type { ManagedPlace } from '../address.js'
import { FileMap, type FileValue, plain } from './model.js'

/** Lists that fit one line stand in one. */
const layout = { shortList: 72 } as const

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
      return `${begun}${heading}${indented(yamlText(body, layout))}`
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
