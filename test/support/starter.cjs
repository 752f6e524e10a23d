// Starts programs for the tests of a process. To start one, the memory map of whoever starts it is copied: from a process that
// has run many test files that takes up to fifty times as long as from this small one. `starting.ts` asks it.
'use strict'

const { spawn } = require('node:child_process')

const waiting = new Map()

const gathering = (stream, ...all) => {
  const chunks = []
  stream.on('data', (chunk) => {
    chunks.push(chunk)
    for (const others of all) others.push(chunk)
  })
  return chunks
}

const start = ({ n, file, args, options, piped }) => {
  const all = []
  const child = spawn(file, args, {
    ...options,
    stdio: [piped ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  const [out, err] = [gathering(child.stdout, all), gathering(child.stderr, all)]
  if (child.stdin !== null) {
    // A program may end before it has read everything.
    child.stdin.on('error', () => {})
    waiting.set(n, child.stdin)
  }
  child.on('error', ({ message, code }) => process.send({ n, error: { message, code } }))
  child.on('close', (code, signal) => {
    waiting.delete(n)
    const [stdout, stderr, both] = [out, err, all].map((chunks) => Buffer.concat(chunks))
    process.send({ n, code, signal, stdout, stderr, all: both })
  })
}

process.on('message', (asked) => {
  if ('input' in asked) return waiting.get(asked.n)?.end(asked.input)
  try {
    start(asked)
  } catch ({ message, code }) {
    process.send({ n: asked.n, error: { message, code } })
  }
})
process.on('disconnect', () => process.exit(0))
