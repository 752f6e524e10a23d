/** Where a record shows what a parameter sets, and how. */
import { type Fields, isObject } from '../../../base/objects.js'
import type { Endpoint } from '../../../catalogue/endpoint.js'

/** Where a record shows a parameter; identities go under what they are of (`user_ids`: `users`). */
export const shownIn = (
  record: Fields,
  name: string,
  { echo }: Pick<Endpoint, 'echo'>,
): unknown => {
  const within = echo === undefined ? undefined : record[echo]
  const plain = name.replace(/_ids$/, '')
  const near = plain === name ? [name] : [name, `${plain}s`, `${plain}es`]
  return near
    .flatMap((one) => [record[one], isObject(within) ? within[one] : undefined])
    .find((value) => value !== undefined)
}

/** Objects that stand for their identities, as such. */
export const asSent = (now: unknown, sent: unknown): unknown => {
  if (Array.isArray(now) && Array.isArray(sent))
    return now.map((one: unknown) => (isObject(one) && 'id' in one ? one.id : one))
  return isObject(now) && !isObject(sent) && 'id' in now ? now.id : (now ?? null)
}
