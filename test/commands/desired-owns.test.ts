/** Tests ownership: what the files of one folder may declare, and no other files. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const { url } = useSharedSandbox()

/** Writes files, each below `version: 1`, and explains one of their places. This sends no requests. */
const read = async (files: Readonly<Record<string, string>>) => {
  const cwd = createFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, dirname(path)), { recursive: true })
    writeFileSync(join(cwd, path), `version: 1\n${text}\n`)
  }
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: url() }
  const { code, stderr } = await svcctl(
    ['plan', 'c', '--explain', 'projects/platform/app:approvals'],
    { cwd, env },
  )
  return stderr.includes('the files do not declare') ? { code: 0, stderr: '' } : { code, stderr }
}
const buildProject = (key: string): string => `projects: {'${key}': {approvals: {}}}`
const buildGroup = (key: string): string => `groups: {'${key}': {members: {}}}`

describe('a folder that owns', () => {
  const owns =
    'owns: [site, groups/web, groups/platform/**, projects/labs/tool, projects/back-*/**]'

  it.each([
    'site: {settings: {}}',
    buildGroup('web'),
    buildGroup('Platform'),
    buildGroup('platform/**'),
    buildGroup('platform/core'),
    buildGroup('platform/core/**'),
    buildProject('platform/app'),
    buildProject('platform/core/engine'),
    buildProject('platform/*'),
    buildProject('labs/tool'),
    buildProject('back-end/app'),
    buildProject('back-end-*/app'),
    buildProject('{path: [platform/*, "back-end/**"], topic: x}'),
  ])('may name, and nobody else: %s', async (text) => {
    expect(await read({ 'c/a/o.yml': owns, 'c/a/deep/f.yml': text })).toMatchObject({ code: 0 })
    const { code, stderr } = await read({ 'c/a/o.yml': owns, 'c/b/f.yml': text })
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /c\/b\/f\.yml:2:\d+: .* is owned by c\/a, as declared at c\/a\/o\.yml:2:1/,
      ),
    ])
  })

  it.each([
    buildGroup('web/shop'),
    buildGroup('web/**'),
    buildGroup('**'),
    buildProject('web/site'),
    buildProject('labs/*'),
    buildProject('b*/app'),
    buildProject('**/app'),
    buildProject('{topic: x}'),
    buildProject('{path: [platform/*, web/*]}'),
    'defaults: {projects: {approvals: {}}}',
  ])('may not name, and others may: %s', async (text) => {
    expect(await read({ 'c/a/o.yml': owns, 'c/b/f.yml': text })).toMatchObject({ code: 0 })
    const { code, stderr } = await read({ 'c/a/o.yml': owns, 'c/a/f.yml': text })
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /c\/a\/f\.yml:2:\d+: .* is not owned by this folder, according to owns at c\/a\/o\.yml:2:1/,
      ),
    ])
  })

  it('says so once, of addresses', async () => {
    const twice = await read({ 'c/a.yml': 'owns: [site]', 'c/b.yml': 'owns: [site]' })
    expect(twice.stderr).toContain('c/b.yml:2:1: owns is declared twice for this folder')
    for (const wrong of ['[]', 'site', '[groups/*]', '[projects/app]', '[users/ana]', '[null]'])
      expect((await read({ 'c/a.yml': `owns: ${wrong}` })).stderr).toMatch(
        /(?:owns|address) must |is not a valid address/,
      )
  })

  it('may be narrowed below, and not be widened', async () => {
    const above = { 'c/o.yml': 'owns: [groups/platform/**]' }
    const narrow = await read({ ...above, 'c/a/o.yml': 'owns: [projects/platform/*]' })
    expect(narrow.code).toBe(0)
    const wide = await read({ ...above, 'c/a/o.yml': 'owns: [site]' })
    expect(wide.stderr).toContain('c/a/o.yml:2:1: this owns more than the folder above, declared')
    const taken = await read({
      'c/o.yml': `owns: [groups/platform/**]\n${buildProject('platform/app')}`,
      'c/a/o.yml': 'owns: [projects/platform/*]',
    })
    expect(taken.stderr).toContain('platform/app is owned by c/a')
  })

  it('keeps its teams', async () => {
    const team = { 'c/a/o.yml': 'owns: [groups/web]\nteams: {leads: {users: [ana]}}' }
    const use = (group: string) => `groups: {${group}: {members: {team:leads: owner}}}`
    expect((await read({ ...team, 'c/a/f.yml': use('web') })).code).toBe(0)
    const { stderr } = await read({ ...team, 'c/b/f.yml': use('labs') })
    expect(stderr).toContain('c/b/f.yml:2:27: the team leads belongs to a folder with owns')
  })
})

describe('two folders', () => {
  const paths = ['a/x', 'a/y', 'a/b/x', 'ab/x', 'c/x']
  const owned = fc.constantFrom(
    ...[
      'groups/a/**',
      'groups/a/b/**',
      'groups/ab/**',
      'groups/a',
      'projects/a/x',
      'projects/a/b/x',
    ],
    ...['projects/a/*', 'projects/a*/**', 'projects/a/**', 'projects/c/x', 'site'],
  )
  const list = fc.uniqueArray(owned, { minLength: 1, maxLength: 3 })
  /** Computes which of these places an entry means. It follows the documented decisions, not the code. */
  const means = (entry: string): readonly string[] => {
    if (entry === 'site') return ['site']
    const [scope = '', ...rest] = entry.split('/')
    const path = rest.join('/')
    const tree = path.replace(/\/\*\*$/, '')
    const inTree = (place: string) => place.startsWith(`${tree}/`)
    if (scope === 'groups')
      return tree === path
        ? [`groups/${path}`]
        : [
            `groups/${tree}`,
            ...['a', 'a/b', 'ab'].filter(inTree).map((group) => `groups/${group}`),
            ...paths.filter(inTree).map((project) => `projects/${project}`),
          ]
    const pattern = new RegExp(
      `^${path.replace(/\*\*|\*/g, (stars) => (stars === '**' ? '.*' : '[^/]*'))}$`,
    )
    return paths.filter((project) => pattern.test(project)).map((project) => `projects/${project}`)
  }

  it('own apart, or are refused', async () => {
    await fc.assert(
      fc.asyncProperty(list, list, async (one, other) => {
        const { code } = await read({
          'c/a/o.yml': `owns: [${one.map((entry) => `"${entry}"`).join(', ')}]`,
          'c/b/o.yml': `owns: [${other.map((entry) => `"${entry}"`).join(', ')}]`,
        })
        const first = new Set(one.flatMap(means))
        const common = other.flatMap(means).filter((address) => first.has(address))
        if (common.length > 0) expect([code, common]).toEqual([2, common])
      }),
      { numRuns: 16 },
    )
  })
})
