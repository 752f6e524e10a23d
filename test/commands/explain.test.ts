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

  it('suggests no word that it does not know itself', async () => {
    const { code, stderr } = await svcctl(['explain', 'approvalz'])
    expect(code).toBe(2)
    expect(stderr).toContain('approvals')
  })
})

describe('a bill of materials', () => {
  it('treats -o and SVC_OUTPUT alike', async () => {
    const bill = [
      'dependencies',
      'list',
      '-P',
      'platform/app',
      '--format',
      'cyclonedx',
      '--sandbox',
    ]
    const by = async (format: string) => {
      const [flag, variable] = await Promise.all([
        svcctl([...bill, '-o', format]),
        svcctl(bill, { env: { SVC_OUTPUT: format } }),
      ])
      return [flag.code, variable.code]
    }
    expect(await by('json')).toEqual([0, 0])
    expect(await by('csv')).toEqual([2, 2])
  })
})
