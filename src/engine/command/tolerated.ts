/** `--tolerate`: which refusals are only noted. */
import type { Failure } from '../../errors.js'
import type { Globals } from './globals.js'

export type Tolerating = Pick<Globals, 'tolerate'>

/** Whether what an object, or a part of what is looked at, was refused with is no failure. */
export const isTolerated = ({ tolerate = [] }: Tolerating, failure: Failure): boolean => {
  const { category, details } = failure
  const what = category === 'auth' && details.status === 403 ? 'forbidden' : category
  // Of several instances, one: not an object.
  return what !== 'unreachable' && tolerate.some((one) => one === what)
}

/** What is said of one. */
export const toleratedText = (object: string, { message }: Failure): string =>
  `${object}: ${message} (tolerated)`
