/** Endpoints → the command that they make by themselves. */
import type { Endpoints } from '../../catalogue/endpoint.js'
import type { Described } from '../described.js'
import { argumentsOf } from './arguments.js'
import { mergeFlags } from './flags.js'

export const derived = (area: string, words: string, endpoints: Endpoints): Described => {
  const all = Object.values(endpoints)
  return {
    area,
    words,
    summary: all[0]?.summary ?? '',
    args: argumentsOf(all),
    flags: mergeFlags(all),
    endpoints,
  }
}

/** A command as its endpoints alone make it, without what was written by hand. */
export const plainOf = ({ area, words, endpoints }: Described): Described =>
  derived(area, words, endpoints)
