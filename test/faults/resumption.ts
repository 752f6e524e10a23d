/** Faults of what comes after a cut: answers that pass for the rest of a file, or for a file. */
import type { Socket } from 'node:net'
import { type Headers, head, honest } from './answers.js'
import type { Cell, Fault } from './faults.js'
import type { Operation } from './operations.js'

const tag: Headers = { etag: '"old"', 'accept-ranges': 'bytes' }
const half = ({ body }: Operation): number => body.length >> 1

const send = (
  socket: Socket,
  operation: Operation,
  status: string,
  headers: Headers,
  body: Buffer,
): void => {
  const length = { 'content-length': String(body.length) }
  socket.write(head(status, { 'content-type': operation.type, ...length, ...headers }))
  socket.write(body)
}

/** The first half of the file, and the end of the connection. */
const cut = (socket: Socket, operation: Operation, headers: Headers): void => {
  const length = { 'content-length': String(operation.body.length) }
  send(
    socket,
    operation,
    '200 OK',
    { ...length, ...headers },
    operation.body.subarray(0, half(operation)),
  )
  socket.end()
}

const range = (operation: Operation, start: number, total = operation.body.length): Headers => ({
  'content-range': `bytes ${start}-${operation.body.length - 1}/${total}`,
})

type Rest = (operation: Operation, socket: Socket) => void

const partial =
  (headers: (operation: Operation) => Headers, from = 0): Rest =>
  (operation, socket) =>
    send(
      socket,
      operation,
      '206 Partial Content',
      { ...tag, ...headers(operation) },
      operation.body.subarray(half(operation) + from),
    )

const whole = (requests: number, says = /^/): Cell => ({ exit: 0, says, requests, gives: 'whole' })
const none = (requests: number, says: RegExp): Cell => ({
  exit: 7,
  says,
  requests,
  gives: 'nothing',
})

const ofDownloads = (
  name: string,
  download: Cell,
  behave: (operation: Operation, index: number, socket: Socket) => void,
): Fault => ({
  name,
  behave: (operation, { index }, socket) => behave(operation, index, socket),
  cell: download,
  only: 'download',
})

/** A cut file, an answer to the request for its rest, and the truth from then on. */
const resumed = (name: string, rest: Rest, download: Cell, headers = tag): Fault =>
  ofDownloads(name, download, (operation, index, socket) => {
    if (index === 0) cut(socket, operation, headers)
    else if (index === 1) rest(operation, socket)
    else honest(socket, operation)
  })

const again = whole(3, /the file changed during the download; starting again/)

export const resumption: readonly Fault[] = [
  resumed(
    'cut, and the rest of it',
    partial((o) => range(o, half(o))),
    whole(2, /resuming/),
  ),
  resumed(
    'cut, then a 206 from elsewhere',
    partial((o) => range(o, half(o) - 1)),
    again,
  ),
  resumed(
    'cut, then a 206 of another length',
    partial((o) => range(o, half(o), o.body.length + 1)),
    again,
  ),
  resumed(
    'cut, then a 206 that is too short',
    partial((o) => range(o, half(o)), 1),
    again,
  ),
  resumed(
    'cut, then a 206 with another tag',
    partial((o) => ({ ...range(o, half(o)), etag: '"new"' })),
    again,
  ),
  resumed(
    'cut, then a 206 without a range',
    partial(() => ({})),
    again,
  ),
  resumed(
    'cut, then a refusal of the range',
    (operation, socket) =>
      send(socket, operation, '416 Range Not Satisfiable', {}, Buffer.from('')),
    again,
  ),
  resumed('cut, without a tag', () => {}, none(1, /cut/), { 'accept-ranges': 'bytes' }),
  resumed('cut, with a weak tag', () => {}, none(1, /cut/), { ...tag, etag: 'W/"old"' }),
  ofDownloads(
    'cut again and again, another file each time',
    none(3, /the file changed during the download, and again during a second/),
    (operation, index, socket) => cut(socket, operation, { ...tag, etag: `"${index}"` }),
  ),
  ofDownloads(
    'a part that nobody asked for',
    none(1, /answered 206: a part/),
    (operation, _index, socket) =>
      send(
        socket,
        operation,
        '206 Partial Content',
        { ...tag, ...range(operation, 0) },
        operation.body,
      ),
  ),
  ofDownloads('a file of no bytes', none(1, /sent nothing/), (operation, _index, socket) =>
    send(socket, operation, '200 OK', {}, Buffer.of()),
  ),
  ofDownloads('JSON in place of a file', none(1, /sent JSON/), (operation, _index, socket) =>
    send(socket, operation, '200 OK', {}, Buffer.from('{"id":1}')),
  ),
  ofDownloads(
    'a file whose end is missing',
    none(1, /incomplete or damaged/),
    (operation, _index, socket) =>
      send(socket, operation, '200 OK', {}, operation.body.subarray(0, -1)),
  ),
]
