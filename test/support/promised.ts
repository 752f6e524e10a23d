/** Holds an answer to what its endpoint's shape promises: every field of it, and no other. */
import { Errors } from 'typebox/value'
import type { Endpoint, ResultOf } from '../../src/catalogue/endpoint.js'
import type { AreaEndpoints } from '../../src/catalogue/index.js'
import { collectRoutes, createRouteFinder } from '../../src/sandbox/server/routes.js'

/** What is left of a route, with a slash behind each segment, and the endpoint that it leads to. */
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
/** Rows by their next segment, without it. */
type Branches<R> = { [Row in R as Segment<Row>]: Tail<Row> }
/**
 * The rows that go on with this text: as in the router, a segment of that name wins over a placeholder.
 * A text that is known only when the test runs fills a placeholder.
 */
type Below<B, Text> = Text extends keyof B ? B[Text] : B extends { ':': infer R } ? R : never
type Along<R, Path> = Path extends `${infer Text}/${infer Rest}`
  ? Along<Below<Branches<R>, Text>, Rest>
  : Below<Branches<R>, Path>

type Answered<Row> = [Row] extends [never]
  ? unknown
  : Row extends readonly ['', infer E]
    ? ResultOf<E>
    : never
/** What the endpoint that a route leads to answers with; unknown where the compiler cannot tell, or no document has it. */
export type AnswerTo<Route extends string> = Answered<
  Extract<
    Along<Rows, Route extends `${infer Path}?${string}` ? Path : Route>,
    readonly ['', unknown]
  >
>

const finder = createRouteFinder(collectRoutes())
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
  const { kind } = endpoint.returns
  if (kind === 'empty' || (kind === 'many' && !Array.isArray(body)))
    throw new Error(`${endpoint.route} answers ${JSON.stringify(body).slice(0, 200)}`)
  const records: readonly unknown[] = kind === 'many' && Array.isArray(body) ? body : [body]
  const wrong = [...new Set(records.flatMap((record) => breaches(endpoint, record)))]
  if (wrong.length > 0)
    throw new Error(`${endpoint.route} answers ${wrong.slice(0, 12).join('; ')}`)
}
