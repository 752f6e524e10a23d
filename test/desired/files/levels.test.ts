/** Tests several levels that declare the same place: which one wins, and which values it overrides. */
import { describe, expect, it } from 'vitest'
import { formatOrigin } from '../../../src/desired/state.js'
import { findItem, findMistakes, getRefusal, getWanted, readText, readTexts } from './reading.js'

const onePlace = { projects: ['platform/core/db'], groups: ['platform', 'platform/core'] } as const
const readWanted = async (
  text: string,
  places?: Partial<Record<keyof typeof onePlace, readonly string[]>>,
) => getWanted(await readText(text), { ...onePlace, ...places })

const buildApprovals = (value: number): string =>
  `{approval_rules: {R: {approvals_required: ${value}}}}`

const levels = [
  `defaults: {projects: ${buildApprovals(1)}}`,
  `  '**': {projects: ${buildApprovals(2)}}`,
  `  platform/**: {projects: ${buildApprovals(3)}}`,
  `  platform/core/**: {projects: ${buildApprovals(4)}}`,
  `projects: {platform/core/db: ${buildApprovals(5)}}`,
] as const
const [defaults, all, outer, inner, exact] = levels

describe('levels', () => {
  it.each([
    [[exact, inner, outer, all, defaults], 5],
    [[inner, outer, all, defaults], 4],
    [[outer, all, defaults], 3],
    [[all, defaults], 2],
  ])('the more specific wins, in any order of writing', async (parts, value) => {
    const groups = parts.filter((part) => part.startsWith(' '))
    const others = parts.filter((part) => !part.startsWith(' '))
    const text = [...others, 'groups:', ...groups].join('\n')
    expect((await readWanted(text))['platform/core/db:approval_rules']).toEqual({
      R: { approvals_required: value },
    })
  })

  it('say what they overrode, the nearest first', async () => {
    const state = await readTexts({
      'a.yml': `${defaults}\ngroups:\n${all}\n${outer}`,
      'b.yml': exact,
    })
    const item = findItem(state, 'platform/core/db:approval_rules', 'R')
    const said = item.attributes.get('approvals_required')
    expect(
      [said, ...(said?.over ?? [])].map((one) => one && [one.value, formatOrigin(one.origin)]),
    ).toEqual([
      [{ is: 'value', value: 5 }, 'b.yml:2:52'],
      [{ is: 'value', value: 3 }, 'a.yml:5:49'],
      [{ is: 'value', value: 2 }, 'a.yml:4:42'],
      [{ is: 'value', value: 1 }, 'a.yml:2:44'],
    ])
  })

  it('of defaults reach what a key names or reaches, and nothing else', async () => {
    const text = `${defaults}\nprojects: {web/site: {}}\ngroups:\n  platform/core/**: {projects: {}}\n  web/**: {members: {}}`
    const projects = ['platform/core/db', 'platform/app', 'web/site', 'web/other']
    expect(Object.keys(await readWanted(text, { projects }))).toEqual([
      'platform/core/db:approval_rules',
      'web/site:approval_rules',
    ])
  })

  it("of '**' reach projects of groups, never of people", async () => {
    const projects = ['ana/notes', 'platform/app', 'platform/core/db']
    expect(Object.keys(await readWanted(`groups:\n${all}`, { projects }))).toEqual([
      'platform/app:approval_rules',
      'platform/core/db:approval_rules',
    ])
  })

  it('of members reach the group itself and those below that are known', async () => {
    const text = [
      'groups:',
      "  '**': {members: {ana: {access_level: guest}}}",
      '  platform/**: {members: {ana: {access_level: reporter}}}',
      '  platform/core: {members: {ana: {access_level: owner}}}',
    ].join('\n')
    expect(
      await readWanted(text, { groups: ['platform', 'platform/core', 'platform/x', 'web'] }),
    ).toEqual({
      'platform:members': { ana: { access_level: 20 } },
      'platform/core:members': { ana: { access_level: 50 } },
      'platform/x:members': { ana: { access_level: 20 } },
      'web:members': { ana: { access_level: 10 } },
    })
  })

  it('of paths that differ in case only are one', async () => {
    const text = `projects: {Platform/APP: ${buildApprovals(1)}}\ngroups: {PLATFORM/**: {projects: {approval_rules: {S: {}}}}}`
    expect(
      (await readWanted(text, { projects: ['platform/app'] }))['platform/app:approval_rules'],
    ).toEqual({
      S: {},
      R: { approvals_required: 1 },
    })
    const twice = `projects:\n  platform/app: ${buildApprovals(1)}\n  Platform/App: ${buildApprovals(1)}`
    expect(await findMistakes(twice)).toEqual([
      '3:39: approvals_required is set twice at this level, first at standard input:3:39',
    ])
  })

  it('tell which places are spoken of', async () => {
    const { reach } = await readText(
      "defaults: {projects: {}}\ngroups: {'**': {members: {}}, a: {}, b/**: {projects: {}}}\nprojects: {x/y: {}}",
    )
    expect(reach).toMatchObject({
      groups: ['a'],
      projects: ['x/y'],
      below: ['', 'b'],
      membersBelow: [''],
    })
    expect([...(reach.origins?.keys() ?? [])].sort()).toEqual([
      'groups/a',
      'groups/b',
      'projects/x/y',
    ])
  })
})

