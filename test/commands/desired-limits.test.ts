/** Small sets, and the owners of a group, are guarded: each limit names the flag that lifts it for what is meant. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sandbox } from '../sandbox/instance.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { frontOf } from './front.js'

const { url } = sandbox()

const desk = async (members: object) => {
  const front = await frontOf(url)
  const cwd = folder()
  const wanted = { version: 1, groups: { platform: { members } } }
  writeFileSync(join(cwd, 'svcctl.json'), JSON.stringify(wanted))
  const env = {
    SVC_CONFIG_DIR: configuration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: front.base,
  }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { run, written: () => front.written().length }
}
const level = (access_level: string) => ({ access_level })

it('more than half of a few members go only where that set is named', async () => {
  const { run, written } = await desk({ chi: null, dov: null, eva: null })
  const plan = await run('plan svcctl.json')
  expect(plan.stdout).toContain(
    '✗ exceeds a limit: 3 of 5 would be deleted from groups/platform:members, more than half; pass --allow-removals groups/platform:members to allow it',
  )
  for (const flags of ['', ' --allow-removals groups/web:members', ' --allow-empty members']) {
    const { code, stderr } = await run(`apply svcctl.json --yes${flags}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining('--allow-removals groups/platform')])
  }
  expect(written()).toBe(0)
  const slip = await run('apply svcctl.json --yes --allow-removals groups/platform:member')
  expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining('--allow-removals')])
  const lifted = await run('apply svcctl.json --yes --allow-removals groups/platform:members')
  expect([lifted.code, written()]).toEqual([0, 3])
})

it('more than half of the owners of a group are not lowered unasked', async () => {
  const owners = ['ana', 'ben', 'fay', 'gus']
  const { run } = await desk(Object.fromEntries(owners.map((user) => [user, level('owner')])))
  expect(await run('apply svcctl.json --yes')).toMatchObject({ code: 0 })
  const fewer = await desk({ ...{ ana: level('guest'), ben: level('guest') }, gus: level('guest') })
  const { code, stderr } = await fewer.run('apply svcctl.json --yes')
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      '3 of 4 owners of groups/platform would be removed or get a lower level',
    ),
  ])
  const two = await desk({ ana: level('guest'), ben: level('guest') })
  expect(await two.run('apply svcctl.json --yes')).toMatchObject({ code: 0 })
})
