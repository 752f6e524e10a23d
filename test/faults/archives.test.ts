import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { answerHonestly } from './answers.js'
import { archive, operations } from './operations.js'
import { startLyingServer } from './server.js'
import { buildZip, type Entry } from './zip.js'

const download = operations.find(({ name }) => name === 'download')

interface ExtractionResult extends LineResult {
  /** Everything below the folder in which the program ran. */
  readonly files: readonly string[]
  readonly text: (name: string) => string
  readonly kind: (name: string) => 'file' | 'folder' | 'link' | 'other'
  readonly scratch: readonly string[]
  readonly above: readonly string[]
}

const getKind = (path: string): ReturnType<ExtractionResult['kind']> => {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return 'link'
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other'
}

/**
 * Downloads and extracts an archive into `out`, `times` times at once, and passes what is left to `look`.
 * @param prepare creates what is there before
 */
const testExtraction = async (
  bytes: Buffer,
  look: (ran: readonly ExtractionResult[]) => void,
  prepare: (work: string) => void = (work) => mkdirSync(join(work, 'out')),
  times = 1,
): Promise<void> => {
  if (download === undefined) throw new Error('there is no download')
  const server = await startLyingServer((_asked, socket) =>
    answerHonestly(socket, download, {}, bytes),
  )
  const home = createFolder()
  const [temporary, work] = [join(home, 'tmp'), join(home, 'work')]
  for (const path of [temporary, work]) mkdirSync(path)
  prepare(work)
  try {
    const args = [...download.args, '--extract', '--to', 'out', '--base-url', server.url]
    const env = {
      SVC_TOKEN: 'any',
      TMPDIR: temporary,
      SVC_CONFIG_DIR: createConfiguration(join(home, 'config')),
    }
    const all = await Promise.all(
      Array.from({ length: times }, () => svcctl(args, { cwd: work, env })),
    )
    const files = readdirSync(work, { recursive: true }).map(String).sort()
    const text = (name: string): string => readFileSync(join(work, name), 'utf8')
    const kind = (name: string) => getKind(join(work, name))
    const [scratch, above] = [readdirSync(temporary), readdirSync(home).sort()]
    look(all.map((ran) => ({ ...ran, files, text, kind, scratch, above })))
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

const goodEntry: Entry = { name: 'good.txt', body: Buffer.from('good') }
const body = Buffer.alloc(100, 'b')
/** Each is in an archive with a good entry, which must not be written either. */
const hostileArchives: Readonly<Record<string, { entries: readonly Entry[]; says: RegExp }>> = {
  'an absolute path': { entries: [{ name: '/tmp/svcctl-absolute' }], says: /svcctl-absolute/ },
  'a path that climbs': { entries: [{ name: '../climbed' }], says: /\.\.\/climbed/ },
  'a path that climbs midway': { entries: [{ name: 'a/../../climbed' }], says: /climbed/ },
  'a path of another system': { entries: [{ name: '..\\climbed' }], says: /climbed/ },
  'a drive': { entries: [{ name: 'C:/climbed' }], says: /climbed/ },
  'a symbolic link': {
    entries: [{ name: 'link', body: Buffer.from('/etc'), mode: 0o120777 }],
    says: /is a symbolic link or a device/,
  },
  'a device': {
    entries: [{ name: 'disk', mode: 0o060666 }],
    says: /is a symbolic link or a device/,
  },
  'the name of a device': { entries: [{ name: 'logs/CON.txt' }], says: /CON\.txt/ },
  'a control character': { entries: [{ name: 'a\u001b[2Jb' }], says: /\\u001b/ },
  'a bomb': {
    entries: [{ name: 'bomb', body: Buffer.alloc(1 << 27, 0x20) }],
    says: /the archive is too large when extracted|too large when decompressed/,
  },
  'a size that lies': {
    entries: [{ name: 'liar', body: Buffer.alloc(1 << 20, 0x20), size: 10 }],
    says: /could not be extracted.*too many bytes/,
  },
  'a size of a large file that lies': {
    entries: [{ name: 'liar', body: Buffer.alloc(1 << 22, 0x20), size: 2 << 20 }],
    says: /could not be extracted.*too many bytes/,
  },
  'a wrong checksum of a large file': {
    entries: [{ name: 'wrong', body: Buffer.alloc(1 << 21, 'w'), crc: 1 }],
    says: /its checksum is wrong/,
  },
  'a size that promises more': {
    entries: [{ name: 'liar', body, size: 1000 }],
    says: /could not be extracted.*too few bytes/,
  },
  'a wrong checksum': { entries: [{ name: 'wrong', body, crc: 1 }], says: /its checksum is wrong/ },
  'a wrong checksum of what is not packed': {
    entries: [{ name: 'wrong', body, crc: 1, method: 0 }],
    says: /its checksum is wrong/,
  },
  'an empty name': { entries: [{ name: '' }], says: /has no name/ },
  'a name of slashes': {
    entries: ['a/', 'a//'].map((name) => ({ name, body: Buffer.of() })),
    says: /appears twice in it/,
  },
  'the same name twice': { entries: [{ name: 'a' }, { name: 'a' }], says: /appears twice in it/ },
  'the same name in another spelling': {
    entries: [{ name: 'a/b' }, { name: 'a//b' }],
    says: /appears twice in it/,
  },
  'a file that is a folder, too': {
    entries: [{ name: 'a/b' }, { name: 'a' }],
    says: /is also a folder in it/,
  },
  'a folder that is a file, too': {
    entries: [{ name: 'a' }, { name: 'a/b' }],
    says: /is inside an entry that is a file/,
  },
  'entries that share their bytes': {
    entries: [
      { name: 'first', body },
      { name: 'second', body, at: 0 },
    ],
    says: /overlaps with another/,
  },
  'an entry that reaches into the next': {
    entries: [{ name: 'first', body: Buffer.alloc(40, 'b'), packedSize: 60, size: 60, method: 0 }],
    says: /overlaps with another/,
  },
  'what is encrypted': { entries: [{ name: 'locked', flags: 1 }], says: /is encrypted/ },
  'what is packed in an unknown way': {
    entries: [{ name: 'strange', method: 99 }],
    says: /uses an unknown compression method \(/,
  },
}

describe('artifacts download --extract', () => {
  it.each(Object.entries(hostileArchives))('refuses %s and leaves nothing', async (_name, it) => {
    await testExtraction(buildZip([...it.entries, goodEntry]), ([ran]) => {
      expect(ran?.stderr).toMatch(it.says)
      // Exit 1: the archive is at fault, not the command line.
      expect(ran?.code).toBe(1)
      expect(ran?.stdout).toBe('')
      expect(ran?.files).toEqual(['out'])
      expect(ran?.scratch).toEqual([])
      expect(ran?.above).toEqual(['config', 'tmp', 'work'])
      expect(ran?.stderr).not.toContain('\u001b')
    })
  })

  it('extracts an honest one, into a folder that is there', async () => {
    await testExtraction(archive, ([ran]) => {
      expect(ran?.code).toBe(0)
      expect(ran?.files).toEqual(['out', 'out/hello.txt'])
    })
  })

  it('extracts an honest one into a folder that is made, with those above it', async () => {
    const entries = [{ name: 'a/' }, { name: 'a/b/c.txt', body }, goodEntry, { name: 'empty/' }]
    const sized = entries.map((e) => (e.name.endsWith('/') ? { ...e, body: Buffer.of() } : e))
    await testExtraction(
      buildZip(sized),
      ([ran]) => {
        expect(ran).toMatchObject({ code: 0, scratch: [] })
        expect(ran?.files).toEqual(
          ['', '/a', '/a/b', '/a/b/c.txt', '/empty', '/good.txt'].map((path) => `out${path}`),
        )
        expect(ran?.text('out/a/b/c.txt')).toBe(body.toString())
      },
      () => {},
    )
  })

  it('extracts what some programs store below ./, and refuses two spellings of one name', async () => {
    const entries = [
      { name: './', body: Buffer.of() },
      { name: './a/./b.txt', body },
    ]
    await testExtraction(buildZip(entries), ([ran]) => {
      expect(ran?.code).toBe(0)
      expect(ran?.files).toEqual(['out', 'out/a', 'out/a/b.txt'])
    })
    await testExtraction(buildZip([...entries, { name: 'a/b.txt' }]), ([ran]) => {
      expect(ran?.stderr).toMatch(/appears twice in it/)
      expect(ran?.files).toEqual(['out'])
    })
  })

  it('leaves no folder where nothing came of it', async () => {
    await testExtraction(
      buildZip([{ name: 'wrong', body, crc: 1 }]),
      ([ran]) => expect(ran).toMatchObject({ code: 1, files: [] }),
      () => {},
    )
  })

  it("replaces files of the same name, and touches nobody's else", async () => {
    await testExtraction(
      archive,
      ([ran]) => {
        expect(ran?.code).toBe(0)
        expect(ran?.files).toEqual(['out', 'out/hello.txt', 'out/hello.txt.part', 'victim'])
        expect(ran?.text('out/hello.txt')).toBe('hello')
        expect(ran?.text('victim')).toBe('precious')
        expect(ran?.kind('out/hello.txt.part')).toBe('link')
      },
      (work) => {
        mkdirSync(join(work, 'out'))
        writeFileSync(join(work, 'out', 'hello.txt'), 'old')
        writeFileSync(join(work, 'victim'), 'precious')
        symlinkSync('../victim', join(work, 'out', 'hello.txt.part'))
      },
    )
  })

  const inTheWay: Readonly<Record<string, readonly [(out: string) => void, RegExp]>> = {
    'a link to a file': [
      (out) => symlinkSync('../victim', join(out, 'good.txt')),
      /a symbolic link/,
    ],
    'a link to a folder': [(out) => symlinkSync('..', join(out, 'deep')), /a symbolic link/],
    'a folder': [
      (out) => mkdirSync(join(out, 'good.txt')),
      /a folder where the archive has a file/,
    ],
    'a file': [
      (out) => writeFileSync(join(out, 'deep'), ''),
      /a file where the archive has a folder/,
    ],
    'a pipe': [(out) => execFileSync('mkfifo', [join(out, 'good.txt')]), /not a regular file/],
  }
  it.each(Object.entries(inTheWay))(
    'refuses %s in the way, before anything is written',
    async (_name, [make, says]) => {
      const entries = [{ name: 'first.txt' }, { name: 'deep/victim' }, goodEntry]
      await testExtraction(
        buildZip(entries),
        ([ran]) => {
          expect(ran?.stderr).toMatch(says)
          expect(ran?.stderr).toMatch(/nothing was extracted/)
          expect(ran?.code).toBe(1)
          expect(ran?.text('victim')).toBe('precious')
          expect(ran?.files).not.toContain('out/first.txt')
          expect(ran?.files.filter((path) => /^out\/[^/]+$/.test(path)).length).toBe(1)
        },
        (work) => {
          mkdirSync(join(work, 'out'))
          writeFileSync(join(work, 'victim'), 'precious')
          make(join(work, 'out'))
        },
      )
    },
  )

  it.each([true, false])('works for eight at once, the folder there already: %s', async (there) => {
    const many = Array.from({ length: 30 }, (_, i) => ({ name: `d${i % 3}/${i}.txt`, body }))
    await testExtraction(
      buildZip(many),
      (all) => {
        expect(all.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual(all.map(() => 0))
        const [ran] = all
        expect(ran?.files.length).toBe(1 + 3 + 30)
        expect(ran?.text('out/d2/29.txt')).toBe(body.toString())
      },
      (work) => {
        if (there) mkdirSync(join(work, 'out'))
      },
      8,
    )
  })

  it('asks for nothing where a file stands in the place of the folder', async () => {
    await testExtraction(
      archive,
      ([ran]) => {
        expect(ran).toMatchObject({ code: 2, files: ['out'] })
        expect(ran?.stderr).toMatch(/is not a folder/)
      },
      (work) => writeFileSync(join(work, 'out'), ''),
    )
  })
})
