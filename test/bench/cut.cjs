// The least that a list takes over undici as lines of records: its pages one after the other, and each array cut at the commas between its
// elements. Nothing is checked or masked.
'use strict'

const { Pool } = require('undici')

const [, , first] = process.argv
const { origin, pathname, search } = new URL(first)
const pool = new Pool(origin, { connections: 1 })
const [newline, quote, backslash, comma] = Buffer.from('\n"\\,')
const [openBracket, openBrace, closeBracket, closeBrace] = Buffer.from('[{]}')

/** Creates a function that turns the chunks of one array into lines, in place. */
const createCutter = () => {
  let [depth, inString, escaped] = [0, false, false]
  return (chunk) => {
    let start = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      if (escaped) escaped = false
      else if (byte === backslash) escaped = inString
      else if (byte === quote) inString = !inString
      else if (inString) continue
      else if (byte === openBracket || byte === openBrace) {
        if (depth === 0) start = i + 1
        depth++
      } else if (byte === closeBracket || byte === closeBrace) {
        depth--
        if (depth === 0) chunk[i] = newline
      } else if (byte === comma && depth === 1) chunk[i] = newline
    }
    return chunk.subarray(start)
  }
}

const copy = async () => {
  for (let path = pathname + search; path !== undefined; ) {
    const { headers, body } = await pool.request({
      path,
      method: 'GET',
      headers: { 'private-token': 'bench' },
    })
    const cut = createCutter()
    for await (const chunk of body)
      if (!process.stdout.write(cut(chunk)))
        await new Promise((resume) => process.stdout.once('drain', resume))
    const next = /<([^>]+)>; *rel="next"/.exec(headers.link ?? '')?.[1]
    path = next?.slice(origin.length)
  }
  await pool.close()
}

copy()
