/** Tests `svcctl export`: where it writes, what it accepts and rejects, and its exit codes. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { publicKeys } from '../desired/exporting/writes.js'
import { createFolder } from '../support/program.js'
import { createCaller } from './calling.js'

const { call, server, sent } = createCaller()

const namespace = { id: 5, kind: 'group', full_path: 'a' }
const projects = [
  { id: 1, path_with_namespace: 'a/one', namespace },
  { id: 2, path_with_namespace: 'a/two', namespace },
]
const approvals = { reset_approvals_on_push: true, require_password_to_approve: false }

/** Mocks an instance with two projects that have approvals. @param refused paths with the status of their answer */
const mockInstance = (refused: readonly (readonly [RegExp, number])[] = []): void => {
  server.answer = ({ url }) => {
    const path = url.replace(/^\/api\/v4/, '')
    const [, status] = refused.find(([pattern]) => pattern.test(path)) ?? []
    if (status !== undefined)
      return { status, body: { message: 'because not everything could be read' } }
    if (/^\/projects\?/.test(path)) return { body: projects }
    const [, id] = /^\/projects\/([12])$/.exec(path.replace('a%2Fone', '1')) ?? []
    if (id !== undefined) return { body: projects[Number(id) - 1] }
    // The settings of a project, and those of error tracking, have no fields that are exported.
    if (/\/settings$/.test(path)) return { body: { id: 1, project_name: null } }
    return /\/approvals$/.test(path) ? { body: approvals } : undefined
  }
}

const both = {
  version: 1,
  projects: { 'a/one': { approvals }, 'a/two': { approvals } },
}
const listFiles = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()

