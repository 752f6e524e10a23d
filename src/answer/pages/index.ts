/** The pages that are drawn in a way of their own: a file each, loaded when a page is one. */

import type { PageDrawing } from '../../engine/rows.js'
import type { OpenPrinter } from '../../output/types.js'

const drawings: Readonly<Record<PageDrawing, () => Promise<{ readonly open: OpenPrinter }>>> = {
  overview: () => import('./overview.js'),
}

/** Loads what draws a page. */
export const loadDrawing = async (drawing: PageDrawing): Promise<OpenPrinter> =>
  (await drawings[drawing]()).open
