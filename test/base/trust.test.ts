import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeDistrust, findDistrust } from '../../src/base/files/trust.js'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'svcctl-trust-')))
  mkdirSync(join(home, 'a/b'), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'a/b/file'), '', { mode: 0o600 })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const getFile = (): string => join(home, 'a/b/file')
const superuser = process.getuid?.() === 0

describe.skipIf(process.platform === 'win32')('a path', () => {
  it('is trusted below a shared folder of root, also where it does not exist yet', () => {
    expect(findDistrust(getFile())).toBeUndefined()
    expect(findDistrust(join(home, 'a/new/folder'))).toBeUndefined()
  })

  it('is trusted below a file, where nothing can exist', () => {
    chmodSync(getFile(), 0o777)
    expect(findDistrust(join(getFile(), 'x'))).toBeUndefined()
    expect(findDistrust('/dev/null/svcctl/config.json')).toBeUndefined()
  })

  it.each(['a/b/file', 'a/b', 'a', '.'])('is not when others may write %s', (part) => {
    const path = join(home, part)
    for (const mode of [0o720, 0o702, 0o777, 0o1777].filter((m) => !superuser || m < 0o1000)) {
      chmodSync(path, mode)
      expect(findDistrust(getFile())).toEqual({ path, why: 'writable' })
      expect(findDistrust(join(home, 'a/b/none'))?.path).toBe(
        part === 'a/b/file' ? undefined : path,
      )
    }
    chmodSync(path, 0o755)
    expect(findDistrust(getFile())).toBeUndefined()
  })

  it('is judged by what its links name, and by where they stand', () => {
    const open = join(home, 'open')
    mkdirSync(open)
    chmodSync(open, 0o777)
    symlinkSync(open, join(home, 'to-open'))
    symlinkSync('../a', join(open, 'to-a'))
    symlinkSync('a/b', join(home, 'to-b'))
    expect(findDistrust(join(home, 'to-b/file'))).toBeUndefined()
    expect(findDistrust(join(home, 'to-open/x'))).toEqual({
      path: open,
      link: join(home, 'to-open'),
      why: 'writable',
    })
    expect(findDistrust(join(open, 'to-a/b/file'))).toEqual({ path: open, why: 'writable' })
  })

  it('of links in a ring ends', () => {
    symlinkSync('ring', join(home, 'ring'))
    expect(findDistrust(join(home, 'ring/x'))?.why).toBe('links')
  })

  it.runIf(superuser).each(['a/b/file', 'a', 'link'])('is not when %s is of another', (part) => {
    symlinkSync('a', join(home, 'link'))
    lchownSync(join(home, part), 12_345, 12_345)
    const path = part === 'link' ? join(home, 'link/b/file') : getFile()
    expect(findDistrust(path)).toEqual({ path: join(home, part), why: 'owner' })
  })

  it('comes with the command that puts it right', () => {
    const odd = join(home, "it's")
    mkdirSync(odd)
    chmodSync(odd, 0o770)
    const found = findDistrust(odd)
    expect(found && describeDistrust(found).remedy).toBe(`chmod go-w '${home}/it'\\''s'`)
  })

  it('is described by its link, and a device by what shows it', () => {
    const link = join(home, 'to-device')
    symlinkSync('/dev/null', link)
    const found = findDistrust(link)
    if (found === undefined) return expect(statSync('/dev/null').mode & 0o022).toBe(0)
    expect(describeDistrust(found)).toEqual({
      message: `other users can write to /dev/null (through the link ${link})`,
      remedy: `ls -ld ${link}`,
    })
  })
})
