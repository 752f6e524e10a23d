/**
 * The server that the measured programs talk to, in a process of its own so that it takes no time from them.
 * The base URL says how many projects it has and how slow it is: http://127.0.0.1:port/n/<projects>/ms/<delay>. An instance with a
 * rate limit has the limit a second and a number that tells it from others: …/allows/100/<number>, or …/tells/100/<number> if it sends
 * RateLimit headers. GET …/counts of such an instance returns the number of 429 answers and the time of the first answered write. With
 * …/rules/<n>/0 each project has n approval rules.
 * Prints its port, and the TLS port if BENCH_KEY and BENCH_CERT name files.
 */
import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Allowance } from './allowance.js'
import { findDeclared } from './declared.js'
import { buildProjectPage, buildRunnerBody } from './records.js'

const perPage = 100
/** Pages are built once; a longer list repeats them. */
const pages = Array.from({ length: 100 }, (_, i) => buildProjectPage(i + 1, perPage))
const json = 'application/json'
const archive = { bytes: 1024 ** 3, piece: Buffer.alloc(1024 ** 2, 'x') }
/** The last chunk of the archive, which ends with the end record of a ZIP file. */
const last = Buffer.from(archive.piece)
last.write('PK\x05\x06', last.length - 22, 'latin1')
last.fill(0, last.length - 18)
last.writeUInt32LE(archive.bytes - 22, last.length - 6)

interface Call {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The URL up to /api/v4. */
  readonly root: string
  readonly url: URL
  readonly projects: number
}

const sendPage = ({ res, root, url, projects }: Call): void => {
  const page = Number(url.searchParams.get('page') ?? 1)
  const last = Math.ceil(projects / perPage)
  const at = (n: number, rel: string): string => {
    url.searchParams.set('page', String(n))
    return `<${root}/projects?${url.searchParams}>; rel="${rel}"`
  }
  const links = [at(1, 'first'), at(last, 'last')]
  if (page > 1) links.unshift(at(page - 1, 'prev'))
  if (page < last) links.unshift(at(page + 1, 'next'))
  const body = pages[(page - 1) % pages.length] ?? Buffer.from('[]')
  res.writeHead(200, {
    'content-type': json,
    'content-length': body.length,
    link: links.join(', '),
    'x-total': projects,
    'x-total-pages': last,
    'x-page': page,
    'x-per-page': perPage,
    'x-next-page': page < last ? page + 1 : '',
  })
  res.end(body)
}

/** Constant answers: a page of runners, and the user of a token. */
const bodies: Readonly<Record<string, string>> = {
  runners: `[${Array.from({ length: 20 }, (_, i) => buildRunnerBody(i + 1, true)).join(',')}]`,
  user: '{"id":1,"username":"bench","state":"active"}',
}

const sendRunner = async ({ req, res, url }: Call): Promise<void> => {
  for await (const _ of req);
  const body = buildRunnerBody(Number(url.pathname.split('/').at(-1)), req.method === 'GET')
  res.writeHead(200, { 'content-type': json, 'content-length': body.length })
  res.end(body)
}

const sendJson = ({ res }: Call, value: unknown): void => {
  const body = Buffer.from(JSON.stringify(value))
  res.writeHead(200, { 'content-type': json, 'content-length': body.length })
  res.end(body)
}

const sendArchive = ({ res }: Call): void => {
  res.writeHead(200, {
    'content-type': 'application/zip',
    'content-length': archive.bytes,
    'content-disposition': 'attachment; filename="artifacts.zip"',
  })
  let left = archive.bytes / archive.piece.length
  const more = (): void => {
    while (left > 0) {
      left -= 1
      if (!res.write(left === 0 ? last : archive.piece)) {
        res.once('drain', more)
        return
      }
    }
    res.end()
  }
  more()
}

const allowances = new Map<string, Allowance>()

/** Returns the allowance of a base URL, created at its first request; undefined if it has no rate limit. */
const getAllowance = (base: string): Allowance | undefined => {
  const [, how, allowed] = /\/(allows|tells)\/(\d+)\/\d+/.exec(base) ?? []
  if (how === undefined) return undefined
  const allowance = allowances.get(base) ?? new Allowance(Number(allowed), how === 'tells')
  allowances.set(base, allowance)
  return allowance
}

const handleRequest: RequestListener = async (req, res) => {
  const scheme = 'encrypted' in req.socket ? 'https' : 'http'
  const url = new URL(`${scheme}://${req.headers.host}${req.url}`)
  const [, base, projects, delay, path = ''] =
    /^(\/n\/(\d+)\/ms\/(\d+)(?:\/\w+\/\d+\/\d+)?\/api\/v4)\/(.*)$/.exec(url.pathname) ?? []
  const call = { req, res, url, root: `${url.origin}${base}`, projects: Number(projects) }
  const allowance = getAllowance(base ?? '')
  const rules = Number(/\/rules\/(\d+)\//.exec(base ?? '')?.[1] ?? 0)
  if (path === 'counts') return void res.end(`${allowance?.refused} ${allowance?.first}`)
  if (allowance?.takes(res) === false) return
  if (Number(delay) > 0) await sleep(Number(delay))
  if (path === 'projects' && Number(url.searchParams.get('per_page')) === perPage) sendPage(call)
  else if (bodies[path] !== undefined)
    res.writeHead(200, { 'content-type': json }).end(bodies[path])
  else if (/^runners\/\d+$/.test(path)) {
    await sendRunner(call)
    if (allowance !== undefined) allowance.first ??= Date.now()
  } else if (/\/artifacts$/.test(path)) sendArchive(call)
  else if (req.method === 'POST' && /\/members$/.test(path)) sendJson(call, { status: 'success' })
  else if (findDeclared(path, rules) !== undefined) sendJson(call, findDeclared(path, rules))
  else res.writeHead(404, { 'content-type': json }).end('{"error":"404 Not Found"}')
}

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

const { BENCH_KEY, BENCH_CERT } = process.env
const port = await listen(createServer({ keepAliveTimeout: 60_000 }, handleRequest))
const tlsPort =
  BENCH_KEY === undefined || BENCH_CERT === undefined
    ? undefined
    : await listen(
        createTlsServer(
          { key: readFileSync(BENCH_KEY), cert: readFileSync(BENCH_CERT) },
          handleRequest,
        ),
      )
process.stdout.write(`${JSON.stringify({ port, tlsPort })}\n`)
// Ends when the process that started it closes the input.
process.stdin.on('end', () => process.exit()).resume()
