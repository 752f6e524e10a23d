/** Names that scripts depend on do not go without a word: `.github/COMPATIBILITY.md`. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  collectPublicNames,
  findBrokenNames,
  type PublicNames,
  readReleasedNames,
} from '../../.config/public-names.js'

const changelog = readFileSync('.github/CHANGELOG.md', 'utf8')

describe('public names', () => {
  it('of the last release are all there, or went as they should', async () => {
    const now = await collectPublicNames('')
    expect(findBrokenNames(readReleasedNames(), new Set(now.names), changelog)).toEqual([])
  })

  it('are those that people type and programs read', () => {
    const { names } = readReleasedNames()
    expect(names.length).toBeGreaterThan(2000)
    for (const one of [
      'command runners list',
      'argument runners get <id>',
      'flag runners list --status',
      'flag --where',
      'column runners list: description',
      'field runners list: ip_address',
      'exit 8 partial',
      'format ndjson',
      'variable SVC_BASE_URL',
      'setting read-only',
      'topic adoption',
      'export svcctl/client: connect',
    ])
      expect(names).toContain(one)
  })

  const before: PublicNames = {
    version: '1.0.0',
    names: ['flag a --b', 'flag a --c', 'flag a --d'],
    deprecated: ['flag a --b', 'flag a --c'],
  }
  it('may come, and go only deprecated before and said', () => {
    const now = new Set(['flag a --b', 'flag a --new'])
    const said = '## [Unreleased]\n\n### Removed\n\n- `flag a --c`\n\n## [1.0.0]\n'
    expect(findBrokenNames(before, now, said)).toEqual([
      'flag a --d was not deprecated in a release',
      'flag a --d is not in CHANGELOG under "Removed"',
    ])
    expect(findBrokenNames(before, now, '## [1.0.0]\n')).toHaveLength(3)
    expect(findBrokenNames(before, new Set(before.names), '')).toEqual([])
  })
})
