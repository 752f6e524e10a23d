/** Requests completion values from an instance. Loaded only if none are cached, because the client takes as long as the rest of a completion. */

import { toClock } from '../base/async.js'
import type { Io } from '../base/io.js'
import { userAgent } from '../base/version.js'
import { createInstance } from '../client/instance.js'
import { createWordsLoader } from '../engine/command/load-words.js'
import { readSources } from '../engine/plan/read-values.js'
import type { NamedPlaces } from '../engine/plan/value-lists.js'
import { createTransport } from '../profile/transport.js'
import type { Session } from '../profile/types.js'
import { timeLimit } from './tab-candidates.js'

/** Requests values from the instance within the time limit of completion, in its vocabulary. */
export const requestValues = async (
  what: string,
  places: NamedPlaces,
  session: Session,
  line: readonly string[],
  io: Io,
) => {
  const { env } = io
  const instance = createInstance({
    clock: toClock(io),
    baseUrl: session.baseUrl,
    timeout: timeLimit,
    retries: 0,
    userAgent,
    signal: AbortSignal.timeout(timeLimit * 1000),
    credential: async (need) => (need === 'job' ? session.getJobToken() : session.getCredential()),
    loadTransport: () => createTransport(session, false, env),
    sudo: session.sudo,
    words: await createWordsLoader(line, env)(),
  })
  try {
    return await readSources(what, places, async (ask) => (await instance.send(ask)).data)
  } finally {
    await instance.close()
  }
}
