/** Writes the files of an export, and reports the parts of the instance that could not be read. */

import { lstatSync, statSync } from 'node:fs'
import { yieldPushed } from '../base/async.js'
import { addToGroup } from '../base/collections.js'
import { resolvePath } from '../base/io.js'
import { listParentGroups, type ManagedPlace, toPlaceText } from '../desired/address.js'
import {
  checkFile,
  ExportFolder,
  groupIntoFiles,
  type KindFilter,
  openFile,
} from '../desired/exporting/folder.js'
import type { PlaceResult } from '../desired/exporting/kind.js'
import {
  CommonItemFinder,
  createJsonWriter,
  createYamlWriter,
  FileMap,
  type FileSection,
  formatDocument,
} from '../desired/exporting/model.js'
import { buildConfigSchema } from '../desired/files/document.js'
import type { ProjectPlace, ReadableInstance, UnreadPlace } from '../desired/state.js'
import type { Context, UiService } from '../engine/command/context.js'
import { createNoteRow, createTextRow, type Rows } from '../engine/rows.js'
import { type Category, Failure, usage } from '../errors.js'
import { listWritten } from './answers.js'
import { getOutputName } from './plan/make.js'

interface ExportTarget {
  readonly is: 'output' | 'file' | 'folder'
  readonly form: 'yaml' | 'json'
  /** The absolute path; empty for standard output. */
  readonly path: string
}

const isFile = (path: string): boolean => {
  try {
    return !lstatSync(path).isDirectory()
  } catch {
    return /\.(?:ya?ml|json)$/i.test(path)
  }
}

/**
 * Chooses the target of an export.
 * @param to the value of --to: `-`, a file, or a folder, which need not exist
 * @throws Failure `usage` for a format that the target does not support
 */
export const openExportTarget = async ({ place }: Context, to = '-'): Promise<ExportTarget> => {
  const { output } = place.globals
  if (output !== undefined && !['json', 'yaml', 'table'].includes(output))
    throw usage(`export writes YAML or JSON, not ${output}`, 'Omit --output or pass json.')
  // If only the environment or the profile requests an unsupported format, the export uses YAML.
  const form = (await getOutputName(place)) === 'json' ? 'json' : 'yaml'
  if (to === '-') return { is: 'output', form, path: '' }
  if (to === '') throw usage('--to must be a folder, a file or -')
  const path = resolvePath(to, place.cwd)
  if (/\.json$/i.test(path)) return { is: 'file', path, form: 'json' }
  if (isFile(path) && !/[/\\]$/.test(to)) return { is: 'file', path, form }
  return { is: 'folder', path, form: 'yaml' }
}

/** An export: its places, and how each is read. */
export interface ExportRun {
  readonly context: Context
  readonly instance: ReadableInstance
  /** The places in the order of the document. */
  readonly places: readonly ManagedPlace[]
  readonly unread: UnreadParts
  readonly selected: KindFilter
  /** Reads the state of a place. */
  readonly readPlace: (place: ManagedPlace) => Promise<PlaceResult>
  /** With --factor, the groups that receive the values that all of their projects share. */
  readonly shareable: readonly ManagedPlace[] | undefined
}

/**
 * Works on items concurrently until one fails. Work in progress ends first, because a failure closes the connection to the instance.
 * @throws the first error of the work
 */
