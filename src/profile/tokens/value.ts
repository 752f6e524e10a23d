/** What a token may look like, whoever it comes from. */
import { type Failure, usage } from '../../errors.js'
import type { ResolvedCredential, TokenKind, UserTokenKind } from '../types.js'

export const userTokenKinds = [
  'personal',
  'oauth',
  'session',
] as const satisfies readonly UserTokenKind[]

export const isUserTokenKind = (text: unknown): text is UserTokenKind =>
  userTokenKinds.some((kind) => kind === text)

const refused = (source: string, what: string): Failure =>
  usage(`the token from ${source} ${what}`, 'Copy the token again, without quotes or line breaks.')

/**
 * A token fit for a header: line ends around it are dropped, anything else unusual is refused.
 * @param source where it comes from, in words; the value itself is never shown
 * @throws Failure `usage`
 */
export const checkToken = (text: string, kind: TokenKind, source: string): ResolvedCredential => {
  const value = text.replace(/^[\r\n]+|[\r\n]+$/g, '')
  if (value === '') throw refused(source, 'is empty')
  if (/[\r\n]/.test(value)) throw refused(source, 'has more than one line')
  if (!/^[\x21-\x7e]+$/.test(value))
    throw refused(source, 'contains spaces, control characters or non-ASCII characters')
  // A cookie's value ends at a semicolon; more would be a cookie of its own.
  if (kind === 'session' && /[;,"\\]/.test(value))
    throw refused(source, 'contains a character that is not allowed in a cookie')
  return { kind, value, source }
}
