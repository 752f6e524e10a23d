/** Tests the launcher and the code cache, with a small program in place of the built one. */
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runProgram } from '../support/starting.js'

/** Runs a script with Node and returns its output. Throws if the exit code is not 0. */
const runNode = async (args: readonly string[], variables: NodeJS.ProcessEnv = process.env) => {
  const ran = await runProgram(process.execPath, args, { cwd: process.cwd(), env: variables })
  const [stdout, stderr] = [ran.stdout.toString(), ran.stderr.toString()]
  if (ran.code !== 0) throw Object.assign(new Error(stderr), { code: ran.code, stdout, stderr })
  return { stdout, stderr }
}
let home: string
let cache: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svcctl-bin-'))
  cache = join(home, 'cache')
  await cp('bin', join(home, 'bin'), { recursive: true })
  await writeFile(join(home, 'package.json'), '{"version":"1.2.3","type":"module"}')
  await mkdir(join(home, 'dist'))
  for (const name of ['start.cjs', 'keep.cjs'])
    await cp(join('dist', name), join(home, 'dist', name))
  await writeFile(
    join(home, 'dist/main.cjs'),
    "exports.main = async () => console.log((await Promise.resolve().then(() => require('./part.cjs'))).say(process.argv.slice(2)))",
  )
  await writeFile(
    join(home, 'dist/part.cjs'),
    "const { sep } = require('node:path'); exports.say = (argv) => 'said ' + argv.join(sep)",
  )
  // Does the same as the launcher, with the test's own cache folder.
  await writeFile(
    join(home, 'bin/cached.js'),
    "const [dist, home] = process.argv.splice(2, 2); require('../dist/start.cjs').load(dist, 'main.cjs', home, require).main()",
  )
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** A script that stores compiled code of another program of the same length, which V8 accepts as the right one. */
const foreignCodeScript = `
  const { readFileSync, writeFileSync } = require('node:fs')
  const [source, target] = process.argv.slice(1)
  const main = readFileSync(source, 'utf8')
  const text = "exports.main = () => console.log('evil ' + process.argv.slice(2))".padEnd(main.length)
  const script = new (require('node:vm').Script)('(function(exports,require,module,__filename,__dirname){' + text + '\\n})')
  const made = {}
  script.runInThisContext()(made)
  made.main()
  const code = script.createCachedData()
  const header = Buffer.alloc(8)
  header.writeUInt32LE(code.length, 0)
  header.writeUInt32LE(~code.length >>> 0, 4)
  writeFileSync(target, Buffer.concat([header, code, code]))`

const createEnv = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  XDG_CACHE_HOME: cache,
  ...more,
})
const launch = (args: string[], more?: Record<string, string>) =>
  runNode([join(home, 'bin/svcctl.js'), ...args], createEnv(more))
const runCachedIn = (folder: string, ...args: string[]) =>
  runNode([join(home, 'bin/cached.js'), join(home, 'dist'), folder, ...args])
const runCached = (...args: string[]) => runCachedIn(cache, ...args)
/** Lists the files of compiled code, with their paths below the cache folder. */
const listCachedFiles = async (): Promise<string[]> =>
  (await readdir(cache, { recursive: true }).catch(() => [])).filter((f) => f.endsWith('.cjs'))

describe('the launcher', () => {
  it('answers --version without the built program', async () => {
    await rm(join(home, 'dist'), { recursive: true })
    expect((await launch(['--version'])).stdout).toBe('1.2.3\n')
  })

  it('says what to do when nothing is built', async () => {
    await rm(join(home, 'dist'), { recursive: true })
    await expect(launch(['runners', 'list'])).rejects.toMatchObject({
      code: 9,
      stderr: expect.stringContaining('npm run build'),
    })
  })

  it('hands the arguments to the program, again and again', async () => {
    for (const _ of [1, 2, 3]) expect((await launch(['a', 'b'])).stdout).toBe('said a/b\n')
    expect((await readdir(cache, { recursive: true })).length).toBeGreaterThan(0)
  })

  it('keeps its cache below SVC_CONFIG_DIR when that is given', async () => {
    const own = join(home, 'own')
    await launch(['a'], { SVC_CONFIG_DIR: own })
    expect(await readdir(join(own, 'cache'))).toEqual(['code'])
    expect(await readdir(home)).not.toContain('cache')
  })

  it('keeps nothing when Node is told not to', async () => {
    expect((await launch(['a'], { NODE_DISABLE_COMPILE_CACHE: '1' })).stdout).toBe('said a\n')
    expect(await readdir(home)).not.toContain('cache')
  })
})

