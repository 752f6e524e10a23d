import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { getRunFailure } from '../../src/answer/failure-report.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { buildHead } from '../faults/answers.js'
import { startLyingServer } from '../faults/server.js'
import { buildZip } from '../faults/zip.js'
import { createFolder } from '../support/program.js'
import { type Recorder, startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

/** A body of 1 MiB that ends as an archive does. */
const largeArchive = `PK\x03\x04${'a'.repeat((1 << 20) - 4)}PK\x05\x06${'\0'.repeat(12)}\0\0\x10\0\0\0`

let server: Recorder
beforeAll(async () => {
  server = await startRecorder(({ url }) =>
    url.includes('/artifacts')
      ? { body: largeArchive, headers: { 'content-type': 'application/zip' } }
      : { body: { id: 1, username: 'root', name: 'Root' } },
  )
})
afterAll(() => server.close())

/** Mounts a small file system that is soon full. Returns undefined if mounting is not permitted. */
const mountSmallDisk = (size = '64k'): string | undefined => {
  const path = createFolder()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', path])
  if (status !== 0) return undefined
  onTestFinished(() => {
    execFileSync('umount', [path])
  })
  return path
}

const isRoot = process.getuid?.() === 0
const createEnv = () => ({ SVC_TOKEN: 'any', SVC_BASE_URL: server.url })
const runLogin = (config: string, name: string) =>
  svcctl(['auth', 'login', name, '--base-url', server.url, '--token-stdin'], {
    env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' },
    input: `token-of-${name}\n`,
  })

describe('a disk that is full', () => {
  it('ends a download in words and leaves nothing', async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === undefined) return skip('no file system may be mounted here')
    const ran = await svcctl(['artifacts', 'download', '7', '-P', '1'], {
      env: createEnv(),
      cwd: disk,
    })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/cannot write .*: no space left on the device/)
    expect(readdirSync(disk)).toEqual([])
  })

  it('extracts nothing where there is no room for all of it', async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === undefined) return skip('no file system may be mounted here')
    const bytes = buildZip([{ name: 'zeros', body: Buffer.alloc(1 << 20) }])
    const lying = await startLyingServer((_asked, socket) => {
      socket.write(buildHead('200 OK', { 'content-length': String(bytes.length) }))
      socket.write(bytes)
    })
    try {
      const ran = await svcctl(['artifacts', 'download', '7', '-P', '1', '--extract'], {
        env: { SVC_TOKEN: 'any', SVC_BASE_URL: lying.url },
        cwd: disk,
      })
      expect(ran.code).toBe(1)
      expect(ran.stderr).toMatch(/needs 1\.0 MB, and .* has \d+ kB free; nothing was extracted/)
      expect(ran.stderr).toMatch(/another folder with --to/)
      expect(readdirSync(disk)).toEqual([])
    } finally {
      await lying.close()
    }
  })

  it('ends a snapshot in words wherever it is full, and --resume completes it', async ({
    skip,
  }) => {
    const disk = mountSmallDisk('256k')
    if (disk === undefined) return skip('no file system may be mounted here')
    const sandbox = await startSandbox({ stateDir: createFolder() })
    const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: sandbox.url }
    const to = join(disk, 'kept')
    const full = new Set<string>()
    // The free kilobytes of each run: the disk becomes full in another list each time, or in the progress file.
    for (const free of [4, 44, 48, 56, 68]) {
      const filler = join(disk, 'filler')
      writeFileSync(filler, Buffer.alloc((256 - free) << 10))
      const cut = await svcctl(['snapshot', '--to', to], { env })
      expect(cut, cut.stderr).toMatchObject({ code: 1, stdout: '' })
      full.add(/cannot write \S+\/([\w.-]+): no space left/.exec(cut.stderr)?.[1] ?? cut.stderr)
      rmSync(filler)
      const advised = cut.stderr.includes('Continue the snapshot with --resume') ? ['--resume'] : []
      expect(advised).toHaveLength(free > 4 ? 1 : 0)
      const whole = await svcctl(['snapshot', '--to', to, ...advised, '-o', 'json'], { env })
      expect(whole.code, whole.stderr).toBe(0)
      expect(JSON.parse(whole.stdout)).toHaveLength(18)
      rmSync(to, { recursive: true })
    }
    await sandbox.close()
    expect([...full]).toContain('unfinished.ndjson')
    expect(
      [...full].some((name) => name.includes('-of-projects')),
      [...full].join(),
    ).toBe(true)
  })

  it('loses no profile at a sign-in', async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === undefined) return skip('no file system may be mounted here')
    expect(await runLogin(disk, 'first')).toMatchObject({ code: 0 })
    const before = ['config.json', 'tokens.json'].map((name) =>
      readFileSync(join(disk, name), 'utf8'),
    )
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4k'])
    const ran = await runLogin(disk, 'second')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/no space left on the device/)
    expect(
      ['config.json', 'tokens.json'].map((name) => readFileSync(join(disk, name), 'utf8')),
    ).toEqual(before)
  })
})

