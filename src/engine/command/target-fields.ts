/** Adds the columns that name the targets of a line to the fields of its records. */

import { type JsonValues, mapValues } from '../../base/objects.js'
import type { ComputedFields } from '../../catalogue/pick.js'
import type { Ask } from '../../http/types.js'
import { getScope, hasScopeEndpoint } from './derive.js'
import type { Globals } from './globals.js'
import type { Command, Plan, TargetColumn } from './types.js'

/** The values of the columns that name a target. */
export type TargetValues = Readonly<Partial<Record<TargetColumn, string>>>

const createFields = (values: TargetValues): ComputedFields =>
  mapValues(values, (value) => () => value)

/** A command with target columns. `addOnly` adds the columns of the only target of a line, once it is known. */
interface TargetedCommand {
  readonly command: Command
  readonly addOnly: (values: TargetValues) => void
}

/**
 * Adds the target columns of a line to the computed fields of its command.
 * @param columns the columns of several targets; they override fields of the same name
 */
export const withTargets = (
  command: Command,
  columns: readonly (TargetColumn | undefined)[],
): TargetedCommand => {
  const computedFields = { ...command.computedFields }
  const targetColumns = columns.filter((column) => column !== undefined)
  return {
    command: { ...command, computedFields, targetColumns },
    addOnly: (values) => {
      const only = Object.entries(createFields(values)).filter(
        ([column]) => !targetColumns.some((own) => own === column),
      )
      Object.assign(computedFields, Object.fromEntries(only))
    },
  }
}

/** Returns the project or group whose list is read, by the name of its flag. */
export const getListScope = ({ endpoint, values }: Ask): JsonValues => {
  const scope = getScope(endpoint)
  const value = scope === undefined ? undefined : values[scope.placeholder]
  return scope === undefined || value === undefined ? {} : { [scope.kind]: value }
}

/** Returns the project or group whose list a plan reads, by its column. */
export const getListTarget = (plan: Plan): TargetValues => mapValues(getListScope(plan), String)

/** Returns the project or group in the flags of a line, by its column. */
export const getFlagTarget = (
  command: Command,
  flags: ReadonlyMap<string, readonly string[]>,
): TargetValues =>
  Object.fromEntries(
    (['project', 'group'] as const).flatMap((kind) => {
      const name = hasScopeEndpoint(command, kind) ? flags.get(kind)?.at(-1) : undefined
      return name === undefined ? [] : [[kind, name]]
    }),
  )

/** True if a flag of a line may name a field with the profile or the snapshot. */
export const mayNameSite = ({
  fields = [],
  groupBy = [],
  sort = [],
  where = [],
}: Pick<Globals, 'fields' | 'groupBy' | 'sort' | 'where'>): boolean =>
  [...fields, ...groupBy, ...sort, ...where].some((text) => /\b(?:profile|snapshot)\b/.test(text))
