/** Tests runs with a request of unknown outcome, resumed and undone: nothing is sent twice, and nothing that was not done is reverted. */
import { describe, expect, it } from 'vitest'
import { useSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = useSandbox()

const run = (line: string) => {
  const { config, cwd, sandbox } = place()
  const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token }
  return svcctl([...line.split(' '), '--yes'], { cwd, env })
}
/** Reads the rows of a table of the instance as JSON, without their times. */
const readTable = (name: string): string => {
  const { rows } = place().sandbox.snapshot()[name] as { readonly rows: readonly unknown[] }
  return JSON.stringify(rows, (key, value) => (/_at$/.test(key) ? undefined : value))
}
const countWrites = (): number =>
  place().sandbox.requests.filter(({ method }) => method !== 'GET').length

/** Runs a line whose first request to a route gets the answer of a gateway, and does not reach the instance. */
const runUnknown = async (line: string, route: string): Promise<string> => {
  place().sandbox.fail(route, { status: 502 })
  const ran = await run(`${line} --retries 0`)
  expect(ran.code, ran.stderr).toBe(8)
  expect(ran.stderr).toContain('1 unknown')
  return ran.stderr
}

describe('what a run created', () => {
  it.each([
    [
      'members add 6 -G web --access-level guest',
      'members update 6 -G web --access-level developer',
    ],
    [
      'approvals rules create --name QA --approvals-required 1 -P platform/app',
      'approvals rules update QA -P platform/app --approvals-required 2 --keep',
    ],
  ])('is left alone if somebody changed it since: %s', async (line, change) => {
    expect((await run(`${line} --journal created.ndjson`)).code).toBe(0)
    expect((await run(change)).code).toBe(0)
    const undone = await run('journal undo created.ndjson')
    expect([undone.code, undone.stderr]).toEqual([
      5,
      expect.stringContaining('it changed since the run'),
    ])
    expect((await run('journal undo last')).code).toBe(0)
    expect((await run('journal undo created.ndjson')).code).toBe(0)
  })
})

describe('a run with an unknown outcome', () => {
  it.each([
    ['runners enable 8 9 -P platform/app', 'POST /projects/:id/runners', 'runners'],
    [
      'deploy-keys enable 2 3 -P platform/app',
      'POST /projects/:id/deploy_keys/2/enable',
      'deployKeys',
    ],
    [
      'members add 2 -P web/site -P web/shop --access-level maintainer',
      'POST /projects/:id/members',
      'members',
    ],
  ])('is resumed if its object is not there: %s', async (line, route, name) => {
    // Reading members removes expired ones, so they are read before the comparison.
    await run(`${line} --dry-run`)
    const before = readTable(name)
    const stderr = await runUnknown(line, route)
    expect(stderr).toContain('--resume last checks the unknown objects\n')
    const resumed = await run(`${line.split(' ', 2).join(' ')} --resume last`)
    expect(resumed.code, resumed.stderr).toBe(0)
    const undone = await run('journal undo last')
    expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('2 done')])
    expect(readTable(name)).toEqual(before)
  })

  it('says what it cannot undo', async () => {
    const line =
      'approvals rules create --name QA --approvals-required 1 -P platform/app -P web/site'
    const stderr = await runUnknown(line, 'POST /projects/:id/approval_rules')
    // Resuming would send nothing, so it is not advised.
    expect(stderr).not.toContain('--resume')
    const writes = countWrites()
    const resumed = await run('approvals rules create --resume last')
    expect([resumed.code, resumed.stderr]).toEqual([
      8,
      expect.stringContaining(
        'it may have been written before, and no request shows whether it was',
      ),
    ])
    expect(resumed.stderr).not.toContain('--resume')
    expect(countWrites()).toBe(writes)
    const undone = await run('journal undo last')
    expect(undone.stderr).toMatch(/^(?:platform\/app|web\/site): cannot be undone: /)
  })

  it('leaves alone what was not deleted', async () => {
    const before = readTable('approvalRules').length
    await runUnknown(
      'approvals rules delete 2 1 -P platform/app',
      'DELETE /projects/:id/approval_rules/2',
    )
    const undone = await run('journal undo last')
    expect([undone.code, undone.stderr]).toEqual([
      0,
      expect.stringContaining('1 done, 1 unchanged'),
    ])
    expect(undone.stderr).toContain('2 of project platform/app: already in this state')
    expect(readTable('approvalRules').length).toBe(before)
  })

  it('names the project of an object that has no name', async () => {
    await runUnknown(
      'approvals update --reset-approvals-on-push -P platform/app -P web/site',
      'POST /projects/:id/approvals',
    )
    const undone = await run('journal undo last')
    expect(undone.stderr).toMatch(/^(?:platform\/app|web\/site): already in this state/m)
  })
})
