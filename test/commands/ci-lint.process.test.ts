/** Tests `ci lint` with a file that the shell creates for the process: no other process can open its path. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { createProgramPath, runInShell } from '../support/shell.js'

const server = useRecorder()

it('reads process substitution, and standard input by its name', async () => {
  server.answer = () => ({ body: { status: 'valid', errors: [], warnings: [] } })
  const cwd = createFolder()
  const good = 'a:\n  script: x\n'
  writeFileSync(join(cwd, 'good.yml'), good)
  const env = { PATH: createProgramPath(), SVC_BASE_URL: server.url, SVC_TOKEN: 'token-of-a-test' }
  for (const line of [
    'svcctl ci lint <(cat good.yml)',
    'svcctl ci lint /dev/stdin < good.yml',
    'cat good.yml | svcctl ci lint /dev/stdin',
  ])
    expect({ line, ...(await runInShell(line, { cwd, env })) }).toMatchObject({
      line,
      code: 0,
      stderr: '',
    })
  expect(server.seen.map(({ body }) => JSON.parse(body).content)).toEqual([good, good, good])
})
