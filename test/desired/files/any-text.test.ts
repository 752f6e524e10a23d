/** Tests that any text is either read as a file, or refused with the position of each mistake. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { IntegrationFamily } from '../../../src/catalogue/areas/integrations.js'
import { type Managed, managedKinds } from '../../../src/catalogue/managed.js'
import { type Attribute, getAttributes } from '../../../src/desired/attributes.js'
import { type DeclaredState, readFiles } from '../../../src/desired/files/index.js'
import { Failure } from '../../../src/errors.js'
import { countDraws } from '../../support/draws.js'
import { getWanted } from './reading.js'

const places = { projects: ['platform/app', 'a/b/c', 'ana/x'], groups: ['platform', 'a', 'a/b'] }

const read = (text: string): Promise<DeclaredState> =>
  readFiles(['-'], { cwd: import.meta.dirname, stdin: async () => text })

/** Expects that each line of a refusal is a mistake with its position. */
const expectRefusal = (error: unknown, lines: number): void => {
  if (!(error instanceof Failure)) throw error
  expect(error.category).toBe('usage')
  const [first = '', ...more] = error.message.split('\n')
  for (const line of more.length === 0 ? [first] : more) {
    const [, at, column] = /^standard input:(\d+):(\d+): \S/.exec(line) ?? []
    expect(Number(at), line).toBeGreaterThanOrEqual(1)
    expect(Number(at), line).toBeLessThanOrEqual(lines)
    expect(Number(column), line).toBeGreaterThanOrEqual(1)
  }
}

/** Reads a text, or expects a proper refusal. @returns true if it was read */
const readOrRefuse = async (text: string): Promise<boolean> => {
  try {
    const state = await read(text)
    for (const wish of state.places(places).flatMap((here) => here.desired()))
      for (const { attributes } of wish.items)
        for (const { origin } of attributes.values()) expect(origin.line).toBeGreaterThan(0)
    return true
  } catch (error) {
    expectRefusal(error, text.split(/\r\n|\n|\r/).length)
    return false
  }
}

const words = [
  ...['version', 'instance', 'defaults', 'groups', 'projects', 'site', 'platform/app', 'platform'],
  ...["'**'", '**', 'platform/**', '$exact', '$add', '$remove', '$inherit', '$other', '$$x', '<<'],
  ...[
    'previously',
    'family',
    'match',
    'set',
    'env',
    'file',
    'command',
    'chat-webhook',
    '__proto__',
  ],
  ...[
    'constructor',
    'toString',
    'ana',
    '007',
    '@12',
    "'@12'",
    '12',
    '1.5',
    '.nan',
    '0x1f',
    '1e999',
  ],
  ...['true', 'null', '~', "''", '"\\0"', '2027-01-01', 'env:X', '@x', '*a', '&a', '!!str', '!x'],
  ...managedKinds.map(({ name }) => name),
]
const pieces = [
  ': ',
  '\n',
  '\n  ',
  '\n    ',
  '\n      ',
  '- ',
  '{',
  '}',
  '[',
  ']',
  ', ',
  '? ',
  '| ',
  '#',
  '---\n',
  '"',
  "'",
  ' ',
]

const names = managedKinds.flatMap((kind) => [...getAttributes(kind).keys()])
const word = fc.constantFrom(...words.map((one) => one.replace(/^'(.*)'$/, '$1')), ...names)
const anyKey = fc.oneof({ weight: 5, arbitrary: word }, fc.string())

const value = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(word, fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(anyKey, tie('node'), { maxKeys: 4 }),
  ),
})).node

/** Kinds whose items have mostly unknown attributes: as close to valid as random data comes. */
const createKinds = (scope: string) =>
  fc.dictionary(
    fc.constantFrom(...managedKinds.filter((kind) => kind.scope === scope).map(({ name }) => name)),
    fc.oneof(
      value,
      fc.dictionary(anyKey, fc.oneof(value, fc.dictionary(word, value, { maxKeys: 3 })), {
        maxKeys: 3,
      }),
    ),
    { maxKeys: 3 },
  )
const document = fc.record(
  {
    version: fc.constant(1),
    defaults: fc.record({ projects: createKinds('project') }, { requiredKeys: [] }),
    groups: fc.dictionary(
      fc.constantFrom('platform', 'platform/**', 'a/**', 'a/b/**', '**'),
      fc.oneof(createKinds('group'), fc.record({ projects: createKinds('project') })),
    ),
    projects: fc.dictionary(
      fc.constantFrom('platform/app', 'a/b/c', 'A/B/C'),
      createKinds('project'),
    ),
    site: createKinds('site'),
  },
  { requiredKeys: ['version'] },
)

