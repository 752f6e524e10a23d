/** Tests that `svcctl explain` answers for every word that the tool's own hints name. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const listFields = async (word: string): Promise<readonly { field: string | null }[]> => {
  const { stdout, stderr, code } = await svcctl(['explain', word, '-o', 'json'])
  expect([word, code, stderr]).toEqual([word, 0, ''])
  return JSON.parse(stdout)
}

describe('explain', () => {
  it.each(areas.map(({ name, alias }) => [name, alias] as const))(
    'shows what %s answers with',
    async (name, alias) => {
      const fields = await listFields(name)
      expect(fields.length).toBeGreaterThan(0)
      if (alias !== undefined) expect((await listFields(alias)).length).toBeGreaterThan(0)
    },
  )

  it('says of which answer a field is, where an area has several', async () => {
    const fields = await listFields('ci')
    expect(fields).toContainEqual(
      expect.objectContaining({ resource: 'lint-result', field: 'valid' }),
    )
    expect(fields).toContainEqual(
      expect.objectContaining({ resource: 'lint-status', field: 'status' }),
    )
  })

  it('shows what the commands of an extension answer with, by their groups', async () => {
    const [config, cwd] = [createConfiguration(), createFolder()]
    const commands = {
      'hats list': {
        request: 'GET /hats',
        returns: 'many',
        shape: { id: { type: 'integer' }, name: { type: 'string' } },
      },
      'hats size get': { request: 'GET /hats/:hat_id/size', returns: 'one', columns: ['width'] },
      'hats wash': { request: 'POST /hats/:hat_id/wash', returns: 'any' },
    }
    writeFileSync(join(cwd, 'hats.yml'), JSON.stringify({ extension: 'hats', commands }))
    const how = { cwd, env: { SVC_CONFIG_DIR: config } }
    expect((await svcctl(['extend', 'add', 'hats.yml'], how)).code).toBe(0)
    const { stdout } = await svcctl('explain hats -o csv --fields resource,field'.split(' '), how)
    expect(stdout).toBe('resource,field\nhats,id\nhats,name\nhats size,width\n')
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
