import { describe, expect, it } from 'vitest'
import { takeKey } from '../../src/commands/alerts.js'
import { addApprovers, getRemovedApprovers } from '../../src/commands/approvals.js'
import {
  createCycloneDx,
  formatPurl,
  sortVulnerableFirst,
} from '../../src/commands/dependencies.js'
import {
  findFamily,
  getForeign,
  getLacking,
  normalizeProperty,
} from '../../src/commands/integrations.js'
import { hasQuickAction } from '../../src/commands/issues.js'
import { getAddOutcomes } from '../../src/commands/members.js'

describe('approvals rules update', () => {
  const record = {
    users: [
      { id: 2, username: 'ana' },
      { id: 3, username: 'ben' },
    ],
    groups: [{ id: 5, full_path: 'platform/core' }],
  }

  it('names those who are not listed', () => {
    expect(getRemovedApprovers({ user_ids: [3, 4], group_ids: [5] }, record)).toEqual([
      'user ana (2)',
    ])
    expect(getRemovedApprovers({ user_ids: [2, 3] }, record)).toEqual(['group platform/core (5)'])
    expect(getRemovedApprovers({}, record)).toHaveLength(3)
    expect(getRemovedApprovers({ user_ids: [] }, {})).toEqual([])
  })

  it('keeps the present ones beside those given', () => {
    expect(addApprovers({ name: 'x', user_ids: [4, 2] }, record)).toEqual({
      name: 'x',
      user_ids: [2, 3, 4],
      group_ids: [5],
    })
    expect(addApprovers({ name: 'x' }, { users: [] })).toEqual({ name: 'x' })
  })
})

describe('several members at once', () => {
  const failed = (users: readonly string[], answer: Readonly<Record<string, unknown>>) =>
    getAddOutcomes(users, answer).flatMap(({ user, failure }) =>
      failure === undefined ? [] : [[user, failure.message]],
    )

  it('tells apart who was added and who was not', () => {
    expect(failed(['1', '2'], { status: 'success' })).toEqual([])
    expect(failed(['1', '2'], { status: 'error', message: { '2': 'Already exists' } })).toEqual([
      ['2', 'Already exists'],
    ])
    expect(failed(['1', '2'], { status: 'error', message: 'No seats' })).toEqual([
      ['1', 'No seats'],
      ['2', 'No seats'],
    ])
  })

  it('calls nobody added when the answer names somebody unknown', () => {
    expect(failed(['1', '2'], { status: 'error', message: { ana: ['a', 'b'] } })).toEqual([
      ['1', 'ana: a; b'],
      ['2', 'ana: a; b'],
    ])
  })
})

it('promotes by the quick action at the start of a line only', () => {
  expect(['/promote', 'text\n/promote now'].map(hasQuickAction)).toEqual([true, true])
  expect(['promote', ' /promote', 'see /promote', '/promoted'].map(hasQuickAction)).toEqual([
    false,
    false,
    false,
    false,
  ])
})

describe('integrations', () => {
  it('knows what a family needs and does not take', () => {
    const family = findFamily('chat-room')
    if (family === undefined) return expect.unreachable()
    expect(getForeign(family, ['room', 'webhook', 'unheard_of'])).toEqual(['--webhook'])
    expect(getLacking(family, new Set(['room']))).toEqual(['token'])
    expect(getLacking(family, new Set(['token']))).toEqual([])
  })

  it('shows booleans in whatever spelling, and nothing else, as booleans', () => {
    const record = { active: 'true', id: 1, push_events: 0, properties: { disable_diffs: '1' } }
    expect(normalizeProperty([record])).toEqual([
      { active: true, id: 1, push_events: false, properties: { disable_diffs: true } },
    ])
    expect(normalizeProperty({ active: 'perhaps', title: 'true' })).toEqual({
      active: 'perhaps',
      title: 'true',
    })
  })
})

describe('the key in an alert endpoint’s address', () => {
  it.each([
    ['https://:k%2Fy@alerts.test/x', 'k/y'],
    ['https://key@alerts.test/x', 'key'],
    ['https://user:key@alerts.test/x', 'key'],
    ['https://alerts.test/x', undefined],
  ])('is taken out of %s', (text, key) => {
    const address = new URL(text)
    expect(takeKey(address)).toBe(key)
    expect(address.href).toBe('https://alerts.test/x')
  })
})

describe('dependencies', () => {
  const dependency = (name: string, ...severities: readonly string[]) => ({
    name,
    version: '1.0',
    package_manager: 'npm',
    dependency_file_path: 'package-lock.json',
    vulnerabilities: severities.map((severity) => ({ name: 'Hole', severity })),
  })

  it('shows the worst first and leaves the rest in order', () => {
    const order = ['b', 'low', 'a', 'critical'].map((name) =>
      name.length === 1 ? dependency(name) : dependency(name, 'info', name),
    )
    expect(sortVulnerableFirst(order)).toEqual([order[3], order[1], order[0], order[2]])
  })

  it.each([
    ['npm', '@scope/name', 'pkg:npm/%40scope/name@1.0'],
    ['maven', 'org.x:lib', 'pkg:maven/org.x/lib@1.0'],
    ['go', 'example.test/a/b', 'pkg:golang/example.test/a/b@1.0'],
    ['pip', 'My_Lib', 'pkg:pypi/my-lib@1.0'],
    ['cargo', 'x', undefined],
  ])('makes a package URL of %s %s', (manager, name, purl) => {
    expect(formatPurl(manager, name, '1.0')).toBe(purl)
  })

  it('become a CycloneDX document with each vulnerability once', async () => {
    const bill = await createCycloneDx([dependency('a', 'high'), dependency('b', 'HIGH'), 'odd'], {
      project: 'platform/app',
      version: '1.2.3',
      now: new Date('2026-11-02T09:00:00Z'),
      serialNumber: 'urn:uuid:00000000-0000-4000-8000-000000000000',
    })
    const refs = ['pkg:npm/a@1.0#package-lock.json', 'pkg:npm/b@1.0#package-lock.json']
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { timestamp: '2026-11-02T09:00:00.000Z', component: { name: 'platform/app' } },
      components: [{ purl: 'pkg:npm/a@1.0' }, { purl: 'pkg:npm/b@1.0' }],
      vulnerabilities: [
        {
          id: 'Hole',
          ratings: [{ severity: 'high' }],
          affects: refs.map((ref) => ({ ref })),
        },
      ],
    })
    expect(bill).toMatchObject({
      dependencies: expect.arrayContaining([{ ref: 'platform/app', dependsOn: refs }]),
    })
  })
})