const texts = fc.string().map((text) => text.replaceAll('\0', ''))
const referents = fc.oneof(fc.constantFrom('ana', 'platform/core', '@12'), fc.nat())

/** Creates valid values of an attribute. Returns undefined for formats that have rules of their own. */
const createValidValue = ({ param, ref, secret }: Attribute): fc.Arbitrary<unknown> | undefined => {
  if (secret) return fc.constant({ env: 'X' })
  if (param.type === 'boolean') return fc.boolean()
  if (param.type === 'integer') return fc.integer({ min: param.min ?? 0, max: param.max ?? 50 })
  if (param.type === 'enum') return fc.constantFrom(...param.values)
  if (param.type === 'string') return param.format === undefined ? texts : undefined
  if (param.type !== 'list') return undefined
  const members: fc.Arbitrary<string | number> =
    ref !== undefined ? referents : param.of === 'integer' ? fc.nat() : texts
  return param.of === 'enum' ? undefined : fc.array(members, { maxLength: 3 })
}

const createValidItem = (kind: Managed, family?: IntegrationFamily) =>
  fc.record(
    Object.fromEntries(
      [...getAttributes(kind, family)].flatMap(([name, attribute]) => {
        const right = attribute.required ? undefined : createValidValue(attribute)
        return right === undefined ? [] : [[name, right]]
      }),
    ),
    { requiredKeys: [] },
  )

const createValidKind = (kind: Managed): fc.Arbitrary<unknown> => {
  if (kind.holds === 'one') return createValidItem(kind)
  const [family] = kind.families?.filter(({ slugs }) => slugs.length > 0) ?? []
  if (family !== undefined)
    return fc.dictionary(fc.constantFrom(...family.slugs), createValidItem(kind, family))
  return fc.dictionary(fc.constantFrom('ana', 'ben', '12', 'x.test', '$$x'), createValidItem(kind))
}

const validDocument = fc.record({
  version: fc.constant(1),
  projects: fc.record({
    'platform/app': fc.record(
      Object.fromEntries(
        managedKinds
          .filter(({ scope }) => scope === 'project')
          .map((kind) => [kind.name, createValidKind(kind)]),
      ),
      { requiredKeys: [] },
    ),
  }),
})

describe('a file never ends the program', () => {
  it('whatever its text is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc
            .array(fc.constantFrom(...words, ...pieces), { maxLength: 60 })
            .map((some) => some.join('')),
          fc
            .array(fc.constantFrom(...words, ...pieces), { maxLength: 60 })
            .map((some) => `version: 1\nprojects:\n  platform/app:\n    ${some.join('')}`),
        ),
        async (text) => {
          await readOrRefuse(text)
        },
      ),
      { numRuns: countDraws(200) },
    )
  })

  it('whatever it says', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (said) => {
        await readOrRefuse(stringify(said))
        await readOrRefuse(JSON.stringify(said))
      }),
      { numRuns: countDraws(60) },
    )
  })

  it('and what is right is read, the same of YAML as of JSON', async () => {
    await fc.assert(
      fc.asyncProperty(validDocument, async (said) => {
        const [yaml, json] = await Promise.all([read(stringify(said)), read(JSON.stringify(said))])
        const wishes = getWanted(json, places)
        expect(getWanted(yaml, places)).toEqual(wishes)
        const kinds = Object.keys(said.projects['platform/app'])
        expect(Object.keys(wishes).filter((key) => key.startsWith('platform/app:'))).toHaveLength(
          kinds.length,
        )
      }),
      { numRuns: countDraws(40) },
    )
  })

  it('and no key of a place is one of an object', async () => {
    const state = await read(
      'version: 1\nprojects: {platform/__proto__: {approval_rules: {__proto__: {}, constructor: {}}}}',
    )
    const [wish] = state
      .places({ projects: ['platform/__proto__'], groups: [] })
      .flatMap((here) => here.desired())
    expect(wish?.items.map(({ identity }) => identity)).toEqual(['__proto__', 'constructor'])
    expect(
      await readOrRefuse(
        'version: 1\n__proto__: {}\nsite: {settings: {constructor: 1}, toString: {}}',
      ),
    ).toBe(false)
  })
})
