/** What a refusal says of what was asked for (`lacks`: in the instance's own words). */
import { type Failure, isMissing } from '../../errors.js'

/** The instance has no such route: its version or edition does not offer it. */
export const isUnsupported = ({ details }: Failure): boolean => details.lacks === 'route'

/** The place itself is what is missing, not something in it. */
export const isPlaceMissing = (failure: Failure): boolean =>
  isMissing(failure) && /^404 (?:project|group) not found/i.test(failure.message)

/** Undocumented: what is refused, or not there, is as if it had not been asked. */
export const isDenied = ({ details }: Failure): boolean =>
  details.status === 404 || details.status === 403
