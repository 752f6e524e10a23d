/** An export on its way: to standard output, into one file, or into a folder with a file a place. */
import type { ManagedPlace } from '../../desired/address.js'
import type { FileSection, PlacedFile, Selected } from '../../desired/exporting/index.js'
import type { Services } from '../../engine/command/services.js'
import type { ExportRun, SayPlace } from './gathering.js'
import type { ExportTarget } from './target.js'

/** What is written: places in the order of a document, and what is said of each. */
export interface Exported {
  readonly services: Services
  readonly run: ExportRun
  readonly places: readonly ManagedPlace[]
  /** Begins to look, or has looked. */
  readonly say: () => Promise<SayPlace>
  readonly selected: Selected
}

/** Writes places in their order, each as soon as it is known. */
const asDocument = async (
  { services, run, places, say }: Exported,
  target: ExportTarget,
  take: (text: string) => Promise<void>,
): Promise<void> => {
  const { inTheirOrder, jsonWriter, yamlWriter } = await import('../../desired/exporting/index.js')
  const pretty = target.is === 'file' || services.answer.terminal
  const writer = target.form === 'json' ? jsonWriter(pretty) : yamlWriter()
  await inTheirOrder(run.instance, places, await say(), async ({ sections }) => {
    for (const section of sections) await take(writer.add(section))
  })
  if (run.unread.some) await take(writer.end())
}

const toOutput = (exported: Exported, target: ExportTarget): Promise<void> =>
  asDocument(exported, target, (text) => exported.services.answer.write(text))

const toFile = async (exported: Exported, target: ExportTarget): Promise<void> => {
  const { ExportFile } = await import('../../desired/exporting/index.js')
  const file = new ExportFile(target.path, exported.selected)
  await file.check()
  const draft = await file.open()
  try {
    await asDocument(exported, target, (text) => draft.write([Buffer.from(text)]))
    if (!exported.run.unread.some) return await draft.discard()
    await draft.publish()
  } catch (error) {
    await draft.discard()
    throw error
  }
  exported.services.person.note(`wrote ${target.path}`)
}

const counted = (count: number, word: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${word}`]

/** Writes a file a place. A file of which not all could be read stays as it was. */
const toFolder = async (
  { services, run, places, say, selected }: Exported,
  target: ExportTarget,
): Promise<void> => {
  const { person } = services
  const { ExportFolder, documentOf, filesOf, untilOneFails, yamlWriter } = await import(
    '../../desired/exporting/index.js'
  )
  const { configSchema } = await import('../../desired/schema/index.js')
  const files: readonly PlacedFile<ManagedPlace>[] = filesOf(places)
  const folder = new ExportFolder(target.path, selected)
  await folder.check(files.map(({ path }) => path))
  const saying = await say()
  await untilOneFails(run.instance, files, async ({ path, places: within }) => {
    const sections: FileSection[] = []
    let whole = true
    for (const place of within) {
      const said = await saying(place)
      sections.push(...said.sections)
      whole &&= said.whole
    }
    if (!whole && folder.keep(path))
      person.note(`${path} stays as it was: not all of it could be read`)
    else if (sections.length > 0) await folder.write(path, documentOf(yamlWriter(path), sections))
  })
  await folder.furnish(configSchema())
  if (run.unread.some) await folder.clear()
  const { written, same, removed } = folder.counts
  const parts = [
    `${written} written`,
    ...counted(same, 'as they were'),
    ...counted(removed, 'removed'),
  ]
  person.note(`${target.path}: ${parts.join(', ')}`)
}

/** Writes an export where it goes. @throws Failure where something is in the way, before anything is written */
export const writeExport = (exported: Exported, target: ExportTarget): Promise<void> => {
  if (target.is === 'output') return toOutput(exported, target)
  return target.is === 'file' ? toFile(exported, target) : toFolder(exported, target)
}
