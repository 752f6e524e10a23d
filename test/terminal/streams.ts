/** Provides streams that act as a terminal and record their input. */
import { PassThrough, Writable } from 'node:stream'

/** Creates a screen that records its text, with escape sequences. */
export const createFakeScreen = (columns = 80) => {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  return Object.assign(stream, { isTTY: true, columns, rows: 24, text: () => text })
}

/** Creates a keyboard whose keys arrive one by one. */
export const createFakeKeyboard = () => {
  const stream = new PassThrough()
  return Object.assign(stream, { isTTY: true, setRawMode: () => stream })
}