describe('export', () => {
  it('prints one document, in the order of places, and only reads', async () => {
    mockInstance()
    const ran = await call('export approvals')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(parse(ran.stdout)).toEqual(both)
    expect(ran.stdout.indexOf('a/one')).toBeLessThan(ran.stdout.indexOf('a/two'))
    expect(sent()).toEqual([])
    expect(server.lines().every((line) => line.startsWith('GET '))).toBe(true)
  })

  it('takes kinds as more of what --only names', async () => {
    mockInstance()
    const one = await call('export deploy_keys --only projects/a/one:approvals')
    expect(parse(one.stdout)).toEqual({ version: 1, projects: { 'a/one': { approvals } } })
  })

  it('gives JSON where asked, by flag or environment', async () => {
    mockInstance()
    for (const how of [
      await call('export approvals -o json'),
      await call('export approvals', { env: { SVC_OUTPUT: 'json' } }),
    ])
      expect(JSON.parse(how.stdout)).toEqual(both)
    const refused = await call('export approvals -o csv')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('YAML or JSON')
  })

  it('lists the files of a folder where a format is given, and what became of each', async () => {
    mockInstance()
    const root = createFolder()
    const [one, two] = ['one.yml', 'two.yml'].map((name) => join(root, 'projects', 'a', name))
    const list = async (format: string) => {
      const { code, stdout } = await call(`export approvals --to ${root} -o ${format}`)
      expect(code).toBe(0)
      return stdout
    }
    const sizeOf = (file = ''): number => readFileSync(file).length
    const first = JSON.parse(await list('json'))
    expect(first).toEqual(
      [one, two].map((path) => ({ path, state: 'written', size: sizeOf(path) })),
    )
    const told = await call(`export approvals --to ${root}`)
    expect([told.code, told.stdout]).toEqual([0, ''])
    writeFileSync(one ?? '', `${readFileSync(one ?? '', 'utf8')}# more\n`)
    server.answer = ({ url }) =>
      /\/projects\?/.test(url)
        ? { body: projects.slice(0, 1) }
        : { body: /\/approvals$/.test(url) ? approvals : projects[0] }
    expect(parse(await list('yaml'))).toEqual([
      { path: one, state: 'written', size: sizeOf(one) },
      { path: two, state: 'removed' },
    ])
    expect((await list('table')).split('\n')[0]).toMatch(/^path +state +size$/)
  })

  it('gives the file that it wrote where a format is given', async () => {
    mockInstance()
    const file = join(createFolder(), 'all.json')
    const { stdout } = await call(`export approvals --to ${file} -o json`)
    expect(JSON.parse(stdout)).toEqual({ path: file, size: readFileSync(file).length })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(both)
  })

  it('reads and writes nothing but what is selected', async () => {
    mockInstance()
    const { stdout: out } = await call(
      'export approvals deploy_keys -P a/one --exact --except deploy_keys',
    )
    expect(parse(out)).toEqual({ version: 1, projects: { 'a/one': { approvals } } })
    expect(server.lines().join('\n')).not.toMatch(/deploy_keys|projects\/2|groups/)
  })

  it('says of items alone what is selected of them, and then of no set that it is exact', async () => {
    mockInstance()
    server.answer = ({ url }) => {
      if (/projects\/a%2Fone$/.test(url)) return { body: projects[0] }
      if (!url.includes('/deploy_keys')) return undefined
      const [first, second] = publicKeys
      const old = { id: 2, title: 'old', key: second, can_push: false }
      return { body: [{ id: 1, title: 'ci', key: first, can_push: false }, old] }
    }
    const only = 'projects/a/one:deploy_keys/ci'
    const { stdout: out } = await call(['export', '--exact', '-P', 'a/one', '--only', only])
    expect(parse(out).projects['a/one']).toEqual({
      deploy_keys: { ci: { key: publicKeys[0], can_push: false } },
    })
    const most = ['export', 'deploy_keys', '--exact', '-P', 'a/one', '--except', only]
    expect(Object.keys(parse((await call(most)).stdout).projects['a/one'].deploy_keys)).toEqual([
      'old',
    ])
  })

  it('says of groups what their projects share', async () => {
    mockInstance()
    const { stdout: out } = await call('export approvals --factor')
    expect(parse(out)).toEqual({ version: 1, groups: { 'a/**': { projects: { approvals } } } })
    const dir = join(createFolder(), 'to')
    await call(['export', 'approvals', '--factor', '--to', dir])
    expect(listFiles(dir)).toEqual(['.schema.json', 'groups/a.yml'])
  })

  it.each([
    ['export approval', 'Run "svcctl export approvals".'],
    ['export --curl', '--curl'],
    ['export --limit 3', '--limit'],
    ['export --dry-run', '--dry-run'],
    ['export --watch', '--watch'],
    ['export --factor -P a/one', '--factor'],
    ['export --factor --except projects/a/one', '--factor'],
    ['export -P a/nope', 'a/nope'],
  ])('%s is exit 2', async (line, text) => {
    mockInstance([[/^\/projects\/a%2Fnope/, 404]])
    const ran = await call(line, { cwd: createFolder() })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(text)
    expect(sent()).toEqual([])
  })
})

describe('export of nothing that can be read', () => {
  it('ends as all of it did, or partly where some went otherwise', async () => {
    mockInstance([[/\/approvals$/, 403]])
    const alike = await call('export approvals')
    expect([alike.code, alike.stdout]).toEqual([3, ''])
    expect(alike.stderr).toContain('nothing could be read')
    mockInstance([
      [/\/1\/approvals$/, 403],
      [/\/2\/approvals$/, 404],
    ])
    const unlike = await call('export approvals')
    expect([unlike.code, unlike.stdout]).toEqual([8, ''])
    expect(unlike.stderr).toContain('nothing could be read')
  })
})

