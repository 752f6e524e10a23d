/** Streams that look like a terminal and remember what they were told. */
import { PassThrough, Writable } from 'node:stream'

/** A screen: its text so far, escape sequences included. */
export const fakeScreen = (columns = 80) => {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  return Object.assign(stream, { isTTY: true, columns, rows: 24, text: () => text })
}

/** A keyboard: what is typed arrives key by key. */
export const fakeKeyboard = () => {
  const stream = new PassThrough()
  return Object.assign(stream, { isTTY: true, setRawMode: () => stream })
}
