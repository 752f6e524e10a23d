/** `svcctl explain` answers for every word that the tool's own hints name. */
import { describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { svcctl } from '../support/within.js'

const fieldsOf = async (word: string): Promise<readonly { field: string | null }[]> => {
  const { stdout, stderr, code } = await svcctl(['explain', word, '-o', 'json'])
  expect([word, code, stderr]).toEqual([word, 0, ''])
  return JSON.parse(stdout)
}

describe('explain', () => {
  it.each(areas.map(({ name, alias }) => [name, alias] as const))(
    'shows what %s answers with',
    async (name, alias) => {
      const fields = await fieldsOf(name)
      expect(fields.length).toBeGreaterThan(0)
      if (alias !== undefined) expect((await fieldsOf(alias)).length).toBeGreaterThan(0)
    },
  )

  it('says of which answer a field is, where an area has several', async () => {
    const fields = await fieldsOf('ci')
    expect(fields).toContainEqual(
      expect.objectContaining({ resource: 'lint-result', field: 'valid' }),
    )
    expect(fields).toContainEqual(
      expect.objectContaining({ resource: 'lint-status', field: 'status' }),
    )
  })
})

describe('a bill of materials', () => {
  it.each([
    ['', 0],
    ['-o json', 0],
    ['-o csv', 2],
  ])('beside "%s" ends with %i, whatever SVC_OUTPUT says', async (more, code) => {
    const words = `dependencies list -P platform/app --sandbox -o cyclonedx ${more}`
      .trim()
      .split(' ')
    const ran = await svcctl(words, { env: { SVC_OUTPUT: 'csv' } })
    expect(ran.code).toBe(code)
    if (code === 0) expect(JSON.parse(ran.stdout)).toMatchObject({ bomFormat: 'CycloneDX' })
  })
})
