import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readJournalLines } from '../engine/journaling/runs.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { startKillable } from '../support/killed.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { runOnTerminal } from './calling.js'
import { type Hook, type ProxyServer, startProxy } from './front.js'
import { writeJournal } from './journals.js'

const { send, url } = useSharedSandbox()
const startSandboxProxy = (hook?: Hook) => startProxy(url, hook)

/** Creates a working folder with one file of declared state, and a configuration folder. */
const createWorkspace = (text: string) => {
  const cwd = createFolder()
  const config = createConfiguration()
  const write = (more: string, name = 'svcctl.yml'): void =>
    writeFileSync(join(cwd, name), `version: 1\n${more}`)
  write(text)
  const envFor = ({ base }: ProxyServer) => ({
    SVC_CONFIG_DIR: config,
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: base,
  })
  const run = (at: ProxyServer, line: string, more: Readonly<Record<string, string>> = {}) =>
    svcctl(line.split(' '), { cwd, env: { ...envFor(at), ...more } })
  const journals = (): readonly string[] => {
    try {
      return readdirSync(join(config, 'state', 'runs')).filter((n) => n.endsWith('.ndjson'))
    } catch {
      return []
    }
  }
  return { cwd, config, write, run, journals, envFor }
}

let serial = 0
/** Returns names of rules that no other test uses. */
const createRuleNames = (count: number): readonly string[] => {
  serial += 1
  return Array.from({ length: count }, (_, i) => `T${serial} ${String.fromCharCode(65 + i)}`)
}
const buildRules = (all: Readonly<Record<string, number>>, more = ''): string =>
  `projects:\n  platform/app:\n    approval_rules:\n${more}${Object.entries(all)
    .map(([name, n]) => `      ${name}: { approvals_required: ${n} }\n`)
    .join('')}`
const fetchRules = async () =>
  (await send('GET /projects/platform%2Fapp/approval_rules?per_page=100')).body
const getRequiredApprovals = async (name: string): Promise<number | undefined> =>
  (await fetchRules()).find((rule) => rule.name === name)?.approvals_required