const buildLevels = (outerRules: string, innerRules: string): string =>
  `groups: {platform/**: {projects: {approval_rules: ${outerRules}}}}\nprojects: {platform/core/db: {approval_rules: ${innerRules}}}`
const readRules = async (outerRules: string, innerRules: string): Promise<unknown> =>
  (await readWanted(buildLevels(outerRules, innerRules)))['platform/core/db:approval_rules']

describe('merging', () => {
  it('unites items and attributes, and replaces lists', async () => {
    expect(
      await readRules(
        '{A: {approvals_required: 1, user_ids: [ana]}, B: {approvals_required: 2}}',
        '{A: {user_ids: [ben]}, C: {approvals_required: 3}}',
      ),
    ).toEqual({
      A: { approvals_required: 1, user_ids: ['ben'] },
      B: { approvals_required: 2 },
      C: { approvals_required: 3 },
    })
  })

  it('replaces null by an object, and an object by null', async () => {
    expect(
      await readRules(
        '{A: null, B: {approvals_required: 2}}',
        '{A: {approvals_required: 1}, B: null}',
      ),
    ).toEqual({
      A: { approvals_required: 1 },
      B: null,
    })
  })

  it.each([
    ['{$exact: true, A: {}}', '{B: {}}', true],
    ['{A: {}}', '{$exact: true, B: {}}', true],
    ['{$exact: true, A: {}}', '{$exact: false, B: {}}', false],
    ['{$exact: false, A: {}}', '{$exact: true, B: {}}', true],
  ])('takes $exact from the most specific that says it: %s %s', async (a, b, exactly) => {
    expect(await readRules(a, b)).toEqual({ $exact: exactly, A: {}, B: {} })
  })

  it('drops what is less specific for $inherit: false in a map', async () => {
    const some = '{$exact: true, A: {approvals_required: 1, user_ids: [ana]}, B: {}}'
    expect(await readRules(some, '{$inherit: false, A: {user_ids: [ben]}}')).toEqual({
      A: { user_ids: ['ben'] },
    })
    expect(await readRules(some, '{A: {$inherit: false, user_ids: [ben]}}')).toEqual({
      $exact: true,
      A: { user_ids: ['ben'] },
      B: {},
    })
    expect(await readRules(some, '{$inherit: true, A: {$inherit: true, user_ids: [ben]}}')).toEqual(
      {
        $exact: true,
        A: { approvals_required: 1, user_ids: ['ben'] },
        B: {},
      },
    )
    const place = `${defaults}\nprojects: {platform/core/db: {$inherit: false, approvals: {}}}`
    expect(await readWanted(place)).toEqual({ 'platform/core/db:approvals': { '': {} } })
    const one = 'defaults: {projects: {approvals: {reset_approvals_on_push: true}}}'
    expect(
      await readWanted(`${one}\nprojects: {platform/core/db: {approvals: {$inherit: false}}}`),
    ).toEqual({ 'platform/core/db:approvals': { '': {} } })
  })

  it.each([
    [
      '{A: {user_ids: [ana, ben]}}',
      '{A: {user_ids: {$add: [chi, Ana], $remove: [BEN]}}}',
      ['ana', 'chi'],
    ],
    ['{A: {user_ids: []}}', '{A: {user_ids: {$add: [12], $remove: [13]}}}', [12]],
    ['{A: {}}', '{A: {user_ids: {$add: [chi]}}}', { is: 'change', add: ['chi'], remove: [] }],
    [
      '{A: {user_ids: {$add: [ana, ben], $remove: [chi, dan]}}}',
      '{A: {user_ids: {$add: [chi], $remove: [ben]}}}',
      { is: 'change', add: ['ana', 'chi'], remove: ['dan', 'ben'] },
    ],
    ['{A: {user_ids: {$add: [ana]}}}', '{A: {user_ids: [ben]}}', ['ben']],
    [
      '{A: {user_ids: [ana]}}',
      '{A: {$inherit: false, user_ids: {$remove: [ana]}}}',
      { is: 'change', add: [], remove: ['ana'] },
    ],
  ])('changes lists: %s, then %s', async (a, b, members) => {
    expect(await readRules(a, b)).toEqual({ A: { user_ids: members } })
  })

  it('keeps the case of names that are no users', async () => {
    const hosts = (list: string): string => `site: {settings: {domain_allowlist: ${list}}}`
    expect((await readWanted(hosts('{$add: [A], $remove: [a]}')))['site:settings']).toEqual({
      '': { domain_allowlist: { is: 'change', add: ['A'], remove: ['a'] } },
    })
  })

  it('takes words of an item from the most specific', async () => {
    const state = await readText(
      buildLevels('{A: {previously: [X]}, B: {previously: Y}}', '{A: {previously: [Z]}, B: {}}'),
    )
    const [a, b] = ['A', 'B'].map((name) =>
      findItem(state, 'platform/core/db:approval_rules', name),
    )
    expect([a?.previously?.value, b?.previously?.value]).toEqual([['Z'], ['Y']])
  })
})

