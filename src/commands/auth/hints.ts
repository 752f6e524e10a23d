/** Hints of `auth login`: those of other commands advise signing in. */
import { Failure } from '../../errors.js'

/** By the code of the advice. */
const hints: Readonly<Record<string, (about: string) => string>> = {
  credential: () =>
    'The token may be mistyped, expired or revoked, of another instance, or of another --kind.',
  scope: (scope) => `Create a token with the scope ${scope}, and sign in with that token.`,
}

/** A failure while a token is tried, with a hint for somebody who is signing in already; anything else as it is. */
export const withHint = (error: unknown): unknown => {
  if (!(error instanceof Failure)) return error
  const { code = '', about = 'that this needs' } = error.details.advice ?? {}
  const hint = Object.hasOwn(hints, code) ? hints[code]?.(about) : undefined
  if (hint === undefined) return error
  return new Failure(error.category, error.message, { ...error.details, hint })
}
