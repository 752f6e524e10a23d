/** What was seen of an instance, as files that plan to nothing. */

export {
  documentOf,
  type FileSection,
  inTheirOrder,
  jsonWriter,
  type LookedAt,
  lookAt,
  openingOf,
  untilOneFails,
  yamlWriter,
} from './document.js'
export { Factoring } from './factor.js'
export type { HeldKind } from './folder.js'
export { ExportFile, ExportFolder, filesOf, type PlacedFile, type Selected } from './folder.js'
export type { Exporting } from './model.js'
export { chosenBy, FileMap } from './model.js'
