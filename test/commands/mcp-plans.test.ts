/** Tests planned runs: an agent or --dry-run --save creates them, and a person runs them at a terminal, against the embedded instance. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { useFreshSandbox } from '../sandbox/instance.js'
import { serve } from '../support/mcp.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { runOnTerminal } from './calling.js'

const { url, send } = useFreshSandbox()
const root = 'sandbox-root-token'
const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci\n'

let env: Readonly<Record<string, string>>
beforeEach(() => {
  env = { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: url(), SVC_TOKEN: root }
})
const getPlansFolder = (): string => join(env.SVC_CONFIG_DIR ?? '', 'state/runs')
const listPlans = (): readonly string[] =>
  readdirSync(getPlansFolder()).filter((name) => name.startsWith('planned-'))

/** Calls the tool `plan` once, and returns its answer. */
const callPlan = async (input: Record<string, unknown>) => {
  const agent = await serve({ env })
  try {
    return await agent.call('plan', input)
  } finally {
    await agent.close()
  }
}
const createPlan = async (input: Record<string, unknown>): Promise<string> => {
  const { plan, text } = (await callPlan(input)) as { plan?: string; text: string }
  if (plan === undefined) throw new Error(text)
  return plan
}
const isActive = async (runner: number): Promise<unknown> =>
  (await send(`GET /runners/${runner}`)).body.active

/** Approves a plan at a terminal, and returns the final screen. */
const approve = (line: string, answer: string, more = {}): Promise<string> =>
  runOnTerminal(`journal run ${line}`, { ...env, ...more }, async (terminal) => {
    const screen = await terminal.until(/Continue\?|ended with/)
    if (screen.includes('Continue?')) {
      terminal.type(answer)
      terminal.press('Enter')
    }
    return terminal.until(/ended with \d+/)
  })

describe('a plan for many', () => {
  it('has the objects of a condition, and both lines', async () => {
    const answer = await callPlan({ command: 'runners pause', where: 'online=true' })
    const { data, ...beside } = answer as unknown as { data: { changes: { object: string }[] } }
    expect(beside).toMatchObject({
      applied: false,
      objects: 5,
      command_line: 'svcctl runners pause --select=online=true',
      approve: expect.stringMatching(/^svcctl journal run \d{8}T\d{6}-runners-pause$/),
    })
    expect(data.changes.map(({ object }) => object)).toEqual(['1', '3', '4', '6', '10'])
    expect(await isActive(1)).toBe(true)
  })

  it('has those that are named, in each project', async () => {
    const ids = await callPlan({ command: 'runners pause', ids: [1, '2'] })
    expect(ids.command_line).toBe('svcctl runners pause 1 2')
    const projects = ['platform/app', 'platform/tools/deploy']
    const each = await callPlan({ command: 'deploy-keys delete', ids: [1], projects })
    expect(each.text).toContain('"objects":2')
    const group = await callPlan({
      command: 'deploy-keys delete',
      group: 'platform',
      where: 'id=1',
    })
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
    const answer = await callPlan({ command: 'runners pause', ...input })
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining(message)])
    expect(answer.text).not.toMatch(/"plan":/)
  })

  it('may write a dash, which only files take for standard input', async () => {
    const values = { id: 1, description: '-' }
    await approve(await createPlan({ command: 'runners update', arguments: values }), 'y')
    expect((await send('GET /runners/1')).body.description).toBe('-')
  })

  it('is none where there is nothing to change', async () => {
    const answer = await callPlan({ command: 'runners pause', where: 'id=9999' })
    expect(answer.text).toContain('"objects":0')
    expect(answer.text).not.toContain('"plan":')
  })

  it('is refused for a reason that nobody reads', async () => {
    const reason = 'x'.repeat(1001)
    const answer = await callPlan({ command: 'runners pause', ids: [1], reason })
    expect(answer.text).toContain('reason has at most 1000 characters')
  })

  it('is refused for a command that takes one', async () => {
    const answer = await callPlan({ command: 'settings update', ids: [1] })
    expect(answer.text).toContain('takes one object at a time')
  })

  it('keeps no secret, and is only its owner’s', async () => {
    const secret = 'correct-horse-battery'
    const values = { spamsvc_api_key: secret }
    const id = await createPlan({ command: 'settings update', arguments: values })
    const file = join(getPlansFolder(), `planned-${id}.ndjson`)
    expect(readFileSync(file, 'utf8')).not.toContain(secret)
    expect([statSync(file).mode & 0o777, statSync(getPlansFolder()).mode & 0o777]).toEqual([
      0o600, 0o700,
    ])
  })

  it('is the last of twenty that wait', async () => {
    const id = await createPlan({ command: 'runners pause', ids: [1] })
    expect(await createPlan({ command: 'runners pause', ids: [1] })).toBe(id)
    for (let i = 1; i < 20; i += 1)
      await createPlan({ command: 'runners pause', ids: [1], reason: `${i}` })
    const answer = await callPlan({ command: 'runners pause', ids: [2] })
    expect(answer.text).toContain('not saved for approval: 20 plans are waiting for approval')
    expect([answer.command_line, listPlans().length]).toEqual(['svcctl runners pause 2', 20])
  })
})

