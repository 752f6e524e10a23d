/** What a parameter is, few files know: all others ask those. */
import { expect, it } from 'vitest'
import { sourceFiles, textOf } from '../support/source.js'

/** Each turns parameters into one thing, and therefore goes through all of their types. */
const interpreters = [
  'catalogue/areas/settings.ts',
  'catalogue/coerce.ts',
  'catalogue/params.ts',
  'catalogue/same-value.ts',
  'catalogue/schema.ts',
  'catalogue/values.ts',
  'desired/files/attribute.ts',
]

const looks = /\bparam\??\.(?:type|of)\b|\bpath\.\w+\?\.type\b/

it('has few files that look at the type of a parameter', () => {
  const found = sourceFiles.filter((file) => looks.test(textOf(file)))
  expect(
    found,
    'Read a value with coerce(), or ask catalogue/params.ts (isSwitch, takesSeveral, scopeOf, typeText …)',
  ).toEqual(interpreters)
})
