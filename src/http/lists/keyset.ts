/**
 * Past 50,000 projects: `GET /projects` by offset ends there with 405, and goes on by id
 * (`http/README.md`; `id_after` and `id_before` of `GET /projects`).
 */
import { Failure } from '../../errors.js'
import { details } from '../advice.js'
import type { WireRequest } from '../types.js'

const endsByOffset = ({ details }: Failure, { keyset }: WireRequest): boolean =>
  keyset === true && details.status === 405

const idOf = (record: Uint8Array | undefined): number | undefined => {
  if (record === undefined) return undefined
  const value: unknown = JSON.parse(Buffer.from(record).toString())
  return typeof value === 'object' && value !== null && 'id' in value && Number.isInteger(value.id)
    ? Number(value.id)
    : undefined
}

/**
 * The request that goes on after `last`, where the list is in the order of ids.
 * @throws Failure the instance's own, with a hint, where the order does not allow it
 */
export const pastOffset = (
  error: unknown,
  request: WireRequest,
  last: Uint8Array | undefined,
): WireRequest => {
  if (!(error instanceof Failure) || !endsByOffset(error, request)) throw error
  const [path, query] = request.path.split('?', 2)
  const parameters = new URLSearchParams(query)
  // A list that does not even begin ends for another reason.
  if (last === undefined && !parameters.has('pagination')) throw error
  const id = idOf(last)
  if (parameters.get('order_by') !== 'id' || id === undefined)
    throw new Failure(error.category, error.message, {
      ...error.details,
      ...details({ code: 'order-by-id' }),
    })
  const ascending = parameters.get('sort') === 'asc'
  parameters.delete('page')
  parameters.set(ascending ? 'id_after' : 'id_before', String(id))
  if (ascending) parameters.set('pagination', 'keyset')
  return { method: 'GET', path: `${path}?${parameters}`, headers: {}, keyset: true }
}
