/** Tests the folder of an export: replaced files, removed files, files in the way, and links, which are not followed. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  checkFile,
  ExportFolder,
  groupIntoFiles,
  type KindFilter,
  openFile,
} from '../../../src/desired/exporting/folder.js'
import { createOpening } from '../../../src/desired/exporting/model.js'
import { buildConfigSchema } from '../../../src/desired/files/document.js'
import { createFolder } from '../../support/program.js'

const everything: KindFilter = { all: true, has: () => true }
/** Only the projects below `platform`. */
const platform: KindFilter = {
  all: false,
  has: ({ place }) => place.scope === 'project' && place.path.startsWith('platform/'),
}

const put = (root: string, path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const buildProjectText = (path: string, more = ''): string =>
  `${createOpening()}projects:\n  ${path}:\n    approvals: {}\n${more}`

const exportFolder = async (
  root: string,
  texts: Readonly<Record<string, string>>,
  selected = everything,
) => {
  const to = new ExportFolder(root, selected)
  await to.check(Object.keys(texts))
  for (const [path, text] of Object.entries(texts)) await to.write(path, text)
  await to.removeStale()
  return to.counts
}

const listFiles = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()

describe('names of files', () => {
  const project = (path: string) => ({ scope: 'project', path }) as const

  it('are the full paths, below the folder of what they are', () => {
    const places = [
      { scope: 'site', path: '' } as const,
      { scope: 'group', path: 'a/b' } as const,
      project('a/b'),
      project('A/b'),
      project('a/.hidden'),
      project('node_modules/x'),
    ]
    expect(groupIntoFiles(places).map(({ path, places: { length } }) => [path, length])).toEqual([
      ['site.yml', 1],
      ['groups/a/b.yml', 1],
      ['projects/a/b.yml', 2],
      ['projects/a/_.hidden.yml', 1],
      ['projects/_node_modules/x.yml', 1],
    ])
  })

  it.each(['a/..', '../x', 'a//b', 'a/b c', 'a/\u202e', 'a/b\\c', 'a/b:c', './x', 'a/b\n'])(
    'are refused where a path is none: %j',
    (path) => {
      expect(() => groupIntoFiles([project(path)])).toThrow(/cannot be a file name/)
    },
  )

  it('are refused where one would be a folder and a file', () => {
    expect(() => groupIntoFiles([project('a/b'), project('a/B.yml/c')])).toThrow(
      /both a folder and a file/,
    )
  })
})

describe('a folder', () => {
  it('is made, and its files are written anew only where they differ', async () => {
    const root = join(createFolder(), 'new', 'svcctl')
    const texts = {
      'site.yml': `${createOpening()}site: {}\n`,
      'projects/a/b.yml': buildProjectText('a/b'),
    }
    expect(await exportFolder(root, texts)).toEqual({ written: 2, same: 0, removed: 0 })
    const before = statSync(join(root, 'site.yml')).ino
    const changed = { ...texts, 'projects/a/b.yml': buildProjectText('a/b', '    members: {}\n') }
    expect(await exportFolder(root, changed)).toEqual({ written: 1, same: 1, removed: 0 })
    expect(statSync(join(root, 'site.yml')).ino).toBe(before)
    expect(listFiles(root)).toEqual(['projects/a/b.yml', 'site.yml'])
    expect(statSync(join(root, 'site.yml')).mode & 0o077).not.toBe(0)
  })

  it('loses what is gone, and only what export wrote', async () => {
    const root = createFolder()
    put(root, 'projects/old/gone.yml', buildProjectText('old/gone'))
    put(root, 'projects/old/mine.yml', 'projects: {}\n')
    put(root, 'projects/empty/gone.yml', buildProjectText('empty/gone'))
    put(root, 'teams/gone.yml', buildProjectText('old/gone'))
    expect(await exportFolder(root, {})).toEqual({ written: 0, same: 0, removed: 2 })
    expect(listFiles(root)).toEqual(['projects/old/mine.yml', 'teams/gone.yml'])
    expect(existsSync(join(root, 'projects/empty'))).toBe(false)
  })

  it('keeps what is not looked at, and what was kept', async () => {
    const root = createFolder()
    put(root, 'site.yml', `${createOpening()}site: { settings: {} }\n`)
    put(root, 'projects/other/x.yml', buildProjectText('other/x'))
    put(root, 'projects/platform/gone.yml', buildProjectText('platform/gone'))
    put(
      root,
      'projects/platform/two.yml',
      buildProjectText('platform/two', '  other/x:\n    members: {}\n'),
    )
    put(root, 'projects/platform/broken.yml', `${createOpening()}projects: [\n`)
    put(root, 'projects/platform/more.yml', buildProjectText('platform/more', 'defaults: {}\n'))
    expect(await exportFolder(root, {}, platform)).toMatchObject({ removed: 1 })
    expect(listFiles(root)).toEqual([
      'projects/other/x.yml',
      'projects/platform/broken.yml',
      'projects/platform/more.yml',
      'projects/platform/two.yml',
      'site.yml',
    ])
    const all = new ExportFolder(root, everything)
    expect(all.keep('projects/other/x.yml')).toBe(true)
    await all.removeStale()
    expect(listFiles(root)).toEqual(['projects/other/x.yml'])
  })

  it('takes a file of another case for the same', async () => {
    const root = createFolder()
    put(root, 'projects/Platform/App.yml', buildProjectText('Platform/App'))
    const counts = await exportFolder(root, {
      'projects/platform/app.yml': buildProjectText('platform/app'),
    })
    expect(counts).toEqual({ written: 1, same: 0, removed: 0 })
    expect(listFiles(root)).toEqual(['projects/Platform/App.yml'])
  })

  it.each<[string, string | undefined, RegExp]>([
    ['a file of somebody', 'projects: {}\n', /the file was not written by export/],
    [
      'one whose second line is not ours',
      `x\ny\n# written by svcctl export\n`,
      /was not written by export/,
    ],
    [
      'one that holds something else as well',
      buildProjectText('platform/x', '  other/x: {members: {}}\n'),
      /also contains members/,
    ],
    ...['members: {}', 'projects: {members: {}}'].map((kinds): [string, string, RegExp] => [
      `one that holds ${kinds} of all groups as well`,
      buildProjectText('platform/x', `groups:\n  other/**:\n    ${kinds}\n`),
      /also contains members/,
    ]),
    [
      'one with keys that export does not write',
      buildProjectText('platform/x', 'defaults: {}\n'),
      /does not write/,
    ],
  ])('refuses %s before anything is written', async (_, text, why) => {
    const root = createFolder()
    put(root, 'projects/platform/x.yml', text ?? '')
    const texts = {
      'projects/platform/a.yml': buildProjectText('platform/a'),
      'projects/platform/x.yml': buildProjectText('platform/x'),
    }
    await expect(exportFolder(root, texts, platform)).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringMatching(why),
    })
    expect(listFiles(root)).toEqual(['projects/platform/x.yml'])
    expect(readFileSync(join(root, 'projects/platform/x.yml'), 'utf8')).toBe(text)
  })

  it('follows no link, neither of a file nor of a folder, nor its own', async () => {
    const root = createFolder()
    const elsewhere = createFolder()
    put(elsewhere, 'x.yml', buildProjectText('a/x'))
    mkdirSync(join(root, 'projects/a'), { recursive: true })
    symlinkSync(elsewhere, join(root, 'projects/b'))
    symlinkSync(join(elsewhere, 'x.yml'), join(root, 'projects/a/x.yml'))
    for (const path of ['projects/a/x.yml', 'projects/b/x.yml'])
      await expect(exportFolder(root, { [path]: 'new' })).rejects.toThrow(/is a (?:symbolic )?link/)
    await exportFolder(root, {})
    expect(readFileSync(join(elsewhere, 'x.yml'), 'utf8')).toBe(buildProjectText('a/x'))
    symlinkSync(elsewhere, join(root, 'link'))
    await expect(exportFolder(join(root, 'link'), {})).rejects.toThrow(/is a (?:symbolic )?link/)
  })

  it('refuses a folder where a file goes, and a file where a folder goes', async () => {
    const root = createFolder()
    mkdirSync(join(root, 'site.yml'))
    put(root, 'projects/a', 'x')
    await expect(exportFolder(root, { 'site.yml': '' })).rejects.toThrow(/is not a file/)
    await expect(exportFolder(root, { 'projects/a/b.yml': '' })).rejects.toThrow(
      /a file has the name/,
    )
  })
})

