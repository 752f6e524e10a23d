/** Holds an answer to what its endpoint's shape promises: every field of it, and no other. */
import { Errors } from 'typebox/value'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { collectRoutes, createFinder } from '../../src/sandbox/server/routes.js'

const finder = createFinder(collectRoutes())
/** The endpoint that a route leads to; undefined for a route outside the documents. */
const endpointAt = (method: string, path: string): Endpoint | undefined => {
  const [plain = ''] = path.split('?')
  const found = finder.find(method, `/api/v4${plain}`)
  return 'value' in found ? found.value.endpoint : undefined
}

/** What is wrong with one record: fields that lack, are of another type, or that the shape does not have. */
const breaches = ({ returns: { shape } }: Endpoint, record: unknown): readonly string[] => {
  if (shape === null || typeof record !== 'object' || record === null) return []
  const known = 'properties' in shape ? Object.keys(shape.properties as object) : undefined
  return [
    ...Errors(shape, record).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    ),
    ...Object.keys(record)
      .filter((name) => known?.includes(name) === false)
      .map((name) => `has ${name}, which the shape does not`),
  ]
}

/** @throws Error for a JSON answer that is not as its endpoint promises */
export const holdToShape = (method: string, path: string, body: unknown): void => {
  const endpoint = endpointAt(method, path)
  if (endpoint === undefined || body === undefined) return
  const records: readonly unknown[] =
    endpoint.returns.kind === 'many' && Array.isArray(body) ? body : [body]
  const wrong = [...new Set(records.flatMap((record) => breaches(endpoint, record)))]
  if (wrong.length > 0)
    throw new Error(`${endpoint.route} answers ${wrong.slice(0, 12).join('; ')}`)
}
