/** Tests raw requests of any shape: no answer is 5xx, every body matches its media type, and the instance keeps answering. */
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getPath } from '../../src/catalogue/endpoint.js'
import type { Param, Params } from '../../src/catalogue/params.js'
import { readState } from '../../src/sandbox/index.js'
import { collectRoutes, type ServedRoute } from '../../src/sandbox/server/routes.js'
import { countDraws } from '../support/draws.js'
import { toExamplePath } from './addresses.js'
import { useFreshSandbox } from './instance.js'

/** The time at which the clock of the instance is stopped; undefined while it runs. */
let stoppedAt: Date | undefined
const { send, url, folder } = useFreshSandbox({ now: () => stoppedAt ?? new Date() })

interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Writes bytes to the instance, and reads the whole answer. */
const sendBytes = (bytes: Buffer): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(new URL(url()).port), '127.0.0.1')
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => {
      const came = Buffer.concat(chunks).toString('latin1')
      const answer = came.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
      const end = answer.indexOf('\r\n\r\n')
      const head = answer.slice(0, end)
      const body = answer.slice(end + 4)
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body })
    })
    socket.write(bytes)
    // The connection ends after this time, because some requests are never complete.
    socket.setTimeout(1500, () => socket.end())
  })

const nastyValue = fc.constantFrom(
  '',
  '0',
  '-1',
  '1',
  '2',
  'true',
  'null',
  'main',
  'None',
  '9007199254740993',
  '1e400',
  '%00',
  'a%00b',
  '%ff',
  '%zz',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31',
  '2026-11-01T10:00:00Z',
  '..%2f..%2fetc',
  '--help',
  '-n',
  'HEAD..main',
  '^main',
  '%40%7B',
  'refs/heads/main',
  '%F0%9F%92%A9',
  '%0d%0aX:1',
  'a'.repeat(3000),
  '__proto__',
  'constructor',
  '[]',
  '{}',
  'a,b',
  'issue',
)
const word = fc.oneof(nastyValue, fc.string({ maxLength: 20 }).map(encodeURIComponent))

const common = ['page', 'per_page', 'pagination', 'sudo', 'search', '__proto__', 'private_token']
const listNames = (route: ServedRoute): readonly string[] => [
  ...Object.keys(route.endpoint?.params ?? {}),
  ...common,
]
const brackets = fc.constantFrom('[]', '[a]', '[labels]', '[][action]', '[', ']', '[][][]')

const decodeText = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Creates values that the parameter accepts, or nearly. */
const createLikelyValue = (param: Param): fc.Arbitrary<unknown> => {
  switch (param.type) {
    case 'integer':
      return fc.integer({ min: 0, max: 50 })
    case 'boolean':
      return fc.boolean()
    case 'enum':
      return fc.constantFrom(...param.values)
    case 'list':
      return fc.array(
        param.of === 'integer'
          ? fc.integer({ min: 0, max: 5 }).map(String)
          : fc.constantFrom(...(param.values ?? ['a', 'bug'])),
        { maxLength: 3 },
      )
    case 'hash':
      return param.keys === undefined
        ? fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 })
        : fc.record(mapParams(param.keys, createLikelyValue), { requiredKeys: [] })
    case 'json':
      return fc.array(action, { maxLength: 3 })
    default:
      return word.map(decodeText)
  }
}
const mapParams = <T>(params: Params, make: (param: Param) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(params).map(([name, param]) => [name, make(param)]))

const fileName = fc.constantFrom(
  'README.md',
  'a/b',
  'a',
  'new.txt',
  '.git/x',
  '.GIT',
  'git~1',
  'a\0b',
  'a\\b',
)
const action = fc.record(
  {
    action: fc.constantFrom('create', 'delete', 'move', 'update', 'chmod'),
    file_path: fileName,
    previous_path: fileName,
    content: fc.string(),
    encoding: fc.constantFrom('text', 'base64'),
    last_commit_id: word.map(decodeText),
    execute_filemode: fc.boolean(),
  },
  { requiredKeys: ['action', 'file_path'] },
)

const createParams = (route: ServedRoute) => {
  const params = route.endpoint?.params ?? {}
  const required = Object.entries(params).flatMap(([n, p]) => (p.required === true ? [n] : []))
  const any = (param: Param) =>
    fc.oneof(
      { weight: 6, arbitrary: createLikelyValue(param) },
      { weight: 1, arbitrary: word.map(decodeText) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    )
  return fc.record(mapParams(params, any), { requiredKeys: required })
}

const toPairs = (name: string, value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap((v) => toPairs(`${name}[]`, v))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, v]) => toPairs(`${name}[${key}]`, v))
  return [`${name}=${new URLSearchParams({ '': String(value) }).toString().slice(1)}`]
}
const createForm = (route: ServedRoute) =>
  createParams(route).map((all) =>
    Object.entries(all)
      .flatMap(([n, v]) => toPairs(n, v))
      .join('&'),
  )

/** Creates queries that no client would write: names with and without brackets, repeated, with any text. */
const createOddPairs = (route: ServedRoute) =>
  fc
    .array(fc.tuple(fc.constantFrom(...listNames(route)), brackets, word), { maxLength: 3 })
    .map((all) => all.map(([name, suffix, value]) => `${name}${suffix}=${value}`).join('&'))

const createPairs = (route: ServedRoute) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: createForm(route) },
    { weight: 1, arbitrary: createOddPairs(route) },
    {
      weight: 1,
      arbitrary: fc.tuple(createForm(route), createOddPairs(route)).map((both) => both.join('&')),
    },
  )

