/** Tests teams and ranges: a file that uses them means the same as one that lists the people and values. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { startProxy } from './front.js'

const { url } = useSharedSandbox()

/** Writes files, each below `version: 1`, and creates a function that runs lines about them. The first file is `f.yml`. */
const createWorkspace = async (...texts: readonly string[]) => {
  const front = await startProxy(url)
  const cwd = createFolder()
  for (const [i, text] of texts.entries())
    writeFileSync(join(cwd, i === 0 ? 'f.yml' : `f${i}.yml`), `version: 1\n${text}\n`)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: front.base }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { run, cwd, front }
}
const explainPlan = async (text: string, address: string) => {
  const { run } = await createWorkspace(text)
  const { code, stdout, stderr } = await run(`plan f.yml --explain ${address} -o json`)
  const lines = code === 0 ? (JSON.parse(stdout) as Record<string, unknown>[]) : []
  return { code, stderr, lines }
}
const members = 'groups/platform:members'

describe('a team', () => {
  const teams = 'teams: {leads: {users: [ana, ben]}, all: {users: [chi], teams: [leads]}, none: {}}'
  const used = (lines: string): string => `${teams}\ngroups: {platform: {members: {${lines}}}}`

  it('is all of its users, each with the place of use and of the team', async () => {
    const { lines } = await explainPlan(used('team:all: developer, chi: guest'), members)
    expect(lines.map(({ address, value }) => `${address} ${value}`).sort()).toEqual([
      `${members}/ana#access_level 30`,
      `${members}/ben#access_level 30`,
      `${members}/chi#access_level 10`,
    ])
    expect(lines.find(({ address }) => String(address).includes('ana'))).toMatchObject({
      origin: 'f.yml:3:41, team all at f.yml:2:37',
    })
  })

  it('gives way to a higher one, which is told of, and to the line of a person', async () => {
    const both = used('team:all: developer, team:leads: maintainer, ben: {expires_at: 2030-01-01}')
    const { lines } = await explainPlan(both, `${members}/ben`)
    expect(lines.map(({ value, over }) => [value, over])).toEqual([
      ['40', [{ value: '30', origin: expect.stringContaining('team all') }]],
      ['2030-01-01', []],
    ])
    const { run } = await createWorkspace(used('team:all: guest, team:leads: owner'))
    expect((await run('plan f.yml -o markdown')).stdout).toContain(
      '| `access_level` | `maintainer` | `owner` | `f.yml:3:60`, team `leads` over `all` |',
    )
  })

  it.each([
    [
      'levels that are equal beside other ends',
      'team:all: {access_level: guest, expires_at: 2030-01-01}, team:leads: guest',
    ],
    ['a null beside attributes', 'team:all: null, team:leads: guest'],
    ['a range beside a value', 'team:all: {access_level: {min: guest}}, team:leads: developer'],
  ])("is refused where two say what only a person's own line can: %s", async (_, lines) => {
    const { code, stderr } = await explainPlan(used(lines), members)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('two teams have different attributes for ana'),
    ])
    expect(stderr).toContain('Declare this user directly.')
    const own = `${lines}, ana: null, ben: null`
    expect((await explainPlan(used(own), members)).code).toBe(0)
  })

  it('may be a list, or a part of one, and its members leave with it', async () => {
    const rule = (list: string): string =>
      `${teams}\nprojects: {platform/app: {approval_rules: {Security: {user_ids: ${list}}}}}`
    const { run } = await createWorkspace(rule('[team:leads]'))
    expect((await run('plan f.yml')).stdout).toContain('nothing to do')
    const more = await createWorkspace(rule('{$add: [team:all]}'))
    const planned = await more.run('plan f.yml --out plan.json -o json')
    expect(JSON.parse(planned.stdout).actions[0].changes[0]).toMatchObject({
      attribute: 'user_ids',
      team: 'all',
      origin: [0, 3, 55],
    })
    expect((await more.run('apply plan.json --yes')).code).toBe(0)
    expect((await run('plan f.yml')).stdout).toContain('- chi')
  })

  it('of nobody is nobody, with a note; a list of nobody is written', async () => {
    const { run } = await createWorkspace(used('team:none: developer'))
    const { code, stderr } = await run('plan f.yml')
    expect([code, stderr]).toEqual([0, expect.stringContaining('the team none has no users')])
    const list = `${teams}\nprojects: {platform/app: {approval_rules: {Security: {user_ids: [team:none]}}}}`
    const empty = await (await createWorkspace(list)).run('plan f.yml')
    expect([empty.code, empty.stderr]).toEqual([
      2,
      expect.stringContaining('Write [] for an empty list.'),
    ])
  })

  it('may say that nobody of it is a member', async () => {
    const { run } = await createWorkspace(used('team:leads: null, ana: owner'))
    expect((await run('plan f.yml')).stdout).toMatch(/- members\/ben +DELETED/)
  })

  it.each([
    ['teams: {a: {teams: [b]}, b: {teams: [a]}}', 'contain each other: a → b → a'],
    ['teams: {a: {teams: [a]}}', 'contain each other: a → a'],
    ["teams: {'a b': {}}", '"a b" is not a valid team name'],
    ['teams: {a: {}, b: {teams: [c]}}', 'unknown team c'],
    ['teams: {a: [ana]}', 'a must be a map, not a list'],
    ['teams: {a: {people: [ana]}}', 'people is not allowed here'],
    ['teams: {a: {users: ana}}', 'users must be a list, not text'],
    ['teams: {a: {users: [[ana]]}}', 'an item of users must be text, not a list'],
    [
      'teams: {leads: {}}\ngroups: {platform: {members: {team:lead: guest}}}',
      'Did you mean leads?',
    ],
    [
      'teams: {a: {users: [nobdy]}}\ngroups: {platform: {members: {team:a: guest}}}',
      'there is no user nobdy',
    ],
  ])('is refused: %s', async (text, why) => {
    const { run } = await createWorkspace(text)
    const { code, stderr } = await run('plan f.yml')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/f\.yml:\d+:\d+/)])
    expect(stderr).toContain(why)
  })

  it('has one definition, in whatever file', async () => {
    const { run } = await createWorkspace('teams: {a: {}}', 'teams: {a: {}}')
    const { stderr } = await run('plan f.yml f1.yml')
    expect(stderr).toContain('f1.yml:2:9: the team a is defined twice, first at f.yml:2:9')
  })
})

