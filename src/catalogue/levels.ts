/** Converts access levels to the names that `--access-level` accepts, for people who read tables and CSV. */
import { accessLevels } from './shapes/common.js'

const names = new Map<unknown, string>(
  Object.entries(accessLevels).map(([name, level]) => [level, name]),
)
const column = /(^|[._])access_level$/

/** Returns the name of an access level in a field; undefined for other fields, and for levels without a name. */
export const getLevelName = (field: string | undefined, value: unknown): string | undefined =>
  field !== undefined && typeof value === 'number' && column.test(field)
    ? names.get(value)
    : undefined
