import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { constants, deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { folder, svcctl } from '../support/program.js'
import { honest } from './answers.js'
import { archive, operations } from './operations.js'
import { lie } from './server.js'

interface Entry {
  readonly name: string
  readonly body?: Buffer
  /** Unix mode, as `ls` would have it; a regular file unless given. */
  readonly mode?: number
  /** Claimed instead of the real size. */
  readonly size?: number
}

/** An archive that says whatever it is told, which libraries refuse to write. */
const zipped = (entries: readonly Entry[]): Buffer => {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const { name, body = Buffer.from('x'), mode = 0o100644, size = body.length } of entries) {
    const packed = deflateRawSync(body, { finishFlush: constants.Z_FINISH })
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((mode << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    centrals.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, rest, Buffer.from(name)]),
    )
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, central, end])
}

const download = operations.find(({ name }) => name === 'download')

/** Downloads and extracts; gives what is left below the folder, and beside it. */
const extracted = async (bytes: Buffer) => {
  if (download === undefined) throw new Error('there is no download')
  const server = await lie((_asked, socket) => honest(socket, download, {}, bytes))
  const home = folder()
  const temporary = join(home, 'tmp')
  mkdirSync(join(home, 'work', 'out'), { recursive: true })
  mkdirSync(temporary)
  try {
    const args = [...download.args, '--extract', '--to', 'out', '--base-url', server.url]
    const env = { SVC_TOKEN: 'any', TMPDIR: temporary, SVC_CONFIG_DIR: join(home, 'config') }
    const ran = await svcctl(args, { cwd: join(home, 'work'), env })
    const files = readdirSync(join(home, 'work'), { recursive: true }).map(String).sort()
    return { ...ran, files, scratch: readdirSync(temporary), above: readdirSync(home).sort() }
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

const good: Entry = { name: 'good.txt' }
/** Each beside a good entry, which must not be written either. */
const hostile: Readonly<Record<string, { entry: Entry; says: RegExp }>> = {
  'an absolute path': { entry: { name: '/tmp/svcctl-absolute' }, says: /\/tmp\/svcctl-absolute/ },
  'a path that climbs': { entry: { name: '../climbed' }, says: /\.\.\/climbed/ },
  'a path that climbs midway': { entry: { name: 'a/../../climbed' }, says: /climbed/ },
  'a path of another system': { entry: { name: '..\\climbed' }, says: /climbed/ },
  'a drive': { entry: { name: 'C:/climbed' }, says: /climbed/ },
  'a symbolic link': {
    entry: { name: 'link', body: Buffer.from('/etc'), mode: 0o120777 },
    says: /a link or a device/,
  },
  'a device': { entry: { name: 'disk', mode: 0o060666 }, says: /a link or a device/ },
  'the name of a device': { entry: { name: 'logs/CON.txt' }, says: /CON\.txt/ },
  'a control character': { entry: { name: 'a\u001b[2Jb' }, says: /\\u001b/ },
  'a bomb': {
    entry: { name: 'bomb', body: Buffer.alloc(1 << 27, 0x20) },
    says: /would grow to more than it should|absurd/,
  },
  'a size that lies': {
    entry: { name: 'liar', body: Buffer.alloc(1 << 20, 0x20), size: 10 },
    says: /could not be extracted|too many bytes/,
  },
}

describe('artifacts download --extract', () => {
  it.each(Object.entries(hostile))('refuses %s and leaves nothing', async (_name, it) => {
    const { code, stderr, stdout, files, scratch, above } = await extracted(
      zipped([it.entry, good]),
    )
    expect(stderr).toMatch(it.says)
    // Exit 1: the archive is at fault, and not how the command was called.
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(files).toEqual(['out'])
    expect(scratch).toEqual([])
    expect(above).toEqual(['config', 'tmp', 'work'])
    expect(stderr).not.toContain('\u001b')
  })

  it('extracts an honest one', async () => {
    const { code, files } = await extracted(archive)
    expect(code).toBe(0)
    expect(files).toEqual(['out', 'out/hello.txt'])
  })
})
