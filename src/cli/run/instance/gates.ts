/** The gates of a run: how many requests at once, and how fast, by its flags and its profile. */
import type { Globals } from '../../../commands/globals.js'
import { survived } from '../../../errors.js'
import type { FleetGate } from '../../../fleet/gate/gate.js'
import type { Profile } from '../../../profile/types.js'

/** What a person says of how much is asked at once. */
export type Ceilings = Pick<Globals, 'concurrency' | 'rate'>

/** A profile that is not there yet, since it is signed in to, has no rate; for any other the session refuses. */
const none = (error: unknown): undefined => {
  survived(error)
  return undefined
}

/** Gives the gate of an address, the same one for all of an origin; loaded with the first request. */
export const gatesOf = (
  { concurrency = 'auto', rate }: Ceilings,
  profile: () => Promise<Profile | undefined>,
  note: (text: string) => void,
): ((baseUrl: string) => Promise<FleetGate>) => {
  const make = async (): Promise<(baseUrl: string) => FleetGate> => {
    const { gates, parseRate, stricter } = await import('../../../fleet/gate/index.js')
    const asked = rate === undefined ? undefined : parseRate(rate)
    const kept = (await profile().catch(none))?.rate
    const least = stricter(asked, kept === undefined ? undefined : parseRate(kept))
    return gates({ concurrency, note, rate: least })
  }
  let made: ReturnType<typeof make> | undefined
  return async (baseUrl) => {
    made ??= make()
    return (await made)(baseUrl)
  }
}