describe('apply', () => {
  it('carries out what is wanted, on record, and has nothing to do then', async () => {
    const [a = '', b = ''] = createRuleNames(2)
    const at = await startSandboxProxy()
    const { run, journals } = createWorkspace(buildRules({ [a]: 2, [b]: 1 }))
    const first = await run(at, 'apply svcctl.yml --yes')
    expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(/^2 done\. Journal: /m)])
    expect(first.stdout).toContain(`+ approval_rules/${a}`)
    expect([await getRequiredApprovals(a), await getRequiredApprovals(b)]).toEqual([2, 1])
    expect(journals()).toHaveLength(1)
    const again = await run(at, 'apply svcctl.yml --yes')
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('nothing to do')])
    expect(at.written()).toHaveLength(2)
    expect(journals()).toHaveLength(1)
  })

  it('ends where the instance does not answer any more, as every other run', async () => {
    const all = createRuleNames(25)
    let isDown = false
    const at = await startSandboxProxy((_, response, write) => {
      isDown ||= write > 0
      if (isDown) response.writeHead(503).end()
      return isDown
    })
    const { run } = createWorkspace(buildRules(Object.fromEntries(all.map((name) => [name, 1]))))
    const { code, stderr } = await run(at, 'apply svcctl.yml --yes --retries 0 --no-verify')
    expect(code).toBe(7)
    expect(stderr).toMatch(/stopped: the instance answered 503 twenty times in a row; 0 done/)
    expect(at.written().length).toBeLessThan(20)
  })

  it('says how the rest is done, of the very run and instance', async () => {
    const [a = ''] = createRuleNames(1)
    const at = await startSandboxProxy(({ method }, response) => {
      if (method === 'GET') return false
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"message":"no"}')
      return true
    })
    const { run, journals } = createWorkspace(buildRules({ [a]: 1 }))
    const first = await run(at, 'apply svcctl.yml --yes')
    expect([first.code, first.stderr]).toEqual([
      3,
      expect.stringContaining('svcctl apply --yes --resume last retries the failed objects'),
    ])
    const id = journals()[0]?.replace('.ndjson', '') ?? ''
    const resume = `apply --resume ${id} --yes`
    const said = expect.stringContaining(
      `— svcctl apply --yes --resume ${id} retries the failed objects`,
    )
    expect(await run(at, resume)).toMatchObject({ code: 3, stderr: said })
  })

  it('keeps its requests alone where none is wanted, and makes no file of that name', async () => {
    const [a = ''] = createRuleNames(1)
    const at = await startSandboxProxy()
    const { run, config, cwd, journals } = createWorkspace(buildRules({ [a]: 1 }))
    const { code, stderr } = await run(at, 'apply svcctl.yml --yes --journal none')
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^1 done$/m)])
    const [own = '', ...others] = journals()
    expect([await getRequiredApprovals(a), others]).toEqual([1, []])
    const lines = readJournalLines(join(config, 'state', 'runs', own))
    expect(lines.slice(1).map((line) => Object.keys(line)[0])).toEqual([
      'request',
      'request',
      'end',
    ])
    expect(readdirSync(cwd)).toEqual(['svcctl.yml'])
  })

  it('leaves a plan alone that stands where its own would', async () => {
    const [a = ''] = createRuleNames(1)
    const at = await startSandboxProxy()
    const { run, cwd } = createWorkspace(buildRules({ [a]: 1 }))
    expect((await run(at, 'plan svcctl.yml --out run.plan.json')).code).toBe(0)
    const plan = readFileSync(join(cwd, 'run.plan.json'), 'utf8')
    const { code, stderr } = await run(at, 'apply run.plan.json --yes --journal run.ndjson')
    expect([code, stderr]).toEqual([2, expect.stringContaining('next to the journal: it exists')])
    expect(await getRequiredApprovals(a)).not.toBe(1)
    expect(readFileSync(join(cwd, 'run.plan.json'), 'utf8')).toBe(plan)
    expect(readdirSync(cwd).sort()).toEqual(['run.plan.json', 'svcctl.yml'])
    rmSync(join(cwd, 'run.plan.json'))
    symlinkSync(join(cwd, 'nowhere'), join(cwd, 'run.plan.json'))
    const link = await run(at, 'apply svcctl.yml --yes --journal run.ndjson')
    expect([link.code, link.stderr]).toEqual([
      2,
      expect.stringContaining('next to the journal: it exists'),
    ])
  })

  it('leaves the former state of another run alone, and nothing of its own beside it', async () => {
    const [a = ''] = createRuleNames(1)
    const at = await startSandboxProxy()
    const { run, cwd } = createWorkspace(buildRules({ [a]: 1 }))
    writeFileSync(join(cwd, 'run.former.yml'), 'mine\n')
    const { code, stderr } = await run(at, 'apply svcctl.yml --yes --journal run.ndjson')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/run\.former\.yml exists$/m)])
    expect(await getRequiredApprovals(a)).not.toBe(1)
    expect(readFileSync(join(cwd, 'run.former.yml'), 'utf8')).toBe('mine\n')
    expect(readdirSync(cwd).sort()).toEqual(['run.former.yml', 'svcctl.yml'])
  })

  it('resumes no run that was killed before its plan was stored, and advises nobody to', async () => {
    const [a = ''] = createRuleNames(1)
    const at = await startSandboxProxy()
    const { run, config, write, journals } = createWorkspace(buildRules({ [a]: 1 }))
    expect((await run(at, 'apply svcctl.yml --yes')).code).toBe(0)
    const [own = ''] = journals()
    // A run that is killed while it reads the previous state leaves a journal with only a header, and no plan.
    const file = join(config, 'state', 'runs', own)
    writeFileSync(file, `${readFileSync(file, 'utf8').split('\n', 1)[0]}\n`)
    rmSync(file.replace(/\.ndjson$/, '.plan.json'))
    const resumed = await run(at, 'apply --resume last --yes')
    expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringContaining('has no plan')])
    expect(resumed.stderr).toContain('has sent nothing: run apply again')
    const again = await run(at, 'apply svcctl.yml --yes')
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('--resume last')])
    write(buildRules({ [a]: 2 }))
    expect((await run(at, 'apply svcctl.yml --yes')).code).toBe(0)
    const over = await run(at, 'apply --resume last --yes')
    expect([over.code, over.stderr]).toEqual([0, expect.stringContaining('nothing is left')])
  })

  it('keeps no more journals than others do, each with its plan', async () => {
    const at = await startSandboxProxy()
    const { run, config, journals } = createWorkspace(
      buildRules({ [createRuleNames(1)[0] ?? '']: 1 }),
    )
    const kept = join(config, 'state', 'runs')
    writeJournal(join(kept, 'old.ndjson'), [])
    for (let n = 0; n < 60; n++)
      copyFileSync(
        join(kept, 'old.ndjson'),
        join(kept, `${n + 1}-20200101T0000${n + 10}-apply.ndjson`),
      )
    rmSync(join(kept, 'old.ndjson'))
    writeFileSync(join(kept, '1-20200101T000010-apply.plan.json'), '{}')
    expect((await run(at, 'apply svcctl.yml --yes')).code).toBe(0)
    expect(journals()).toHaveLength(50)
    expect(readdirSync(kept).filter((name) => name.endsWith('.plan.json'))).toHaveLength(1)
  })

  it.each([
    ['apply svcctl.yml --dry-run', 0],
    ['apply svcctl.yml', 2],
    ['apply svcctl.yml --curl', 2],
    ['apply svcctl.yml --max-deletes x --yes', 2],
  ])('writes nothing with %j', async (line, code) => {
    const at = await startSandboxProxy()
    const { run, journals } = createWorkspace(buildRules({ [createRuleNames(1)[0] ?? '']: 1 }))
    expect((await run(at, line)).code).toBe(code)
    expect([at.written(), journals()]).toEqual([[], []])
  })

  it('shows the plan at a terminal before it asks', async () => {
    const [a = ''] = createRuleNames(1)
    const at = await startSandboxProxy()
    const { cwd, envFor } = createWorkspace(buildRules({ [a]: 1 }))
    const line = 'apply svcctl.yml'
    const screen = await runOnTerminal(
      line,
      envFor(at),
      (terminal) => terminal.until(/Continue\?/),
      cwd,
    )
    expect(screen.indexOf(`approval_rules/${a}`)).toBeGreaterThanOrEqual(0)
    expect(screen.indexOf(`approval_rules/${a}`)).toBeLessThan(screen.indexOf('Continue?'))
    expect(screen.split(`approval_rules/${a}`)).toHaveLength(2)
    expect(at.written()).toEqual([])
  })

  it('says what it would do where it asks and the plan is shown to programs', async () => {
    const [a = ''] = createRuleNames(1)
    const at = await startSandboxProxy()
    const { cwd, envFor } = createWorkspace(buildRules({ [a]: 1 }))
    const line = 'apply svcctl.yml -o json'
    const screen = await runOnTerminal(
      line,
      envFor(at),
      (terminal) => terminal.until(/Continue\?/),
      cwd,
    )
    expect(screen).toContain(`create projects/platform/app:approval_rules/${a}`)
    expect(screen).toContain('1 change is made at http')
  })

  it('does nothing of a plan that cannot be shown', async () => {
    const at = await startSandboxProxy()
    const { cwd, envFor } = createWorkspace(buildRules({ [createRuleNames(1)[0] ?? '']: 1 }))
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(full) })
    const how = { cwd, env: envFor(at), io: { stdout } }
    const { code } = await svcctl(['apply', 'svcctl.yml', '--yes'], how)
    expect([code, at.written()]).toEqual([1, []])
  })

  it('is held by a limit that only its own flag lifts', async () => {
    const all = createRuleNames(12)
    const at = await startSandboxProxy()
    const { run, write } = createWorkspace(
      buildRules(Object.fromEntries(all.map((name) => [name, 1]))),
    )
    await run(at, 'apply svcctl.yml --yes')
    write(buildRules({}, all.map((name) => `      ${name}: null\n`).join('')))
    const held = await run(at, 'apply svcctl.yml --yes')
    expect([held.code, held.stderr]).toEqual([2, expect.stringContaining('--max-deletes')])
    expect(at.written()).toHaveLength(12)
    expect((await run(at, 'apply svcctl.yml --max-deletes 12 --yes')).code).toBe(0)
    expect(await Promise.all(all.map(getRequiredApprovals))).toEqual(all.map(() => undefined))
  })

  it('tells programs what became of each action, and goes on after a failure', async () => {
    const [a = '', b = ''] = createRuleNames(2)
    const at = await startSandboxProxy(({ body }, response) => {
      if (!body.includes(`"${a}"`)) return false
      response.writeHead(422, { 'content-type': 'application/json' })
      response.end('{"message":"no such rule"}')
      return true
    })
    const { run } = createWorkspace(buildRules({ [a]: 1, [b]: 1 }))
    const { code, stdout, stderr } = await run(at, 'apply svcctl.yml --yes -o json')
    const { actions } = JSON.parse(stdout)
    expect(code).toBe(8)
    expect(actions.map((one: { outcome: string }) => one.outcome)).toEqual(['failed', 'done'])
    expect(actions[0].error).toMatchObject({ category: 'failed', status: 422 })
    expect(stderr).toContain('no such rule')
    // The only action of this run fails, so the exit code is 1 and not 8.
    const alone = await run(at, 'apply svcctl.yml --yes')
    expect([alone.code, await getRequiredApprovals(b)]).toEqual([1, 1])
  })

  it('tells what was done if it is interrupted while it verifies', async () => {
    const [name = ''] = createRuleNames(1)
    const { cwd, envFor } = createWorkspace(buildRules({ [name]: 1 }))
    const stop = new AbortController()
    let isWritten = false
    const at = await startSandboxProxy(({ method }) => {
      if (method === 'GET' && isWritten) stop.abort()
      isWritten ||= method !== 'GET'
      return false
    })
    const line = ['apply', 'svcctl.yml', '--yes', '-o', 'json']
    const { code, stdout, stderr } = await svcctl(line, { cwd, env: envFor(at), stop: stop.signal })
    const { actions } = JSON.parse(stdout)
    expect([code, actions[0].outcome]).toEqual([130, 'done'])
    expect(stderr).toContain('1 done. Journal: ')
  })

  it('says what the instance did not keep', async () => {
    const [a = ''] = createRuleNames(1)
    const at = await startSandboxProxy()
    const { run, write } = createWorkspace(buildRules({ [a]: 1 }))
    await run(at, 'apply svcctl.yml --yes')
    write(buildRules({ [a]: 2 }))
    const liar = await startSandboxProxy(({ method }, response) => {
      if (method === 'GET') return false
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{}')
      return true
    })
    const { code, stderr } = await run(liar, 'apply svcctl.yml --yes')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('did not keep approvals_required: it has 1 instead of 2'),
    ])
    expect((await run(liar, 'apply svcctl.yml --yes --no-verify')).code).toBe(0)
  })
})