describe('a configuration', () => {
  it.each(['{ "profiles": ', '[1]', '\u0000\u0001', '{"current":"a","profiles":[]}'])(
    'that is corrupt is named and left as it was: %j',
    async (text) => {
      const config = createFolder()
      const file = join(config, 'config.json')
      writeFileSync(file, text)
      const runs = [
        await svcctl(['runners', 'list'], { env: { SVC_CONFIG_DIR: config } }),
        await svcctl(['profile', 'set', 'a', '--base-url', server.url], {
          env: { SVC_CONFIG_DIR: config },
        }),
      ]
      for (const { code, stderr } of runs) {
        expect(stderr).toContain(file)
        expect(code).toBe(2)
      }
      expect(readFileSync(file, 'utf8')).toBe(text)
    },
  )

  it.skipIf(process.platform === 'win32').each(['config.json', 'tokens.json'])(
    'that is a pipe or a device is named, and not waited for: %s',
    async (name) => {
      const config = createFolder()
      const env = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }
      expect(await runLogin(config, 'first')).toMatchObject({ code: 0 })
      const file = join(config, name)
      rmSync(file)
      execFileSync('mkfifo', ['-m', '600', file])
      const ran = await svcctl(['runners', 'list', '-p', 'first'], { env })
      expect(ran.stderr).toContain(`${file}: it is a pipe, not a regular file`)
      expect(ran.code).toBe(2)
      expect(await runLogin(config, 'second')).toMatchObject({ code: 2 })
      rmSync(file)
      symlinkSync('/dev/zero', file)
      const other = await svcctl(['runners', 'list', '-p', 'first'], { env })
      expect(other.stderr).toContain(file)
      expect(other.code).toBe(2)
    },
  )

  it.each([
    ['config.json', 0o777],
    ['tokens.json', 0o700],
  ])(
    'that is a link is replaced, and what the link names is not written: %s',
    async (name, mode) => {
      const [config, other] = [createFolder(), createFolder()]
      chmodSync(other, mode)
      writeFileSync(join(other, name), '{}')
      symlinkSync(join(other, name), join(config, name))
      expect(await runLogin(config, 'first')).toMatchObject({ code: 0 })
      expect(readFileSync(join(other, name), 'utf8')).toBe('{}')
      expect(lstatSync(join(config, name)).mode & 0o777).toBe(0o600)
    },
  )

  it('with the profiles may be a link to a file that only the user can change', async () => {
    const [config, other] = [createFolder(), createFolder()]
    const file = join(other, 'svcctl.json')
    writeFileSync(file, '{}')
    symlinkSync(file, join(config, 'config.json'))
    expect(await runLogin(config, 'first')).toMatchObject({ code: 0 })
    expect(lstatSync(join(config, 'config.json')).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ current: 'first' })
    expect(lstatSync(file).mode & 0o777).toBe(0o600)
  })

  it('that may not be written is named', async () => {
    const config = join(createFolder(), 'config')
    // A file in place of a directory cannot be written into by anybody, not even root.
    if (isRoot) writeFileSync(config, '')
    else {
      mkdirSync(config)
      chmodSync(config, 0o500)
    }
    const { code, stderr } = await runLogin(config, 'first')
    expect(code).toBe(2)
    expect(stderr).toContain(config)
  })

  it.skipIf(process.platform !== 'linux')(
    'where no directory can be made is named, and stops nothing that does without',
    async () => {
      const env = { ...createEnv(), SVC_CONFIG_DIR: '/proc/svcctl', SVC_NO_KEYRING: '1' }
      expect(await svcctl(['runners', 'get', '1', '-o', 'json'], { env })).toMatchObject({
        code: 0,
      })
      const set = await svcctl(['profile', 'set', 'a', '--base-url', server.url], { env })
      expect(set.code).toBe(2)
      expect(set.stderr).toMatch(/cannot create \/proc\/svcctl: /)
    },
  )

  it('keeps every sign-in of processes side by side', async () => {
    const config = createFolder()
    const names = ['one', 'two', 'three', 'four']
    const codes = await Promise.all(names.map(async (name) => (await runLogin(config, name)).code))
    expect(codes).toEqual(names.map(() => 0))
    const stored = JSON.parse(readFileSync(join(config, 'config.json'), 'utf8'))
    const tokens = JSON.parse(readFileSync(join(config, 'tokens.json'), 'utf8'))
    expect(Object.keys(stored.profiles).sort()).toEqual([...names].sort())
    expect(Object.keys(tokens).sort()).toEqual([...names].sort())
  })
})

