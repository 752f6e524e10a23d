/** What the instance answers: whether it is this API, its clock, its pagination headers. */

import type { ExternalClient } from '../../engine/command/services.js'
import { Failure } from '../../errors.js'
import type { Whole } from '../../http/types.js'
import { type Check, failed, failedBy, ok, warning } from './check.js'

/** A list that is there for everybody (`GET /projects`). */
const first = { method: 'GET', path: '/projects?per_page=1', headers: {} }
/** Seconds that clocks may differ before signatures and expiry dates suffer. */
const tolerance = 30

const wrong = 'Check the base URL (--base-url): it includes any path, but not /api/v4.'

/** Whether a refusal is the API's own: JSON with a message. */
const refused = (error: unknown): boolean =>
  error instanceof Failure && (error.details.status === 401 || error.details.status === 403)

const clockOf = ({ headers }: Whole, now: Date): Check | undefined => {
  const { date } = headers
  const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN
  if (Number.isNaN(theirs)) return undefined
  const seconds = Math.round((now.getTime() - theirs) / 1000)
  const size = Math.abs(seconds)
  if (size <= tolerance) return ok('clock', `differs by at most ${size} s`)
  const how = `the clock of this machine is ${size} s ${seconds > 0 ? 'ahead of' : 'behind'} the instance`
  return warning('clock', how, 'Correct the clock that is wrong, for example with NTP.')
}

/** Whether a list tells how many pages there are (`http/README.md`). */
const pageHeadersOf = ({ headers }: Whole): Check => {
  const missing = ['link', 'x-total', 'x-next-page'].filter((name) => headers[name] === undefined)
  return missing.length === 0
    ? ok('page headers', 'all present')
    : warning(
        'page headers',
        `the instance does not send ${missing.join(', ')}`,
        'Lists work, but without totals and with one page at a time.',
      )
}

/** Checks that need no credential; none is sent. */
export const instanceChecks = async (
  there: ExternalClient,
  now: () => Date,
): Promise<readonly Check[]> => {
  const check = 'base path'
  try {
    const answer = await there.call(first)
    if (!Array.isArray(answer.data))
      return [failed(check, 'not_found', 'the server there does not provide this API', wrong)]
    const clock = clockOf(answer, now())
    const checks = [ok(check, 'the API responds'), pageHeadersOf(answer)]
    return clock === undefined ? checks : [...checks, clock]
  } catch (error) {
    if (refused(error)) return [ok(check, 'the API responds and requires a credential')]
    const gone = error instanceof Failure && error.category === 'not_found'
    return [failedBy(check, error, gone ? wrong : undefined)]
  }
}
