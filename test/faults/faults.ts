/** Faults of the network and the server, and the outcome that svcctl must have with each, as data. */

import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import {
  answerHonestly,
  bombPiece,
  buildHead,
  buildSecondPage,
  getBeginning,
  getPackedObjects,
  gzipHead,
  type Headers,
  packPiece,
  refuse,
  writeForever,
  writeSlowly,
} from './answers.js'
import { type OuterFault, outerFaults } from './around.js'
import type { Operation } from './operations.js'
import { resumptionFaults } from './resumption.js'
import type { SeenRequest } from './server.js'

/** The expected outcome of one operation under one fault. */
export interface Cell {
  readonly exit: number
  /** Matches standard error. */
  readonly says: RegExp
  /** Number of requests that the server saw. */
  readonly requests: number
  /** The output: the whole answer, the answer with U+FFFD in it, or nothing that passes for an answer. */
  readonly gives: 'whole' | 'nothing' | 'pages' | 'empty' | 'replaced' | 'outcome'
  /** Number of requests to the other server, to which redirects and links lead. */
  readonly stranger?: number
  /** Set if the program is interrupted when it has begun to write, because the answer never ends. */
  readonly interrupt?: boolean
}

interface World {
  readonly url: string
  /** Origin of another server. */
  readonly stranger: string
}

type Cells = Readonly<Partial<Record<Operation['name'], Partial<Cell>>>>

export interface Fault {
  readonly name: string
  readonly behave: (operation: Operation, asked: SeenRequest, socket: Socket, world: World) => void
  /** The outcome that holds for all operations … */
  readonly cell: Cell
  /** … and the differences of single operations. */
  readonly but?: Cells
  /** The only operation that can meet the fault. */
  readonly only?: Operation['name']
  /** A fault around the program instead: of its standard error, or of the user who is asked. */
  readonly around?: OuterFault
  /** Set if no server listens. */
  readonly nobody?: true
  /** Set if the answer takes so much memory that the peak is measured. */
  readonly large?: true
}

const unknown = /it is unknown whether the request was carried out/
const expectFailure = (says: RegExp, requests: number, exit = 7): Cell => ({
  exit,
  says,
  requests,
  gives: 'nothing',
})
const expectWhole = (requests: number, says = /^/): Cell => ({
  exit: 0,
  says,
  requests,
  gives: 'whole',
})
/** A POST is not retried, because the first one may have been carried out. */
const postOnce: Cells = { post: { requests: 1, says: unknown } }
/** Once a record or a part of a file was printed, the request cannot be retried. */
const givenAway: Cells = { list: { requests: 1 }, download: { requests: 1 } }
/** With a broken answer to a write, it is unknown whether the write was carried out. */
const writesUnknown: Cells = {
  put: { says: unknown },
  post: { says: unknown },
  delete: { says: unknown },
}
/** Adds a syntax error to the answer; in a list, to its last record. */
const addSyntaxError = ({ body }: Operation): Buffer =>
  Buffer.from(body.toString().replace(/(}]?)$/, ',"more":1 2$1'))
const portal =
  '<!DOCTYPE html><html><head><title>Sign in to Guest WiFi</title></head><body><form></form></body></html>'
