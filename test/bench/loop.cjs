// The least that many writes take on Node: a request for each line of standard input, so many at once, over undici's
// pool; each answer is parsed and written on a line. With `read` as its third argument each object is read first.
'use strict'

const { Pool } = require('undici')

const [, , base, width, read] = process.argv

const pool = new Pool(new URL(base).origin, { connections: Number(width) })
const { pathname } = new URL(base)
const headers = { 'private-token': 'bench', 'content-type': 'application/json' }

const write = async (id) => {
  const path = `${pathname}/api/v4/runners/${id}`
  if (read) await (await pool.request({ path, method: 'GET', headers })).body.json()
  const { body } = await pool.request({ path, method: 'PUT', headers, body: '{"active":false}' })
  process.stdout.write(`${JSON.stringify(await body.json())}\n`)
}

const worker = async (ids) => {
  for (let id = ids.pop(); id !== undefined; id = ids.pop()) await write(id)
}

const run = async () => {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  const ids = text.trimEnd().split('\n')
  await Promise.all(Array.from({ length: Number(width) }, () => worker(ids)))
  await pool.close()
}

run()
