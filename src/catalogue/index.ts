/** A row an area: name, the other name it answers to, one line about it, and its loader. */
import type { Endpoints } from './endpoint.js'

export interface AreaRow {
  readonly name: string
  /** The singular or plural that is accepted too. */
  readonly alias?: string
  readonly summary: string
  readonly load: () => Promise<Endpoints>
}

export const areas: readonly AreaRow[] = [
  {
    name: 'runners',
    alias: 'runner',
    summary: 'machines that run jobs',
    load: async () => (await import('./areas/runners.js')).runners,
  },
]