describe('an attribute that no document has', () => {
  /** Starts a proxy whose instance has these settings: it shows `before` until the first write, then `after`. */
  const knowing = (before: object, after: object) => {
    let shown = { id: 1, ...before }
    return startSandboxProxy(({ method, url: asked }, response) => {
      if (!asked.endsWith('/application/settings')) return false
      if (method !== 'GET') shown = { id: 1, ...after }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(shown))
      return true
    })
  }
  const forwarding = 'the instance did not keep package_forwarding: it has false instead of true'
  it.each([
    ['package_forwarding: true', { package_forwarding: false }, undefined, forwarding],
    ['package_forwarding: "true"', { package_forwarding: false }, { package_forwarding: true }, ''],
    ['max_things: "7"', { max_things: 5 }, { max_things: 7 }, ''],
    ['max_things: 7', { max_things: 5 }, { max_things: 6 }, 'max_things: it has 6 instead of 7'],
    ['names: [b, a]', { names: [] }, { names: ['a', 'b'] }, ''],
    ['names: [b, a]', { names: [] }, { names: ['a'] }, 'names: it has ["a"] instead of ["b","a"]'],
    ['weights: {a: 1}', { weights: { a: 2 } }, undefined, 'weights: it has {"a":2} instead of'],
    // The value of an attribute that is named like a secret is never compared or shown.
    ['hub_token: {env: HUB}', { hub_token: 'other' }, undefined, ''],
  ])('is held against what was written: %s', async (text, before, after, why) => {
    const at = await knowing(before, after ?? before)
    const { run } = createWorkspace(`site:\n  settings:\n    ${text}\n`)
    const line = `apply svcctl.yml --yes${text.startsWith('hub') ? ' --secrets always' : ''}`
    const { code, stderr } = await run(at, line, { HUB: 'canary-hub' })
    expect([code, stderr]).toEqual([why === '' ? 0 : 1, expect.stringContaining(why)])
    expect([stderr.includes('did not keep'), stderr.includes('canary')]).toEqual([
      why !== '',
      false,
    ])
    expect(at.written()).toHaveLength(1)
  })
})