describe('export to files', () => {
  it('writes a file a project, and takes what is gone away', async () => {
    mockInstance()
    const dir = join(createFolder(), 'new', 'state')
    const first = await call(['export', '--to', dir])
    expect(first).toMatchObject({ code: 0, stdout: '' })
    expect(listFiles(dir)).toEqual(['.schema.json', 'projects/a/one.yml', 'projects/a/two.yml'])
    expect(parse(readFileSync(join(dir, 'projects/a/two.yml'), 'utf8'))).toEqual({
      version: 1,
      projects: { 'a/two': { approvals } },
    })
    const answer = server.answer
    server.answer = (seen, i) =>
      /projects\?/.test(seen.url) ? { body: projects.slice(0, 1) } : answer(seen, i)
    const second = await call(['export', 'members', '--to', dir])
    expect(second).toMatchObject({ code: 2 })
    expect(second.stderr).toContain(
      'the file also contains approvals, which --only and --except leave out',
    )
    const others = await call(['export', '--except', 'approvals', '--to', dir])
    expect([others.code, others.stderr]).toEqual([
      2,
      expect.stringContaining(
        'the file also contains approvals, which --only and --except leave out',
      ),
    ])
    const third = await call(['export', '--exact', '--to', dir])
    expect(third.stderr).toContain('removed')
    expect(listFiles(dir)).not.toContain('projects/a/two.yml')
  })

  it('refuses what it did not write before it reads or writes anything of it', async () => {
    mockInstance()
    const dir = createFolder()
    writeFileSync(join(dir, 'site.yml'), 'version: 1\n')
    const ran = await call(['export', '--to', dir])
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain('site.yml is in the way')
    expect(listFiles(dir)).toEqual(['site.yml'])
    expect(server.lines().join('\n')).not.toContain('approvals')
  })

  it('writes one file whole, and JSON where it is called so', async () => {
    mockInstance()
    const dir = createFolder()
    const yaml = await call('export approvals --to all.yml', { cwd: dir })
    const json = await call('export approvals --to all.json', { cwd: dir })
    expect([yaml.stdout, json.stdout]).toEqual(['', ''])
    expect(parse(readFileSync(join(dir, 'all.yml'), 'utf8'))).toEqual(both)
    expect(JSON.parse(readFileSync(join(dir, 'all.json'), 'utf8'))).toEqual(both)
    expect((await call('export approvals --to all.yml', { cwd: dir })).code).toBe(0)
    const again = await call('export approvals --to all.json', { cwd: dir })
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('a JSON file does not show whether export wrote it')
  })

  it('leaves files alone of which not all could be read', async () => {
    mockInstance()
    const dir = createFolder()
    await call(['export', 'approvals', '--to', dir])
    const before = readFileSync(join(dir, 'projects/a/two.yml'), 'utf8')
    mockInstance([[/^\/projects\/2\/approvals/, 403]])
    const ran = await call(['export', 'approvals', '--to', dir])
    expect(ran.code).toBe(8)
    expect(ran.stderr).toContain('projects/a/two:approvals')
    expect(ran.stderr).toContain('because not everything could be read')
    expect(readFileSync(join(dir, 'projects/a/two.yml'), 'utf8')).toBe(before)
  })
})

describe('export of what cannot be read', () => {
  it('says so, gives the rest, and ends with 8', async () => {
    mockInstance([[/^\/projects\/2\/approvals/, 403]])
    const ran = await call('export approvals')
    expect(ran.code).toBe(8)
    expect(parse(ran.stdout)).toEqual({ version: 1, projects: { 'a/one': { approvals } } })
    expect(ran.stderr).toContain('1 of 2 could not be read')
  })

  it.each([
    [403, 3],
    [500, 7],
  ])('ends as all did where nothing could be: %i', async (status, code) => {
    mockInstance([[/approvals$/, status]])
    const dir = createFolder()
    const ran = await call('export approvals --to a.yml --retries 0', { cwd: dir })
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(existsSync(join(dir, 'a.yml'))).toBe(false)
    expect(await call('export approvals --retries 0')).toMatchObject({ code, stdout: '' })
  })

  it('is no failure where only administrators may read it and nobody asked', async () => {
    mockInstance([[/^\/runners\/all/, 403]])
    const ran = await call('export')
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stderr).toContain('site:runners: skipped, because only administrators can read it')
    expect((await call('export --only site:runners')).code).toBe(3)
  })

  it('is no failure where the instance does not have it at all', async () => {
    mockInstance()
    const answer = server.answer
    server.answer = (seen, i) =>
      seen.url.endsWith('/approvals')
        ? { status: 404, body: { error: '404 Not Found' } }
        : answer(seen, i)
    const ran = await call('export approvals')
    expect(ran).toMatchObject({ code: 0 })
    expect(parse(ran.stdout)).toEqual({ version: 1 })
    expect(ran.stderr).toContain('approvals: skipped, because the instance does not support it')
  })
})