describe('journal run', () => {
  it('shows the plan, and changes the very objects of it', async () => {
    const reason = 'they are \u001b[2Jnoisy'
    const id = await createPlan({ command: 'runners pause', where: 'online=true', reason })
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
    expect(again).toMatch(/no planned run \S+ is waiting[\s\S]*ended with 4/)
  })

  it.each([
    ['-o json', /^\[\n? *\{[\s\S]*"active": ?false[\s\S]*\}\n?\]\n$/],
    ['-o csv --fields id,active', /^id,active\r?\n1,false\r?\n2,false\r?\n$/],
    ['-o html', /^<!doctype html>[\s\S]*<\/html>\n$/],
  ])('answers in the file that --to names: %s', async (flags, content) => {
    const id = await createPlan({ command: 'runners pause', ids: [1, 2] })
    const file = join(createFolder(), 'answer')
    const screen = await approve(`${id} ${flags} --to ${file}`, 'y')
    expect(screen).toMatch(/wrote [\s\S]*ended with 0/)
    expect(screen).not.toMatch(/doctype|"active"|1,false/)
    expect(readFileSync(file, 'utf8')).toMatch(content)
  })

  it('changes nothing unless it is confirmed, and keeps the plan', async () => {
    const id = await createPlan({ command: 'runners pause', ids: [1, 2] })
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
    const id = await createPlan({ command: 'runners pause', ids: [1] })
    const screen = await runOnTerminal(`mcp approve ${id}`, env, async (terminal) => {
      await terminal.until(/Type the profile name \(work\)/)
      terminal.type('work')
      terminal.press('Enter')
      return terminal.until(/ended with \d+/)
    })
    expect(screen).toContain('ended with 0')
    expect(await isActive(1)).toBe(false)
  })

  it('leaves an object alone that changed since, or is gone, and does the others', async () => {
    const update = { command: 'runners update', arguments: { description: 'x' } }
    const id = await createPlan({ ...update, ids: [1] })
    await send('PUT /runners/1', { json: { description: 'another' } })
    const screen = await approve(id, 'y')
    expect(screen).toMatch(/it changed since the run was planned[\s\S]*ended with 5/)
    expect((await send('GET /runners/1')).body.description).toBe('another')
    const several = await createPlan({ command: 'runners pause', where: 'online=true' })
    await send('PUT /runners/1', { json: { active: false } })
    expect(await approve(several, 'y')).toMatch(/\b1 failed \(1 in conflict\)[\s\S]*ended with 8/)
    expect([await isActive(4), await isActive(6)]).toEqual([false, false])
    const app = { project: 'platform/app' }
    const other = await createPlan({ command: 'deploy-keys delete', ids: [1], arguments: app })
    await send('DELETE /projects/platform%2Fapp/deploy_keys/1')
    expect(await approve(other, 'y')).toContain('ended with 5')
  })

  it('deletes in each project what the plan has', async () => {
    const id = await createPlan({ command: 'deploy-keys delete', group: 'platform', where: 'id=1' })
    const screen = await approve(id, 'y')
    expect(screen).toContain('title: "deploy"')
    expect(screen).toContain('2 done')
    expect((await send('GET /projects/platform%2Fapp/deploy_keys/1')).status).toBe(404)
  })

  it('takes a secret from the variable that the line names', async () => {
    const values = { spamsvc_api_key: 'correct-horse-battery' }
    const id = await createPlan({ command: 'settings update', arguments: values })
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
    ['', { SVC_TOKEN: 'sandbox-ben-token' }, 'was planned for the user'],
  ])('is refused with "%s" and %j', async (flag, more, message) => {
    const id = await createPlan({ command: 'runners pause', ids: [1] })
    const screen = await approve(`${id} ${flag}`.trim(), 'y', more)
    expect(screen).toMatch(new RegExp(`${message}[\\s\\S]*ended with 2`))
    expect(await isActive(1)).toBe(true)
  })

  it('is refused without a terminal, but for --dry-run', async () => {
    const id = await createPlan({ command: 'runners pause', ids: [1] })
    const piped = await svcctl(['mcp', 'approve', id], { env })
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('requires a terminal')])
    const shown = await svcctl(['journal', 'run', id, '--dry-run'], { env })
    expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining('active: true → false')])
    expect(await isActive(1)).toBe(true)
  })
})

