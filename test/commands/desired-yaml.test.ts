/** Tests that YAML is read as PyYAML, libyaml and Go's yaml read it: within brackets and quotes, indentation means nothing. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const { url } = useSharedSandbox()

const createLineRunner = (text: string) => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'f.yml'), text)
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: url(),
  }
  return (line: string) => svcctl(line.split(' '), { cwd, env })
}

/** Builds a file with this text below an approval rule, at the indentation of its attributes. */
const buildRule = (text: string): string =>
  `version: 1\nprojects:\n  platform/app:\n    approval_rules:\n      A:\n${text}\n`
const begun = '        approvals_required: 1\n'

const accepted: Readonly<Record<string, string>> = {
  'a bracket below its key': `${begun}        user_ids: [\n          ana,\n          ben\n      ]`,
  'a bracket at its key': `${begun}        user_ids: [\n          ana,\n          ben\n        ]`,
  'a bracket at the margin': `${begun}        user_ids: [\nana,\nben\n]`,
  'the last one at the margin': `${begun}        user_ids: [ana,\nben]`,
  'a line of each, a comment at the margin': `${begun}        user_ids: [\n# both\n  ana,\n      ben\n      ] # all`,
  'more behind the bracket': `        user_ids: [\n  ana, ben\n ]\n        approvals_required: 1`,
  'a map at the margin': `        {\napprovals_required: 1,\nuser_ids: [\nana, ben\n]\n}`,
  'quotes at the margin': `${begun}        user_ids: [ana, "be\\\nn"]`,
  'a comment right behind quotes': `${begun}        user_ids: [ana, "ben"]# both`,
}

describe('a declared file', () => {
  it.each(Object.entries(accepted))('%s', async (_, text) => {
    const { code, stdout, stderr } = await createLineRunner(buildRule(text))('plan f.yml -o json')
    expect([code, stderr]).toEqual([0, ''])
    const [action] = JSON.parse(stdout).actions
    expect(action.body).toMatchObject({ name: 'A', approvals_required: 1, user_ids: [2, 3] })
  })

  it('says where what follows a bracket is wrong', async () => {
    const text = buildRule(`${accepted['a bracket below its key']}\n        user_id: 1`)
    const { code, stderr } = await createLineRunner(text)('plan f.yml')
    expect([code, stderr]).toEqual([2, expect.stringContaining('f.yml:11:9: user_id is not')])
  })

  it('is still refused where a bracket or a quote is missing', async () => {
    for (const text of ['user_ids: [ana', 'user_ids: ["ana]', 'user_ids: ana]: [', "x: 'ana"]) {
      const { code, stderr } = await createLineRunner(buildRule(`        ${text}`))('plan f.yml')
      expect([code, stderr]).toEqual([2, expect.stringContaining('invalid YAML')])
    }
  })

  it('holds nothing but a bracket: what is wrong is told', async () => {
    const { code, stderr } = await createLineRunner(']\n')('plan f.yml')
    expect([code, stderr]).toEqual([2, expect.stringContaining('f.yml:1:1: invalid YAML')])
  })
})

it('a vocabulary and the input of a write are read alike', async () => {
  const words = createLineRunner(
    'vocabulary: 1\nslugs:\n  monitoring: [\n  watchtower,\n  watch\n]\n',
  )
  expect(await words('vocabulary check f.yml')).toMatchObject({ code: 0 })
  const write = createLineRunner('name: B\napprovals_required: 1\nuser_ids: [\n  2,\n  3\n]\n')
  const { code, stdout } = await write(
    'approvals rules create -P platform/app --input f.yml --curl',
  )
  expect([code, stdout]).toEqual([0, expect.stringContaining('"user_ids":[2,3]')])
})

describe('a document of several without a value', () => {
  const rule = buildRule(begun.trimEnd())

  it.each([
    ['behind the last marker', `${rule}---\n`],
    ['with a comment alone, as templates leave them', `---\n# none\n---\n${rule}...\n---\n# end\n`],
    ['before the first one', `---\n---\n${rule}`],
  ])('is left out: %s', async (_, text) => {
    const { code, stdout, stderr } = await createLineRunner(text)('plan f.yml -o json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout).counts.create).toBe(1)
  })

  it('is a mistake where it is the only one, or says null', async () => {
    for (const [text, why] of [
      ['---\n', 'f.yml:1:1: the file is empty'],
      [`${rule}--- ~\n`, 'must be a map, not nothing'],
    ] as const) {
      const { code, stderr } = await createLineRunner(text)('plan f.yml')
      expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
    }
  })
})
