/** Which items count as being there. */
import type { Managed } from '../catalogue/managed/managed.js'
import type { SeenItem } from './seen.js'
import { normalised } from './values.js'

const truth = { param: { type: 'boolean', help: '' } } as const

/** Whether an item counts as being there: an integration that is not active does not. */
export const isPresent = ({ present }: Managed, { record }: Pick<SeenItem, 'record'>): boolean => {
  if (present === undefined) return true
  const value = record[present]
  const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return !plain || normalised(truth, value) !== false
}
