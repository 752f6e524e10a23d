/** The refresh of an OAuth token on its way: the one request that the room of profiles needs. */
import { Failure } from '../../../errors.js'
import { createClient } from '../../../http/index.js'
import type { Transport } from '../../../http/types.js'
import { userAgent } from '../../words/version.js'
import { worded } from '../instance/advice.js'

/** Seconds for a refresh, where neither flag nor profile says. */
export const refreshTimeout = 30

interface How {
  readonly transport?: Transport
  readonly timeout: number
  readonly signal: AbortSignal
}

/**
 * Sends the form of an OAuth refresh; whatever answer comes is given back.
 * @throws Failure where none came
 */
export const sendForm = async (
  url: string,
  form: Readonly<Record<string, string>>,
  { transport, timeout, signal }: How,
): Promise<{ status: number; body: unknown }> => {
  const client = await createClient({
    baseUrl: new URL(url).origin,
    timeout,
    retries: 0,
    userAgent,
    signal,
    ...(transport === undefined ? {} : { transport }),
  })
  try {
    const whole = await client.call({
      method: 'POST',
      path: url,
      absolute: true,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      sealed: true,
    })
    return { status: whole.status, body: whole.data }
  } catch (error) {
    if (error instanceof Failure && error.details.status !== undefined)
      return { status: error.details.status, body: { error: error.details.code } }
    throw worded(error)
  } finally {
    await client.close()
  }
}
