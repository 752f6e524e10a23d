/** With several objects, every row of an answer begins with the object as it was given. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { getCommandName } from '../../src/engine/command/derive.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration } from '../support/program.js'
import { svcctl } from '../support/within.js'

let running: Sandbox | undefined
let state = ''
const config = createConfiguration()
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'svcctl-several-'))
  running = await startSandbox({ stateDir: state })
})
afterAll(async () => {
  await running?.close()
  await rm(state, { recursive: true, force: true })
})
const run = (line: string, ...more: readonly string[]) => {
  const env = {
    SVC_BASE_URL: running?.url ?? '',
    SVC_TOKEN: 'sandbox-root-token',
    SVC_CONFIG_DIR: config,
  }
  return svcctl([...line.split(' '), ...more], { env })
}

/** Two objects for each verb whose answer has something to show, and what else it needs. */
const given: Readonly<Record<string, readonly [objects: string, rest?: string]>> = {
  'runners get': ['1 2'],
  'runners update': ['1 2', '--description same'],
  'runners pause': ['1 2'],
  'runners resume': ['1 2'],
  'runners drain': ['3 8', '--wait-timeout 1'],
  'runners enable': ['1 2', '-P web/site'],
  'jobs get': ['12 13', '-P platform/app'],
  'artifacts keep': ['13 14', '-P platform/app'],
  'resource-groups get': ['production staging', '-P platform/app'],
  'resource-groups update': ['production staging', '-P platform/app --process-mode unordered'],
  'commits get': ['main feature/auto', '-P platform/app'],
  'commits cherry-pick': ['feature/auto feature/auto', '-P platform/app --branch main --dry-run'],
  'commits revert': ['main main', '-P platform/app --branch main --dry-run'],
  'issues unsubscribe': ['1 platform/app#2', '-P platform/app'],
  'issues todo': ['3 platform/app#4', '-P platform/app'],
  'issues time-stats': ['1 platform/app#2', '-P platform/app'],
  'issues reset-estimate': ['1 2', '-P platform/app'],
  'issues reset-spent': ['1 2', '-P platform/app'],
  'issues promote': ['1 2', '-P platform/app --yes'],
  'mr get': ['1 platform/app!2', '-P platform/app'],
  'mr rebase': ['1 3', '-P platform/app'],
  'mr cancel-auto-merge': ['1 2', '-P platform/app'],
  'mr subscribe': ['6 7', '-P platform/app'],
  'mr unsubscribe': ['1 2', '-P platform/app'],
  'approvals mr get': ['1 2', '-P platform/app'],
  'approvals mr state': ['1 2', '-P platform/app'],
  'approvals mr update': ['1 2', '-P platform/app --approvals-required 1'],
  'approvals rules get': ['1 2', '-P platform/app'],
  'approvals rules update': ['1 2', '-P platform/app --approvals-required 1 --keep --yes'],
  'members get': ['ben 2', '-G platform'],
  'members update': ['ben 2', '-G platform --expires-at 2030-01-01'],
  'projects get': ['platform/app 2'],
  'integrations get': ['emails-on-push asana', '-P platform/app'],
  'integrations update': ['emails-on-push other', '-P platform/app --recipients a@x.test'],
  'deploy-keys get': ['1 2', '-P platform/app'],
  'deploy-keys update': ['1 2', '-P platform/app --title x'],
  'deploy-keys enable': ['1 2', '-P web/site'],
  'pages-domains get': ['www.example.test site.example.test', '-P web/site'],
  'pages-domains add': ['a.example.test b.example.test', '-P web/site'],
  'pages-domains update': ['a.example.test b.example.test', '-P web/site --auto-ssl-enabled'],
  'vulnerabilities get': ['1 2'],
  'vulnerabilities confirm': ['1 2'],
  'vulnerabilities resolve': ['1 2'],
  'vulnerabilities dismiss': ['1 2'],
  'vulnerabilities revert': ['1 2'],
  'geo nodes get': ['1 2'],
  'geo nodes update': ['1 2', '--repos-max-capacity 9'],
  'geo nodes repair': ['1 2'],
}
/** Their answers show nothing, or are of another kind: notes, verdicts and headings name what they are about. */
const silent = ['ci lint', 'settings get', 'members add', 'commits diff']

const commands = (await loadAllCommands()).filter(
  (c) =>
    c.args[0]?.variadic === true &&
    Object.values(c.endpoints).some((e) => e.returns.kind !== 'empty') &&
    !silent.includes(getCommandName(c)),
)

describe('several objects', () => {
  it('are tried with every verb that takes them', () => {
    expect(
      Object.keys(given).sort(),
      'add a row to "given" with two objects for the new verb, or name it in "silent"',
    ).toEqual(commands.map(getCommandName).sort())
  })

  it.each(Object.entries(given))('%s', { timeout: 60_000 }, async (verb, [objects, rest]) => {
    const line = [verb, objects, rest ?? ''].join(' ').trim()
    const names = objects.split(' ')
    for (const more of [[], ['-o', 'csv']]) {
      const { stdout, stderr } = await run(line, ...more)
      const rows = stdout.trimEnd().split('\n').slice(1)
      const said = (name: string) => stderr.includes(`${name} of `) || stderr.includes(`${name}: `)
      for (const name of names) {
        const shown = rows.some((row) => row.split(/[\t,]/)[0] === name)
        expect(shown || said(name), `${name} in\n${stdout}${stderr}`).toBe(true)
      }
      if (stdout !== '')
        for (const row of rows.filter((text) => /^\S/.test(text)))
          expect(names, row).toContain(row.split(/[\t,]/)[0])
    }
  })

  it('begin rows of chosen fields, too, and may be chosen in every format', async () => {
    const table = await run('runners get 1 2 --fields status')
    expect(table.stdout).toBe('object\tstatus\n1\tonline\n2\toffline\n')
    const json = await run('runners get 1 2 --fields object,status -o json')
    expect(JSON.parse(json.stdout)[0]).toEqual({ object: '1', status: 'online' })
    expect(json.stderr).toBe('')
  })

  it('stand before each change of several commits, which are one list', async () => {
    const line = 'commits diff main feature/auto nope -P platform/app'
    const json = await run(line, '-o', 'json')
    const items: { object: string; diff: string }[] = JSON.parse(json.stdout)
    expect(items.map(({ object }) => object)).toEqual(['main', 'feature/auto'])
    expect(items.every(({ diff }) => diff.startsWith('@@'))).toBe(true)
    expect(json.code).toBe(8)
    const table = await run(line)
    const cells = table.stdout.trimEnd().split('\n')
    expect(cells.map((row) => row.split('\t')[0])).toEqual(['object', 'main', 'feature/auto'])
    expect(table.stderr).toMatch(/nope: 404[\s\S]*1 of 3 failed/)
  })

  it('stay the objects of the API in JSON where these say which they are', async () => {
    const own = JSON.parse((await run('runners get 1 2 -o json')).stdout)
    expect(own.map((one: object) => Object.keys(one)[0])).toEqual(['id', 'id'])
    const stats = JSON.parse((await run('issues time-stats 1 2 -P platform/app -o json')).stdout)
    expect(stats.map((one: { object: string }) => one.object)).toEqual(['1', '2'])
    const failed = await run('mr subscribe platform/app!1 platform/app!999 -o ndjson')
    expect(failed.stdout.trimEnd().split('\n').at(-1)).toContain(
      '{"object":"platform/app!999","iid":999,"outcome":"failed"',
    )
  })
})
