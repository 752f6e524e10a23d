/** What may be told of an answer that holds tokens: its status, and an error code that OAuth registers. */
import { oauthErrorOf } from '../../base/secrets/oauth-errors.js'
import { Failure } from '../../errors.js'
import { statusText } from './statuses.js'

/** What a failure was before more was said of it (`unknownOutcome`). */
const rootOf = (failure: Failure): Failure =>
  failure.details.cause instanceof Failure ? rootOf(failure.details.cause) : failure

/** The failure without anything that its answer said; what the network did is told as ever. */
export const sealed = (error: unknown): unknown => {
  if (!(error instanceof Failure)) return error
  const { status, request, unknownOutcome } = error.details
  const ours =
    rootOf(error).details.cause !== undefined || ['interrupted', 'usage'].includes(error.category)
  if (status === undefined && ours) return error
  const code = oauthErrorOf(error.details.code)
  const why =
    status === undefined
      ? 'the answer cannot be used'
      : [statusText(status), code].filter((text) => text !== undefined).join(': ')
  return new Failure(error.category, why, {
    status,
    request,
    code,
    unknownOutcome,
  })
}
