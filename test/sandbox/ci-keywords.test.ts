/** The schema of CI keywords is a JSON Schema, whose references, formats and versions are what the linter knows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/base/objects.js'
import { assertions } from '../../src/sandbox/ci-lint/assertions.js'
import { formats } from '../../src/sandbox/ci-lint/formats.js'

const file = join(import.meta.dirname, '../../src/sandbox/ci-lint/keywords.json')
const schema: unknown = JSON.parse(readFileSync(file, 'utf8'))

type Schema = Readonly<Record<string, unknown>>

const annotations =
  '$schema $ref $defs $comment title since until forbids errorMessage advised entry itemName about absent curable'
const structure = 'oneOf allOf if then else format patternProperties unevaluatedProperties'
const known = [...`${annotations} ${structure}`.split(' '), ...Object.keys(assertions)]

/** The keywords whose values are schemas by name. */
const named = ['properties', 'patternProperties', '$defs']

/** Yields a schema and those inside of it. */
function* listSchemas(value: unknown): Generator<Schema> {
  if (Array.isArray(value)) for (const one of value) yield* listSchemas(one)
  if (!isObject(value)) return
  yield value
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'errorMessage' || key === 'dependentRequired') continue
    if (!named.includes(key)) yield* listSchemas(inner)
    else for (const one of Object.values(isObject(inner) ? inner : {})) yield* listSchemas(one)
  }
}

const all = [...listSchemas(schema)]
const getTexts = (key: string): readonly string[] =>
  [...new Set(all.map((one) => one[key]))].filter((one) => typeof one === 'string')

describe('keywords.json', () => {
  it('is a JSON Schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    expect([ajv.validateSchema(isObject(schema) ? schema : {}), ajv.errors]).toEqual([true, null])
    expect(all.length).toBeGreaterThan(500)
  })

  it('has only keywords that the linter reads', () => {
    const used = new Set(all.flatMap((one) => Object.keys(one)))
    expect([...used].filter((key) => !known.includes(key))).toEqual([])
  })

  it('refers to definitions that exist, and uses each', () => {
    const { $defs } = isObject(schema) ? schema : {}
    const names = Object.keys(isObject($defs) ? $defs : {})
    const used = getTexts('$ref').map((ref) => ref.replace('#/$defs/', ''))
    const roots = ['job', 'bridge', 'anyJob', 'include', 'condition', 'header']
    expect(used.filter((name) => !names.includes(name))).toEqual([])
    expect(names.filter((name) => ![...used, ...roots].includes(name))).toEqual([])
  })

  it('uses each format, and no other', () => {
    expect([...getTexts('format')].sort()).toEqual(Object.keys(formats).sort())
  })

  it('names versions as numbers', () => {
    for (const version of [...getTexts('since'), ...getTexts('until')])
      expect(version).toMatch(/^\d\d\.\d{1,2}$/)
  })
})
