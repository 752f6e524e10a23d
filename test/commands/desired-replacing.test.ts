import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { publicKeys } from '../desired/exporting/writes.js'
import { sandbox } from '../sandbox/instance.js'
import { startKillable } from '../support/killed.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { frontOf, type Hook } from './front.js'

const { send, url } = sandbox()
const path = '/projects/platform%2Fapp/deploy_keys'
const [old = '', other = ''] = publicKeys
const rights = { title: 'robot', can_push: true }

/** A project whose file replaces the key of a title; what is written is gone with the next call. */
const desk = async (hook: Hook = () => false) => {
  for (const { id, title } of (await send(`GET ${path}`)).body)
    if (title === rights.title) await send(`DELETE ${path}/${id}`)
  await send(`POST ${path}`, { json: { ...rights, key: old } })
  const front = await frontOf(url, hook)
  const cwd = folder()
  const said = { robot: { key: other, can_push: true } }
  const wanted = { projects: { 'platform/app': { deploy_keys: said } } }
  writeFileSync(join(cwd, 'svcctl.json'), JSON.stringify({ version: 1, ...wanted }))
  const env = {
    SVC_CONFIG_DIR: configuration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: front.base,
  }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  const written = () => front.written().map(({ method }) => method)
  return { cwd, env, run, written }
}

/** The keys of the title, by what they are. */
const present = async () =>
  (await send(`GET ${path}?per_page=100`)).body.flatMap(({ title, key }) =>
    title === rights.title ? [key === other ? 'new' : 'old'] : [],
  )

const refusing = (status: number) => (_: unknown, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end('{"message":"no"}')
  return true
}

it('is two actions of the journal, and one line for people', async () => {
  const { run, written } = await desk()
  const plan = await run('plan svcctl.json')
  expect(plan.stdout).toContain('± deploy_keys/robot')
  expect(plan.stdout).toContain('1 to replace; ')
  const { code, stderr } = await run('apply svcctl.json --yes')
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 done')])
  expect([written(), await present()]).toEqual([['POST', 'DELETE'], ['new']])
  expect((await run('drift svcctl.json')).stdout).not.toContain('left over')
})

it.each([403, 500])('whose old key stays after a %i is resumed', async (status) => {
  let down = true
  const { run, written } = await desk(
    (seen, response) => down && seen.method === 'DELETE' && refusing(status)(seen, response),
  )
  const first = await run('apply svcctl.json --yes --retries 0')
  expect([first.code, await present()]).toEqual([8, ['old', 'new']])
  // A plan that is made anew does not accept it away, and says that it is there.
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
  expect(await present()).toEqual(['new'])
  expect(written().filter((method) => method === 'POST')).toHaveLength(1)
})

it('that was killed between the two is resumed', { timeout: 30_000 }, async () => {
  let kill: () => void = () => {}
  const { cwd, env, run, written } = await desk(({ method }) => {
    if (method !== 'DELETE' || kill === done) return false
    kill()
    kill = done
    return true
  })
  const applying = startKillable(['apply', 'svcctl.json', '--yes'], { cwd, env }, [
    env.SVC_CONFIG_DIR,
  ])
  kill = applying.kill
  expect([(await applying.ended).wasKilled, await present()]).toEqual([true, ['old', 'new']])
  expect(await run('apply --resume last --yes')).toMatchObject({ code: 0 })
  expect([written(), await present()]).toEqual([['POST', 'DELETE', 'DELETE'], ['new']])
})

it('is not resumed where the old key was changed meanwhile', async () => {
  const { run } = await desk(
    (seen, response) => seen.method === 'DELETE' && refusing(403)(seen, response),
  )
  await run('apply svcctl.json --yes')
  const keys = (await send(`GET ${path}`)).body
  const one = keys.find(({ title, key }) => title === rights.title && key !== other)
  await send(`PUT ${path}/${one?.id}`, { json: { can_push: false } })
  const { code, stdout } = await run('apply --resume last --yes')
  expect([code, stdout, await present()]).toEqual([0, '', ['old', 'new']])
})
const done = () => {}

it('and one that is taken in from another project is resumed where its rights were refused', async () => {
  const [, , third = ''] = publicKeys
  await send('POST /projects/platform%2Fcore%2Fengine/deploy_keys', {
    json: { title: 'shared', key: third, can_push: false },
  })
  let down = true
  const { cwd, run, written } = await desk(
    (seen, response) => down && seen.method === 'PUT' && refusing(403)(seen, response),
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
