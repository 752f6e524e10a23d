/** Looking into answers whose shape only the instance knows. */
export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The items of a value that are objects; none where it is no list. */
export const objects = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
