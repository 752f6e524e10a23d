/** Requests completion values from an instance. Loaded only if none are cached, because the client takes as long as the rest of a completion. */

import { userAgent } from '../base/version.js'
import type { Words } from '../catalogue/words.js'
import { createInstance } from '../client/instance.js'
import { findOwnWords, getWordsFor } from '../engine/command/words.js'
import { readSources } from '../engine/plan/read-values.js'
import type { NamedPlaces } from '../engine/plan/value-lists.js'
import type { Ask } from '../http/types.js'
import { createTransport } from '../profile/transport.js'
import type { Session } from '../profile/types.js'
import { timeLimit } from './tab-candidates.js'

/** Sends one request within the time limit of completion, and returns the data of its answer. */
const sendQuickly = async (
  session: Session,
  ask: Ask,
  env: NodeJS.ProcessEnv,
  words: Words | undefined,
) => {
  const instance = createInstance({
    baseUrl: session.baseUrl,
    timeout: timeLimit,
    retries: 0,
    userAgent,
    signal: AbortSignal.timeout(timeLimit * 1000),
    credential: async (need) => (need === 'job' ? session.getJobToken() : session.getCredential()),
    loadTransport: () => createTransport(session, false, env),
    sudo: session.sudo,
    words,
  })
  try {
    return (await instance.send(ask)).data
  } finally {
    await instance.close()
  }
}

/** Requests values from the instance, in its vocabulary. */
export const requestValues = async (
  what: string,
  places: NamedPlaces,
  session: Session,
  line: readonly string[],
  env: NodeJS.ProcessEnv,
) => {
  const words = getWordsFor(await findOwnWords(line, env)(), session.baseUrl)
  return readSources(what, places, (ask) => sendQuickly(session, ask, env, words))
}
