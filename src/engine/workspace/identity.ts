/** Who a run is made by, and where: what a journal holds the next one against. */
import { isObject, toText } from '../../base/objects.js'
import { version } from '../../base/version.js'
import { account } from '../../catalogue/implied.js'
import { Failure } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import type { MadeBy } from '../command/described.js'
import type { WorkspaceService } from '../command/services.js'
import { getInstanceName } from './sandbox.js'

/** Who the instance says asks; undefined where it does not say. */
const userOf = async (glance: (ask: Ask) => Promise<unknown>): Promise<string | undefined> => {
  try {
    const data = await glance({ endpoint: account, values: {} })
    return isObject(data) ? toText(data.username) : undefined
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return undefined
    throw error
  }
}

interface Identifying {
  readonly place: Pick<WorkspaceService, 'env' | 'globals' | 'session'>
  /** Asks the instance who it is; without it what the profile knows is taken. */
  readonly glance?: (ask: Ask) => Promise<unknown>
}

/** The identity of a run that is made now. */
export const readIdentity = async ({ place, glance }: Identifying): Promise<MadeBy> => {
  const { profile, sudo, user } = await place.session()
  return {
    instance: await getInstanceName(place),
    profile: profile?.name ?? null,
    user: (glance === undefined ? user : await userOf(glance)) ?? null,
    sudo: sudo ?? null,
    version: version,
  }
}