describe('one file', () => {
  it('replaces its own, and nothing else', async () => {
    const root = createFolder()
    const file = join(root, 'all.yml')
    put(root, 'all.yml', buildProjectText('a/b'))
    await checkFile(file, everything)
    await expect(checkFile(file, platform)).rejects.toThrow(/also contains approvals/)
    const draft = await openFile(file)
    await draft.write([Buffer.from('new')])
    expect(readFileSync(file, 'utf8')).toBe(buildProjectText('a/b'))
    await draft.publish()
    expect(readFileSync(file, 'utf8')).toBe('new')
    await expect(checkFile(file, everything)).rejects.toThrow(/was not written by export/)
    symlinkSync(file, join(root, 'link.yml'))
    await expect(checkFile(join(root, 'link.yml'), everything)).rejects.toThrow(/link/)
  })
})

describe('the schema', () => {
  const text = `${JSON.stringify(buildConfigSchema())}\n`
  const furnished = async (root: string, files: readonly string[] = ['site.yml']) => {
    const to = new ExportFolder(root, everything)
    await to.check(files)
    for (const file of files) await to.write(file, createOpening(file))
    await to.writeSchema(buildConfigSchema())
    return to.counts
  }

  it('stands beside the files, where the first line of each finds it', async () => {
    const root = createFolder()
    const files = ['site.yml', 'groups/a.yml', 'projects/a/b/c.yml']
    expect(await furnished(root, files)).toEqual({ written: 3, same: 0, removed: 0 })
    for (const file of files) {
      const [line = ''] = readFileSync(join(root, file), 'utf8').split('\n')
      const [, link = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(line) ?? []
      expect(readFileSync(join(dirname(join(root, file)), link), 'utf8')).toBe(text)
    }
  })

  it('replaces one of another version, and nothing else', async () => {
    const root = createFolder()
    put(root, '.schema.json', '{"title":"svcctl: an instance as code","type":"object"}')
    await furnished(root)
    expect(readFileSync(join(root, '.schema.json'), 'utf8')).toBe(text)
    for (const other of ['{"title":"mine"}', 'no JSON']) {
      put(root, '.schema.json', other)
      await expect(furnished(root)).rejects.toThrow(
        '.schema.json is in the way: the file is not a schema',
      )
      expect(readFileSync(join(root, '.schema.json'), 'utf8')).toBe(other)
    }
  })

  it('is not put where there is nothing to edit', async () => {
    const root = createFolder()
    await furnished(root, [])
    expect(listFiles(root)).toEqual([])
  })
})