describe('a plan file', () => {
  const planned = async (count = 1) => {
    const all = createRuleNames(count)
    const at = await startSandboxProxy()
    const wanted = Object.fromEntries(all.map((name) => [name, 1]))
    const table = createWorkspace(buildRules(wanted))
    await table.run(at, 'apply svcctl.yml --yes')
    table.write(buildRules(Object.fromEntries(all.map((name) => [name, 2]))))
    expect((await table.run(at, 'plan svcctl.yml --out plan.json')).code).toBe(0)
    const before = at.written().length
    return { ...table, all, at: { ...at, written: () => at.written().slice(before) } }
  }
  const numberOf = async (name: string): Promise<number> =>
    (await fetchRules()).find((rule) => rule.name === name)?.id ?? 0
  const change = async (name: string): Promise<void> => {
    const path = `/projects/platform%2Fapp/approval_rules/${await numberOf(name)}`
    await send(`PUT ${path}`, { json: { name, approvals_required: 7 } })
  }

  it('is carried out as it was shown', async () => {
    const { run, all, at } = await planned(2)
    const { code, stderr } = await run(at, 'apply plan.json --yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 done')])
    expect(await Promise.all(all.map(getRequiredApprovals))).toEqual([2, 2])
  })

  it('that is stale writes nothing, or the rest where that is said', async () => {
    const { run, all, at } = await planned(2)
    const [a = '', b = ''] = all
    await change(a)
    const stale = await run(at, 'apply plan.json --yes')
    expect([stale.code, stale.stderr]).toEqual([
      5,
      expect.stringContaining(`approval_rules/${a}: the object was changed since`),
    ])
    expect(at.written()).toEqual([])
    const rest = await run(at, 'apply plan.json --yes --stale skip')
    expect([rest.code, await getRequiredApprovals(a), await getRequiredApprovals(b)]).toEqual([
      8, 7, 2,
    ])
  })

  it('made of files that are others now is refused', async () => {
    const { run, all, write, at } = await planned()
    write(buildRules({ [all[0] ?? '']: 3 }))
    const { code, stderr } = await run(at, 'apply plan.json --yes')
    expect([code, stderr]).toEqual([5, expect.stringContaining('svcctl.yml changed after')])
    expect(at.written()).toEqual([])
  })

  it.each(['apply plan.json svcctl.yml --yes', 'apply plan.json -P platform/app --yes'])(
    'says itself what it is about: %s',
    async (line) => {
      const { run, at } = await planned()
      expect((await run(at, line)).code).toBe(2)
    },
  )
})

