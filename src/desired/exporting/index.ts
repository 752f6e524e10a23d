/** What was seen of an instance, as files that plan to nothing. */
export { chosenBy } from './chosen.js'
export {
  documentOf,
  type FileSection,
  jsonWriter,
  openingOf,
  yamlWriter,
} from './document.js'
export { Factoring } from './factor.js'
export { ExportFile, ExportFolder, type Selected } from './folder.js'
export type { HeldKind } from './held.js'
export { filesOf, type PlacedFile } from './layout.js'
export { FileMap } from './model.js'
export { inTheirOrder, type LookedAt, lookAt, untilOneFails } from './place.js'
export type { Exporting } from './values.js'
