/** Tests that a plan file is data from others: whatever was changed in it is detected before anything is sent. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publicKeys } from '../desired/exporting/writes.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { type ProxyServer, startProxy } from './front.js'

const box = useSharedSandbox()

type Json = { [key: string]: unknown }
type Plan = Json & { actions: Json[]; sha256: string }

const wanted = `version: 1
projects:
  platform/app:
    approval_rules:
      Security: { approvals_required: 2, user_ids: [ana, chi] }
      New one: { approvals_required: 1 }
    integrations:
      slack: { family: chat-webhook, webhook: { env: HOOK } }
    members: { gus: null }
    deploy_keys: { deploy: { key: '${publicKeys[0]}' } }
`

/** Writes a plan to a file, and creates functions that run lines about it. */
const createPlan = async () => {
  const cwd = createFolder()
  const front: ProxyServer = await startProxy(box.url)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: front.base, HOOK: 'https://h.test' }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  writeFileSync(join(cwd, 'svcctl.yml'), wanted)
  expect((await run('plan svcctl.yml --out plan.json')).code).toBe(0)
  const text = readFileSync(join(cwd, 'plan.json'), 'utf8')
  /** Applies a changed plan. */
  const applied = async (changed: string) => {
    writeFileSync(join(cwd, 'plan.json'), changed)
    return run('apply plan.json --yes')
  }
  const refused = async (what: string, changed: string, code: number, why: string) => {
    const ran = await applied(changed)
    expect([what, ran.code, ran.stderr]).toEqual([what, code, expect.stringContaining(why)])
    expect(front.written()).toEqual([])
  }
  const plan = (): Plan => JSON.parse(text)
  return { cwd, env, run, text, plan, applied, refused, written: front.written }
}

/** Writes a plan with a matching checksum, as somebody who edits the file can do, too. */
const hashPlan = (plan: Plan): string => {
  const text = JSON.stringify({ ...plan, created: undefined, sha256: undefined })
  return JSON.stringify({ ...plan, sha256: createHash('sha256').update(text).digest('hex') })
}

/** Lists the places of a value that hold no other values, as the keys that lead to them. */
const listLeaves = (value: unknown): readonly (readonly (string | number)[])[] => {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((one, i) => listLeaves(one).map((keys) => [i, ...keys]))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[]]
  return Object.entries(value).flatMap(([key, one]) =>
    listLeaves(one).map((keys) => [key, ...keys]),
  )
}

/** Lists the leaves of an action that are tested: one of each field, and all of the first change. */
const listFirstLeaves = (action: Json): readonly (readonly (string | number)[])[] =>
  listLeaves(action).filter(
    ([name, ...keys], i, all) =>
      (name === 'changes' && (keys[0] === 0 || keys[1] === 'secret')) ||
      all.findIndex(([first]) => first === name) === i,
  )

const changeValue = (key: string | number | undefined, value: unknown): unknown => {
  if (key === 'verb') return value === 'update' ? 'delete' : 'update'
  if (key === 'digest') return 'a'.repeat(64)
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return Array.isArray(value) ? ['create projects/platform/app:members/ana'] : `${value}x`
}

/** Changes the value at one place of the plan. */
const editPlan = (plan: Plan, keys: readonly (string | number)[]): Plan => {
  let at: unknown = plan
  for (const key of keys.slice(0, -1)) at = (at as Json)[key]
  const last = keys.at(-1) ?? ''
  const place = at as Json
  place[last] = changeValue(last, place[last])
  return plan
}

