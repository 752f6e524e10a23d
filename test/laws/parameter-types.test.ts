/** Only a few files look at the type of a parameter; all others call them. */
import { expect, it } from 'vitest'
import { readSource, sourceFiles } from '../support/source.js'

/** Each converts parameters to one thing, and therefore has a case for each type. */
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
  const found = sourceFiles.filter((file) => looks.test(readSource(file)))
  expect(
    found,
    'Read a value with coerce(), or ask catalogue/params.ts (isSwitch, takesSeveral, scopeOf, typeText …)',
  ).toEqual(interpreters)
})