describe('a secret that cannot be read back', () => {
  const canary = 'c4n4ry-of-a-webhook'
  it('is set with the rest, again when it is another, and shown nowhere', async () => {
    const at = await startSandboxProxy()
    const { run, config, cwd } = createWorkspace(
      'projects:\n  platform/app:\n    integrations:\n      slack: { family: chat-webhook, webhook: { env: HOOK } }\n',
    )
    const said: string[] = []
    const apply = async (value: string | undefined, more = '') => {
      const env: Record<string, string> = value === undefined ? {} : { HOOK: value }
      const ran = await run(at, `apply svcctl.yml --yes${more}`, env)
      said.push(ran.stdout, ran.stderr)
      return ran.code
    }
    expect(await apply(undefined)).toBe(2)
    expect(at.written()).toEqual([])
    expect(await apply(`https://hook.example/${canary}`)).toBe(0)
    expect(at.written().map(({ body }) => body.includes(canary))).toEqual([true])
    expect(await apply(`https://hook.example/${canary}`)).toBe(0)
    expect(await apply(undefined)).toBe(0)
    expect(at.written()).toHaveLength(1)
    expect(await apply(`https://hook.example/2-${canary}`)).toBe(0)
    expect(at.written()).toHaveLength(2)
    expect(await apply(`https://hook.example/2-${canary}`, ' --secrets always -o json')).toBe(0)
    expect(at.written()).toHaveLength(3)
    await run(at, 'plan svcctl.yml --secrets always --out plan.json', {
      HOOK: `https://hook.example/${canary}`,
    })
    const kept = [join(config, 'state'), cwd].flatMap((at) =>
      readdirSync(at, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    )
    expect(kept.length).toBeGreaterThan(5)
    for (const text of [...said, ...kept]) expect(text).not.toContain(canary)
  })
})

describe('a run that was cut', () => {
  const start = (
    { envFor, cwd, config }: ReturnType<typeof createWorkspace>,
    at: ProxyServer,
    line: string,
  ) => startKillable(line.split(' '), { cwd, env: envFor(at) }, [config])

  it('is gone on with until all is done, however often it is killed', async () => {
    const all = createRuleNames(12)
    let kill: () => void = () => {}
    let until = 0
    const at = await startSandboxProxy(({ method }) => {
      if (method !== 'GET' && --until === 0) kill()
      return false
    })
    const table = createWorkspace(buildRules(Object.fromEntries(all.map((name) => [name, 1]))))
    let line = 'apply svcctl.yml --yes'
    for (const after of [3, 2, 4]) {
      until = after
      const applying = start(table, at, line)
      kill = applying.kill
      expect((await applying.ended).wasKilled).toBe(true)
      line = 'apply --resume last --yes'
    }
    const { code, stderr } = await table.run(at, line)
    expect([code, stderr]).toEqual([0, expect.stringMatching(/done\. Journal/)])
    expect(await Promise.all(all.map(getRequiredApprovals))).toEqual(all.map(() => 1))
    const sent = at.written().map(({ body }) => JSON.parse(body).name)
    // If the answer to a create was lost, the resumed run finds the rule by reading: no rule is created twice.
    expect([...sent].sort()).toEqual([...all].sort())
    expect(table.journals()).toHaveLength(1)
    const over = await table.run(at, line)
    expect([over.code, over.stderr]).toEqual([0, expect.stringContaining('nothing is left')])
  }, 60_000)

  it('takes no files and no other flags, and files that are as they were', async () => {
    const all = createRuleNames(2)
    let kill: () => void = () => {}
    const at = await startSandboxProxy(({ method }) => {
      if (method !== 'GET') kill()
      return false
    })
    const table = createWorkspace(buildRules(Object.fromEntries(all.map((name) => [name, 1]))))
    const applying = start(table, at, 'apply svcctl.yml --yes')
    kill = applying.kill
    await applying.ended
    const before = at.written().length
    for (const [line, why] of [
      ['apply svcctl.yml --resume last --yes', 'takes no files'],
      ['apply --resume last --only members --yes', '--resume and --only exclude each other'],
      ['runners pause --resume last --yes', 'no run of "svcctl runners pause" on'],
    ] as const) {
      const { code, stderr } = await table.run(at, line)
      expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
    }
    const kept = join(table.config, 'state', 'runs', table.journals()[0] ?? '')
    chmodSync(kept.replace('.ndjson', '.plan.json'), 0o666)
    const others = await table.run(at, 'apply --resume last --yes')
    expect([others.code, others.stderr]).toEqual([2, expect.stringContaining('other users')])
    chmodSync(kept.replace('.ndjson', '.plan.json'), 0o600)
    table.write(buildRules({ [all[0] ?? '']: 2 }))
    const { code, stderr } = await table.run(at, 'apply --resume last --yes')
    expect([code, stderr]).toEqual([5, expect.stringContaining('svcctl.yml changed after')])
    expect(at.written()).toHaveLength(before)
  }, 30_000)

  it('is alone: a second one at the same instance is a conflict', async () => {
    let waits: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      waits = resolve
    })
    const at = await startSandboxProxy(({ method }) => {
      if (method === 'GET') return false
      waits()
      return true
    })
    const table = createWorkspace(buildRules({ [createRuleNames(1)[0] ?? '']: 1 }))
    const first = start(table, at, 'apply svcctl.yml --yes')
    await begun
    const { code, stderr } = await table.run(at, 'apply svcctl.yml --yes')
    first.kill()
    await first.ended
    expect([code, stderr]).toEqual([5, expect.stringContaining('another apply to')])
  }, 30_000)
})
