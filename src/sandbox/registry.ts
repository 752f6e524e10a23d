/** A row an area of the embedded instance: its handlers and what it adds to the catalogue. */
import type { AnyHandlers, AreaExtras } from './handlers.js'

export interface HandlerRow extends AreaExtras {
  readonly load: () => Promise<AnyHandlers>
}

/** By the area's name in the catalogue. */
export const registry: Readonly<Record<string, HandlerRow>> = {
  runners: { load: async () => (await import('./areas/runners.js')).handlers },
}
