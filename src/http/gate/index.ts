/** The gates of a process: one for each origin, shared by everything that asks it. */
import { FleetGate, type GateOptions } from './gate.js'

export { parseRate, stricter, wholeAllowance } from './pace.js'

/** Gives the gate of a base URL's origin; the same one each time. */
export const gates = (options: GateOptions = {}): ((baseUrl: string) => FleetGate) => {
  const made = new Map<string, FleetGate>()
  return (baseUrl) => {
    const { origin } = new URL(baseUrl)
    const gate = made.get(origin) ?? new FleetGate(options)
    made.set(origin, gate)
    return gate
  }
}
