/** What was seen of an instance, as files that plan to nothing. */
export { chosenBy } from './chosen.js'
export {
  type DocumentWriter,
  documentOf,
  type FileSection,
  jsonWriter,
  opening,
  writtenHere,
  yamlWriter,
} from './document.js'
export { factored, type SeenProject } from './factor.js'
export { ExportFile, ExportFolder, type Selected } from './folder.js'
export type { HeldKind } from './held.js'
export { fileOf, filesOf, type PlacedFile } from './layout.js'
export { FileMap } from './model.js'
export { inTheirOrder, type LookedAt, lookAt } from './place.js'
export type { Exporting } from './values.js'
