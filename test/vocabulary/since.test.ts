/** A list of an instance in other words, compared with its snapshot. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useWordsSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { everything, loadEveryWord } from './everything.js'

const { url } = useWordsSandbox(await loadEveryWord())
const cwd = createFolder()
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

it('a snapshot has the names of its instance, whatever profile is the current one', async () => {
  const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'sandbox-root-token' }
  const line = async (...words: readonly string[]) => svcctl(words, { cwd, env })
  await line('profile', 'set', 'own', '--base-url', url(), '--vocabulary', 'every.yml')
  mkdirSync(join(cwd, 'snaps'))
  await line('snapshot', 'runners list --instance', '--to', 'snaps/one', '-p', 'own')
  await line('profile', 'set', 'other', '--base-url', 'https://other.test')
  expect((await line('auth', 'switch', 'other')).code).toBe(0)
  const list = ['runners', 'list', '--instance', '-o', 'csv', '--where', 'description=gpu']
  for (const from of ['snaps/one', 'snaps']) {
    const { code, stdout } = await line(...list, '--fields', 'description', '--from', from)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/owndescription\n(?:.*,)?gpu\n$/)])
  }
  const rule =
    'policy: 1\nrules: [{name: a, list: runners list --instance, where: description=gpu}]\n'
  writeFileSync(join(cwd, 'policy.yml'), rule)
  expect((await line('check', 'policy', 'policy.yml', '--from', 'snaps/one')).code).toBe(1)
})

it.each(['deploy-keys list -P platform/app --limit 1', 'deploy-keys get 1 -P platform/app'])(
  'headings are those of the instance in every format that has some: %s',
  async (line) => {
    for (const format of ['csv', 'markdown', 'table', 'wide', 'html']) {
      const answer = await run(...line.split(' '), '--fields', 'id,title', '-o', format)
      expect([format, answer]).toEqual([format, expect.stringContaining('owntitle')])
    }
  },
)

it('an overview has all parts, of the instance and of its snapshot', async () => {
  await run('snapshot', '--to', 'whole')
  for (const from of [[], ['--from', 'whole']]) {
    const answer = await run('overview', '-o', 'csv', ...from)
    expect(answer).toMatch(/^jobs,platform\/app,1,$/m)
    expect(answer).toMatch(/^replication,north,100\.0 %,healthy$/m)
  }
})
