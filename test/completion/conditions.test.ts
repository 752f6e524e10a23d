/** Tests the completion of conditions, which uses the catalogue alone. */
import { describe, expect, it } from 'vitest'
import { processIo } from '../../src/base/io.js'
import { completeLine } from '../../src/cli/tab.js'

const source = {
  io: processIo,
  load: async (): Promise<never> => {
    throw new Error('the instance is asked')
  },
}
const listValues = async (line: string, current: string): Promise<readonly string[]> =>
  (await completeLine([...line.split(' '), current], source)).items.map(({ value }) => value)

describe('after --where and --select', () => {
  it.each([
    ['runners list --where', 'sta', ['status=', 'status!=', 'status~']],
    ['runners list --where', 'status=o', ['status=online', 'status=offline']],
    ['runners list --where', "'status=online|off", ['status=online|offline']],
    ['runners list --where', 'online!=', ['online!=true', 'online!=false']],
    ['runners list --where', 'id=1,runner_t', 'runner_type=!=~'],
    ['members list --where', 'access_level=ow', ['access_level=owner']],
    [
      'projects list --where',
      'visibility=',
      ['private', 'internal', 'public'].map((word) => `visibility=${word}`),
    ],
    ['mr list --where', 'author.usern', 'author.username=!=~'],
    ['mr list --where', 'author.username', 'author.username=!=~'],
    ['pages-domains list --where', 'subj', 'subject=!=~'],
    ['runners pause --select', 'act', ['active=', 'active!=']],
    ['deploy-keys delete --select', 'can_', ['can_push=', 'can_push!=']],
    ['runners pause', '--select=act', ['--select=active=', '--select=active!=']],
    ['runners register --select', 'a', []],
    ['runners list --where', 'id>3', []],
  ])('%s %s', async (line, current, expected) => {
    const found = await listValues(line, current)
    if (typeof expected !== 'string') return expect(found).toEqual(expected)
    const field = expected.replace(/=!=~$/, '')
    const head = current.slice(0, current.lastIndexOf(',') + 1)
    expect(found).toEqual(['=', '!=', '~'].map((op) => `${head}${field}${op}`))
  })

  it('offers what only quotes protect within them alone', async () => {
    const single = await listValues('runners list --where', "'contacted_a")
    expect(single).toEqual(
      expect.arrayContaining(['contacted_at>', 'contacted_at<=', 'contacted_at!~']),
    )
    const double = await listValues('runners list --where', '"contacted_a')
    expect(double).toContain('contacted_at>')
    expect(double).not.toContain('contacted_at!~')
  })

  it('offers no order of text', async () => {
    const found = await listValues('runners list --where', "'description")
    expect(found).toEqual(['=', '!=', '!~', '~'].map((op) => expect.stringMatching(`${op}$`)))
  })

  it('offers a field that others begin with, and these', async () => {
    const found = await listValues('mr list --where', 'reference')
    expect(found).toEqual(expect.arrayContaining(['reference=', 'references.full']))
  })

  it('offers every field of a list, those of its single record among them', async () => {
    const fields = await listValues('runners list --where', '')
    expect(fields).toEqual(expect.arrayContaining(['id', 'status', 'contacted_at', 'tag_list']))
    expect(new Set(fields).size).toBe(fields.length)
  })
})
