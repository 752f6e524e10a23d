/** Faults after a broken download: answers that pass for the rest of the file, or for a file. */
import type { Socket } from 'node:net'
import { answerHonestly, buildHead, type Headers } from './answers.js'
import type { Cell, Fault } from './faults.js'
import type { Operation } from './operations.js'

const tag: Headers = { etag: '"old"', 'accept-ranges': 'bytes' }
const getHalf = ({ body }: Operation): number => body.length >> 1

const send = (
  socket: Socket,
  operation: Operation,
  status: string,
  headers: Headers,
  body: Buffer,
): void => {
  const length = { 'content-length': String(body.length) }
  socket.write(buildHead(status, { 'content-type': operation.type, ...length, ...headers }))
  socket.write(body)
}

/** Sends the first half of the file, and then closes the connection. */
const sendFirstHalf = (socket: Socket, operation: Operation, headers: Headers): void => {
  const length = { 'content-length': String(operation.body.length) }
  send(
    socket,
    operation,
    '200 OK',
    { ...length, ...headers },
    operation.body.subarray(0, getHalf(operation)),
  )
  socket.end()
}

const buildRange = (
  operation: Operation,
  start: number,
  total = operation.body.length,
): Headers => ({
  'content-range': `bytes ${start}-${operation.body.length - 1}/${total}`,
})

type RestSender = (operation: Operation, socket: Socket) => void

const createPartSender =
  (headers: (operation: Operation) => Headers, from = 0): RestSender =>
  (operation, socket) =>
    send(
      socket,
      operation,
      '206 Partial Content',
      { ...tag, ...headers(operation) },
      operation.body.subarray(getHalf(operation) + from),
    )

const expectWhole = (requests: number, says = /^/): Cell => ({
  exit: 0,
  says,
  requests,
  gives: 'whole',
})
const expectFailure = (requests: number, says: RegExp): Cell => ({
  exit: 7,
  says,
  requests,
  gives: 'nothing',
})

const createDownloadFault = (
  name: string,
  download: Cell,
  behave: (operation: Operation, index: number, socket: Socket) => void,
): Fault => ({
  name,
  behave: (operation, { index }, socket) => behave(operation, index, socket),
  cell: download,
  only: 'download',
})

/** Creates a fault: a broken download, an answer to the request for its rest, and correct answers from then on. */
const createResumeFault = (name: string, rest: RestSender, download: Cell, headers = tag): Fault =>
  createDownloadFault(name, download, (operation, index, socket) => {
    if (index === 0) sendFirstHalf(socket, operation, headers)
    else if (index === 1) rest(operation, socket)
    else answerHonestly(socket, operation)
  })

const again = expectWhole(3, /the file changed during the download; starting again/)

export const resumptionFaults: readonly Fault[] = [
  createResumeFault(
    'cut, and the rest of it',
    createPartSender((o) => buildRange(o, getHalf(o))),
    expectWhole(2, /resuming/),
  ),
  createResumeFault(
    'cut, then a 206 from elsewhere',
    createPartSender((o) => buildRange(o, getHalf(o) - 1)),
    again,
  ),
  createResumeFault(
    'cut, then a 206 of another length',
    createPartSender((o) => buildRange(o, getHalf(o), o.body.length + 1)),
    again,
  ),
  createResumeFault(
    'cut, then a 206 that is too short',
    createPartSender((o) => buildRange(o, getHalf(o)), 1),
    again,
  ),
  createResumeFault(
    'cut, then a 206 with another tag',
    createPartSender((o) => ({ ...buildRange(o, getHalf(o)), etag: '"new"' })),
    again,
  ),
  createResumeFault(
    'cut, then a 206 without a range',
    createPartSender(() => ({})),
    again,
  ),
  createResumeFault(
    'cut, then a refusal of the range',
    (operation, socket) =>
      send(socket, operation, '416 Range Not Satisfiable', {}, Buffer.from('')),
    again,
  ),
  createResumeFault('cut, without a tag', () => {}, expectFailure(1, /cut/), {
    'accept-ranges': 'bytes',
  }),
  createResumeFault('cut, with a weak tag', () => {}, expectFailure(1, /cut/), {
    ...tag,
    etag: 'W/"old"',
  }),
  createDownloadFault(
    'cut again and again, another file each time',
    expectFailure(3, /the file changed during the download, and again during a second/),
    (operation, index, socket) => sendFirstHalf(socket, operation, { ...tag, etag: `"${index}"` }),
  ),
  createDownloadFault(
    'a part that nobody asked for',
    expectFailure(1, /answered 206: a part/),
    (operation, _index, socket) =>
      send(
        socket,
        operation,
        '206 Partial Content',
        { ...tag, ...buildRange(operation, 0) },
        operation.body,
      ),
  ),
  createDownloadFault(
    'a file of no bytes',
    expectFailure(1, /sent nothing/),
    (operation, _index, socket) => send(socket, operation, '200 OK', {}, Buffer.of()),
  ),
  createDownloadFault(
    'JSON in place of a file',
    expectFailure(1, /sent JSON/),
    (operation, _index, socket) => send(socket, operation, '200 OK', {}, Buffer.from('{"id":1}')),
  ),
  createDownloadFault(
    'a file whose end is missing',
    expectFailure(1, /incomplete or damaged/),
    (operation, _index, socket) =>
      send(socket, operation, '200 OK', {}, operation.body.subarray(0, -1)),
  ),
]
