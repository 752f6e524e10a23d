/** Lists the commands of extensions as rows, and compares them before and after an update. */
import type { Endpoint, Endpoints } from '../catalogue/endpoint.js'
import type { CompiledExtension } from '../extension/compile.js'
import { getRequest, type Operation } from '../extension/operation.js'

export interface CommandRow {
  readonly command: string
  readonly request: string
  readonly summary: string
}

/** Lists the commands of compiled endpoints. */
export const toRows = (
  all: readonly { readonly area: string; readonly endpoints: Endpoints }[],
): readonly CommandRow[] =>
  all.flatMap(({ area, endpoints }) =>
    Object.values<Endpoint>(endpoints).map(({ command, route, summary }) => ({
      command: `${area} ${command}`,
      request: route,
      summary,
    })),
  )

export const toCommandRows = ({ areas: compiled }: CompiledExtension): readonly CommandRow[] =>
  toRows(Object.entries(compiled).map(([area, endpoints]) => ({ area, endpoints })))

/** The commands and operations of an extension, before or after an update. */
export interface ExtensionState {
  readonly rows: readonly CommandRow[]
  readonly operations: readonly Operation[]
}

const getRowKey = ({ command, request }: CommandRow): string => `${command} ${request}`

/** Describes what an operation declares, by its request. Its position in the file does not count. */
const describeOperations = (operations: readonly Operation[]): ReadonlyMap<string, string> =>
  new Map(operations.map(({ at, ...one }) => [getRequest(one), JSON.stringify(one)]))

/** Compares the commands of an extension before and after an update, one row for each added, changed or removed one. */
export const compareRows = (before: ExtensionState, after: ExtensionState) => {
  const known = new Set(before.rows.map(getRowKey))
  const now = new Set(after.rows.map(getRowKey))
  const was = describeOperations(before.operations)
  const is = describeOperations(after.operations)
  const toChange = (row: CommandRow): string | undefined => {
    if (!known.has(getRowKey(row))) return 'added'
    return was.get(row.request) === is.get(row.request) ? undefined : 'changed'
  }
  return [
    ...after.rows.flatMap((row) => {
      const change = toChange(row)
      return change === undefined ? [] : { change, ...row }
    }),
    ...before.rows
      .filter((row) => !now.has(getRowKey(row)))
      .map((row) => ({ change: 'removed', ...row })),
  ]
}
