/** Requests in the words of their instance. */
import type { Words } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import { buildRequest } from '../http/index.js'
import type { Ask, WireRequest } from '../http/types.js'

/** @throws Failure `not_found` for an endpoint that the instance has no more */
export const refuseGone = (
  { route }: Pick<Ask['endpoint'], 'route'>,
  words: Pick<Words, 'gone'> | undefined,
): void => {
  const hint = words?.gone(route)
  if (hint !== undefined)
    throw new Failure('not_found', `the instance no longer offers ${route}`, { hint })
}

/**
 * The request of an ask.
 * @param words the instance's own, where it has some
 * @throws Failure `not_found` for an endpoint that it has no more, `usage` where its words make it another
 */
export const requestIn = async (ask: Ask, words: Words | undefined): Promise<WireRequest> => {
  if (words === undefined) return buildRequest(ask)
  refuseGone(ask.endpoint, words)
  await words.check(ask.endpoint)
  return buildRequest(ask, words)
}
