/** Collects the facts of a command about the fields of its records, for conditions and orders. */
import { findNearest } from '../../base/suggest.js'
import { findLevelNames } from '../../catalogue/shapes/common.js'
import type { Known } from '../where/index.js'
import type { CommandFacts } from './types.js'

type RecordCommand = Pick<
  CommandFacts,
  'area' | 'computedFields' | 'instanceFields' | 'known' | 'naming'
>

/** Returns the undocumented values of a field: those that the instance has, and those in its vocabulary. */
const listLearntValues = (
  { area, known, naming }: RecordCommand,
  field: string,
): readonly string[] => {
  const of = `${area}.${field}`
  const { values = {} } = known ?? {}
  return [...((Object.hasOwn(values, of) ? values[of] : undefined) ?? []), ...naming.values(of)]
}

/**
 * Returns what a command knows about the fields of its records.
 * @param now the time that ages count from
 */
export const createKnown = (command: RecordCommand, now: Date): Known => ({
  now: now.getTime(),
  getNumberNames: findLevelNames,
  findNearest,
  computed: command.computedFields,
  undocumented: command.instanceFields,
  naming: command.naming,
  getLearntValues: (field) => listLearntValues(command, field),
})
