/** What the network and the server do wrong, and what svcctl is to make of it, as data. */

import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import {
  beginning,
  bombPiece,
  forEver,
  gzipHead,
  type Headers,
  head,
  honest,
  packedObjects,
  packedPiece,
  refuse,
  secondPage,
  trickle,
} from './answers.js'
import { type Around, surroundings } from './around.js'
import type { Operation } from './operations.js'
import { resumption } from './resumption.js'
import type { Asked } from './server.js'

/** What one operation under one fault comes to. */
export interface Cell {
  readonly exit: number
  /** What standard error says. */
  readonly says: RegExp
  /** How many requests the server saw. */
  readonly requests: number
  /** Whether the truthful answer was given, whole, or with U+FFFD in it; otherwise nothing that passes for it. */
  readonly gives: 'whole' | 'nothing' | 'pages' | 'empty' | 'replaced' | 'outcome'
  /** How many requests the other server saw, to which redirects and links lead. */
  readonly stranger?: number
  /** Interrupted as soon as so much is there, since it would go on for ever by right. */
  readonly interrupt?: boolean
}

interface World {
  readonly url: string
  /** Another origin. */
  readonly stranger: string
}

type Cells = Readonly<Partial<Record<Operation['name'], Partial<Cell>>>>

export interface Fault {
  readonly name: string
  readonly behave: (operation: Operation, asked: Asked, socket: Socket, world: World) => void
  /** What holds for all operations … */
  readonly cell: Cell
  /** … and where one differs. */
  readonly but?: Cells
  /** The one operation that can meet it. */
  readonly only?: Operation['name']
  /** What is wrong around the program instead: with its standard error, or with who is asked. */
  readonly around?: Around
  /** Nobody listens at all. */
  readonly nobody?: true
  /** The answer is so large, or so large to hold, that what it takes is measured. */
  readonly large?: true
}

const unknown = /it is unknown whether the request was carried out/
const fails = (says: RegExp, requests: number, exit = 7): Cell => ({
  exit,
  says,
  requests,
  gives: 'nothing',
})
const whole = (requests: number, says = /^/): Cell => ({ exit: 0, says, requests, gives: 'whole' })
/** A POST is not sent twice, since the first may have been carried out. */
const postOnce: Cells = { post: { requests: 1, says: unknown } }
/** Nothing says that it is harmless to ask again once a record, or a part of a file, is given away. */
const givenAway: Cells = { list: { requests: 1 }, download: { requests: 1 } }
/** A broken answer to a write leaves open what was done. */
const writesUnknown: Cells = {
  put: { says: unknown },
  post: { says: unknown },
  delete: { says: unknown },
}
/** The answer with a number too many; of a list, in its last record. */
const broken = ({ body }: Operation): Buffer =>
  Buffer.from(body.toString().replace(/(}]?)$/, ',"more":1 2$1'))
const portal =
  '<!DOCTYPE html><html><head><title>Sign in to Guest WiFi</title></head><body><form></form></body></html>'
