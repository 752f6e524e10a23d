/** Objects of an instance in other words: as a policy names them, and as people do. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useWordsSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { everything, loadEveryWord } from './everything.js'

const { url } = useWordsSandbox(await loadEveryWord())
const cwd = createFolder()
writeFileSync(join(cwd, 'every.yml'), everything)

const run = (...line: readonly string[]) => {
  const env = { SVC_BASE_URL: url(), SVC_TOKEN: 'sandbox-root-token', SVC_VOCABULARY: 'every.yml' }
  return svcctl(line, { cwd, env })
}

it('are found by their names in the projects of a line', async () => {
  const line = ['deploy-keys', 'update', 'deploy', '-P', 'platform/app', '--title', 'renamed']
  expect(await run(...line)).toMatchObject({ code: 0 })
})

it('have the addresses of a policy', async () => {
  const rules = `policy: 1
rules:
  - {name: keys, list: deploy-keys list --all-projects, where: can_push=true, message: '{title} can push'}
  - {name: members, list: members list -P platform/app, where: username=gus}
`
  writeFileSync(join(cwd, 'policy.yml'), rules)
  const { stdout } = await run('check', 'policy', 'policy.yml', '-o', 'json')
  expect(stdout).toContain('"members/gus"')
  expect(stdout).toMatch(/"platform\/app\/deploy-keys\/\d+"/)
  expect(stdout).toContain('can push')
  expect(stdout).not.toContain('{title}')
})
