/** Plans of agents: made over the protocol, approved at a terminal, against the embedded instance. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AgentPlan, getPlan, savePlan } from '../../src/commands/mcp/plans.js'
import { freshSandbox } from '../sandbox/instance.js'
import { serve } from '../support/mcp.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { onTerminal } from './calling.js'

const { url, send } = freshSandbox()
const root = 'sandbox-root-token'

let env: Readonly<Record<string, string>>
beforeEach(() => {
  env = { SVC_CONFIG_DIR: configuration(), SVC_BASE_URL: url(), SVC_TOKEN: root }
})
const folderOfPlans = (): string => join(env.SVC_CONFIG_DIR ?? '', 'state/plans')

/** What one call of the tool `plan` is answered with. */
const planned = async (input: Record<string, unknown>) => {
  const agent = await serve({ env })
  try {
    return await agent.call('plan', input)
  } finally {
    await agent.close()
  }
}
const idOf = async (input: Record<string, unknown>): Promise<string> => {
  const { plan, text } = (await planned(input)) as { plan?: string; text: string }
  if (plan === undefined) throw new Error(text)
  return plan
}
const isActive = async (runner: number): Promise<unknown> =>
  (await send(`GET /runners/${runner}`)).body.active

/** Approves at a terminal, and gives the screen at the end. */
const approve = (line: string, answer: string, more = {}): Promise<string> =>
  onTerminal(`mcp approve ${line}`, { ...env, ...more }, async (terminal) => {
    const screen = await terminal.until(/Continue\?|ended with/)
    if (screen.includes('Continue?')) {
      terminal.type(answer)
      terminal.press('Enter')
    }
    return terminal.until(/ended with \d+/)
  })

describe('a plan for many', () => {
  it('has the objects of a condition, and both lines', async () => {
    const answer = await planned({ command: 'runners pause', where: 'online=true' })
    const { data, ...beside } = answer as unknown as { data: { changes: { object: string }[] } }
    expect(beside).toMatchObject({
      applied: false,
      objects: 5,
      command_line: 'svcctl runners pause --select=online=true',
      approve: expect.stringMatching(/^svcctl mcp approve p-[a-z]{8}$/),
    })
    expect(data.changes.map(({ object }) => object)).toEqual(['1', '3', '4', '6', '10'])
    expect(await isActive(1)).toBe(true)
  })

  it('has those that are named, in each project', async () => {
    const ids = await planned({ command: 'runners pause', ids: [1, '2'] })
    expect(ids.command_line).toBe('svcctl runners pause 1 2')
    const projects = ['platform/app', 'platform/tools/deploy']
    const each = await planned({ command: 'deploy-keys delete', ids: [1], projects })
    expect(each.text).toContain('"objects":2')
    const group = await planned({ command: 'deploy-keys delete', group: 'platform', where: 'id=1' })
    expect(group.text).toContain('"objects":2')
    expect(group.command_line).toBe('svcctl deploy-keys delete --select=id=1 --group platform')
  })

  it.each([
    ['two choices', { ids: [1], where: 'online=true' }, 'by ID or by a condition, not by both'],
    ['no list', { ids: 1 }, 'ids must be a list of names or IDs'],
    ['an empty list', { ids: [] }, 'ids must be a list of names or IDs'],
    ['standard input', { ids: ['-'] }, '- would refer to standard input'],
    ['several in one name', { projects: ['a,b'] }, 'project takes paths or IDs'],
    ['a flag for a name', { group: '--yes' }, 'group takes paths or IDs'],
    ['a condition on nothing', { where: 'bogus=1' }, 'no record has the field bogus'],
    ['an object that is not there', { ids: [1, 99] }, '404'],
  ])('is refused whole for %s', async (_, input, message) => {
    const answer = await planned({ command: 'runners pause', ...input })
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining(message)])
    expect(answer.text).not.toMatch(/"plan":/)
  })

  it('is none where there is nothing to change', async () => {
    const answer = await planned({ command: 'runners pause', where: 'id=9999' })
    expect(answer.text).toContain('"objects":0')
    expect(answer.text).not.toContain('"plan":')
  })

  it('is refused for a reason that nobody reads', async () => {
    const reason = 'x'.repeat(1001)
    const answer = await planned({ command: 'runners pause', ids: [1], reason })
    expect(answer.text).toContain('reason has at most 1000 characters')
  })

  it('is refused for a command that takes one', async () => {
    const answer = await planned({ command: 'settings update', ids: [1] })
    expect(answer.text).toContain('takes one object at a time')
  })

  it('keeps no secret, and is only its owner’s', async () => {
    const secret = 'correct-horse-battery'
    const values = { spamsvc_api_key: secret }
    const id = await idOf({ command: 'settings update', arguments: values })
    const file = join(folderOfPlans(), `${id}.json`)
    expect(readFileSync(file, 'utf8')).not.toContain(secret)
    expect([statSync(file).mode & 0o777, statSync(folderOfPlans()).mode & 0o777]).toEqual([
      0o600, 0o700,
    ])
  })

  it('is the last of twenty that wait', async () => {
    const id = await idOf({ command: 'runners pause', ids: [1] })
    const { id: _, made_at: __, expires_at: ___, ...draft } = getPlan(env, id, new Date())
    expect(await idOf({ command: 'runners pause', ids: [1] })).toBe(id)
    for (let i = 1; i < 20; i += 1) await savePlan(env, { ...draft, reason: `${i}` }, new Date())
    const answer = await planned({ command: 'runners pause', ids: [2] })
    expect(answer.text).toContain('not saved for approval: 20 plans are waiting for approval')
    expect([answer.command_line, readdirSync(folderOfPlans()).length]).toEqual([
      'svcctl runners pause 2',
      20,
    ])
  })
})

