/** Globs of addresses: a slip would leave something out that then looks as it should be. */

import { expect, it } from 'vitest'
import { managedKinds } from '../../src/catalogue/managed.js'
import { toAddressText } from '../../src/desired/address.js'
import { getAttributes } from '../../src/desired/attributes.js'
import { checkGlobs } from '../../src/desired/selection.js'
import { getMessage } from './diff/world.js'

const check = (glob: string): Promise<string> =>
  getMessage(Promise.resolve().then(() => checkGlobs({ only: [glob] })))
const hint = async (glob: string): Promise<string | undefined> => {
  try {
    checkGlobs({ only: [glob] })
    return undefined
  } catch (error) {
    return (error as { details: { hint?: string } }).details.hint
  }
}

it.each([
  ['aproval_rules', 'unknown kind "aproval_rules"', 'Did you mean approval_rules?'],
  ['nonsense', 'unknown kind "nonsense"', /^Kinds are settings, geo_nodes, members/],
  ['groups', 'unknown kind "groups"', /^Kinds are/],
  ['web/*', '"web/*" is not an address', /^Addresses look like site:settings/],
  ['sites:settings', '"sites:settings" is not an address', /^Addresses/],
  ['site:setings', 'unknown kind "setings" of a site', 'Did you mean settings?'],
  ['groups/a:approvals', 'unknown kind "approvals" of a group', 'Kinds of a group are members.'],
  ['projects/a/*:member', 'unknown kind "member" of a project', 'Did you mean members?'],
  ['projects/a/b:member/ana', 'unknown kind "member" of a project', 'Did you mean members?'],
  ['*:approval_rule/x', 'unknown kind "approval_rule"', 'Did you mean approval_rules?'],
  [
    'projects/a/b:approvals#reset_aprovals_on_push',
    'unknown attribute "reset_aprovals_on_push"',
    'Did you mean reset_approvals_on_push?',
  ],
])('refuses %s', async (glob, text, more) => {
  expect(await check(glob)).toBe(`usage: --only: ${text}`)
  if (typeof more === 'string') expect(await hint(glob)).toBe(more)
  else expect(await hint(glob)).toMatch(more)
})

it.each([
  'site',
  's*',
  '*',
  '*#approvals_required',
  'projects/platform',
  'GROUPS/platform:Members/ana#Access_Level',
  'projects/*:approval_rules/Sec*',
  '*:a name with a colon',
  '*Security*',
  'site:settings#what_only_newer_ones_have',
  'projects/a/b:integrations/chat#webhook',
  'projects/a/b:approvals#own_thing',
])('lets %s be', (glob) => {
  expect(() => checkGlobs({ only: [glob] })).not.toThrow()
})

it('lets every address be that there may be', () => {
  for (const kind of managedKinds) {
    const address = { scope: kind.scope, path: 'a/b', kind: kind.name, item: 'x:y' }
    for (const attribute of getAttributes(kind).keys())
      expect(() =>
        checkGlobs({ only: [kind.name, toAddressText({ ...address, attribute })] }),
      ).not.toThrow()
  }
})
