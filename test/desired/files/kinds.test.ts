/** Tests the differences between kinds: which can be deleted, which can be renamed, and which have families. */
import { describe, expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { findItem, findMistakes, getWanted, readText } from './reading.js'

const buildText = ({ scope, name }: (typeof managedKinds)[number], body: string): string => {
  const key = { site: '', group: 'platform', project: 'platform/app' }[scope]
  const kind = `{${name}: ${body}}`
  return scope === 'site' ? `site: ${kind}` : `${scope}s: {${key}: ${kind}}`
}

const labelKinds = (kinds: readonly (typeof managedKinds)[number][]) =>
  kinds.map((kind) => [`${kind.name} of a ${kind.scope}`, kind] as const)
const undeletable = managedKinds.filter(({ remove }) => remove === undefined)
const sets = managedKinds.filter(({ holds, remove }) => holds === 'set' && remove !== undefined)

describe('where nothing can be deleted', () => {
  it('is said of these', () => {
    expect(undeletable.map(({ name }) => name).sort()).toEqual([
      'approvals',
      'error_tracking',
      'resource_groups',
      'runners',
      'settings',
    ])
  })

  it.each(labelKinds(undeletable))(
    '%s: neither null, nor a null item, nor $exact',
    async (_, kind) => {
      expect((await findMistakes(buildText(kind, 'null')))[0]).toMatch(
        new RegExp(`^1:\\d+: ${kind.name} must be a (?:map|list), not nothing$`),
      )
      if (kind.holds === 'rules') return
      expect(await findMistakes(buildText(kind, '{$exact: true}'))).toEqual([
        expect.stringMatching(/^1:\d+: \$exact is not allowed here$/),
        'Objects of this kind cannot be deleted, so the set cannot be exact.',
      ])
      if (kind.holds === 'set')
        expect((await findMistakes(buildText(kind, '{x: null}')))[0]).toContain(
          'x must be a map, not nothing',
        )
    },
  )
})

describe('sets', () => {
  it('are these', () => expect(sets.length).toBeGreaterThan(6))

  it.each(labelKinds(sets))(
    '%s: an item is there, or not, and the rest as $exact says',
    async (_, kind) => {
      const text = buildText(
        kind,
        `{$exact: true, x: null, '@1': ${kind.families ? 'null' : '{}'}}`,
      )
      const wish = Object.values(getWanted(await readText(text)))[0]
      expect(wish).toMatchObject({ $exact: true, x: null })
      expect((await findMistakes(buildText(kind, 'null')))[1]).toContain(
        'Write {} for an empty map.',
      )
      expect((await findMistakes(buildText(kind, '{$exact: 1}')))[0]).toContain(
        '$exact must be true or false',
      )
    },
  )
})

describe('items', () => {
  it('are called by names, or by numbers where those are IDs', async () => {
    const text = "groups: {platform: {members: {ana: {}, 12: {}, '@13': {}}}}"
    const identities = (await readText(text))
      .places({ groups: ['platform'], projects: [] })
      .flatMap((here) => here.desired())
      .flatMap(({ items }) => items.map(({ identity }) => identity))
    expect(identities).toEqual(['ana', 12, '13'])
    expect((await findMistakes('groups: {platform: {members: {007: {}}}}'))[0]).toContain(
      '007 is not an ID',
    )
  })

  it('may say what they were called, where their kind can be renamed', async () => {
    const text = 'projects: {platform/app: {approval_rules: {A: {previously: [B, C]}}}}'
    expect(
      findItem(await readText(text), 'platform/app:approval_rules', 'A').previously?.value,
    ).toEqual(['B', 'C'])
    expect(managedKinds.filter(({ renames }) => renames === true).map(({ name }) => name)).toEqual([
      'geo_nodes',
      'approval_rules',
    ])
  })

  it.each(labelKinds(sets.filter(({ renames }) => renames !== true)))(
    '%s cannot be renamed',
    async (_, kind) => {
      const family = kind.families === undefined ? '' : ', family: simple-webhook'
      const [line, hint] = await findMistakes(buildText(kind, `{x: {previously: [y]${family}}}`))
      expect(line).toMatch(/^1:\d+: previously is not allowed here$/)
      expect(hint).toContain(`${kind.name} cannot be renamed`)
    },
  )

  it('were not called as they are called', async () => {
    const text = (names: string): string =>
      `projects: {platform/app: {approval_rules: {A: {previously: ${names}}}}}`
    expect((await findMistakes(text('[A]')))[0]).toContain('previously contains A itself')
    expect((await findMistakes(text('{A: B}')))[0]).toContain(
      'previously must be text or a list, not a map',
    )
    expect((await findMistakes(text('[null]')))[0]).toContain(
      'an item of previously must be text, not nothing',
    )
  })
})

describe('integrations', () => {
  const integrations = (text: string): string =>
    `projects: {platform/app: {integrations: {${text}}}}`

  it('need their family where their slug does not say it', async () => {
    expect(await findMistakes(integrations('chat: {webhook: {env: X}}'))).toEqual([
      expect.stringMatching(/^1:\d+: chat needs family:, because its attributes are unknown$/),
      'Set family: to declare its attributes.',
    ])
    expect((await findMistakes(integrations('email-on-push: {}')))[1]).toContain(
      'Did you mean emails-on-push?',
    )
    expect((await findMistakes(integrations('chat: {family: chat-web-hook}'))).join()).toContain(
      'Did you mean chat-webhook?',
    )
    const state = await readText(integrations('chat: {family: chat-webhook}, gone: null'))
    expect(findItem(state, 'platform/app:integrations', 'chat').family?.value).toBe('chat-webhook')
  })

  it('may have it said at another level', async () => {
    const two = (inner: string): string =>
      `groups: {platform/**: {projects: {integrations: {chat: {family: chat-webhook}}}}}\n${inner}`
    const state = await readText(two(integrations('chat: {webhook: {env: X}}')))
    expect(findItem(state, 'platform/app:integrations', 'chat').family?.value).toBe('chat-webhook')
    expect(await findMistakes(two('projects: {web/site: {integrations: {chat: {}}}}'))).toEqual([
      expect.stringMatching(/^2:\d+: chat needs family/),
      expect.any(String),
    ])
  })

  it('take the attributes of their family only', async () => {
    expect(await findMistakes(integrations('emails-on-push: {webhook: {env: X}}'))).toEqual([
      expect.stringMatching(/^1:\d+: webhook is not allowed here$/),
      expect.stringContaining('Use one of recipients, '),
    ])
    expect(
      (await findMistakes(integrations('emails-on-push: {family: chat-webhook}')))[0],
    ).toContain('family must be emails-on-push')
    expect((await findMistakes(integrations('emails-on-push: {recipients: null}')))[0]).toContain(
      'recipients must not be nothing',
    )
  })

  it('are null where they are not active', async () => {
    expect(await findMistakes(integrations('emails-on-push: {active: false}'))).toEqual([
      expect.stringMatching(/^1:\d+: active is not allowed here$/),
      'A listed item is always active. To delete it, write null instead of its attributes.',
    ])
  })
})

describe('deploy keys', () => {
  it('are one where they are the same, whatever they are called', async () => {
    const blob = Buffer.concat([
      Buffer.from([0, 0, 0, 11]),
      Buffer.from('ssh-ed25519'),
      Buffer.from([0, 0, 0, 32]),
      Buffer.alloc(32, 7),
    ]).toString('base64')
    const text = `projects: {platform/app: {deploy_keys: {a: {key: ssh-ed25519 ${blob} x}, b: {key: ssh-ed25519 ${blob} y}}}}`
    expect(await findMistakes(text)).toEqual([
      expect.stringMatching(/^1:\d+: b has the same key as a$/),
      'Both names mean the same object. Remove one.',
    ])
  })
})

describe('rules', () => {
  const rules = (text: string): string => `site: {runners: ${text}}`

  it('stay in their order, each with what it is for', async () => {
    const text = rules(
      '[{match: {id: 7, description: a*}, set: {locked: true}}, {match: {tag_list: [x]}, set: {}}]',
    )
    const [wish] = (await readText(text))
      .places({ projects: [], groups: [] })
      .flatMap((here) => here.desired())
    expect(wish?.items.map(({ match }) => match)).toEqual([
      { id: 7, description: 'a*' },
      { tag_list: ['x'] },
    ])
  })

  it.each([
    ['{}', 'runners must be a list, not a map'],
    ['[a]', 'an item of runners must be a map, not text'],
    ['[{match: {id: 1}}]', 'set is missing'],
    ['[{set: {locked: true}}]', 'match is missing'],
    ['[{match: {}, set: {}}]', 'match must not be empty'],
    ['[{match: {id: 1}, set: {}, sett: {}}]', 'sett is not allowed here'],
    ['[{match: {runner_typ: x}, set: {}}]', 'runner_typ is not allowed here'],
    ['[{match: {description: null}, set: {}}]', 'description must be text or a list, not nothing'],
    ['[{match: {id: 1}, set: {lockd: true}}]', 'lockd is not allowed here'],
    [
      '[{match: {id: 1}, set: {locked: true}}, {match: {id: 1}, set: {locked: true}}]',
      'locked is set twice at this level',
    ],
  ])('are refused: %s', async (text, mistake) => {
    expect((await findMistakes(rules(text)))[0]).toContain(mistake)
  })
})
