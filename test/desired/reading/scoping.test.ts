/** Tests --only and --except: a kind is read if anything in it may be selected, and not if all of it is excluded. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { type ManagedPlace, matchesGlob, toAddressText } from '../../../src/desired/address.js'
import { mayMatch, PlaceChoice } from '../../../src/desired/selection.js'
import { countDraws } from '../../support/draws.js'

const app: ManagedPlace = { scope: 'project', path: 'platform/app' }
const rules = { name: 'approval_rules' }
const chooseOnly = (...globs: string[]) => new PlaceChoice({ only: globs })
const chooseExcept = (...globs: string[]) => new PlaceChoice({ except: globs })

describe('a kind of a place', () => {
  it.each([
    'approval_rules',
    'projects/platform/app',
    'projects/platform/app:approval_rules',
    'PROJECTS/Platform/App:approval_rules/Security',
    'projects/platform/app:approval_rules/Security#user_ids',
    'projects/platform/*:approval_rules/Sec*',
    'projects/platform',
    '*Security*',
    '*',
  ])('is read for --only %s', (glob) => {
    expect(chooseOnly(glob).kind(app, rules)).toBe(true)
  })
  it.each([
    'members',
    'projects/platform/ap',
    'projects/platform/app:approvals',
    'projects/platform/app:approval_rule',
    'groups/platform*',
    'site',
    'projects/web/*:approval_rules',
  ])('is not read for --only %s', (glob) => {
    expect(chooseOnly(glob).kind(app, rules)).toBe(false)
  })
  it('is left out only as a whole', () => {
    expect(chooseExcept('projects/platform/*').kind(app, rules)).toBe(false)
    expect(chooseExcept('approval_rules').kind(app, rules)).toBe(false)
    expect(chooseExcept('projects/platform/app:approval_rules/Security').kind(app, rules)).toBe(
      true,
    )
    const both = new PlaceChoice({ only: ['approval_rules'], except: ['projects/platform/app'] })
    expect(both.kind(app, rules)).toBe(false)
  })
})

const words = fc.array(fc.constantFrom('a', 'b', '/', ':', '#', 'A'), { maxLength: 6 })
const text = words.map((signs) => signs.join(''))
const glob = fc
  .array(fc.constantFrom('a', 'b', '/', ':', '#', '*', 'p'), { maxLength: 8 })
  .map((signs) => signs.join(''))

describe('a beginning', () => {
  it('may be meant wherever something that begins so is', () => {
    const address = fc.record({
      scope: fc.constantFrom('group' as const, 'project' as const),
      path: fc.constantFrom('a', 'a/b', 'b'),
      kind: fc.constantFrom('members', 'approvals'),
      item: fc.option(text, { nil: undefined }),
    })
    const any = fc.oneof(
      glob,
      fc
        .tuple(fc.constantFrom('projects/', 'groups/', '*', 'projects/a:'), glob)
        .map((t) => t.join('')),
    )
    fc.assert(
      fc.property(any, address, (pattern, { item, ...rest }) => {
        const whole = item === undefined ? rest : { ...rest, item }
        if (/^\w+$/.test(pattern) || !matchesGlob(pattern, whole)) return
        expect(mayMatch(pattern, toAddressText(rest)) || matchesGlob(pattern, rest)).toBe(true)
        expect(chooseOnly(pattern).kind(rest, { name: rest.kind })).toBe(true)
        expect(chooseOnly(pattern).mayUse(rest.scope)).toBe(true)
      }),
      { numRuns: countDraws(3000) },
    )
  })
  it('is not meant where nothing that begins so can be', () => {
    expect(mayMatch('projects/a', 'groups/')).toBe(false)
    expect(mayMatch('site:settings', 'projects/')).toBe(false)
    expect(mayMatch('*:members', 'projects/')).toBe(true)
    expect(mayMatch('', 'projects/')).toBe(false)
  })
})

describe('places of a scope', () => {
  it('are looked for where a kind of theirs may be meant', () => {
    expect(chooseOnly('settings').mayUse('project')).toBe(false)
    expect(chooseOnly('settings').mayUse('site')).toBe(true)
    expect(chooseOnly('members').mayUse('group')).toBe(true)
    expect(chooseOnly('site').mayUse('site')).toBe(true)
    expect(chooseOnly('site').mayUse('project')).toBe(false)
    const all = managedKinds.filter(({ scope }) => scope === 'project').map(({ name }) => name)
    expect(chooseExcept(...all).mayUse('project')).toBe(false)
    expect(chooseExcept(...all.slice(1)).mayUse('project')).toBe(true)
    expect(new PlaceChoice({ projects: ['a/b'] }).mayUse('site')).toBe(false)
    expect(new PlaceChoice({ projects: ['a/b'] }).mayUse('group')).toBe(false)
    expect(new PlaceChoice({ groups: ['a'] }).mayUse('group')).toBe(true)
  })
})