const deep = Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
const gzip: Headers = { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' }

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const connection: readonly Fault[] = [
  {
    name: 'refused',
    nobody: true,
    behave: () => {},
    cell: fails(/the connection was refused/, 0),
  },
  {
    name: 'reset before the headers',
    behave: (_operation, _asked, socket) => socket.resetAndDestroy(),
    cell: fails(/the connection was cut/, 2),
    but: postOnce,
  },
  {
    name: 'reset in the body',
    behave: (operation, _asked, socket) => {
      honest(socket, operation, { 'content-length': '5000' }, beginning(operation))
      setTimeout(() => socket.resetAndDestroy(), 50)
    },
    cell: fails(/incomplete response from .*: the connection was cut/, 2),
    but: { ...postOnce, ...givenAway },
  },
  {
    name: 'cut short, with Content-Length',
    behave: (operation, _asked, socket) => {
      honest(
        socket,
        operation,
        { 'content-length': String(operation.body.length) },
        beginning(operation),
      )
      socket.end()
    },
    cell: fails(/cut/, 2),
    but: { ...postOnce, ...givenAway },
  },
  {
    name: 'cut short, without Content-Length',
    behave: (operation, _asked, socket) => {
      const { status, type } = operation
      socket.write(head(status, { 'content-type': type, connection: 'close' }))
      socket.end(beginning(operation))
    },
    cell: fails(/JSON|ends early|incomplete/, 1),
    but: writesUnknown,
  },
  {
    name: 'never answers',
    behave: () => {},
    cell: fails(/no response in time/, 2),
    but: postOnce,
  },
]

const bodies: readonly Fault[] = [
  {
    name: 'broken gzip',
    behave: (operation, _asked, socket) => {
      const packed = gzipSync(operation.body)
      // Its checksum is wrong.
      packed.fill(0xff, packed.length - 8)
      honest(socket, operation, { 'content-encoding': 'gzip' }, packed)
    },
    cell: fails(/the compressed response is damaged or incomplete/, 1),
    but: writesUnknown,
  },
  {
    name: 'gzip bomb of 10 GB',
    large: true,
    behave: (operation, _asked, socket) => {
      socket.write(head(operation.status, { 'content-type': operation.type, ...gzip }))
      socket.write(chunk(gzipHead))
      if (operation.name === 'download') socket.write(chunk(packedPiece(operation.body)))
      for (let sent = 0; sent < 160; sent++) socket.write(chunk(bombPiece))
      socket.write('0\r\n\r\n')
    },
    cell: fails(/the response was rejected because it is too large when decompressed/, 1),
    but: writesUnknown,
  },
  {
    name: 'twenty million objects in 60 KB of gzip',
    large: true,
    behave: (operation, _asked, socket) => {
      if (operation.name === 'download') honest(socket, operation)
      else honest(socket, operation, { 'content-encoding': 'gzip' }, packedObjects())
    },
    cell: fails(/more than 1 million values/, 1),
    but: { ...writesUnknown, download: whole(1) },
  },
  {
    name: 'a body that never ends, fast',
    large: true,
    behave: (operation, _asked, socket) => {
      const { status, type, name, body } = operation
      socket.write(head(status, { 'content-type': type, connection: 'close' }))
      socket.write(name === 'download' ? body : '[{"a":"')
      forEver(socket, Buffer.alloc(1 << 20, 'a'))
    },
    cell: fails(/larger than|absurd size/, 1),
    but: {
      ...writesUnknown,
      // A file may be as large as the instance says; the operator ends it.
      download: { exit: 130, says: /interrupted/, interrupt: true },
    },
  },
  {
    name: 'a body that never ends, drop by drop',
    behave: (operation, _asked, socket) => {
      const { status, type, name, body } = operation
      socket.write(head(status, { 'content-type': type, connection: 'close' }))
      socket.write(name === 'download' ? body : '[{"a":"')
      trickle(socket, 'a')
    },
    cell: fails(/did not finish within 10 s/, 1),
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
      forEver(socket, `x-more: ${'a'.repeat(1000)}\r\n`)
    },
    cell: fails(/its headers were too large/, 1),
    but: writesUnknown,
  },
  {
    name: 'headers that never end, drop by drop',
    behave: (_operation, _asked, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      trickle(socket, 'x-more: a\r\n')
    },
    cell: fails(/no response in time/, 2),
    but: postOnce,
  },
  {
    name: 'an HTML page of a captive portal',
    behave: (operation, _asked, socket) =>
      honest(
        socket,
        operation,
        { 'content-type': 'text/html; charset=utf-8' },
        Buffer.from(portal),
      ),
    cell: fails(/an HTML page, “Sign in to Guest WiFi”/, 1),
    but: writesUnknown,
  },
  {
    name: 'invalid UTF-8',
    behave: (operation, _asked, socket) =>
      honest(
        socket,
        operation,
        {},
        operation.name === 'download'
          ? operation.body
          : Buffer.from(operation.body.toString().replace('build', 'b\xffild'), 'latin1'),
      ),
    cell: { ...whole(1), gives: 'replaced' },
    // A deletion's message has no word to spoil; a file is bytes, and need not be text.
    but: { delete: whole(1), download: whole(1) },
  },
  {
    name: 'a record that is no JSON',
    behave: (operation, _asked, socket) =>
      honest(
        socket,
        operation,
        {},
        operation.name === 'download' ? operation.body : broken(operation),
      ),
    cell: fails(/not valid JSON: expected .*, at byte \d+/, 1),
    but: {
      ...writesUnknown,
      list: { says: /not valid JSON.*1 record arrived/ },
      download: whole(1),
    },
  },
  {
    name: 'JSON nested 100,000 deep',
    large: true,
    behave: (operation, _asked, socket) =>
      honest(socket, operation, {}, operation.name === 'download' ? operation.body : deep),
    cell: fails(/nested/, 1),
    but: { ...writesUnknown, download: whole(1) },
  },
]

