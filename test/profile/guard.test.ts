import { describe, expect, it } from 'vitest'
import {
  type Consent,
  checkReadOnly,
  decideConfirmation,
  nameMatches,
} from '../../src/profile/session.js'
import { getFailure } from './setup.js'

const prod = { name: 'prod', protected: true, readOnly: true }
const plain = { name: 'test' }

describe('a read-only profile', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'delete'])('refuses %s', async (method) => {
    const failure = await getFailure(() => checkReadOnly(prod, method, '/runners/7'))
    expect(failure.exitCode).toBe(2)
    expect(failure.message).toContain(`${method} /runners/7 was not sent`)
  })
  it.each(['GET', 'HEAD', 'get'])('lets %s pass', (method) => {
    expect(() => checkReadOnly(prod, method, '/x')).not.toThrow()
  })
  it('is only what says so', () => {
    expect(() => checkReadOnly(plain, 'DELETE', '/x')).not.toThrow()
    expect(() => checkReadOnly(undefined, 'DELETE', '/x')).not.toThrow()
  })
})

describe('a confirmation', () => {
  type Row = [string, typeof prod | typeof plain | undefined, Consent, string]
  const rows: Row[] = [
    ['plain, --yes', plain, { yes: true, interactive: false }, 'go'],
    ['plain, a person', plain, { yes: false, interactive: true }, 'ask'],
    ['plain, nobody', plain, { yes: false, interactive: false }, 'Pass --yes to confirm.'],
    ['plain, both', plain, { yes: true, confirm: 'test', interactive: false }, 'go'],
    ['no profile, --yes', undefined, { yes: true, interactive: false }, 'go'],
    ['no profile, nobody', undefined, { yes: false, interactive: false }, 'Pass --yes to confirm.'],
    ['protected, both', prod, { yes: true, confirm: 'prod', interactive: false }, 'go'],
    ['protected, --yes', prod, { yes: true, interactive: false }, '--yes --confirm prod'],
    ['protected, --confirm', prod, { yes: false, confirm: 'prod', interactive: false }, '--yes'],
    ['protected, nothing', prod, { yes: false, interactive: false }, '--yes --confirm prod'],
    ['protected, a person', prod, { yes: false, interactive: true }, 'ask-name'],
    ['protected, a person, --yes', prod, { yes: true, interactive: true }, 'ask-name'],
    ['another name', prod, { yes: true, confirm: 'test', interactive: true }, 'right instance'],
    ['another name, plain', plain, { yes: true, confirm: 'prod', interactive: true }, 'right'],
    ['a name, no profile', undefined, { yes: true, confirm: 'prod', interactive: true }, 'right'],
  ]
  it.each(rows)('%s', async (_, profile, consent, expected) => {
    const known = ['go', 'ask', 'ask-name'].includes(expected)
    const decide = () => decideConfirmation(profile, consent, 'runner 7 is deleted')
    if (known) return expect(decide()).toBe(expected)
    const failure = await getFailure(decide)
    expect(failure.exitCode).toBe(2)
    expect(failure.details.hint).toContain(expected)
  })

  it('takes the name as it is', () => {
    expect(nameMatches(prod, ' prod\n')).toBe(true)
    expect(nameMatches(prod, 'Prod')).toBe(false)
    expect(nameMatches(prod, '')).toBe(false)
  })
})
