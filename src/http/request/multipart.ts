/** Multipart bodies (`http/README.md`): certificates that come from files. */

import type { FilePart, Part } from '../types.js'
import type { Pair } from './encode.js'

const encoder = new TextEncoder()

/** As browsers write names into a part's header. */
const quoted = (text: string): string =>
  `"${text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')}"`

const headOf = (part: Part): string =>
  part.bytes === undefined
    ? `Content-Disposition: form-data; name=${quoted(part.name)}\r\n\r\n`
    : `Content-Disposition: form-data; name=${quoted(part.name)}; filename=${quoted(part.filename)}\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n'

/** A boundary that no part contains; the same for the same parts, so that requests are pure. */
const boundaryOf = (bodies: readonly Uint8Array[]): string => {
  const texts = bodies.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  for (let n = 0; ; n++) {
    const boundary = `svcctl-form-data-${n}`
    if (!texts.some((text) => text.includes(boundary))) return boundary
  }
}

export const partsOf = (
  pairs: readonly Pair[],
  files: Readonly<Record<string, FilePart>>,
): Part[] => [
  ...pairs.map(([name, value]) => ({ name, value })),
  ...Object.entries(files).map(([name, file]) => ({ name, ...file })),
]

/** The bytes of a form and the content type that goes with them. */
export const multipart = (
  parts: readonly Part[],
): { readonly contentType: string; readonly bytes: Uint8Array } => {
  const bodies = parts.map((part) => part.bytes ?? encoder.encode(part.value))
  const boundary = boundaryOf(bodies)
  const pieces = parts.flatMap((part, i) => [
    encoder.encode(`--${boundary}\r\n${headOf(part)}`),
    bodies[i] ?? new Uint8Array(),
    encoder.encode('\r\n'),
  ])
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...pieces, encoder.encode(`--${boundary}--\r\n`)]),
  }
}
