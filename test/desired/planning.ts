/** The plan of wishes, each a kind of a place. */

import { groupBy } from '../../src/base/collections.js'
import type { DesiredPlan } from '../../src/desired/actions.js'
import { toPlaceText } from '../../src/desired/address.js'
import type { DiffOptions, DiffView } from '../../src/desired/diff/context.js'
import { makePlans } from '../../src/desired/diff/index.js'
import type { DesiredKind } from '../../src/desired/state.js'

export const makePlan = async (
  desired: readonly DesiredKind[],
  view: DiffView,
  how: DiffOptions,
): Promise<DesiredPlan> => {
  const places = [...groupBy(desired, ({ place }) => toPlaceText(place)).values()].flatMap((all) =>
    all.slice(0, 1).map(({ place }) => ({ place, desired: () => all })),
  )
  return (await makePlans(places, view, how)).plan
}
