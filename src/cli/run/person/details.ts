/** The objects that a confirmation is about, as lines. */
import type { Details } from '../../../commands/services.js'

/** The lines, made only now where they are asked for late. */
export const linesOf = async (details: Details): Promise<readonly string[]> =>
  typeof details === 'function' ? details() : details
