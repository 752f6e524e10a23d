import { describe, expect, it } from 'vitest'
import { createCollector, openTestWriter, printValues } from './open.js'

const runners = [
  {
    id: 7,
    description: 'shared-runner-1 on the build farm in the cellar, second rack from the left',
    runner_type: 'instance_type',
    status: 'online',
    active: true,
    contacted_at: '2026-05-01T09:59:00.000Z',
    tag_list: ['docker', 'linux'],
    web_url: 'https://forge.test/runners/7',
  },
  {
    id: 12345,
    description: '構築サーバー 🫠 élève',
    runner_type: 'project_type',
    status: 'not_connected',
    active: false,
    contacted_at: null,
    tag_list: [],
    web_url: 'https://forge.test/runners/12345',
  },
  {
    id: 8,
    description: 'evil \u001b[2J\u202e name\nsecond line',
    runner_type: 'group_type',
    status: 'paused',
    active: true,
    contacted_at: '2026-05-04T12:00:00Z',
    tag_list: ['a'],
    web_url: 'javascript:alert(1)',
  },
]
const columns = ['id', 'description', 'runner_type', 'status', 'active', 'contacted_at', 'tag_list']

const project = {
  id: 3,
  name: 'App',
  description:
    'An application that does many things, and whose description is therefore longer than one line of a terminal.\n\nSecond paragraph.',
  visibility: 'private',
  archived: false,
  created_at: '2024-05-01T12:00:00Z',
  web_url: 'https://forge.test/platform/app',
  access_level: 40,
  build_timeout: 3600,
  topics: ['ci', 'web'],
  namespace: { id: 1, full_path: 'platform', parent: null, more: {} },
  shared_with: [{ group: 'x', level: 30 }],
  forked_from: null,
}

describe('a list on a terminal', () => {
  it.each([80, 140])('looks like this at %d columns', async (width) => {
    const text = await printValues('table', runners, { terminal: true, width, columns })
    await expect(text).toMatchFileSnapshot(`golden/list-${width}.txt`)
  })
  it('is coloured, with the words still there', async () => {
    const text = await printValues('table', runners, { terminal: true, columns, color: true })
    await expect(text.replaceAll('\u001b', '␛')).toMatchFileSnapshot('golden/list-colour.txt')
  })
  it('leaves out columns on a very narrow screen, and says so in the header', async () => {
    const text = await printValues('table', runners, { terminal: true, columns, width: 20 })
    expect(text.split('\n')[0]).toBe('id     description …')
  })
  it('prints nothing for an empty list', async () => {
    expect(await printValues('table', [], { terminal: true, columns })).toBe('')
  })
  it('chooses scalar fields where nobody names columns', async () => {
    const text = await printValues('table', [{ id: 1, user: { name: 'x' }, name: 'n' }], {
      terminal: true,
    })
    expect(text).toBe('id  name\n1   n\n')
  })
  it.each([
    ['expires_at', '2026-06-05T10:00:00Z', 'in 1 mo (2026-06-05)'],
    ['certificate.expiration', '2026-05-20T10:00:00Z', '! in 18 d (2026-05-20)'],
    ['membership.expires_at', '2026-04-01T10:00:00Z', '✗ 1 mo ago (2026-04-01)'],
    ['new', '2026-06-05T10:00:00Z', 'in 1 mo (2026-06-05)'],
    ['old', '2026-04-01T10:00:00Z', '1 mo ago (2026-04-01)'],
    ['expires_at', '2026-06-05', '2026-06-05'],
    ['due_date', '2026-06-05', '2026-06-05'],
    ['created_at', '2026-04-01T10:00:00Z', '1 mo ago'],
    ['expires_at', 'never', 'never'],
  ])('shows the day of an expiry, and of a value that is set: %s %s', async (name, value, cell) => {
    const record = name
      .split('.')
      .reverse()
      .reduce<unknown>((inner, key) => ({ [key]: inner }), value)
    const text = await printValues('table', [record], { terminal: true, fields: [name] })
    expect(text.split('\n')[1]).toBe(cell)
  })

  it('shows objects by their names, levels as words, expiry with a warning', async () => {
    const record = {
      user: { id: 1, username: 'ana' },
      group_access_level: 40,
      expires_at: '2026-05-11',
      certificate: { expires_at: '2026-04-30T00:00:00Z' },
      duration: 3725,
      x: { y: 1 },
    }
    const fields = [...Object.keys(record), 'certificate.expires_at'].filter(
      (f) => f !== 'certificate',
    )
    const text = await printValues('table', [record], { terminal: true, width: 120, fields })
    expect(text.split('\n')[1]).toBe(
      'ana   maintainer          ! 2026-05-11  1 h 2 min  {"y":1}  ✗ 1 d ago (2026-04-30)',
    )
    const coloured = await printValues('table', [record], {
      terminal: true,
      width: 120,
      fields,
      color: true,
    })
    expect(coloured).toContain('\u001b[33m! 2026-05-11\u001b[39m')
    expect(coloured).toContain('\u001b[31m✗ 1 d ago (2026-04-30)\u001b[39m')
  })
  it('streams what follows the first hundred, and widens a column where it must', async () => {
    const sink = createCollector()
    const writer = await openTestWriter('table', sink, { terminal: true })
    for (let id = 0; id < 99; id++) await writer.record({ id, name: 'n' })
    expect(sink.chunks).toEqual([])
    await writer.record({ id: 99, name: 'n' })
    expect(sink.chunks).toHaveLength(1)
    await writer.record({ id: 123_456, name: 'long name' })
    expect(sink.chunks[1]).toBe('123456  long name\n')
    await writer.close()
    expect(sink.chunks).toHaveLength(2)
  })
})

