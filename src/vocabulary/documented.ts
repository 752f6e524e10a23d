/** What the catalogue calls things: all names that a vocabulary can speak of. */
import { isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { areas } from '../catalogue/index.js'
import type { Param, Params } from '../catalogue/params.js'
import { propertiesOf } from '../catalogue/shapes/properties.js'

/** The names of parameters, and of the keys within them, a list a level. */
const levelsOf = (params: Params): readonly (readonly string[])[] => [
  Object.keys(params),
  ...Object.values(params).flatMap((param) => {
    const inner = keysOf(param)
    return inner === undefined ? [] : levelsOf(inner)
  }),
]

const keysOf = (param: Param): Params | undefined => {
  if (param.type === 'hash') return param.keys
  return param.type === 'json' ? param.items : undefined
}

/** The fields of a shape, and of the objects in it, a list an object. */
const objectsIn = (
  schema: unknown,
  seen: Set<unknown> = new Set(),
): readonly (readonly string[])[] => {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const properties = propertiesOf(schema)
  const { items, anyOf } = schema
  return [
    ...(properties === undefined ? [] : [Object.keys(properties)]),
    ...Object.values(properties ?? {}).flatMap((inner) => objectsIn(inner, seen)),
    ...objectsIn(items, seen),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((inner: unknown) => objectsIn(inner, seen)) : []),
  ]
}

/** The lists of names of an endpoint in which no two may become one. */
export const listsOf = ({ path, params, returns }: Endpoint): readonly (readonly string[])[] => {
  const [top = [], ...inner] = levelsOf(params)
  return [[...Object.keys(path), ...top], ...inner, ...objectsIn(returns.shape)]
}

/** An endpoint with the area it is of. */
export interface OfArea {
  readonly area: string
  readonly endpoint: Endpoint
}

/** Every endpoint there is. */
export const everyEndpoint = async (): Promise<readonly OfArea[]> => {
  const loaded = await Promise.all(
    areas.map(async ({ name, load }) => [name, await load()] as const),
  )
  return loaded.flatMap(([area, endpoints]) =>
    Object.values(endpoints).map((endpoint) => ({ area, endpoint })),
  )
}