describe('mcp approve', () => {
  it('shows the plan, and changes the very objects of it', async () => {
    const reason = 'they are \u001b[2Jnoisy'
    const id = await idOf({ command: 'runners pause', where: 'online=true', reason })
    const screen = await approve(id, 'y')
    expect(screen).toContain(
      'Reason that the agent gives (not checked): "they are \\u001b[2Jnoisy"',
    )
    expect(screen).toMatch(/PUT \/runners\/1\n +active: true → false/)
    expect(screen).toMatch(/PUT \/runners\/3\n +active: false \(already in this state\)/)
    expect(screen).toContain('4 done, 1 unchanged. Journal:')
    expect(screen).toContain('ended with 0')
    expect([await isActive(1), await isActive(2)]).toEqual([false, true])
    const undone = await svcctl(['journal', 'undo', 'last', '--yes'], { env })
    expect([undone.code, await isActive(1)]).toEqual([0, true])
    const again = await approve(id, 'y')
    expect(again).toMatch(/no plan p-\w+ is waiting[\s\S]*ended with 4/)
  })

  it.each([
    ['-o json', /^\[\n? *\{[\s\S]*"active": ?false[\s\S]*\}\n?\]\n$/],
    ['-o csv --fields id,active', /^id,active\r?\n1,false\r?\n2,false\r?\n$/],
    ['-o html', /^<!doctype html>[\s\S]*<\/html>\n$/],
  ])('answers in the file that --to names: %s', async (flags, content) => {
    const id = await idOf({ command: 'runners pause', ids: [1, 2] })
    const file = join(folder(), 'answer')
    const screen = await approve(`${id} ${flags} --to ${file}`, 'y')
    expect(screen).toMatch(/wrote [\s\S]*ended with 0/)
    expect(screen).not.toMatch(/doctype|"active"|1,false/)
    expect(readFileSync(file, 'utf8')).toMatch(content)
  })

  it('changes nothing unless it is confirmed, and keeps the plan', async () => {
    const id = await idOf({ command: 'runners pause', ids: [1, 2] })
    expect(await approve(id, 'n')).toMatch(/not confirmed; nothing was changed[\s\S]*ended with 2/)
    expect(await isActive(1)).toBe(true)
    expect(await approve(id, 'y')).toContain('ended with 0')
    expect(await isActive(1)).toBe(false)
  })

  it('asks for the name of a protected profile', async () => {
    const { SVC_CONFIG_DIR = '' } = env
    const own = { SVC_CONFIG_DIR }
    const set = `profile set work --base-url ${url()} --protected`
    expect((await svcctl(set.split(' '), { env: own })).code).toBe(0)
    env = { ...own, SVC_PROFILE: 'work', SVC_TOKEN: root }
    const id = await idOf({ command: 'runners pause', ids: [1] })
    const screen = await onTerminal(`mcp approve ${id}`, env, async (terminal) => {
      await terminal.until(/Type the profile name \(work\)/)
      terminal.type('work')
      terminal.press('Enter')
      return terminal.until(/ended with \d+/)
    })
    expect(screen).toContain('ended with 0')
    expect(await isActive(1)).toBe(false)
  })

  it('refuses with the rows where an object changed since', async () => {
    const id = await idOf({ command: 'runners update', ids: [1], arguments: { description: 'x' } })
    await send('PUT /runners/1', { json: { description: 'another' } })
    const screen = await approve(id, 'y')
    expect(screen).toMatch(/It would be now:\s+PUT \/runners\/1\s+description: "another" → "x"/)
    expect(screen).toMatch(/changed since plan[\s\S]*ended with 5/)
  })

  it('refuses where a condition finds others, or an object is gone', async () => {
    const id = await idOf({ command: 'runners pause', where: 'online=true' })
    await send('PUT /runners/1', { json: { active: false } })
    expect(await approve(id, 'y')).toContain('ended with 5')
    const app = { project: 'platform/app' }
    const other = await idOf({ command: 'deploy-keys delete', ids: [1], arguments: app })
    await send('DELETE /projects/platform%2Fapp/deploy_keys/1')
    expect(await approve(other, 'y')).toContain('ended with 5')
  })

  it('deletes in each project what the plan has', async () => {
    const id = await idOf({ command: 'deploy-keys delete', group: 'platform', where: 'id=1' })
    const screen = await approve(id, 'y')
    expect(screen).toContain('title: "deploy"')
    expect(screen).toContain('2 done')
    expect((await send('GET /projects/platform%2Fapp/deploy_keys/1')).status).toBe(404)
  })

  it('takes a secret from the variable that the line names', async () => {
    const values = { spamsvc_api_key: 'correct-horse-battery' }
    const id = await idOf({ command: 'settings update', arguments: values })
    expect(await approve(id, 'y')).toMatch(/SPAMSVC_API_KEY is not set[\s\S]*ended with 2/)
    const screen = await approve(id, 'y', { SPAMSVC_API_KEY: 'correct-horse-battery' })
    expect(screen).toContain('ended with 0')
    expect(screen).not.toContain('correct-horse')
  })

  it.each([
    ['--yes', {}, 'does not allow --yes'],
    ['--quiet', {}, 'does not allow --quiet'],
    ['', { SVC_NO_PROMPT: '1' }, 'requires a terminal'],
    ['', { CI: 'true' }, 'requires a terminal'],
    ['', { SVC_TOKEN: 'sandbox-ben-token' }, 'was made for the user'],
  ])('is refused with "%s" and %j', async (flag, more, message) => {
    const id = await idOf({ command: 'runners pause', ids: [1] })
    const screen = await approve(`${id} ${flag}`.trim(), 'y', more)
    expect(screen).toMatch(new RegExp(`${message}[\\s\\S]*ended with 2`))
    expect(await isActive(1)).toBe(true)
  })

  it('is refused without a terminal, but for --dry-run', async () => {
    const id = await idOf({ command: 'runners pause', ids: [1] })
    const piped = await svcctl(['mcp', 'approve', id], { env })
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('requires a terminal')])
    const shown = await svcctl(['mcp', 'approve', id, '--dry-run'], { env })
    expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining('active: true → false')])
    expect(await isActive(1)).toBe(true)
  })
})