const later = (): string => new Date(Date.now() - 1000).toUTCString()
const limited = (name: string, headers: () => Headers): Fault => ({
  name,
  behave: (operation, { index }, socket) =>
    index < 1 ? refuse(socket, '429 Too Many Requests', headers()) : honest(socket, operation),
  cell: whole(2),
})
const limitedForEver = (name: string, headers: () => Headers): Fault => ({
  name: `${name}, for ever`,
  behave: (_operation, _asked, socket) => refuse(socket, '429 Too Many Requests', headers()),
  cell: fails(/429/, 2, 6),
})

const statuses: readonly Fault[] = [
  limited('429 with seconds', () => ({ 'retry-after': '0' })),
  limited('429 with a date', () => ({ 'retry-after': later() })),
  limited('429 without a time', () => ({})),
  limitedForEver('429 with no wait', () => ({ 'retry-after': '0' })),
  limitedForEver('429 with a date that is past', () => ({ 'retry-after': later() })),
  {
    name: '429 with a time that nobody waits for',
    behave: (_operation, _asked, socket) =>
      refuse(socket, '429 Too Many Requests', { 'retry-after': '86400' }),
    cell: fails(/429/, 1, 6),
  },
  {
    name: '502 once',
    behave: (operation, { index }, socket) =>
      index === 0 ? refuse(socket, '502 Bad Gateway') : honest(socket, operation),
    cell: whole(2, /answered 502; retrying/),
    but: { post: fails(unknown, 1) },
  },
  {
    name: '502 for ever',
    behave: (_operation, _asked, socket) => refuse(socket, '502 Bad Gateway'),
    cell: fails(/502/, 2),
    but: { ...writesUnknown, ...postOnce },
  },
]

