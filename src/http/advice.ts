/** What would help after a failure: a sentence, or a code where its words are commands and flags. */
import type { FailureDetails } from '../errors.js'

export type AdviceCode =
  /** The user may not act as another. */
  | 'sudo'
  /** The user to act as does not exist. */
  | 'sudo-user'
  /** The token lacks a scope: which one. */
  | 'scope'
  /** The credential that was sent is not accepted. */
  | 'credential'
  /** No credential was sent. */
  | 'sign-in'
  /** The user may not do that. */
  | 'rights'
  /** No instance may be there. */
  | 'no-instance'
  /** Nothing was found: it may be private, and nobody is signed in. */
  | 'private'
  /** Nothing was found: it may be hidden from this user. */
  | 'hidden'
  /** The instance is in maintenance: how long it asks to wait. */
  | 'maintenance'
  /** The instance is not available: how long it asks to wait. */
  | 'unavailable'
  /** A project has another path now: what its former path, or number, is. */
  | 'moved-project'
  /** Too much was asked at once: how long the instance asks to wait. */
  | 'rate'
  /** What was sent is refused. */
  | 'input'
  /** The network, or what stands on the way. */
  | 'way'
  /** The address, or the network. */
  | 'address'
  /** The authority of a certificate is not known. */
  | 'authority'
  /** It takes longer than it may. */
  | 'slow'
  /** A file of the transport: which one. */
  | 'ca'
  | 'client-certificate'
  /** The instance's paging leads nowhere. */
  | 'paging'
  /** A list goes on only in the order of ids. */
  | 'order-by-id'
  /** A response is larger than any may be. */
  | 'response-size'
  /** A record is larger than most formats can handle. */
  | 'record-size'
  /** An address carries a key. */
  | 'key-in-address'

/** A sentence, or what it is about. */
export type NextStep = string | { readonly code: AdviceCode; readonly about?: string }

/** As a failure's details have it. */
export const details = (next: NextStep): Pick<FailureDetails, 'hint' | 'advice'> =>
  typeof next === 'string' ? { hint: next } : { advice: next }
