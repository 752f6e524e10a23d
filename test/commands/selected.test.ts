/** What the commands of declared state are narrowed to: a slip is refused before anything is asked. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folder } from '../support/program.js'
import { calling } from './calling.js'

const { call, server } = calling()

it.each([
  ['plan --only aproval_rules', 'Did you mean approval_rules?'],
  ['plan --except setings', 'Did you mean settings?'],
  ['plan --allow-empty projects/a/b:member', 'Did you mean members?'],
  ['plan --explain projects/a/b:member', 'Did you mean members?'],
  ['drift --only aproval_rules', 'Did you mean approval_rules?'],
  ['drift --ignore web/shop', 'Addresses look like'],
  ['apply --only aproval_rules --yes', 'Did you mean approval_rules?'],
  ['apply --except site:setings --yes', 'Did you mean settings?'],
  ['export --only aproval_rules', 'Did you mean approval_rules?'],
  ['export --except groups/a:approvals', 'Kinds of a group are members.'],
  ['export aproval_rules', 'Did you mean approval_rules?'],
])('%s', async (line, hint) => {
  const cwd = folder()
  writeFileSync(
    join(cwd, 'svcctl.yml'),
    'version: 1\nsite: { settings: { default_projects_limit: 3 } }\n',
  )
  const ran = await call(line.startsWith('export') ? line : `${line} -- svcctl.yml`, { cwd })
  expect([ran.code, ran.stdout]).toEqual([2, ''])
  expect(ran.stderr).toMatch(/unknown kind|is not an address/)
  expect(ran.stderr).toContain(hint)
  expect(server.seen).toEqual([])
})