const createJson = (route: ServedRoute) =>
  fc.oneof(
    { weight: 6, arbitrary: createParams(route) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  )

const buildPart = ([name, value]: readonly [string, string]): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const createMultipart = (route: ServedRoute) =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...listNames(route)), word.map(decodeText)), {
        maxLength: 4,
      }),
      fc.constantFrom('--b--\r\n', '', '--b', '--c--'),
    )
    .map(([all, end]) => all.map(buildPart).join('') + end)

const types = [
  'application/json',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'multipart/form-data',
  'multipart/mixed; boundary=b',
  'text/plain',
  'x',
  ';',
]
/** Creates bodies of several types, mostly with the matching content type. */
const createBody = (route: ServedRoute) =>
  fc.oneof(
    fc.constant(['', ''] as const),
    createJson(route).map((value) => ['application/json', JSON.stringify(value)] as const),
    createPairs(route).map((text) => ['application/x-www-form-urlencoded', text] as const),
    createMultipart(route).map((text) => ['multipart/form-data; boundary=b', text] as const),
    fc.tuple(fc.constantFrom(...types), fc.string({ maxLength: 60 })),
  )

const createAddress = (route: ServedRoute) => {
  const path =
    route.endpoint === undefined ? String(route.url) : `/api/v4${getPath(route.endpoint)}`
  const wrong = path
    .split('/')
    .map((segment) => (/^[:*]/.test(segment) ? word : fc.constant(segment)))
  const right = toExamplePath(path.replace(/^\/api\/v4/, '')).replace(/\?.*/, '')
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(path.startsWith('/api') ? `/api/v4${right}` : path) },
    { weight: 1, arbitrary: fc.tuple(...wrong).map((all) => all.join('/')) },
  )
}

const oddHeader = fc.constantFrom(
  '',
  'range: bytes=5-2\r\n',
  'range: bytes=-\r\n',
  'if-unmodified-since: never\r\n',
  'expect: 100-continue\r\n',
  'sudo: %00\r\n',
  'accept: x\r\n',
  'upgrade: h2c\r\nconnection: upgrade\r\n',
  'transfer-encoding: chunked\r\n',
  'content-length: 3\r\n',
  'content-encoding: gzip\r\n',
  'cookie: _svc_session=%ff\r\n',
  'authorization: Basic =\r\n',
  'x-request-id: \xff\r\n',
)
const root = 'private-token: sandbox-root-token\r\n'
const tokens = [root, root, root, 'private-token: sandbox-ben-token\r\n', '']

const createRequest = (routes: readonly ServedRoute[]) =>
  fc.constantFrom(...routes).chain((route) =>
    fc
      .tuple(
        fc.oneof(
          { weight: 9, arbitrary: fc.constant(route.method) },
          { weight: 1, arbitrary: fc.constantFrom('OPTIONS', 'HEAD', 'DELETE', 'PURGE', 'get') },
        ),
        createAddress(route),
        createPairs(route),
        fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: oddHeader }),
        fc.constantFrom(...tokens),
        createBody(route),
      )
      .map(([method, path, query, extra, token, [type, content]]) => {
        const bytes = Buffer.from(content)
        const about =
          type === '' ? '' : `content-type: ${type}\r\ncontent-length: ${bytes.length}\r\n`
        const lines = `${method} ${path}?${query} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n`
        // latin1 keeps every byte, and a counterexample stays readable.
        return `${lines}${token}${extra}${about}\r\n${bytes.toString('latin1')}`
      }),
  )

const isFile = (head: string): boolean => /^content-disposition:/im.test(head)
const isWhole = (answer: RawAnswer): boolean => {
  if (answer.body === '' || isFile(answer.head)) return true
  if (!/^content-type: application\/json\r?$/im.test(answer.head)) return false
  JSON.parse(Buffer.from(answer.body, 'latin1').toString('utf8'))
  return true
}

/** Reads the state in the folder, without the runner that is renamed below. */
const readSavedState = async (): Promise<unknown> => {
  const { runners, ...others } = JSON.parse(JSON.stringify(await readState(folder())))
  return [others, runners.rows.slice(1)]
}

/** Expects the log of a state to have all changes in memory. A large log is replaced by a full state. */
const expectLogComplete = async (): Promise<void> => {
  const rename = (description: string) => send('PUT /runners/1', { json: { description } })
  // With a running clock, jobs would change the state meanwhile.
  stoppedAt = new Date()
  await rename('small')
  const logged = await readSavedState()
  for (let i = 0; i < 5; i++) await rename('x'.repeat(1024 * 1024))
  expect((await stat(join(folder(), 'state.log'))).size).toBeLessThan(2 * 1024 * 1024)
  expect(await readSavedState()).toEqual(logged)
  stoppedAt = undefined
}

const runs = Number(process.env.FUZZ_RUNS ?? countDraws(800))

describe('any request', () => {
  it('is answered below 500, and the next one too', { timeout: 600_000 }, async () => {
    const routes = collectRoutes()
    await fc.assert(
      fc.asyncProperty(createRequest(routes), async (text) => {
        const answer = await sendBytes(Buffer.from(text, 'latin1'))
        expect(answer.status, answer.head + answer.body).toBeLessThan(500)
        expect(text.startsWith('HEAD ') || isWhole(answer), answer.head).toBe(true)
        expect((await send('GET /user')).status).toBe(200)
      }),
      { numRuns: runs },
    )
    await expectLogComplete()
  })
})