const deep = Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
const gzip: Headers = { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' }

const toChunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const connection: readonly Fault[] = [
  {
    name: 'refused',
    nobody: true,
    behave: () => {},
    cell: expectFailure(/the connection was refused/, 0),
  },
  {
    name: 'reset before the headers',
    behave: (_operation, _asked, socket) => socket.resetAndDestroy(),
    cell: expectFailure(/the connection was cut/, 2),
    but: postOnce,
  },
  {
    name: 'reset in the body',
    behave: (operation, _asked, socket) => {
      answerHonestly(socket, operation, { 'content-length': '5000' }, getBeginning(operation))
      setTimeout(() => socket.resetAndDestroy(), 50)
    },
    cell: expectFailure(/incomplete response from .*: the connection was cut/, 2),
    but: { ...postOnce, ...givenAway },
  },
  {
    name: 'cut short, with Content-Length',
    behave: (operation, _asked, socket) => {
      answerHonestly(
        socket,
        operation,
        { 'content-length': String(operation.body.length) },
        getBeginning(operation),
      )
      socket.end()
    },
    cell: expectFailure(/cut/, 2),
    but: { ...postOnce, ...givenAway },
  },
  {
    name: 'cut short, without Content-Length',
    behave: (operation, _asked, socket) => {
      const { status, type } = operation
      socket.write(buildHead(status, { 'content-type': type, connection: 'close' }))
      socket.end(getBeginning(operation))
    },
    cell: expectFailure(/JSON|ends early|incomplete/, 1),
    but: writesUnknown,
  },
  {
    name: 'never answers',
    behave: () => {},
    cell: expectFailure(/no response in time/, 2),
    but: postOnce,
  },
]

const bodies: readonly Fault[] = [
  {
    name: 'broken gzip',
    behave: (operation, _asked, socket) => {
      const packed = gzipSync(operation.body)
      // Makes the checksum wrong.
      packed.fill(0xff, packed.length - 8)
      answerHonestly(socket, operation, { 'content-encoding': 'gzip' }, packed)
    },
    cell: expectFailure(/the compressed response is damaged or incomplete/, 1),
    but: writesUnknown,
  },
  {
    name: 'gzip bomb of 10 GB',
    large: true,
    behave: (operation, _asked, socket) => {
      socket.write(buildHead(operation.status, { 'content-type': operation.type, ...gzip }))
      socket.write(toChunk(gzipHead))
      if (operation.name === 'download') socket.write(toChunk(packPiece(operation.body)))
      for (let sent = 0; sent < 160; sent++) socket.write(toChunk(bombPiece))
      socket.write('0\r\n\r\n')
    },
    cell: expectFailure(/the response was rejected because it is too large when decompressed/, 1),
    but: writesUnknown,
  },
  {
    name: 'twenty million objects in 60 KB of gzip',
    large: true,
    behave: (operation, _asked, socket) => {
      if (operation.name === 'download') answerHonestly(socket, operation)
      else answerHonestly(socket, operation, { 'content-encoding': 'gzip' }, getPackedObjects())
    },
    cell: expectFailure(/more than 1 million values/, 1),
    but: { ...writesUnknown, download: expectWhole(1) },
  },
  {
    name: 'a body that never ends, fast',
    large: true,
    behave: (operation, _asked, socket) => {
      const { status, type, name, body } = operation
      socket.write(buildHead(status, { 'content-type': type, connection: 'close' }))
      socket.write(name === 'download' ? body : '[{"a":"')
      writeForever(socket, Buffer.alloc(1 << 20, 'a'))
    },
    cell: expectFailure(/larger than|absurd size/, 1),
    but: {
      ...writesUnknown,
      // A file may be as large as the instance says, so only the user ends the download.
      download: { exit: 130, says: /interrupted/, interrupt: true },
    },
  },
  {
    name: 'a body that never ends, drop by drop',
    behave: (operation, _asked, socket) => {
      const { status, type, name, body } = operation
      socket.write(buildHead(status, { 'content-type': type, connection: 'close' }))
      socket.write(name === 'download' ? body : '[{"a":"')
      writeSlowly(socket, 'a')
    },
    cell: expectFailure(/did not finish within 10 s/, 1),
    but: {
      ...writesUnknown,
      download: { exit: 130, says: /interrupted/, interrupt: true },
    },
  },
  {
    name: 'headers that never end, fast',
    large: true,
    behave: (_operation, _asked, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      writeForever(socket, `x-more: ${'a'.repeat(1000)}\r\n`)
    },
    cell: expectFailure(/its headers were too large/, 1),
    but: writesUnknown,
  },
  {
    name: 'headers that never end, drop by drop',
    behave: (_operation, _asked, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      writeSlowly(socket, 'x-more: a\r\n')
    },
    cell: expectFailure(/no response in time/, 2),
    but: postOnce,
  },
  {
    name: 'an HTML page of a captive portal',
    behave: (operation, _asked, socket) =>
      answerHonestly(
        socket,
        operation,
        { 'content-type': 'text/html; charset=utf-8' },
        Buffer.from(portal),
      ),
    cell: expectFailure(/an HTML page, “Sign in to Guest WiFi”/, 1),
    but: writesUnknown,
  },
  {
    name: 'invalid UTF-8',
    behave: (operation, _asked, socket) =>
      answerHonestly(
        socket,
        operation,
        {},
        operation.name === 'download'
          ? operation.body
          : Buffer.from(operation.body.toString().replace('build', 'b\xffild'), 'latin1'),
      ),
    cell: { ...expectWhole(1), gives: 'replaced' },
    // The message of a deletion does not contain the word; a file is bytes and need not be text.
    but: { delete: expectWhole(1), download: expectWhole(1) },
  },
  {
    name: 'a record that is no JSON',
    behave: (operation, _asked, socket) =>
      answerHonestly(
        socket,
        operation,
        {},
        operation.name === 'download' ? operation.body : addSyntaxError(operation),
      ),
    cell: expectFailure(/not valid JSON: expected .*, at byte \d+/, 1),
    but: {
      ...writesUnknown,
      list: { says: /not valid JSON.*1 record arrived/ },
      download: expectWhole(1),
    },
  },
  {
    name: 'JSON nested 100,000 deep',
    large: true,
    behave: (operation, _asked, socket) =>
      answerHonestly(socket, operation, {}, operation.name === 'download' ? operation.body : deep),
    cell: expectFailure(/nested/, 1),
    but: { ...writesUnknown, download: expectWhole(1) },
  },
]

const formatPastDate = (): string => new Date(Date.now() - 1000).toUTCString()
const limitOnce = (name: string, headers: () => Headers): Fault => ({
  name,
  behave: (operation, { index }, socket) =>
    index < 1
      ? refuse(socket, '429 Too Many Requests', headers())
      : answerHonestly(socket, operation),
  cell: expectWhole(2),
})
const limitForever = (name: string, headers: () => Headers): Fault => ({
  name: `${name}, for ever`,
  behave: (_operation, _asked, socket) => refuse(socket, '429 Too Many Requests', headers()),
  cell: expectFailure(/429/, 2, 6),
})

const statuses: readonly Fault[] = [
  limitOnce('429 with seconds', () => ({ 'retry-after': '0' })),
  limitOnce('429 with a date', () => ({ 'retry-after': formatPastDate() })),
  limitOnce('429 without a time', () => ({})),
  limitForever('429 with no wait', () => ({ 'retry-after': '0' })),
  limitForever('429 with a date that is past', () => ({ 'retry-after': formatPastDate() })),
  {
    name: '429 with a time that nobody waits for',
    behave: (_operation, _asked, socket) =>
      refuse(socket, '429 Too Many Requests', { 'retry-after': '86400' }),
    cell: expectFailure(/429/, 1, 6),
  },
  {
    name: '502 once',
    behave: (operation, { index }, socket) =>
      index === 0 ? refuse(socket, '502 Bad Gateway') : answerHonestly(socket, operation),
    cell: expectWhole(2, /answered 502; retrying/),
    but: { post: expectFailure(unknown, 1) },
  },
  {
    name: '502 for ever',
    behave: (_operation, _asked, socket) => refuse(socket, '502 Bad Gateway'),
    cell: expectFailure(/502/, 2),
    but: { ...writesUnknown, ...postOnce },
  },
]

const refusals: readonly Fault[] = [
  {
    name: '503 in maintenance, for ever',
    behave: (_operation, _asked, socket) => refuse(socket, '503 Maintenance mode'),
    cell: expectFailure(/in maintenance/, 1),
  },
  {
    name: '503 once, with a window that is not spent',
    behave: (operation, { index }, socket) =>
      index === 0
        ? refuse(socket, '503 Service Unavailable', {
            'ratelimit-limit': '600',
            'ratelimit-remaining': '599',
            'ratelimit-reset': '600',
          })
        : answerHonestly(socket, operation),
    cell: expectWhole(2, /answered 503; retrying in 0/),
    but: { post: expectFailure(unknown, 1) },
  },
  {
    name: '405 for a project that has moved',
    behave: (_operation, _asked, socket) =>
      refuse(socket, '405 Non GET methods are not allowed for moved projects'),
    cell: expectFailure(/the project has moved/, 1, 1),
  },
  {
    name: '410',
    behave: (_operation, _asked, socket) => refuse(socket, '410 Gone'),
    cell: expectFailure(/the instance no longer supports this \(/, 1, 4),
  },
]

const oddities: readonly Fault[] = [
  {
    name: 'an unasked 100 Continue, twice',
    behave: (operation, _asked, socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n')
      answerHonestly(socket, operation)
    },
    cell: expectWhole(1),
  },
  {
    name: 'a 204 in place of the answer',
    behave: (_operation, _asked, socket) => socket.write(buildHead('204 No Content', {})),
    cell: expectFailure(/answered 204 without the requested data/, 1),
    but: {
      // A 204 is a valid answer for an empty list.
      list: { exit: 0, says: /^/, gives: 'empty' },
      put: {
        exit: 0,
        says: /according to the status only: the instance answered 204/,
        gives: 'outcome',
      },
      post: {
        exit: 0,
        says: /according to the status only: the instance answered 204/,
        gives: 'outcome',
      },
      delete: { exit: 0, says: /removed|deleted|done/, gives: 'outcome' },
      download: { says: /./, exit: 7 },
    },
  },
  {
    name: 'the token said back in every header',
    behave: (operation, { headers }, socket) => {
      const [, token = ''] = /^private-token: *(.*)$/im.exec(headers) ?? []
      const id = `${token} ${Buffer.from(token).toString('base64')}`
      answerHonestly(socket, operation, {
        'x-request-id': id,
        'retry-after': id,
        'content-language': id,
        link: `</${token}>; rel="last"`,
        'content-disposition': `attachment; filename="${token}.zip"`,
      })
    },
    cell: expectWhole(1),
  },
  {
    name: 'a refusal that says the token back',
    behave: (_operation, { headers }, socket) => {
      const [, token = ''] = /^private-token: *(.*)$/im.exec(headers) ?? []
      const code = Buffer.from(`:${token}`).toString('base64url')
      refuse(socket, `400 ${token}`, { 'x-request-id': code, location: `/${token}` })
    },
    cell: expectFailure(/\*\*\*/, 1, 1),
  },
  {
    name: 'a 302 that leads nowhere',
    behave: (_operation, _asked, socket) => refuse(socket, '302 Found'),
    cell: expectFailure(/302 Found/, 1, 1),
  },
]

const redirections: readonly Fault[] = [
  {
    name: '301 to another path',
    behave: (operation, { path }, socket, { url }) =>
      path.includes('/moved/')
        ? answerHonestly(socket, operation)
        : refuse(socket, '301 Moved Permanently', { location: `${url}/moved/` }),
    cell: expectFailure(/redirects to .*are not followed/, 1, 1),
    // Requests that only read follow the redirect.
    but: { list: expectWhole(2), get: expectWhole(2), download: expectWhole(2) },
  },
  {
    name: 'redirect to another origin',
    behave: (operation, _asked, socket, { stranger }) =>
      refuse(socket, '307 Temporary Redirect', {
        // Files may be in another storage; a URL of the API is another instance.
        location: `${stranger}/${operation.name === 'download' ? 'storage' : 'api/v4'}/${operation.name}`,
      }),
    cell: { ...expectFailure(/redirects to .*are not followed/, 1, 1), stranger: 0 },
    but: {
      // The answer of another origin must not pass for one of the instance.
      list: { says: /redirects to .*which was not contacted/ },
      get: { says: /redirects to .*which was not contacted/ },
      // Files may be on another host, which gets no credential.
      download: { ...expectWhole(1), stranger: 1 },
    },
  },
  {
    name: 'redirect for ever',
    behave: (operation, _asked, socket, { url }) =>
      refuse(socket, '302 Found', { location: `${url}/api/v4/${operation.name}` }),
    cell: expectFailure(/too many redirects, the last one to/, 6, 1),
    but: {
      put: { says: /are not followed/, requests: 1 },
      post: { says: /are not followed/, requests: 1 },
      delete: { says: /are not followed/, requests: 1 },
    },
  },
  {
    name: 'next link to another origin',
    behave: (operation, { index }, socket, { stranger }) =>
      answerHonestly(
        socket,
        operation,
        index === 0 ? { link: `<${stranger}/api/v4/runners?page=2>; rel="next"` } : {},
        index === 0 ? operation.body : buildSecondPage(operation),
      ),
    // The path of the link is requested from the instance itself; only lists read the link.
    cell: { ...expectWhole(1), stranger: 0 },
    but: { list: { requests: 2, gives: 'pages', stranger: 0 } },
  },
  {
    name: 'next link out of the API',
    behave: (operation, _asked, socket, { stranger }) =>
      answerHonestly(socket, operation, { link: `<${stranger}/steal?page=2>; rel="next"` }),
    cell: { ...expectWhole(1), stranger: 0 },
    but: { list: { ...expectFailure(/which was not contacted/, 1), stranger: 0 } },
  },
  {
    name: 'next link to itself',
    behave: (operation, { path }, socket) =>
      answerHonestly(socket, operation, { link: `<${path}>; rel="next"` }),
    cell: expectWhole(1),
    but: { list: expectFailure(/leads back to a page that was already read/, 1) },
  },
  {
    name: 'a page that changes between requests',
    behave: (operation, { index, path }, socket) => {
      if (operation.name === 'list')
        return answerHonestly(
          socket,
          operation,
          index === 0 ? { link: `<${path}&page=2>; rel="next"`, 'x-total': '4' } : {},
          index === 0 ? operation.body : buildSecondPage(operation),
        )
      if (index > 0) return answerHonestly(socket, operation, { etag: '"new"' })
      const old = Buffer.from(operation.body.toString('latin1').replace('7', '9'), 'latin1')
      answerHonestly(
        socket,
        operation,
        { 'content-length': String(old.length), etag: '"old"', 'accept-ranges': 'bytes' },
        old.subarray(0, old.length / 2),
      )
      return socket.end()
    },
    // The second answer is printed whole, and nothing of the first.
    cell: expectWhole(2),
    but: {
      // Each page is printed as it was when it was requested.
      list: { gives: 'pages' },
      post: expectFailure(unknown, 1),
    },
  },
  {
    name: 'Content-Disposition of ../../x',
    behave: (operation, _asked, socket) =>
      answerHonestly(socket, operation, {
        'content-disposition': 'attachment; filename="../../x"',
      }),
    cell: expectWhole(1),
  },
]

export const faults: readonly Fault[] = [
  ...connection,
  ...bodies,
  ...statuses,
  ...refusals,
  ...oddities,
  ...redirections,
  ...resumptionFaults,
  ...outerFaults,
]
