/** Access levels by the names that `--access-level` takes back: in tables and csv, for people. */
import { accessLevels } from './shapes/common.js'

const names = new Map<unknown, string>(
  Object.entries(accessLevels).map(([name, level]) => [level, name]),
)
const column = /(^|[._])access_level$/

/** The name of a level under a field of that name; undefined for a custom number and anything else. */
export const getLevelName = (field: string | undefined, value: unknown): string | undefined =>
  field !== undefined && typeof value === 'number' && column.test(field)
    ? names.get(value)
    : undefined