describe('mcp plans', () => {
  it('lists those that wait, and removes what expired or was changed by hand', async () => {
    const [kept, changed] = [
      await idOf({ command: 'runners pause', ids: [1], reason: 'noise' }),
      await idOf({ command: 'runners pause', ids: [2] }),
    ]
    const { id: _, ...draft } = getPlan(env, kept, new Date())
    const old = await savePlan(env, draft, new Date(Date.now() - 25 * 3_600_000))
    const file = join(folderOfPlans(), `${changed}.json`)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/runners/2', '/runners/3'))
    const { stdout } = await svcctl(['mcp', 'plans', '-o', 'json'], { env })
    const found: readonly AgentPlan[] = JSON.parse(stdout)
    expect(found).toMatchObject([
      { id: kept, command: 'svcctl runners pause 1', objects: 1, reason: 'noise', instance: url() },
    ])
    expect(readdirSync(folderOfPlans())).toEqual([`${kept}.json`])
    const gone = await svcctl(['mcp', 'discard', old.id], { env })
    expect(gone.code).toBe(4)
  })
})

describe('mcp plans, where a file is none', () => {
  it.each([
    ['a directory', 'mkdir', 'it is a directory'],
    ['a pipe', 'mkfifo', 'it is a pipe'],
  ])('says so of %s', async (_, program, message) => {
    await idOf({ command: 'runners pause', ids: [1] })
    spawnSync(program, [join(folderOfPlans(), 'p-aaaaaaaa.json')])
    const { code, stderr } = await svcctl(['mcp', 'plans'], { env })
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(stderr).toMatch(/cannot read \S+p-aaaaaaaa\.json/)
  })
})

describe('mcp discard', () => {
  it('removes all of those that are named, or none', async () => {
    const [one, other] = [
      await idOf({ command: 'runners pause', ids: [1] }),
      await idOf({ command: 'runners pause', ids: [2] }),
    ]
    const wrong = await svcctl(['mcp', 'discard', one, 'p-aaaaaaaa'], { env })
    expect([wrong.code, readdirSync(folderOfPlans()).length]).toEqual([4, 2])
    const both = await svcctl(['mcp', 'discard', one, other], { env })
    expect([both.code, readdirSync(folderOfPlans())]).toEqual([0, []])
  })
})