describe('journal list --planned', () => {
  it('lists those that wait, and removes what expired', async () => {
    const [kept, changed] = [
      await createPlan({ command: 'runners pause', ids: [1], reason: 'noise' }),
      await createPlan({ command: 'runners pause', ids: [2] }),
    ]
    const file = (id: string): string => join(getPlansFolder(), `planned-${id}.ndjson`)
    const text = readFileSync(file(kept), 'utf8')
    const old = text
      .replace(/"expires":"2\d\d\d/, '"expires":"2020')
      .replaceAll(/,"c":\d+\}$/gm, '}')
    writeFileSync(file('20200101T000000-old'), old, { mode: 0o600 })
    for (const line of ['journal list --planned', 'mcp plans']) {
      const { stdout } = await svcctl([...line.split(' '), '-o', 'json'], { env })
      expect(JSON.parse(stdout)).toMatchObject([
        { id: changed },
        { id: kept, command: 'svcctl runners pause', objects: 1, reason: 'noise', instance: url() },
      ])
    }
    expect(listPlans()).toHaveLength(2)
    expect((await svcctl(['mcp', 'discard', '20200101T000000-old'], { env })).code).toBe(4)
    const listed = await svcctl(['journal', 'list', '-o', 'json'], { env })
    expect(JSON.parse(listed.stdout)).toMatchObject([{ end: 'planned' }, { end: 'planned' }])
  })

  it('is no last run, and nothing that can be resumed', async () => {
    const id = await createPlan({ command: 'runners pause', ids: [1] })
    const undone = await svcctl(['journal', 'undo', 'last', '--yes'], { env })
    expect([undone.code, undone.stderr]).toEqual([
      2,
      expect.stringContaining('no journal of a run'),
    ])
    const last = await svcctl(['runners', 'pause', '--resume', 'last'], { env })
    expect([last.code, last.stderr]).toEqual([2, expect.stringContaining('can be resumed')])
    const named = await svcctl(['runners', 'pause', '--resume', id], { env })
    expect([named.code, named.stderr]).toEqual([
      2,
      expect.stringContaining(`svcctl journal run ${id}`),
    ])
    expect(await isActive(1)).toBe(true)
  })

  it('has one whose file was changed by hand, which is not carried out', async () => {
    const id = await createPlan({ command: 'runners pause', ids: [2] })
    const file = join(getPlansFolder(), `planned-${id}.ndjson`)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"object":"2"', '"object":"3"'))
    expect(await approve(id, 'y')).toMatch(/is damaged[\s\S]*ended with 8/)
    chmodSync(file, 0o666)
    expect(await approve(id, 'y')).toMatch(/cannot be trusted[\s\S]*ended with 2/)
    expect([await isActive(2), await isActive(3)]).toEqual([true, false])
  })
})

