/** How a command waits for another process: it says for whom, and an interruption ends it. */
import type { Services } from '../engine/command/services.js'

interface Patient {
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

/** What the rooms that lock their files hear and heed. */
export const patient = ({ person, place }: Pick<Services, 'person' | 'place'>): Patient => ({
  note: (text) => person.note(text),
  signal: place.clock.signal,
})
