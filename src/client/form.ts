/** A form on its way to an address of its own: the one request that the room of profiles needs. */
import { Failure } from '../errors.js'
import { createClient } from '../http/index.js'
import type { ClientOptions, Transport } from '../http/types.js'

/** How a form is sent, by whom, and how long its answer is waited for. */
export interface FormOptions extends Pick<ClientOptions, 'userAgent' | 'signal'> {
  readonly transport?: Transport
  /** Seconds. */
  readonly timeout: number
}

/**
 * Sends the form of an OAuth refresh, once; whatever answer comes is given back. Nothing of it is told.
 * @throws Failure where none came
 */
export const postForm = async (
  url: string,
  form: Readonly<Record<string, string>>,
  way: FormOptions,
): Promise<{ status: number; body: unknown }> => {
  const client = await createClient({ ...way, baseUrl: new URL(url).origin, retries: 0 })
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
    throw error
  } finally {
    await client.close()
  }
}
