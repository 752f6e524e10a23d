import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { publicKeys } from '../desired/exporting/writes.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { startKillable } from '../support/killed.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { type Hook, startProxy } from './front.js'

const { send, url } = useSharedSandbox()
const path = '/projects/platform%2Fapp/deploy_keys'
const [oldKey = '', newKey = ''] = publicKeys
const rights = { title: 'robot', can_push: true }

/** Creates a project, and a file that replaces the key with this title. Each call removes what the previous call left. */
const createWorkspace = async (hook: Hook = () => false) => {
  for (const { id, title } of (await send(`GET ${path}`)).body)
    if (title === rights.title) await send(`DELETE ${path}/${id}`)
  await send(`POST ${path}`, { json: { ...rights, key: oldKey } })
  const front = await startProxy(url, hook)
  const cwd = createFolder()
  const said = { robot: { key: newKey, can_push: true } }
  const wanted = { projects: { 'platform/app': { deploy_keys: said } } }
  writeFileSync(join(cwd, 'svcctl.json'), JSON.stringify({ version: 1, ...wanted }))
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: front.base,
  }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  const written = () => front.written().map(({ method }) => method)
  return { cwd, env, run, written }
}

/** Lists the keys with this title as "old" or "new". */
const listKeys = async () =>
  (await send(`GET ${path}?per_page=100`)).body.flatMap(({ title, key }) =>
    title === rights.title ? [key === newKey ? 'new' : 'old'] : [],
  )

const refuseWith = (status: number) => (_: unknown, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end('{"message":"no"}')
  return true
}

it('is two actions of the journal, and one line for people', async () => {
  const { run, written } = await createWorkspace()
  const plan = await run('plan svcctl.json')
  expect(plan.stdout).toContain('± deploy_keys/robot')
  expect(plan.stdout).toContain('1 to replace; ')
  const { code, stderr } = await run('apply svcctl.json --yes')
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 done')])
  expect([written(), await listKeys()]).toEqual([['POST', 'DELETE'], ['new']])
  expect((await run('drift svcctl.json')).stdout).not.toContain('left over')
})

it.each([403, 500])('whose old key stays after a %i is resumed', async (status) => {
  let down = true
  const { run, written } = await createWorkspace(
    (seen, response) => down && seen.method === 'DELETE' && refuseWith(status)(seen, response),
  )
  const first = await run('apply svcctl.json --yes --retries 0')
  expect([first.code, await listKeys()]).toEqual([8, ['old', 'new']])
  // A new plan does not accept the old key silently: it reports that the key is still there.
  for (const line of ['plan svcctl.json', 'drift svcctl.json', 'apply svcctl.json --yes']) {
    const { code, stdout, stderr } = await run(line)
    expect([line, code, stdout]).toEqual([
      line,
      0,
      expect.stringMatching(/which can push; svcctl deploy-keys delete \d+ -P platform\/app/),
    ])
    expect(stdout).toMatch(/^Plan: nothing to do|^No drift/m)
    if (line.startsWith('apply'))
      expect(stderr).toMatch(/did not finish; run svcctl apply --yes --resume last to complete it/)
  }
  down = false
  const again = await run('apply --resume last --yes')
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('1 done')])
  expect(await listKeys()).toEqual(['new'])
  expect(written().filter((method) => method === 'POST')).toHaveLength(1)
})

it('that was killed between the two is resumed', { timeout: 30_000 }, async () => {
  let kill: () => void = () => {}
  const { cwd, env, run, written } = await createWorkspace(({ method }) => {
    if (method !== 'DELETE' || kill === doNothing) return false
    kill()
    kill = doNothing
    return true
  })
  const applying = startKillable(['apply', 'svcctl.json', '--yes'], { cwd, env }, [
    env.SVC_CONFIG_DIR,
  ])
  kill = applying.kill
  expect([(await applying.ended).wasKilled, await listKeys()]).toEqual([true, ['old', 'new']])
  expect(await run('apply --resume last --yes')).toMatchObject({ code: 0 })
  expect([written(), await listKeys()]).toEqual([['POST', 'DELETE', 'DELETE'], ['new']])
})

it('is not resumed where the old key was changed meanwhile', async () => {
  const { run } = await createWorkspace(
    (seen, response) => seen.method === 'DELETE' && refuseWith(403)(seen, response),
  )
  await run('apply svcctl.json --yes')
  const keys = (await send(`GET ${path}`)).body
  const one = keys.find(({ title, key }) => title === rights.title && key !== newKey)
  await send(`PUT ${path}/${one?.id}`, { json: { can_push: false } })
  const { code, stdout } = await run('apply --resume last --yes')
  expect([code, stdout, await listKeys()]).toEqual([0, '', ['old', 'new']])
})
const doNothing = () => {}

it('and one that is taken in from another project is resumed where its rights were refused', async () => {
  const [, , third = ''] = publicKeys
  await send('POST /projects/platform%2Fcore%2Fengine/deploy_keys', {
    json: { title: 'shared', key: third, can_push: false },
  })
  let down = true
  const { cwd, run, written } = await createWorkspace(
    (seen, response) => down && seen.method === 'PUT' && refuseWith(403)(seen, response),
  )
  const said = { deploy_keys: { shared: { key: third, can_push: true } } }
  writeFileSync(
    join(cwd, 'svcctl.json'),
    JSON.stringify({ version: 1, projects: { 'platform/app': said } }),
  )
  expect((await run('apply svcctl.json --yes')).code).toBe(8)
  down = false
  const again = await run('apply --resume last --yes')
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('1 done')])
  expect(written()).toEqual(['POST', 'PUT', 'PUT'])
  expect((await run('plan svcctl.json')).stdout).toContain('nothing to do; ')
})
