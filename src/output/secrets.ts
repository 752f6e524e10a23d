/** Credentials in answers: found by the name of their field, shown only on demand. */

/** What stands in a secret's place. */
export const masked = '[masked]'

const hide = (value: unknown): unknown =>
  value === null || value === undefined || value === '' ? value : masked

/**
 * The value with every secret field masked, at any depth; the same value where there is none.
 * An absent, null or empty secret is no secret: that it is not set may be seen.
 * @param secret true when the value itself stands under a secret name
 */
export const mask = (value: unknown, secrets: ReadonlySet<string>, secret: boolean): unknown => {
  if (secret) return hide(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mask(item, secrets, false))
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mask(inner, secrets, secrets.has(key))]),
  )
}