const refusals: readonly Fault[] = [
  {
    name: '503 in maintenance, for ever',
    behave: (_operation, _asked, socket) => refuse(socket, '503 Maintenance mode'),
    cell: fails(/in maintenance/, 1),
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
        : honest(socket, operation),
    cell: whole(2, /answered 503; retrying in 0/),
    but: { post: fails(unknown, 1) },
  },
  {
    name: '405 for a project that has moved',
    behave: (_operation, _asked, socket) =>
      refuse(socket, '405 Non GET methods are not allowed for moved projects'),
    cell: fails(/the project has moved/, 1, 1),
  },
  {
    name: '410',
    behave: (_operation, _asked, socket) => refuse(socket, '410 Gone'),
    cell: fails(/the instance no longer supports this \(/, 1, 4),
  },
]

const oddities: readonly Fault[] = [
  {
    name: 'an unasked 100 Continue, twice',
    behave: (operation, _asked, socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n')
      honest(socket, operation)
    },
    cell: whole(1),
  },
  {
    name: 'a 204 in place of the answer',
    behave: (_operation, _asked, socket) => socket.write(head('204 No Content', {})),
    cell: fails(/answered 204 without the requested data/, 1),
    but: {
      // An empty list may be said so.
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
      honest(socket, operation, {
        'x-request-id': id,
        'retry-after': id,
        'content-language': id,
        link: `</${token}>; rel="last"`,
        'content-disposition': `attachment; filename="${token}.zip"`,
      })
    },
    cell: whole(1),
  },
  {
    name: 'a refusal that says the token back',
    behave: (_operation, { headers }, socket) => {
      const [, token = ''] = /^private-token: *(.*)$/im.exec(headers) ?? []
      const code = Buffer.from(`:${token}`).toString('base64url')
      refuse(socket, `400 ${token}`, { 'x-request-id': code, location: `/${token}` })
    },
    cell: fails(/\*\*\*/, 1, 1),
  },
  {
    name: 'a 302 that leads nowhere',
    behave: (_operation, _asked, socket) => refuse(socket, '302 Found'),
    cell: fails(/302 Found/, 1, 1),
  },
]

const ways: readonly Fault[] = [
  {
    name: '301 to another path',
    behave: (operation, { path }, socket, { url }) =>
      path.includes('/moved/')
        ? honest(socket, operation)
        : refuse(socket, '301 Moved Permanently', { location: `${url}/moved/` }),
    cell: fails(/redirects to .*are not followed/, 1, 1),
    // What only reads may be sent on.
    but: { list: whole(2), get: whole(2), download: whole(2) },
  },
  {
    name: 'redirect to another origin',
    behave: (operation, _asked, socket, { stranger }) =>
      refuse(socket, '307 Temporary Redirect', {
        // Files lie in a storage; an address of the API is another instance, and no storage.
        location: `${stranger}/${operation.name === 'download' ? 'storage' : 'api/v4'}/${operation.name}`,
      }),
    cell: { ...fails(/redirects to .*are not followed/, 1, 1), stranger: 0 },
    but: {
      // What a stranger says must not pass for the instance's word.
      list: { says: /redirects to .*which was not contacted/ },
      get: { says: /redirects to .*which was not contacted/ },
      // Files lie in other people's storage; the stranger gets no credential.
      download: { ...whole(1), stranger: 1 },
    },
  },
  {
    name: 'redirect for ever',
    behave: (operation, _asked, socket, { url }) =>
      refuse(socket, '302 Found', { location: `${url}/api/v4/${operation.name}` }),
    cell: fails(/too many redirects, the last one to/, 6, 1),
    but: {
      put: { says: /are not followed/, requests: 1 },
      post: { says: /are not followed/, requests: 1 },
      delete: { says: /are not followed/, requests: 1 },
    },
  },
  {
    name: 'next link to another origin',
    behave: (operation, { index }, socket, { stranger }) =>
      honest(
        socket,
        operation,
        index === 0 ? { link: `<${stranger}/api/v4/runners?page=2>; rel="next"` } : {},
        index === 0 ? operation.body : secondPage(operation),
      ),
    // Its path is asked of the instance itself; only lists read the link at all.
    cell: { ...whole(1), stranger: 0 },
    but: { list: { requests: 2, gives: 'pages', stranger: 0 } },
  },
  {
    name: 'next link out of the API',
    behave: (operation, _asked, socket, { stranger }) =>
      honest(socket, operation, { link: `<${stranger}/steal?page=2>; rel="next"` }),
    cell: { ...whole(1), stranger: 0 },
    but: { list: { ...fails(/which was not contacted/, 1), stranger: 0 } },
  },
  {
    name: 'next link to itself',
    behave: (operation, { path }, socket) =>
      honest(socket, operation, { link: `<${path}>; rel="next"` }),
    cell: whole(1),
    but: { list: fails(/leads back to a page that was already read/, 1) },
  },
  {
    name: 'a page that changes between requests',
    behave: (operation, { index, path }, socket) => {
      if (operation.name === 'list')
        return honest(
          socket,
          operation,
          index === 0 ? { link: `<${path}&page=2>; rel="next"`, 'x-total': '4' } : {},
          index === 0 ? operation.body : secondPage(operation),
        )
      if (index > 0) return honest(socket, operation, { etag: '"new"' })
      const old = Buffer.from(operation.body.toString('latin1').replace('7', '9'), 'latin1')
      honest(
        socket,
        operation,
        { 'content-length': String(old.length), etag: '"old"', 'accept-ranges': 'bytes' },
        old.subarray(0, old.length / 2),
      )
      return socket.end()
    },
    // The second answer is given whole, nothing of the first.
    cell: whole(2),
    but: {
      // Each page as it was when it was asked for.
      list: { gives: 'pages' },
      post: fails(unknown, 1),
    },
  },
  {
    name: 'Content-Disposition of ../../x',
    behave: (operation, _asked, socket) =>
      honest(socket, operation, { 'content-disposition': 'attachment; filename="../../x"' }),
    cell: whole(1),
  },
]

export const faults: readonly Fault[] = [
  ...connection,
  ...bodies,
  ...statuses,
  ...refusals,
  ...oddities,
  ...ways,
  ...resumption,
  ...surroundings,
]
