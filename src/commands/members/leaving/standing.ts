/** What stays of a leaver's memberships whatever is asked for: the token's own user, the last owner of a group, one's own project. */
import { isObject, textOf } from '../../../base/objects.js'
import { members } from '../../../catalogue/areas/members.js'
import { account } from '../../../catalogue/implied.js'
import { accessLevels } from '../../../catalogue/shapes/common.js'
import { usage } from '../../../errors.js'
import type { InstanceService, Services } from '../../services.js'
import type { FoundMembership } from '../memberships.js'
import type { Member } from '../usernames.js'

/** Whose token it is. */
export interface TokenUser {
  readonly id: number
  readonly username: string
}

/**
 * Whose token it is: nobody takes themselves away.
 * @throws Failure `usage` where that cannot be known
 */
export const tokenUser = async ({ instance, place }: Services): Promise<TokenUser> => {
  const { sudo } = await place.session()
  if (sudo !== undefined)
    throw usage(
      `members remove-everywhere does not go with --sudo: whose token it is could not be told from ${sudo}`,
      'Leave --sudo out.',
    )
  const { data } = await instance.call(account, {})
  const username = isObject(data) ? textOf(data.username) : undefined
  if (!isObject(data) || username === undefined || !Number.isInteger(data.id))
    throw usage('the instance does not say whose token this is, who must not be removed')
  return { id: Number(data.id), username }
}

const isSelf = (self: TokenUser, { id, username }: Member): boolean =>
  Number(id) === self.id || String(username).toLowerCase() === self.username.toLowerCase()

/** Whether somebody else owns a group who may act. */
const hasOtherOwner = async (
  instance: InstanceService,
  group: string,
  { id }: Member,
): Promise<boolean> => {
  let found = false
  await instance.records(
    members.listOfGroup,
    { id: group },
    {
      where: (member) => {
        const acts = member.state === undefined || member.state === 'active'
        found ||= member.id !== id && acts && Number(member.access_level) >= accessLevels.owner
        return false
      },
    },
  )
  return found
}

/** Whether a group would be left without an owner. */
export const isLastOwner = async (
  instance: InstanceService,
  { place, member }: Pick<FoundMembership, 'member' | 'place'>,
): Promise<boolean> =>
  place.kind === 'group' &&
  Number(member.access_level) >= accessLevels.owner &&
  !(await hasOtherOwner(instance, place.path, member))

export const lastOwner = 'the last owner of the group'
/** Nobody can take it from them: it goes with the user. */
export const ownProject = 'a project of their own'

/** Why a membership stays; undefined where it goes. */
export const reasonToStay = async (
  instance: InstanceService,
  self: TokenUser,
  found: FoundMembership,
): Promise<string | undefined> => {
  const { member, place } = found
  if (isSelf(self, member)) return "the token's own user"
  if (place.holder?.toLowerCase() === String(member.username).toLowerCase()) return ownProject
  return (await isLastOwner(instance, found)) ? lastOwner : undefined
}
