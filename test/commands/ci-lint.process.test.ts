/** What a shell gives a process to read under a name of its own: only that process can open it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folder } from '../support/program.js'
import { recording } from '../support/recorder.js'
import { inShell, pathToProgram } from '../support/shell.js'

const server = recording()

it('reads process substitution, and standard input by its name', async () => {
  server.answer = () => ({ body: { status: 'valid', errors: [], warnings: [] } })
  const cwd = folder()
  const good = 'a:\n  script: x\n'
  writeFileSync(join(cwd, 'good.yml'), good)
  const env = { PATH: pathToProgram(), SVC_BASE_URL: server.url, SVC_TOKEN: 'token-of-a-test' }
  for (const line of [
    'svcctl ci lint <(cat good.yml)',
    'svcctl ci lint /dev/stdin < good.yml',
    'cat good.yml | svcctl ci lint /dev/stdin',
  ])
    expect({ line, ...(await inShell(line, { cwd, env })) }).toMatchObject({
      line,
      code: 0,
      stderr: '',
    })
  expect(server.seen.map(({ body }) => JSON.parse(body).content)).toEqual([good, good, good])
})
