/** Every request of the program is in the catalogue: documented, or implied. */
import { expect, it } from 'vitest'
import { getMethod, getPath } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { implied } from '../../src/catalogue/undocumented.js'
import { apiRoot } from '../../src/sandbox/call.js'
import { extraRoutes } from '../../src/sandbox/server/extras.js'
import { readSource, sourceFiles } from '../support/source.js'

const documented = (await Promise.all(areas.map(({ load }) => load()))).flatMap((all) =>
  Object.values(all).map((endpoint) => `${getMethod(endpoint)} ${getPath(endpoint)}`),
)
const known = new Set([...documented, ...implied.map(({ route }) => route)])

/** True if a route belongs to a resource that the program reads. The embedded instance serves every route of these. */
const isOfReadResource = (route: string): boolean =>
  implied.some(({ route: read }) => `${route.replace(/^\w+/, 'GET')}/`.startsWith(`${read}/`)) ||
  // A pipeline is created at another path than the one of the list.
  route === 'POST /projects/:id/pipeline'

it('the embedded instance has no route beside them but those of the same resources, and that of tokens', () => {
  const routes = extraRoutes.map(({ method, path }) => `${method} ${path.replace(apiRoot, '')}`)
  expect(routes.length).toBeGreaterThan(40)
  expect(
    routes.filter((route) => !known.has(route) && !isOfReadResource(route)),
    'add the route to src/catalogue/undocumented.ts, or remove it from the embedded instance',
  ).toEqual(['POST /oauth/token'])
})

it('the embedded instance serves each of them', () => {
  const routes = new Set(
    extraRoutes.map(({ method, path }) => `${method} ${path.replace(apiRoot, '')}`),
  )
  const both = implied.map(({ route }) => route).filter((route) => !documented.includes(route))
  expect(
    both.filter((route) => !routes.has(route)),
    'serve the route in src/sandbox/server/extras.ts',
  ).toEqual([])
  expect(routes).toContain('GET /metadata')
})

/** The first segments of all paths. */
const roots = [...known].flatMap((route) => route.split('/')[1] ?? [])
const pathPattern = new RegExp(
  `['"\`](/(?:${[...new Set(roots)].join('|')})(?:[/?][^'"\`]*[^'"\`/])?)['"\`]`,
  'g',
)
const removeComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

it('no file names a path that is not among them', () => {
  const outside = sourceFiles.filter(
    (file) => !/^(?:(?:catalogue|sandbox|cli\/help)\/|commands\/recipes\.ts)/.test(file),
  )
  const found = outside.flatMap((file) =>
    [...removeComments(readSource(file)).matchAll(pathPattern)].map(([, text = '']) => ({
      file,
      path: text.replace(/\?.*$/, ''),
    })),
  )
  expect(found.length).toBeGreaterThan(8)
  expect(
    found.filter((one) => !known.has(`GET ${one.path}`)),
    'take the path from an endpoint of the catalogue, or add it to src/catalogue/undocumented.ts',
  ).toEqual([])
})
