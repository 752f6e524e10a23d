/** The columns that name the targets of a line, as fields of its records. */

import type { ComputedFields } from '../../catalogue/pick.js'
import { getScope, hasForm } from './derive.js'
import type { Globals } from './globals.js'
import type { Command, Plan, TargetColumn } from './types.js'

/** The columns of the target of a list, with their values. */
export type TargetValues = Readonly<Partial<Record<TargetColumn, string>>>

const createFields = (values: TargetValues): ComputedFields =>
  Object.fromEntries(Object.entries(values).map(([column, value]) => [column, () => value]))

/** A command whose line has a target for each of its records; `addOnly` adds the columns of a target that is the only one. */
interface TargetedCommand {
  readonly command: Command
  readonly addOnly: (values: TargetValues) => void
}

/**
 * Makes the columns of a line's targets fields of its records.
 * @param columns the columns of several targets, which win over fields of that name
 */
export const withTargets = (
  command: Command,
  columns: readonly (TargetColumn | undefined)[],
): TargetedCommand => {
  const computedFields = { ...command.computedFields }
  const targetColumns = columns.filter((column) => column !== undefined)
  return {
    command: { ...command, computedFields, targetColumns },
    addOnly: (values) => void Object.assign(computedFields, createFields(values)),
  }
}

/** Returns the project or group whose list is read, by its column. */
export const getListTarget = ({ endpoint, values }: Plan): TargetValues => {
  const scope = getScope(endpoint)
  const value = scope === undefined ? undefined : values[scope.placeholder]
  return scope === undefined || value === undefined ? {} : { [scope.kind]: String(value) }
}

/** Returns the project or group that the flags of a line name, by its column. */
export const getFlagTarget = (
  command: Command,
  flags: ReadonlyMap<string, readonly string[]>,
): TargetValues =>
  Object.fromEntries(
    (['project', 'group'] as const).flatMap((kind) => {
      const name = hasForm(command, kind) ? flags.get(kind)?.at(-1) : undefined
      return name === undefined ? [] : [[kind, name]]
    }),
  )

/** Returns true if a line may have a field that names an instance or a snapshot. */
export const mayNameSite = ({
  fields = [],
  groupBy = [],
  sort = [],
  where = [],
}: Pick<Globals, 'fields' | 'groupBy' | 'sort' | 'where'>): boolean =>
  [...fields, ...groupBy, ...sort, ...where].some((text) => /\b(?:profile|snapshot)\b/.test(text))
