/** bin/ alone, with a small program in place of the built one. */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const exec = promisify(execFile)
let home: string
let cache: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svcctl-bin-'))
  cache = join(home, 'cache')
  await cp('bin', join(home, 'bin'), { recursive: true })
  await writeFile(join(home, 'package.json'), '{"version":"1.2.3","type":"module"}')
  await mkdir(join(home, 'dist'))
  await writeFile(
    join(home, 'dist/main.cjs'),
    "exports.main = async (argv) => console.log((await Promise.resolve().then(() => require('./part.cjs'))).say(argv))",
  )
  await writeFile(
    join(home, 'dist/part.cjs'),
    "const { sep } = require('node:path'); exports.say = (argv) => 'said ' + argv.join(sep)",
  )
  // What the launcher does, with the cache where the test looks.
  await writeFile(
    join(home, 'bin/cached.js'),
    "require('./code-cache.js').load(process.argv[2], 'main.cjs', process.argv[3]).main(process.argv.slice(4))",
  )
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** Writes compiled code of another program of the same length, which V8 takes for the right one. */
const foreign = `
  const { readFileSync, writeFileSync } = require('node:fs')
  const [source, target] = process.argv.slice(1)
  const main = readFileSync(source, 'utf8')
  const text = "exports.main = (argv) => console.log('evil ' + argv)".padEnd(main.length)
  const script = new (require('node:vm').Script)('(function(exports,require,module,__filename,__dirname){' + text + '\\n})')
  const made = {}
  script.runInThisContext()(made)
  made.main([])
  writeFileSync(target, script.createCachedData())`

const env = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  XDG_CACHE_HOME: cache,
  ...more,
})
const launch = (args: string[], more?: Record<string, string>) =>
  exec(process.execPath, [join(home, 'bin/svcctl.js'), ...args], { env: env(more) })
const cached = (...args: string[]) =>
  exec(process.execPath, [join(home, 'bin/cached.js'), join(home, 'dist'), cache, ...args])
/** Files of compiled code, with the folders above them. */
const kept = async (): Promise<string[]> =>
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
  it('keeps each loaded file once, for the kind of run', async () => {
    await cached('a')
    const [main = '', part = '', ...others] = (await kept()).sort()
    expect(others).toEqual([])
    expect(main).toMatch(/^code\/[^/]+\/a\/main\.cjs$/)
    expect(part).toMatch(/part\.cjs$/)
    const { ino } = await stat(join(cache, main))
    await cached('b')
    expect((await stat(join(cache, main))).ino).toBe(ino)
    await cached('--help')
    expect((await kept()).filter((f) => f.includes('/help/'))).toHaveLength(2)
  })

  it('is not kept for a mistyped command', async () => {
    await writeFile(join(home, 'dist/main.cjs'), 'exports.main = () => { process.exitCode = 2 }')
    await expect(cached('mistyped')).rejects.toMatchObject({ code: 2 })
    expect(await kept()).toEqual([])
  })

  it('is made anew when it is damaged', async () => {
    await cached('a')
    const [main = ''] = (await kept()).sort()
    await writeFile(join(cache, main), 'damaged')
    expect((await cached('a')).stdout).toBe('said a\n')
    expect(await readFile(join(cache, main), 'latin1')).not.toBe('damaged')
  })

  it('does not outlive the build', async () => {
    await cached('a')
    await writeFile(
      join(home, 'dist/main.cjs'),
      "exports.main = async (argv) => console.log((await Promise.resolve().then(() => require('./part.cjs'))).say('new'.split()))",
    )
    expect((await cached('a')).stdout).toBe('said new\n')
  })

  it('leaves no partial file when many processes write at once', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, () => cached('a')))
    expect(runs.map((r) => r.stdout)).toEqual(Array(8).fill('said a\n'))
    const files = (await readdir(cache, { recursive: true })).filter((f) => f.includes('cjs'))
    expect(files.sort()).toEqual((await kept()).sort())
    expect((await cached('a')).stdout).toBe('said a\n')
  })

  it('is done without, silently, where it cannot be written', async () => {
    await writeFile(cache, 'a file where the folder would be')
    expect(await cached('a')).toEqual({ stdout: 'said a\n', stderr: '' })
  })

  it('is used, but not from where others may write', async () => {
    await cached('a')
    const main = join(cache, (await kept()).sort()[0] ?? '')
    await exec(process.execPath, ['-e', foreign, join(home, 'dist/main.cjs'), main])
    expect((await cached('a')).stdout).toBe('evil a\n')
    await chmod(join(main, '../..'), 0o777)
    expect(await cached('a')).toEqual({ stdout: 'said a\n', stderr: '' })
  })

  it('forgets all but the newest builds', async () => {
    for (let build = 0; build < 7; build++) {
      await writeFile(
        join(home, 'dist/main.cjs'),
        `exports.main = () => console.log(${'1'.repeat(build + 1)})`,
      )
      await cached()
    }
    expect(await readdir(join(cache, 'code'))).toHaveLength(4)
  })
})