describe('a plan file', () => {
  it('has all that a reviewer reads of an action, and each of it may not be another', {
    timeout: 180_000,
  }, async () => {
    const { plan, refused } = await createPlan()
    const all = plan().actions
    expect(all.map(({ verb }) => verb).sort()).toEqual([
      ...['create', 'create', 'create', 'delete', 'delete', 'update'],
    ])
    // The update has most of the fields. Of the other actions, only the fields that it lacks are tested.
    const only: Readonly<Record<string, RegExp>> = {
      update: /./,
      delete: /^(?:loses|verb)/,
      create: /^(?:changes\.\d+\.secret|replaces)/,
    }
    const places = all.flatMap((action, i) =>
      listFirstLeaves(action)
        .filter((keys) => only[String(action.verb)]?.test(keys.join('.')))
        .map((keys) => ['actions', i, ...keys]),
    )
    const names = new Set(places.map((place) => place[2]))
    expect([...names].sort()).toEqual([...new Set(all.flatMap(Object.keys))].sort())
    for (const place of places) {
      const [what, changed] = [place.join('.'), editPlan(plan(), place)]
      await refused(what, JSON.stringify(changed), 2, 'was edited after it was written')
      const isStale = /\.(?:id|digest)$/.test(what)
      const why = isStale ? 'the plan is stale' : 'does not match the files'
      await refused(what, hashPlan(changed), isStale ? 5 : 2, why)
    }
  })

  it('may not be another in any other part, but for when it was made', {
    timeout: 120_000,
  }, async () => {
    const { plan, refused } = await createPlan()
    const { actions: _, created: __, ...rest } = plan()
    for (const place of listLeaves(rest))
      await refused(place.join('.'), JSON.stringify(editPlan(plan(), place)), 2, '')
    const head = (part: Json): string => hashPlan({ ...plan(), ...part })
    await refused(
      'instance',
      head({ instance: 'https://other.test' }),
      2,
      'plan.json was created for',
    )
    await refused(
      'user',
      head({ user: 'ana' }),
      2,
      'plan.json was created by ana, and this is root',
    )
    await refused('version', head({ plan: 1 }), 2, 'a plan of version 1')
  })

  it('has nothing that svcctl does not write', async () => {
    const { plan, refused } = await createPlan()
    const places: readonly ((plan: Plan) => unknown)[] = [
      (one) => one,
      (one) => one.selection,
      (one) => (one.files as Json[])[0],
      (one) => one.counts,
      (one) => one.actions[0],
      (one) => one.actions.flatMap(({ changes }) => changes as Json[])[0],
      (one) =>
        one.actions.flatMap(({ changes }) => changes as Json[]).find((c) => c.secret)?.secret,
    ]
    for (const [i, place] of places.entries()) {
      const one = plan()
      Object.assign(place(one) as Json, { comment: 'approved' })
      await refused(String(i), hashPlan(one), 2, 'svcctl plan')
    }
    for (const part of ['files', 'actions', 'sets', 'counts', 'inputs', 'selection'])
      await refused(
        part,
        hashPlan({ ...plan(), [part]: 5 }),
        2,
        part === 'actions' ? '' : `: ${part} must be`,
      )
    const [action = {}] = plan().actions
    await refused('twice', hashPlan({ ...plan(), actions: [action, action] }), 2, 'twice')
  })

  it('says nothing twice, of which people read the one and programs the other', async () => {
    const { text, refused } = await createPlan()
    const twice = text.replace('"verb":"update"', '"verb":"create", "verb":"update"')
    expect(twice).not.toBe(text)
    await refused('a key', twice, 2, 'was edited after it was written')
  })

  it('is of a size that can be looked into', async () => {
    const { cwd, run, refused, text } = await createPlan()
    const file = openSync(join(cwd, 'huge.json'), 'w')
    ftruncateSync(file, 256e6 + 1)
    closeSync(file)
    const huge = await run('apply huge.json --yes')
    expect([huge.code, huge.stderr]).toEqual([2, expect.stringContaining('larger than 256 MB')])
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    await refused('deep', text.replace('"findings":[]', `"findings":${deep}`), 2, 'plan.json')
    for (const none of ['', '{}', '[', 'null', '{"plan": 1}'])
      await refused(none, none, 2, 'plan.json')
  })

  it('may be laid out anew, and tells of what nobody agreed to', async () => {
    const { applied, plan, written } = await createPlan()
    const few = { ...plan(), actions: plan().actions.filter(({ verb }) => verb === 'update') }
    const { code, stderr } = await applied(JSON.stringify(JSON.parse(hashPlan(few)), null, 8))
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        '5 additional changes would be needed now; not applied, because plan.json does not contain them',
      ),
    ])
    expect(written()).toHaveLength(1)
  })
})

describe('the name of a plan file', () => {
  it('may be any: tfplan, plan.out, PLAN.JSON', async () => {
    const { run } = await createPlan()
    for (const name of ['tfplan', 'plan.out', 'PLAN.JSON']) {
      expect((await run(`plan svcctl.yml --out ${name}`)).code).toBe(0)
      const { code, stdout, stderr } = await run(`apply ${name} --dry-run -o json`)
      expect([name, code, stderr]).toEqual([name, 0, ''])
      expect(JSON.parse(stdout).counts.create).toBeGreaterThan(0)
    }
  })

  it('is no dash, which other flags take for standard output', async () => {
    const { run, cwd } = await createPlan()
    const { code, stderr } = await run('plan svcctl.yml --out -')
    expect([code, stderr]).toEqual([2, expect.stringContaining('pass -o json')])
    expect(existsSync(join(cwd, '-'))).toBe(false)
  })
})

describe('a plan where declared state is read', () => {
  it('says where to apply it, in a folder without its files', async () => {
    const { cwd, env } = await createPlan()
    const line = ['apply', join(cwd, 'plan.json'), '--yes']
    const { code, stderr } = await svcctl(line, { cwd: createFolder(), env })
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('Run apply in the folder where you created the plan'),
    ])
  })

  it('is called a plan, with what applies it', async () => {
    const { cwd, run, text } = await createPlan()
    const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: box.url() }
    const runs = [
      await run('plan plan.json'),
      await run('drift .'),
      await svcctl(['apply', '-', '--yes'], { cwd, env, input: text }),
    ]
    for (const { code, stderr } of runs)
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/:1:1: this is a plan, not declared state[\s\S]*svcctl apply <file>/),
      ])
  })
})