describe('a home that is no folder, such as /dev/null', () => {
  const call = (line: string, env: Readonly<Record<string, string>> = {}) =>
    svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: '/dev/null/svcctl', ...env } })

  it('has no profiles, no journals and no state', async () => {
    for (const line of ['profile list -o json', 'journal list -o json'])
      expect(await call(line)).toMatchObject({ code: 0, stdout: '[]\n' })
    const ran = await call('runners list --instance --limit 1 -o id --sandbox')
    expect(ran).toMatchObject({ code: 0, stdout: '1\n' })
    expect(ran.stderr).toContain('changes to the embedded instance are not saved')
  })

  it('needs none of them for an instance from the environment', async () => {
    expect(await call('runners get 1 -o id', createEnv())).toMatchObject({ code: 0, stdout: '1\n' })
  })

  it('is named with its variable by a command that has to write there', async () => {
    const { code, stderr } = await call('apply x.yml --yes', createEnv())
    expect([code, stderr]).toEqual([1, expect.stringContaining('/dev/null/svcctl')])
    expect(stderr).toContain('or set SVC_CONFIG_DIR to another directory')
  })

  it('is not made writable by a hint of doctor', async () => {
    expect((await call('doctor', createEnv())).stdout).not.toContain('chmod')
  })
})

describe('an error of the system', () => {
  const hint = (code: string, path: string) => {
    const error = Object.assign(new Error(code), { code, path, syscall: 'open' })
    const { message, details } = getRunFailure({ error, interrupted: false, env: {} })
    return [message, details.hint]
  }

  it('names the limit of open files', () => {
    expect(hint('EMFILE', '/a')).toEqual([
      '/a: too many files are open',
      'Raise the limit of open files: ulimit -n 1024',
    ])
  })

  it.each([
    ['ENAMETOOLONG', 'x'.repeat(300), 'a name is too long'],
    ['ELOOP', 'loop/x', 'its symbolic links go in a circle'],
  ])('is in words for %s', async (code, name, words) => {
    const folder = createFolder()
    symlinkSync('loop', join(folder, 'loop'))
    const file = join(folder, name)
    const args = ['runners', 'list', '--instance', '--sandbox', '--to', file]
    const { code: exit, stderr } = await svcctl(args, { env: createEnv() })
    expect([exit, stderr]).toEqual([1, expect.stringContaining(`cannot write ${file}: ${words}`)])
    expect(stderr).not.toContain(code)
  })

  it('is about temporary files only in a folder that svcctl made for them', () => {
    expect(hint('EACCES', join(tmpdir(), 'home/x'))[1]).toContain('Check the file')
    expect(hint('EACCES', join(tmpdir(), 'svcctl-XXXXXX'))[1]).toContain('Set TMPDIR')
  })
})
