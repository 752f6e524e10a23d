/** The pages with a layout of their own: a file each, loaded on demand. */

import type { PageDrawing } from '../../engine/rows.js'
import type { OpenPrinter } from '../../output/types.js'

const drawings: Readonly<Record<PageDrawing, () => Promise<{ readonly open: OpenPrinter }>>> = {
  access: () => import('./access.js'),
  check: () => import('./check.js'),
  matrix: () => import('./matrix.js'),
  overview: () => import('./overview.js'),
  plan: () => import('./plan.js'),
  policy: () => import('./policy.js'),
}

/** Loads the function that draws a page. @param isTrend true if its records are from several snapshots */
export const loadDrawing = async (drawing: PageDrawing, isTrend: boolean): Promise<OpenPrinter> =>
  (await (isTrend ? import('./trend.js') : drawings[drawing]())).open
