/** Tests `--fail-on`: findings that do not change the exit code by default do so if a flag or the profile names them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publicKeys } from '../desired/exporting/writes.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { type Hook, startProxy } from './front.js'

const { send, url } = useSharedSandbox()
const keys = '/projects/platform%2Fapp/deploy_keys'

const kinds = {
  impossible: 'resource_groups: {nowhere: {process_mode: unordered}}',
  unknown: 'integrations: {slack: {family: chat-webhook, webhook: {env: HOOK}}}',
  unsupported: 'approvals: {reset_approvals_on_push: true}',
  leftover: `deploy_keys: {twin: {key: '${publicKeys[0]}'}}`,
} as const

/** Answers 404 for a route, as an instance without it does. */
const rejectApprovals: Hook = ({ url: asked }, response) => {
  if (!asked.endsWith('/approvals')) return false
  response.writeHead(404, { 'content-type': 'application/json' })
  response.end('{"error":"404 Not Found"}')
  return true
}

const createWorkspace = async (said: string, more: Readonly<Record<string, string>> = {}) => {
  const front = await startProxy(url, rejectApprovals)
  const cwd = createFolder()
  const text = `version: 1\nprojects: {platform/app: {${said}}}\n`
  writeFileSync(join(cwd, 'f.yml'), text)
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: front.base,
    ...more,
  }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { cwd, front, run, written: () => front.written().length }
}

describe('a finding', () => {
  it.each(Object.entries(kinds))(
    'fails plan, drift and apply where it is named: %s',
    async (is, said) => {
      if (is === 'leftover')
        for (const key of publicKeys.slice(0, 2))
          await send(`POST ${keys}`, { json: { title: 'twin', key } })
      const { cwd, run } = await createWorkspace(said, { HOOK: 'https://h.test' })
      if (is === 'unknown') expect((await run('apply f.yml --yes')).code).toBe(0)
      const others = Object.keys(kinds).filter((other) => other !== is)
      for (const line of ['plan f.yml', 'drift f.yml', 'apply f.yml --yes'])
        for (const [named, code] of [
          ['', 0],
          [` --fail-on ${others.join(',')},secret,refused`, 0],
          [` --fail-on ${is}`, 8],
        ] as const) {
          const extra = is === 'unknown' ? ' --secrets never' : ''
          const asked = `${line}${line.startsWith('drift') ? '' : extra}${named}`
          expect([asked, (await run(asked)).code]).toEqual([asked, code])
        }
      await run(`drift f.yml --report junit=a.xml`)
      await run(`drift f.yml --report junit=b.xml --fail-on ${is}`)
      const report = (name: string) => readFileSync(join(cwd, name), 'utf8')
      expect(report('a.xml')).toMatch(/failures="0".*skipped="1"/)
      expect(report('b.xml')).toMatch(/failures="1".*skipped="0"/)
    },
  )
})

it('a secret that is missing is found by plan, and refused by apply before anything is sent', async () => {
  const said = 'integrations: {mattermost: {family: chat-webhook, webhook: {env: NO_HOOK}}}'
  const { run, written } = await createWorkspace(
    `${said}, approval_rules: {X: {approvals_required: 1}}`,
  )
  const plan = await run('plan f.yml')
  expect([plan.code, plan.stdout]).toEqual([
    0,
    expect.stringContaining('#webhook   missing secret: the variable NO_HOOK is not set'),
  ])
  expect(plan.stdout).toContain('2 to create; 1 secret missing')
  expect((await run('plan f.yml --fail-on secret')).code).toBe(8)
  const { code, stderr } = await run('apply f.yml --yes')
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/nothing was written: f\.yml:2:\d+: missing secret: .*NO_HOOK/),
  ])
  expect(written()).toBe(0)
})

it('a plan that apply refuses fails as apply does', async () => {
  const { run } = await createWorkspace('deploy_keys: {$exact: true}')
  expect((await run('plan f.yml')).code).toBe(0)
  expect((await run('plan f.yml --fail-on unread')).code).toBe(0)
  const { code, stderr } = await run('plan f.yml --fail-on refused')
  expect([code, stderr]).toEqual([2, expect.stringContaining('apply rejects this plan: ')])
})

it('is a setting of a profile as well, which the line overrides', async () => {
  const { run, front } = await createWorkspace(kinds.impossible)
  const set = `profile set strict --base-url ${front.base} --fail-on impossible,leftover`
  expect(await run(set)).toMatchObject({ code: 0 })
  expect((await run('plan f.yml -p strict')).code).toBe(8)
  expect((await run('plan f.yml -p strict --fail-on leftover')).code).toBe(0)
  const slip = await run('profile set strict --fail-on imposible')
  expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining('impossible')])
})
