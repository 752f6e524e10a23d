/** Tests the masking of assignments in a text. */
import { expect, it } from 'vitest'
import { maskAssignments } from '../../src/base/secrets/mask-text.js'

const mask = (text: string): string => maskAssignments(text, () => '[masked]')

it.each([
  ['password=abc', 'password=[masked]'],
  [
    "curl -d 'hook[token]=abc' https://x.example",
    "curl -d 'hook[token]=[masked]' https://x.example",
  ],
  ['-F user[private_token]=abc -F name=ana', '-F user[private_token]=[masked] -F name=ana'],
  ['keys[0][secret]: abc', 'keys[0][secret]: [masked]'],
  ['list[0]=token', 'list[0]=token'],
])('of %j', (text, shown) => {
  expect(mask(text)).toBe(shown)
})
