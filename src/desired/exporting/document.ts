/** Documents of declared state: what a place says, and the text around it. */
import { yamlText } from '../../base/json/yaml-writer.js'
import { managedKinds } from '../../catalogue/managed.js'
import type { Failure } from '../../errors.js'
import { type Address, addressText, type ManagedPlace } from '../address.js'
import { type InstanceView, sideBySide } from '../reading/view.js'
import type { CurrentKind, ReadableInstance } from '../state.js'
import { kindValue } from './kind.js'
import { type ExportOptions, FileMap, type FileSection, type FileValue, plain } from './model.js'

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

// One place after another, read and written.

/**
 * What a place's kinds say, in their order; what could not be read is told to people.
 * @param current kinds of one place
 * @returns undefined where they say nothing
 */
export const sectionOf = (
  current: readonly CurrentKind[],
  how: ExportOptions,
): FileSection | undefined => {
  const entries = current.flatMap((one): [string, FileValue][] => {
    const value = kindValue(one, how)
    return value === undefined ? [] : [[one.kind.name, value]]
  })
  const place = current[0]?.place
  if (place === undefined || entries.length === 0) return undefined
  const unread = current.filter(({ is }) => is === 'unreadable')
  const remarks = unread.map(({ kind }) => `${kind.name}: could not be read`)
  return { place, value: new FileMap(entries, remarks) }
}

/** What came of looking at a place. */
export interface LookedAt {
  readonly place: ManagedPlace
  /** Nothing where there is nothing to say. */
  readonly section: FileSection | undefined
  readonly unread: readonly { readonly address: string; readonly failure: Failure }[]
  /** Kinds that the instance does not have. */
  readonly unsupported: readonly string[]
  /** Kinds that nobody asked for, and that the token may not read. */
  readonly denied: readonly string[]
  /** How many kinds were asked for. */
  readonly kinds: number
}

const addressOf = ({ place, kind }: CurrentKind): string => {
  const address: Address = { scope: place.scope, path: place.path, kind: kind.name }
  return addressText(address)
}

/**
 * Reads the kinds of a place that are selected, and lets go of what was read.
 * @param atOnce whether they are asked for side by side: where places are, one kind after another is as
 *   fast, and less is in hand
 */
export const lookAt = async (
  view: InstanceView,
  place: ManagedPlace,
  how: ExportOptions,
  atOnce = true,
): Promise<LookedAt> => {
  const kinds = managedKinds.filter(
    (kind) => kind.scope === place.scope && view.selected(place, kind),
  )
  const current = await sideBySide(
    kinds,
    (kind) => view.readKind(place, kind),
    atOnce ? kinds.length : 1,
  )
  const section = sectionOf(current, how)
  view.forget(place)
  const isDenied = (one: CurrentKind): boolean =>
    one.is === 'unreadable' &&
    !how.asked &&
    one.failure.details.status === 403 &&
    one.kind.forAdministrators === true
  return {
    place,
    section,
    denied: current.filter(isDenied).map(addressOf),
    kinds: kinds.length,
    unread: current.flatMap((one) =>
      one.is === 'unreadable' && !isDenied(one)
        ? [{ address: addressOf(one), failure: one.failure }]
        : [],
    ),
    unsupported: current.flatMap((one) => (one.is === 'unsupported' ? [one.kind.name] : [])),
  }
}

/**
 * Works on items as many at once as the instance takes, until one fails: those that are under way end first,
 * since whoever fails closes the way to the instance.
 * @throws what work throws first
 */
export const untilOneFails = async <I>(
  instance: Pick<ReadableInstance, 'each'>,
  items: readonly I[],
  work: (item: I, index: number) => Promise<void>,
): Promise<void> => {
  let lost: { readonly error: unknown } | undefined
  await instance.each(items, async (item, index) => {
    if (lost !== undefined) return
    try {
      await work(item, index)
    } catch (error) {
      lost ??= { error }
    }
  })
  if (lost !== undefined) throw lost.error
}

/**
 * Works on items as many at once as the instance takes, and hands on what comes of them in their order.
 * @throws what work or take throw
 */
export const inTheirOrder = async <I, T>(
  instance: Pick<ReadableInstance, 'each'>,
  items: readonly I[],
  work: (item: I) => Promise<T>,
  take: (done: T) => Promise<void>,
): Promise<void> => {
  const ready = new Map<number, { readonly done: T }>()
  let next = 0
  let taking = Promise.resolve()
  const hand = async (): Promise<void> => {
    for (let first = ready.get(next); first !== undefined; first = ready.get(next)) {
      ready.delete(next)
      next += 1
      await take(first.done)
    }
  }
  await untilOneFails(instance, items, async (item, i) => {
    ready.set(i, { done: await work(item) })
    taking = taking.then(hand)
    await taking
  })
}