describe('one level', () => {
  const rules = (text: string): string => `projects: {platform/app: {approval_rules: ${text}}}`
  it('may stand in several files, each with other items and attributes', async () => {
    const state = await readTexts({
      'a.yml': rules('{$exact: true, A: {approvals_required: 1}}'),
      'b.yml': rules('{A: {user_ids: [ana]}, B: {}}'),
    })
    expect(getWanted(state)['platform/app:approval_rules']).toEqual({
      $exact: true,
      A: { approvals_required: 1, user_ids: ['ana'] },
      B: {},
    })
  })

  it.each([
    [
      '{A: {approvals_required: 1}}',
      '{A: {approvals_required: 1}}',
      'approvals_required is set twice at this level',
    ],
    [
      '{A: {user_ids: [ana]}}',
      '{A: {user_ids: {$add: [ben]}}}',
      'user_ids is set twice at this level',
    ],
    ['{$exact: true}', '{$exact: true}', '$exact is set twice at this level'],
    ['{$inherit: false}', '{$inherit: false}', '$inherit is set twice at this level'],
    ['{A: {previously: [B]}}', '{A: {previously: [B]}}', 'previously is set twice at this level'],
    ['{A: null}', '{A: null}', 'A is null twice at this level'],
    ['{A: null}', '{A: {}}', 'A is both null and has attributes at the same level'],
    ['{A: {}}', '{A: null}', 'A is both null and has attributes at the same level'],
    ['{A: {$other: {x: 1}}}', '{A: {$other: {x: 1}}}', 'x is set twice at this level'],
  ])('says nothing twice, even where both are equal: %s %s', async (a, b, mistake) => {
    const [line = '', ...more] = await getRefusal(
      readTexts({ 'a.yml': rules(a), 'b.yml': rules(b) }),
    )
    expect(line).toMatch(/^b\.yml:2:\d+: .*, first at a\.yml:2:\d+$/)
    expect(line).toContain(mistake)
    expect(more).toEqual([])
  })

  it('knows users by their names, whatever the case', async () => {
    const text = 'groups: {platform: {members: {ana: {access_level: 30}, Ana: {access_level: 30}}}}'
    expect((await findMistakes(text))[0]).toContain('access_level is set twice')
  })

  it('adds and removes nothing that is the same', async () => {
    expect(await findMistakes(rules('{A: {user_ids: {$add: [ana], $remove: [Ana]}}}'))).toEqual([
      expect.stringContaining('user_ids adds and removes the same member'),
    ])
    expect((await findMistakes(rules('{A: {user_ids: {$ad: [ana]}}}')))[1]).toBe(
      'Did you mean $add?',
    )
    expect((await findMistakes(rules('{A: {user_ids: {}}}')))[0]).toContain(
      'user_ids must not be empty',
    )
    expect((await findMistakes(rules('{A: {user_ids: {$add: ana}}}')))[0]).toContain(
      '$add must be a list, not text',
    )
    expect((await findMistakes(rules('{A: {approvals_required: {$add: [1]}}}')))[0]).toContain(
      '$add is not allowed here',
    )
  })
})
