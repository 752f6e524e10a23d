/** Objects among unknown values. */

/** Whether a value is an object with string keys: no list, no null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