describe('the code cache', () => {
  it('keeps each loaded file once, in one folder a build', async () => {
    await runCached('a')
    const [main = '', part = '', ...others] = (await listCachedFiles()).sort()
    expect(others).toEqual([])
    expect(main).toMatch(/^code\/[^/]+\/run\.main\.cjs$/)
    expect(part).toMatch(/run\.part\.cjs$/)
    const { ino } = await stat(join(cache, main))
    await runCached('a')
    await runCached('b')
    expect((await stat(join(cache, main))).ino).toBe(ino)
    await runCached('--help')
    await runCached('__complete', 'bash', '--', 'a')
    expect((await listCachedFiles()).map((file) => basename(file)).sort()).toEqual([
      '__complete.main.cjs',
      '__complete.part.cjs',
      'help.main.cjs',
      'help.part.cjs',
      'run.main.cjs',
      'run.part.cjs',
    ])
  })

  it('grows by what another command compiles', async () => {
    await writeFile(
      join(home, 'dist/main.cjs'),
      `const say = (text) => console.log('said ' + text + ${'1 +'.repeat(500)} 1)
       exports.main = () => (process.argv[2] === 'b' ? say('b') : console.log(process.argv[2]))`,
    )
    await runCached('a')
    const [main = ''] = await listCachedFiles()
    const { size } = await stat(join(cache, main))
    await runCached('a')
    expect((await stat(join(cache, main))).size).toBe(size)
    await runCached('b')
    expect((await stat(join(cache, main))).size).toBeGreaterThan(size)
  })

  it('is not kept for a mistyped command', async () => {
    await writeFile(join(home, 'dist/main.cjs'), 'exports.main = () => { process.exitCode = 2 }')
    await expect(runCached('mistyped')).rejects.toMatchObject({ code: 2 })
    expect(await listCachedFiles()).toEqual([])
  })

  const flipped = (bytes: Buffer): Buffer => {
    const at = bytes.length - 200
    bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at)
    return bytes
  }
  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['other bytes', () => Buffer.from('damaged')],
    ['nothing', () => Buffer.alloc(0)],
    ['a flipped bit', flipped],
    ['a tail of zeros', (bytes) => bytes.fill(0, bytes.length - 400)],
    ['half of it', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['more than it', (bytes) => Buffer.concat([bytes, Buffer.alloc(64)])],
  ])('is made anew when it is damaged: %s', async (_, damage) => {
    await runCached('a')
    const [main = ''] = (await listCachedFiles()).sort()
    const whole = await readFile(join(cache, main))
    const damaged = damage(Buffer.from(whole))
    await writeFile(join(cache, main), damaged)
    expect(await runCached('a')).toEqual({ stdout: 'said a\n', stderr: '' })
    const made = await readFile(join(cache, main))
    expect(made.equals(damaged)).toBe(false)
    const length = made.readUInt32LE(0)
    expect(made.length).toBe(8 + 2 * length)
    expect(made.subarray(8, 8 + length).equals(made.subarray(8 + length))).toBe(true)
  })

  it('does not outlive the build', async () => {
    await runCached('a')
    await writeFile(
      join(home, 'dist/main.cjs'),
      "exports.main = async (argv) => console.log((await Promise.resolve().then(() => require('./part.cjs'))).say('new'.split()))",
    )
    expect((await runCached('a')).stdout).toBe('said new\n')
  })

  it('leaves no partial file when many processes write at once', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, () => runCached('a')))
    expect(runs.map((r) => r.stdout)).toEqual(Array(8).fill('said a\n'))
    const files = (await readdir(cache, { recursive: true })).filter((f) => f.includes('cjs'))
    expect(files.sort()).toEqual((await listCachedFiles()).sort())
    expect((await runCached('a')).stdout).toBe('said a\n')
  })

  it('is done without, silently, where it cannot be written', async () => {
    await writeFile(cache, 'a file where the folder would be')
    expect(await runCached('a')).toEqual({ stdout: 'said a\n', stderr: '' })
  })

  it('is used, but not from where others may write, however far above', async () => {
    await runCached('a')
    const main = join(cache, (await listCachedFiles()).sort()[0] ?? '')
    await runNode(['-e', foreignCodeScript, join(home, 'dist/main.cjs'), main])
    expect((await runCached('a')).stdout).toBe('evil a\n')
    for (const open of [join(main, '..'), cache, home]) {
      await chmod(open, 0o777)
      expect(await runCached('a')).toEqual({ stdout: 'said a\n', stderr: '' })
      await chmod(open, 0o700)
    }
    await symlink(cache, join(home, 'link'))
    expect((await runCachedIn(join(home, 'link'), 'a')).stdout).toBe('evil a\n')
    await chmod(cache, 0o770)
    expect((await runCachedIn(join(home, 'link'), 'a')).stdout).toBe('said a\n')
  })

  it('is not written where others may write', async () => {
    await mkdir(cache)
    await chmod(cache, 0o777)
    expect((await runCached('a')).stdout).toBe('said a\n')
    expect(await readdir(cache)).toEqual([])
  })

  it('removes what a process left that was killed while it wrote', async () => {
    await runCached('a')
    const partial = join(cache, (await listCachedFiles())[0] ?? '', '../run.main.cjs.1.tmp')
    await writeFile(partial, 'half')
    await utimes(partial, 1, 1)
    await runCached('--help')
    expect((await readdir(cache, { recursive: true })).filter((f) => f.endsWith('.tmp'))).toEqual(
      [],
    )
  })

  it('forgets all but the newest builds', async () => {
    for (let build = 0; build < 7; build++) {
      await writeFile(
        join(home, 'dist/main.cjs'),
        `exports.main = () => console.log(${'1'.repeat(build + 1)})`,
      )
      await runCached()
    }
    expect(await readdir(join(cache, 'code'))).toHaveLength(4)
  })
})
