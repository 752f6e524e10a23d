/** The profiles of a run and their tokens: whoever writes to them waits for another process that does. */
import type { Services } from '../engine/command/services.js'
import { getPaths, openStore, openTokens } from '../profile/index.js'

// How a command waits for another process: it says for whom, and an interruption ends it.

interface Patient {
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

/** What the rooms that lock their files hear and heed. */
export const patient = ({ ui, place }: Pick<Services, 'ui' | 'place'>): Patient => ({
  note: (text) => ui.note(text),
  signal: place.clock.signal,
})

type Waiting = Pick<Services, 'ui' | 'place'>

/** The profiles, with the names for lines. */
export const openProfileStore = (services: Waiting) =>
  openStore(getPaths(services.place.env), patient(services))

/** The tokens of profiles. */
export const openTokenStore = (services: Waiting) =>
  openTokens(getPaths(services.place.env), services.place.env, patient(services))
