/** Why something could not be read, in a phrase. */
import type { Failure } from '../../errors.js'

/** Whether the instance itself says that it has no such thing: its edition or version lacks it. */
export const isUnoffered = ({ details }: Failure): boolean => details.lacks === 'route'

export const whyUnread = (failure: Failure): string => {
  if (failure.status === 403) return `not allowed: ${failure.message}`
  return isUnoffered(failure) ? `not offered here: ${failure.message}` : failure.message
}
