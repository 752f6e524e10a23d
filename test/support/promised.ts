/** Checks answers against the shapes of their endpoints: each field must be there, and no other. */
import { Errors } from 'typebox/value'
import type { Endpoint, ResultOf } from '../../src/catalogue/endpoint.js'
import type { AreaEndpoints } from '../../src/catalogue/index.js'
import { collectRoutes, createRouteFinder } from '../../src/sandbox/server/routes.js'

/** Pairs of the rest of a route, with a slash after each segment, and its endpoint. */
type Rows<A = AreaEndpoints> = A extends unknown
  ? {
      [K in keyof A]: A[K] extends { readonly route: infer R extends string }
        ? readonly [rest: `${R}/`, endpoint: A[K]]
        : never
    }[keyof A]
  : never

type Segment<Row> = Row extends readonly [`:${string}`, unknown]
  ? ':'
  : Row extends readonly [`${infer Name}/${string}`, unknown]
    ? Name
    : never
type Tail<Row> = Row extends readonly [`${string}/${infer Rest}`, infer E]
  ? readonly [Rest, E]
  : never
/** Groups rows by their next segment, which is removed. */
type Branches<R> = { [Row in R as Segment<Row>]: Tail<Row> }
/**
 * The rows whose route continues with this text: as in the router, a segment of that name wins over a placeholder.
 * A text that is known only when the test runs fills a placeholder.
 */
type Below<B, Text> = Text extends keyof B ? B[Text] : B extends { ':': infer R } ? R : never
type Along<R, Path> = Path extends `${infer Text}/${infer Rest}`
  ? Along<Below<Branches<R>, Text>, Rest>
  : Below<Branches<R>, Path>

type AnswerOf<Row> = [Row] extends [never]
  ? unknown
  : Row extends readonly ['', infer E]
    ? ResultOf<E>
    : never
/** The answer of the endpoint of a route; unknown if the compiler cannot find it, or no document declares it. */
export type AnswerTo<Route extends string> = AnswerOf<
  Extract<
    Along<Rows, Route extends `${infer Path}?${string}` ? Path : Route>,
    readonly ['', unknown]
  >
>

const finder = createRouteFinder(collectRoutes())
/** Finds the endpoint of a route. Returns undefined for a route outside the documents. */
const findEndpoint = (method: string, path: string): Endpoint | undefined => {
  const [plain = ''] = path.split('?')
  const found = finder.find(method, `/api/v4${plain}`)
  return 'value' in found ? found.value.endpoint : undefined
}

/** Lists the violations of one record: missing fields, wrong types, and fields that the shape does not have. */
const listViolations = ({ returns: { shape } }: Endpoint, record: unknown): readonly string[] => {
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

/** @throws Error for a JSON answer that does not match the shape of its endpoint */
export const expectShape = (method: string, path: string, body: unknown): void => {
  const endpoint = findEndpoint(method, path)
  if (endpoint === undefined || body === undefined) return
  const { kind } = endpoint.returns
  if (kind === 'empty' || (kind === 'many' && !Array.isArray(body)))
    throw new Error(`${endpoint.route} answers ${JSON.stringify(body).slice(0, 200)}`)
  const records: readonly unknown[] = kind === 'many' && Array.isArray(body) ? body : [body]
  const wrong = [...new Set(records.flatMap((record) => listViolations(endpoint, record)))]
  if (wrong.length > 0)
    throw new Error(`${endpoint.route} answers ${wrong.slice(0, 12).join('; ')}`)
}