describe('files with teams', () => {
  const users = ['ana', 'ben', 'chi', 'eva']
  const levels = ['guest', 'developer', 'maintainer', 'owner']
  const some = fc.subarray(users)
  const level = fc.constantFrom(...levels)
  const file = fc.record({
    inner: some,
    outer: some,
    third: some,
    lines: fc.record({ inner: level, outer: level, third: level }, { requiredKeys: [] }),
    own: fc.dictionary(fc.constantFrom(...users), level, { maxKeys: 2 }),
    list: fc.subarray(['inner', 'outer', 'third'], { minLength: 1 }),
  })
  const map = (fields: Readonly<Record<string, string>>): string =>
    `{${Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ')}}`

  it('want what is written out by hand', async () => {
    await fc.assert(
      fc.asyncProperty(file, async ({ inner, outer, third, lines, own, list }) => {
        const teams: Record<string, readonly string[]> = {
          inner,
          outer: [...outer, ...inner],
          third,
        }
        const inList = [...new Set(list.flatMap((name) => teams[name] ?? []))]
        fc.pre(inList.length > 0)
        const byHand: Record<string, string> = {}
        for (const [name, said] of Object.entries(lines))
          for (const user of teams[name] ?? [])
            if (levels.indexOf(said) > levels.indexOf(byHand[user] ?? '')) byHand[user] = said
        const rest = (members: Readonly<Record<string, string>>, approvers: readonly string[]) =>
          `groups: {platform: {members: ${map(members)}}, platform/**: {projects: {approval_rules: {R: {user_ids: [${approvers.join(', ')}]}}}}}`
        const named = Object.fromEntries(
          Object.entries(lines).map(([name, said]) => [`team:${name}`, said]),
        )
        const withTeams = `teams: {inner: {users: [${inner}]}, outer: {users: [${outer}], teams: [inner]}, third: {users: [${third}]}}\n${rest(
          { ...named, ...own },
          list.map((name) => `team:${name}`),
        )}`
        const written = rest({ ...byHand, ...own }, inList)
        const said = async (text: string, address: string) =>
          (await explainPlan(text, address)).lines.map(({ address: at, value }) => `${at} ${value}`)
        if (Object.keys({ ...byHand, ...own }).length > 0)
          expect((await said(withTeams, members)).sort()).toEqual(
            (await said(written, members)).sort(),
          )
        const rules = 'projects/platform/app:approval_rules'
        const sorted = (texts: readonly string[]) =>
          texts.map((text) => text.split(' ').sort().join(' '))
        expect(sorted(await said(withTeams, rules))).toEqual(sorted(await said(written, rules)))
      }),
      { numRuns: 8 },
    )
  })
})

