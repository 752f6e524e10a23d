/** What a leaver loses, inner memberships first, and what stays. */

import type { GivenObject } from '../../journal/own-run.js'
import { innerFirst } from '../../journal/turns.js'
import type { Services } from '../../services.js'
import { type FoundMembership, Memberships, type Sought } from '../memberships.js'
import { textOfPlace } from '../places.js'
import { reasonToStay, type TokenUser } from './standing.js'

/** One membership, with what was decided of it. */
interface Leaving extends FoundMembership {
  /** Why it stays. */
  readonly stays?: string
}

export interface LeavingPlan {
  /** In the order in which they are removed. */
  readonly goes: readonly Leaving[]
  readonly stays: readonly Leaving[]
}

/** Looks where a user is a direct member, and decides what goes. @throws Failure as `Memberships` */
export const planLeaving = async (
  services: Services,
  sought: Sought,
  self: TokenUser,
): Promise<LeavingPlan> => {
  const memberships = new Memberships(services, sought, true)
  const all: Leaving[] = []
  for await (const found of memberships.each()) {
    const stays = await reasonToStay(services.instance, self, found)
    all.push(stays === undefined ? found : { ...found, stays })
  }
  await memberships.tell()
  const sorted = all
    .map((one) => ({ one, parent: textOfPlace(one.place) }))
    .sort((a, b) => innerFirst(a, b) || (a.parent < b.parent ? -1 : 1))
    .map(({ one }) => one)
  return {
    goes: sorted.filter(({ stays }) => stays === undefined),
    stays: sorted.filter(({ stays }) => stays !== undefined),
  }
}

/** What undo needs of a membership: who, as what, until when. */
export const objectOf = ({ place, member }: FoundMembership): GivenObject => ({
  object: String(member.id),
  parent: textOfPlace(place),
  before: {
    id: member.id,
    access_level: member.access_level,
    expires_at: member.expires_at ?? null,
  },
})
