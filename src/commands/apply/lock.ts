/** One apply at a time on an instance, from one state folder. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeFolders } from '../../base/files/folders.js'
import { lock } from '../../base/files/lock.js'
import { Failure } from '../../errors.js'
import { pathsOf } from '../../profile/index.js'
import { instanceOf } from '../journal/named.js'
import type { PlaceService } from '../services.js'

/**
 * Keeps others from applying to the instance meanwhile.
 * @returns what lets them again
 * @throws Failure `conflict` where another does
 */
export const onlyOne = async (
  place: Pick<PlaceService, 'env' | 'globals' | 'session'>,
): Promise<() => void> => {
  const instance = await instanceOf(place)
  const { state } = pathsOf(place.env)
  makeFolders(state, 0o700)
  const name = createHash('sha256').update(instance).digest('hex').slice(0, 16)
  const held = await lock(join(state, `apply-${name}.lock`), {
    patience: 0,
    held: (owner) =>
      new Failure('conflict', `another apply to ${instance} is under way: ${owner}`, {
        hint: 'Wait for it to end.',
      }),
  })
  return () => held.release()
}
