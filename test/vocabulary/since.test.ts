/** A list of an instance in other words, compared with its snapshot. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sandboxInWords } from '../sandbox/instance.js'
import { folder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { everything, everyWord } from './everything.js'

const { url } = sandboxInWords(await everyWord())
const cwd = folder()
writeFileSync(join(cwd, 'every.yml'), everything)

const run = async (...line: readonly string[]): Promise<string> => {
  const env = { SVC_BASE_URL: url(), SVC_TOKEN: 'sandbox-root-token', SVC_VOCABULARY: 'every.yml' }
  const { code, stdout, stderr } = await svcctl([...line, '--yes'], { cwd, env })
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return stdout
}

it('records are told apart, and their fields are named, as the instance does', async () => {
  const list = 'deploy-keys list --all-projects'
  await run('snapshot', list, '--to', 'before')
  await run('deploy-keys', 'update', '1', '-P', 'platform/app', '--title', 'renamed')
  await run('deploy-keys', 'delete', '2', '-P', 'platform/core/engine')
  const changes = JSON.parse(await run(...list.split(' '), '--since', 'before', '-o', 'json'))
  const changed = { change: 'changed', id: 1, field: 'owntitle', after: 'renamed' }
  expect(changes).toMatchObject([
    { ...changed, project: 'platform/app', name: 'renamed' },
    {
      project: 'platform/core/engine',
      change: 'removed',
      id: 2,
      before: { owncreated_ownat: expect.any(String) },
    },
    { ...changed, project: 'platform/tools/deploy', name: 'renamed' },
  ])
})