describe('one object on a terminal', () => {
  it('names other objects, and opens those that were asked for', async () => {
    const record = { author: { id: 4, name: 'Chi Chen', username: 'chi' } }
    const options = { terminal: true, many: false }
    expect(await printValues('table', [record], options)).toBe('author  Chi Chen (chi)\n')
    expect(await printValues('table', [record], { ...options, fields: ['author'] })).toBe(
      'author\n  id        4\n  name      Chi Chen\n  username  chi\n',
    )
  })
  it('keeps an address in one piece', async () => {
    const web_url = `https://forge.test/${'a'.repeat(60)}`
    const text = await printValues('table', [{ web_url }], {
      terminal: true,
      many: false,
      width: 40,
    })
    expect(text).toBe(`web_url  ${web_url}\n`)
  })
  it.each([40, 80, 140])('looks like this at %d columns', async (width) => {
    const text = await printValues('table', [project], { terminal: true, width, many: false })
    await expect(text).toMatchFileSnapshot(`golden/detail-${width}.txt`)
  })
})

describe('a table in a pipe', () => {
  it('is whole values between tabs, under field names', async () => {
    const text = await printValues('table', runners, { columns })
    await expect(text).toMatchFileSnapshot('golden/list.tsv')
  })
  it('gives one object a line a field', async () => {
    const record = { id: 1, user: { name: 'x' }, tags: ['a', 'b'], none: null, t: 'a\tb' }
    expect(await printValues('table', [record], { many: false })).toBe(
      'id\t1\nuser\t{"name":"x"}\ntags\ta,b\nnone\t\nt\ta\\tb\n',
    )
  })
  it('gives the header of an empty list', async () => {
    expect(await printValues('table', [], { columns: ['id', 'name'] })).toBe('id\tname\n')
  })
})

describe('a record on a narrow terminal', () => {
  const name = 'only_allow_merge_if_all_discussions_are_resolved'
  const url = 'https://forge.test/platform/app/-/settings/ci_cd/runners/a-long-one'

  it.each([20, 40, 60])('of %d columns keeps names and addresses whole', async (width) => {
    const record = { id: 3, [name]: true, note: `see ${url} for more` }
    const text = await printValues('table', [record], { many: false, terminal: true, width })
    expect(text.replaceAll('\n', '')).toContain(name)
    expect(text).toContain(url)
    if (width > name.length) expect(text.split('\n')).toContain(name)
  })
})

describe('an object of very long text on a terminal', () => {
  it('is shown whole, and not wrapped', async () => {
    const text = 'a line\n'.repeat(200_000)
    const out = await printValues('table', [{ id: 1, text }], { terminal: true, many: false })
    expect(out).toContain(text)
  })
})
