/** Whether a run may be gone on with: by the same user, at the same instance, with the same tool. */
import { usage } from '../../errors.js'
import type { Header } from './lines.js'

/** Who goes on, and where. */
export type RunIdentity = Pick<Header, 'instance' | 'user' | 'sudo' | 'version'>

const majorOf = (version: string): string => version.split('.')[0] ?? ''
const shown = (value: string | null): string => value ?? 'nobody'

/**
 * Holds who goes on against who began.
 * @returns what has to be confirmed first: whether it is the same user is not known
 * @throws Failure `usage` where it is another
 */
export const checkIdentity = (began: Header, now: RunIdentity): string | undefined => {
  const other = (what: string, was: string, is: string): Error =>
    usage(
      `the run ${began.id} was made ${what} ${was}, and this is ${is}`,
      'Only the same can go on with it: give the profile, and --sudo, that it was made with.',
    )
  if (began.instance !== now.instance) throw other('at', began.instance, now.instance)
  if (majorOf(began.version) !== majorOf(now.version))
    throw other('by version', began.version, now.version)
  if (began.sudo !== now.sudo) throw other('as', shown(began.sudo), shown(now.sudo))
  if (began.user === now.user) return undefined
  if (began.user !== null && now.user !== null) throw other('by', began.user, now.user)
  return `whether this is the user who began the run ${began.id} is not known`
}

/**
 * Whether a run can be resumed at all.
 * @throws Failure `usage`
 */
export const checkResumable = ({ id, final }: Header): void => {
  if (final !== undefined) throw usage(`the run ${id} cannot be resumed: ${final}`)
}
