/** Tests that the JSON Schema of `extend schema` and the parser accept the same files. */
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Findings } from '../../src/base/documents/findings.js'
import { readAdditions } from '../../src/extension/command-file.js'
import { commandsSchema } from '../../src/extension/schema.js'

const accepts = new Ajv({ strict: false, allErrors: false }).compile(
  JSON.parse(JSON.stringify(commandsSchema)),
)

/** Picks a valid value most of the time, and rarely an invalid one or one of any type. */
const pick = (right: readonly unknown[], ...wrong: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong, 1, true, null, {}, []) },
  )
const allOptional = { requiredKeys: [] }
const text = pick(['x', 'Some words.'], '')
const parameter = fc.record(
  {
    type: pick(['string', 'integer', 'number', 'boolean', 'array', 'object'], 'text'),
    format: pick(['date', 'x']),
    enum: pick([['a'], ['a', 'b']], [1]),
    items: pick([{ type: 'string' }, { enum: ['a'] }], { type: 'word' }, { other: 1 }),
    description: text,
    required: pick([true, false], 'yes'),
    secret: pick([true, false], 'yes'),
    flag: pick(['name', 'a-b'], 'Name', '-a'),
    in: pick(['query', 'body'], 'path'),
  },
  allOptional,
)
const word = pick(['string', 'integer!', 'a|b[]', 'json', 'date[]!'], 'text', 'a||b', '')
const params = fc.dictionary(fc.constantFrom('a', 'b_c', 'd[e]'), fc.oneof(word, parameter))
/** A command that writes. Rules between keys, which no schema has, concern only commands that read. */
const command = fc.record(
  {
    request: pick(['POST /users/:id/block', 'PUT  /a'], 'post /a', 'POST a', 'FETCH /a'),
    summary: text,
    params: fc.oneof({ weight: 20, arbitrary: params }, pick([{}])),
    returns: pick(['one', 'empty', 'any'], 'two'),
    columns: pick([['id'], ['id', 'name']], [''], [1]),
    shape: pick([{}, { id: { type: 'string' } }]),
    sets: pick([{ state: 'x' }, { a: 1, b: null }], { state: [] }),
    undo: text,
    confirm: text,
    done: text,
    examples: pick([['users block 1'], []], ['']),
    sandbox: pick(['resource'], 'table'),
    undoo: pick([undefined]),
  },
  { requiredKeys: ['request'] },
)
const names = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom('users block', 'users key add') },
  { weight: 1, arbitrary: fc.constantFrom('users', 'Users block', 'a b c d') },
)
const commands = fc.dictionary(names, fc.oneof(command, pick(['POST /a'], '/a')), {
  minKeys: 1,
  maxKeys: 2,
})
const file = fc.record(
  {
    $schema: text,
    extension: pick(['own', 'a'], 'Own', 'a'.repeat(33), '../x'),
    title: text,
    commands: fc.oneof({ weight: 40, arbitrary: commands }, pick([{ 'a b': 'GET /a' }])),
  },
  { requiredKeys: ['extension', 'commands'] },
)

/** True if the parser accepts a file. Files of `--with` have the same schema, and may omit requests. */
const isRead = async (value: unknown): Promise<boolean> => {
  const findings = new Findings()
  await readAdditions(Buffer.from(JSON.stringify(value)), 'own.json', findings)
  try {
    findings.refuse()
    return true
  } catch {
    return false
  }
}

it('agrees with the parser', async () => {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(file, async (made) => {
      const value: unknown = JSON.parse(JSON.stringify(made))
      const is = accepts(value)
      accepted += is ? 1 : 0
      expect({ value, is: await isRead(value) }).toEqual({ value, is })
    }),
    { numRuns: 2000, interruptAfterTimeLimit: 110_000 },
  )
  expect(accepted).toBeGreaterThan(300)
  expect(accepted).toBeLessThan(1700)
}, 120_000)