export const runUntilFailure = async <I>(
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
 * Works on items concurrently, and passes the results on in the order of the items.
 * @throws errors of `work` and `take`
 */
export const runInOrder = async <I, T>(
  instance: Pick<ReadableInstance, 'each'>,
  items: readonly I[],
  work: (item: I) => Promise<T>,
  take: (done: T) => Promise<void>,
): Promise<void> => {
  const ready = new Map<number, { readonly done: T }>()
  let next = 0
  let taking = Promise.resolve()
  const takeReady = async (): Promise<void> => {
    for (let first = ready.get(next); first !== undefined; first = ready.get(next)) {
      ready.delete(next)
      next += 1
      await take(first.done)
    }
  }
  await runUntilFailure(instance, items, async (item, i) => {
    ready.set(i, { done: await work(item) })
    taking = taking.then(takeReady)
    await taking
  })
}

/** Yields the text of the places in order, each as soon as it is complete. */
async function* yieldDocument(run: ExportRun, target: ExportTarget): AsyncGenerator<string> {
  const { context, instance, places, unread } = run
  const pretty = target.is === 'file' || context.answer.terminal
  const writer = target.form === 'json' ? createJsonWriter(pretty) : createYamlWriter()
  const sectionsAt = await createSectionReader(run)
  yield* yieldPushed<string>((push) =>
    runInOrder(instance, places, sectionsAt, async ({ sections }) => {
      for (const section of sections) await push(writer.add(section))
    }),
  )
  if (unread.some) yield writer.end()
}

async function* exportToFile(run: ExportRun, target: ExportTarget): Rows {
  await checkFile(target.path, run.selected)
  const draft = await openFile(target.path)
  try {
    for await (const text of yieldDocument(run, target)) await draft.write([Buffer.from(text)])
    if (!run.unread.some) return await draft.discard()
    await draft.publish()
  } catch (error) {
    await draft.discard()
    throw error
  }
  yield createNoteRow(`wrote ${target.path}`)
  yield* listWritten(run.context, [{ path: target.path, size: statSync(target.path).size }], false)
}

/** Writes one file per place. A file is not changed if a part of it could not be read. */
async function* exportToFolder(run: ExportRun, target: ExportTarget): Rows {
  const { instance, places, unread, selected } = run
  const { ui } = run.context
  const files = groupIntoFiles(places)
  const folder = new ExportFolder(target.path, selected)
  await folder.check(files.map(({ path }) => path))
  const sectionsAt = await createSectionReader(run)
  await runUntilFailure(instance, files, async ({ path, places: within }) => {
    const sections: FileSection[] = []
    let whole = true
    for (const place of within) {
      const read = await sectionsAt(place)
      sections.push(...read.sections)
      whole &&= read.whole
    }
    if (!whole && folder.keep(path))
      ui.note(`kept ${path} unchanged, because not everything could be read`)
    else if (sections.length > 0)
      await folder.write(path, formatDocument(createYamlWriter(path), sections))
  })
  await folder.writeSchema(buildConfigSchema())
  if (unread.some) await folder.removeStale()
  const { written, same, removed } = folder.counts
  const parts = [`${written} written`]
  if (same > 0) parts.push(`${same} unchanged`)
  if (removed > 0) parts.push(`${removed} removed`)
  yield createNoteRow(`${target.path}: ${parts.join(', ')}`)
  const inOrder = folder.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  yield* listWritten(run.context, inOrder, true)
}

/**
 * Writes an export to its target.
 * @throws Failure if another file is in the way, before anything is written
 */
export async function* writeExport(run: ExportRun, target: ExportTarget): Rows {
  if (target.is === 'folder') yield* exportToFolder(run, target)
  else if (target.is === 'file') yield* exportToFile(run, target)
  else for await (const text of yieldDocument(run, target)) yield createTextRow(text)
}

// The sections of a place: as they are read, or without the values that moved to a group.

/**
 * Creates the function that reads the sections of a place. With --factor, all places are read first, because values that all projects of a
 * group share are declared for the group.
 */
const createSectionReader = async ({ instance, places, readPlace, shareable }: ExportRun) => {
  if (shareable === undefined)
    return async (place: ManagedPlace) => {
      const { section, unread } = await readPlace(place)
      return { sections: section === undefined ? [] : [section], whole: unread.length === 0 }
    }
  const factoring = new CommonItemFinder(shareable)
  const sections = new Map<string, FileSection[]>()
  const partly = new Set<string>()
  await instance.each(places, async (place) => {
    const { section, unread } = await readPlace(place)
    if (unread.length > 0) partly.add(toPlaceText(place))
    if (place.scope === 'project') factoring.add(place, section?.value ?? new FileMap([]))
    else if (section !== undefined) sections.set(toPlaceText(place), [section])
  })
  for (const section of factoring.shared())
    addToGroup(sections, toPlaceText(section.place), section)
  return async (place: ManagedPlace) => {
    const own = place.scope === 'project' ? factoring.own(place) : undefined
    return {
      sections: own === undefined ? (sections.get(toPlaceText(place)) ?? []) : [own],
      whole: !partly.has(toPlaceText(place)),
    }
  }
}

/**
 * Finds the groups of the projects for which all projects were read.
 * @param roots the paths of the selected groups; none if everything is selected
 */
export const findShareableGroups = (
  projects: readonly ProjectPlace[],
  roots: readonly string[],
): readonly ManagedPlace[] => {
  // Projects of a user's namespace belong to no group.
  const all = projects.flatMap(({ path, namespace }) =>
    namespace === 'group' ? listParentGroups(path) : [],
  )
  const paths = new Map(all.map((path) => [path.toLowerCase(), path]))
  const lower = roots.map((root) => `${root.toLowerCase()}/`)
  return [...paths].flatMap(([key, path]): ManagedPlace[] =>
    lower.length === 0 || lower.some((root) => `${key}/`.startsWith(root))
      ? [{ scope: 'group', path }]
      : [],
  )
}

// The parts that could not be read, which are reported during the export.

/** The maximum number of unread objects that are reported one by one. The others are only counted. */
const maxTold = 20

export class UnreadParts {
  readonly #categories = new Set<Category>()
  readonly #unsupported = new Set<string>()
  #first: Failure | undefined
  #unread = 0
  #asked = 0

  constructor(private readonly ui: Pick<UiService, 'note' | 'report'>) {}

  /** Reports a part that is missing from the output. */
  add(address: string, failure: Failure): void {
    this.#unread += 1
    this.#first ??= failure
    this.#categories.add(failure.category)
    if (this.#unread <= maxTold) this.ui.report(failure, address)
  }

  addResult({ unread, unsupported, denied, kinds }: PlaceResult): void {
    this.#asked += kinds - denied.length
    for (const kind of denied)
      this.ui.note(`${kind}: skipped, because only administrators can read it`)
    for (const { address, failure } of unread) this.add(address, failure)
    for (const kind of unsupported) this.#unsupported.add(kind)
  }

  /** Reports a named place that could not be read at all. */
  addUnreadPlace({ place, failure }: UnreadPlace): void {
    this.#asked += 1
    this.add(`${place.scope}s/${place.path}`, failure)
  }

  /** True if any part was read, or if there was nothing to read. */
  get some(): boolean {
    return this.#unread < this.#asked || this.#asked === 0
  }

  /** Returns the failure of the export; undefined if everything was read. */
  createFailure(): Failure | undefined {
    for (const kind of this.#unsupported)
      this.ui.note(`${kind}: skipped, because the instance does not support it`)
    const first = this.#first
    if (first === undefined) return undefined
    const more = this.#unread - maxTold
    if (more > 0) this.ui.note(`and ${more} more objects that could not be read`)
    const alike = !this.some && this.#categories.size === 1
    return new Failure(
      alike ? first.category : 'partial',
      this.some
        ? `${this.#unread} of ${this.#asked} could not be read and are not in the export`
        : 'nothing could be read',
      first.details.hint === undefined || !alike ? {} : { hint: first.details.hint },
    )
  }
}