describe('journal discard', () => {
  it('removes all of those that are named, or none', async () => {
    const [one, other] = [
      await createPlan({ command: 'runners pause', ids: [1] }),
      await createPlan({ command: 'runners pause', ids: [2] }),
    ]
    const wrong = await svcctl(['journal', 'discard', one, 'nothing'], { env })
    expect([wrong.code, listPlans().length]).toEqual([4, 2])
    const both = await svcctl(['mcp', 'discard', one, other, one], { env })
    expect([both.code, listPlans()]).toEqual([0, []])
    expect(both.stderr).toBe(`${one} discarded\n${other} discarded\n`)
  })
})

describe('--dry-run --save', () => {
  const save = async (line: string) => {
    const ran = await svcctl([...line.split(' '), '--dry-run', '--save'], { env })
    return { ...ran, id: /saved as (\S+); carry it out with/.exec(ran.stderr)?.[1] ?? '' }
  }

  it('keeps what was shown, and journal run does it in one run', async () => {
    const { id, stdout } = await save('runners pause 1 4')
    expect(stdout).toContain('active\ttrue\tfalse')
    expect(await isActive(1)).toBe(true)
    const screen = await approve(id, 'y')
    expect(screen).toMatch(/planned by a person[\s\S]*2 done\. Journal:[\s\S]*ended with 0/)
    expect([await isActive(1), await isActive(4), listPlans()]).toEqual([false, false, []])
    const undone = await svcctl(['journal', 'undo', 'last', '--yes'], { env })
    expect([undone.code, await isActive(1)]).toEqual([0, true])
  })

  it('is confirmed by --yes without a terminal, if a person planned it', async () => {
    const { id } = await save('runners pause 1')
    const asked = await svcctl(['journal', 'run', id], { env })
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Pass --yes, or run')])
    const ran = await svcctl(['journal', 'run', id, '--yes'], { env })
    expect([ran.code, await isActive(1)]).toEqual([0, false])
    const agents = await createPlan({ command: 'runners pause', ids: [4] })
    const refused = await svcctl(['journal', 'run', agents, '--yes'], { env })
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('this plan does not allow --yes'),
    ])
    expect(await isActive(4)).toBe(true)
  })

  it.each([
    ['settings update --default-project-visibility internal', 'GET /application/settings'],
    ['deploy-keys add --title planned --key @ci.pub -P web/docs', 'GET /projects/8/deploy_keys'],
    [
      'members add 5 8 --access-level reporter -P web/legacy -P web/docs',
      'GET /projects/8/members',
    ],
    ['approvals rules delete 2 -P platform/app', 'GET /projects/1/approval_rules'],
    ['issues estimate 7 90h -P platform/app', 'GET /projects/1/issues/7/time_stats'],
  ])('carries out %s', async (line, read) => {
    const before = JSON.stringify((await send(read)).body)
    writeFileSync(join(env.SVC_CONFIG_DIR ?? '', 'ci.pub'), publicKey)
    const { id, stderr } = await save(line.replace('@', `@${env.SVC_CONFIG_DIR}/`))
    expect(JSON.stringify((await send(read)).body), stderr).toBe(before)
    expect(await approve(id, 'y')).toContain('ended with 0')
    expect(JSON.stringify((await send(read)).body)).not.toBe(before)
  })

  it('is refused for a secret that is no reference, and nothing is asked', async () => {
    const line = 'integrations update slack -P web/site --webhook'
    const typed = await save(`${line} https://hooks.example.test/s3cr3t`)
    expect([typed.code, typed.stderr, typed.stdout]).toEqual([
      2,
      expect.stringContaining('the plan cannot be saved: --webhook is a secret'),
      '',
    ])
    const named = await svcctl([...line.split(' '), 'env:HOOK', '--dry-run', '--save'], {
      env: { ...env, HOOK: 'https://hooks.example.test/s3cr3t' },
    })
    expect(named.code, named.stderr).toBe(0)
    const [file = ''] = listPlans()
    const text = readFileSync(join(getPlansFolder(), file), 'utf8')
    expect(text).toContain('env:HOOK')
    expect(text).not.toContain('s3cr3t')
  })

  it('tells how to get back to its user, address or profile, and never repeats the line', async () => {
    const run = (words: string, input?: string) =>
      svcctl(words.split(' '), { env: { SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? '' }, input })
    const signIn = (name: string, user: string, address = url()) =>
      run(`auth login ${name} --base-url ${address} --token-stdin`, `sandbox-${user}-token\n`)
    await signIn('work', 'root')
    const saved = await run('runners pause 1 -p work --dry-run --save')
    const [, id = ''] = /saved as (\S+);/.exec(saved.stderr) ?? []
    const carryOut = async (profile: string) => {
      const { code, stderr } = await run(`journal run ${id} --yes -p ${profile}`)
      expect(code).toBe(2)
      return stderr
    }
    await signIn('work', 'ana')
    expect(await carryOut('work')).toMatch(/for the user root, and this is ana\n.*login work\n/)
    await signIn('other', 'root')
    expect(await carryOut('other')).toContain(`Carry it out with: svcctl journal run ${id} -p work`)
    await run('profile delete work --yes')
    expect(await carryOut('other')).toMatch(/work was deleted\. Plan .* svcctl journal discard /)
    await signIn('work', 'root', url().replace('127.0.0.1', 'localhost'))
    expect(await carryOut('work')).toContain(`The profile work had another address then: ${url()}`)
  })

  it('says that it saves nothing if the preview of an object fails', async () => {
    const { code, stderr } = await save('runners pause 1 999')
    expect([code, stderr]).toEqual([8, expect.stringContaining('the plan is not saved')])
    expect(existsSync(getPlansFolder())).toBe(false)
  })

  it('cannot be undone before it begins', async () => {
    const { id } = await save('runners pause 1')
    const { code, stderr } = await svcctl(['journal', 'undo', id, '--yes'], { env })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`the run ${id} has not begun`)])
  })

  it('still waits after a profile that only reads refused it', async () => {
    const run = (words: string, input?: string) =>
      svcctl(words.split(' '), { env: { SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? '' }, input })
    await run(`auth login work --base-url ${url()} --token-stdin`, `${root}\n`)
    const saved = await run('runners pause 1 4 -p work --dry-run --save')
    const [, id = ''] = /saved as (\S+);/.exec(saved.stderr) ?? []
    await run('profile set work --read-only')
    const refused = await run(`journal run ${id} --yes -p work`)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is read-only')])
    await run('profile set work --no-read-only')
    expect((await run(`journal run ${id} --yes -p work`)).stderr).toContain('2 done')
  })

  it('is not advised to resume what a plan in conflict left', async () => {
    const { id } = await save('runners update 1 2 --description planned')
    await send('PUT /runners/1', { json: { description: 'another' } })
    const { code, stderr } = await svcctl(['journal', 'run', id, '--yes'], { env })
    expect([code, stderr]).toEqual([8, expect.stringContaining('1 done, 1 failed (1 in conflict)')])
    expect(stderr).not.toContain('--resume')
  })

  it('requires --dry-run', async () => {
    const { code, stderr } = await svcctl(['runners', 'pause', '1', '--save'], { env })
    expect([code, stderr]).toEqual([2, expect.stringContaining('--save requires --dry-run')])
  })
})