describe('a range', () => {
  const rule = (value: string, name = 'Security'): string =>
    `projects: {platform/app: {approval_rules: {${name}: {approvals_required: ${value}}}}}`

  it.each([
    ['{min: 2}', '1 → at least 2: 2'],
    ['{max: 0}', '1 → at most 0: 0'],
    ['{min: 2, max: 3}', '1 → from 2 to 3: 2'],
    ['{one_of: [3, 2]}', '1 → one of 3, 2: 3'],
  ])('brings a value that is outside of it to its nearest end: %s', async (value, said) => {
    const { run } = await createWorkspace(rule(value))
    const planned = await run('plan f.yml')
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining(said)])
    expect((await run('drift f.yml')).code).toBe(1)
  })

  it.each(['{min: 1}', '{max: 1}', '{min: 0, max: 5}', '{one_of: [3, 1]}'])(
    'leaves a value that is inside as it is: %s',
    async (value) => {
      const { run } = await createWorkspace(rule(value))
      expect((await run('plan f.yml')).stdout).toContain('nothing to do; 1')
    },
  )

  it('creates by its least, and is of levels by name', async () => {
    const { run } = await createWorkspace(
      `${rule('{min: 2}', 'New')}\ngroups: {platform: {members: {eva: {access_level: {min: maintainer}}, ana: {access_level: {min: developer}}}}}`,
    )
    const { stdout } = await run('plan f.yml')
    expect(stdout).toContain('approvals_required 2')
    expect(stdout).toMatch(/members\/eva\n +access_level +guest → at least maintainer: maintainer/)
    expect(stdout).not.toContain('members/ana')
  })

  it('is the whole value, and a plain one outside of it is warned of', async () => {
    const levels = `groups: {platform/**: {projects: {approval_rules: {Security: {approvals_required: {min: 2}}}}}}\n${rule('1')}`
    const { run } = await createWorkspace(levels)
    const { stdout } = await run('plan f.yml -P platform/app')
    expect(stdout).toContain('overrides at least 2, set at f.yml:2:')
    expect(stdout).toContain('nothing to do')
  })

  it.each([
    ['{min: 3, max: 2}', 'the minimum of approvals_required is greater than its maximum'],
    ['{one_of: []}', 'one_of must have at least 1 item'],
    ['{one_of: [1], min: 1}', 'cannot combine one_of with min or max'],
    ['{minn: 1}', 'Did you mean min?'],
    ['{min: [1]}', 'min must be a whole number, not a list'],
    ['{min: null}', 'min must be a whole number, not nothing'],
    ['{min: many}', 'min must be a whole number, not "many"'],
    ['{}', 'approvals_required must not be empty'],
  ])('is refused: %s', async (value, why) => {
    const { code, stderr } = await (await createWorkspace(rule(value))).run('plan f.yml')
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
  })

  it('is of what it can be of', async () => {
    const { stderr } = await (
      await createWorkspace(
        'projects: {platform/app: {approval_rules: {A: {user_ids: {min: 1}, rule_type: {min: a}}}}}',
      )
    ).run('plan f.yml')
    expect(stderr).toContain('f.yml:2:59: min is not allowed here (Use one of $add, $remove.)')
    expect(stderr).toContain('f.yml:2:80: min is not allowed here (Use one_of.)')
  })
})
