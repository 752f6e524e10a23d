/** Redirects: which are followed, and why the others are not. */
import { Failure } from '../../errors.js'
import { details, type NextStep } from '../advice.js'
import { movedProject } from '../answers/failure.js'
import { safeAddress } from '../answers/secrets.js'
import { addressOf, type Target, targetOf } from '../request/address.js'
import { isSafe } from './attempts.js'
import type { OpenAnswer } from './open-answer.js'

/** Statuses that lead elsewhere. */
export const redirects = new Set([301, 302, 303, 307, 308])
const longestChain = 5

const refused = (reply: OpenAnswer, message: string, next: NextStep): Failure =>
  new Failure('failed', `${reply.status}: ${message}`, {
    status: reply.status,
    request: reply.label,
    ...details(next),
  })

const moved = 'If the instance has moved there, give that address as the base URL.'

/** Data that somebody else gives must not pass for the instance's, and no credential goes there. */
export const leadsAway = (reply: OpenAnswer, next: Target): Failure =>
  refused(
    reply,
    `it redirects to ${safeAddress(addressOf(next))}, which is not of this instance; it was not asked`,
    moved,
  )

/**
 * Where a redirect leads; only reading follows it, since following turns a write into a read.
 * @throws Failure `failed` otherwise
 */
export const nextTarget = (reply: OpenAnswer, location: string, hops: number): Target => {
  const { method, target } = reply
  const from = addressOf(target)
  const next = URL.canParse(location, from) ? new URL(location, from) : undefined
  if (next === undefined || !/^https?:$/.test(next.protocol))
    throw refused(reply, 'it redirects to what is no address', 'Check the base URL.')
  const shown = safeAddress(next.href)
  if (!isSafe(method)) {
    const within = next.origin === target.origin && /\/projects\/[^/]/.test(next.pathname)
    const advice = within ? movedProject(reply.label) : moved
    throw refused(reply, `it redirects to ${shown}, and a ${method} is not sent on`, advice)
  }
  if (target.origin.startsWith('https:') && next.protocol === 'http:')
    throw refused(
      reply,
      `it redirects to ${shown}, from https to http, where anybody could read or change it`,
      'Tell the administrators of the instance; its own address should say https everywhere.',
    )
  if (hops >= longestChain)
    throw refused(reply, `it redirects again and again, last to ${shown}`, 'Check the base URL.')
  return targetOf(next.href)
}
