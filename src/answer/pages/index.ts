/** The pages that are drawn in a way of their own: a file each, loaded when a page is one. */

import type { PageDrawing } from '../../engine/rows.js'
import type { OpenPrinter } from '../../output/types.js'

const drawings: Readonly<Record<PageDrawing, () => Promise<{ readonly open: OpenPrinter }>>> = {
  access: () => import('./access.js'),
  matrix: () => import('./matrix.js'),
  overview: () => import('./overview.js'),
  plan: () => import('./plan.js'),
  policy: () => import('./policy.js'),
}

/** Loads what draws a page. @param isTrend its records are of several snapshots */
export const loadDrawing = async (drawing: PageDrawing, isTrend: boolean): Promise<OpenPrinter> =>
  (await (isTrend ? import('./trend.js') : drawings[drawing]())).open
