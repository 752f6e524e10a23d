/**
 * The package as it is published: packed from a copy and installed offline into an empty TypeScript project. The copy is built unless
 * the files here are newer than their sources. The guide's examples compile and run there, and wrong calls do not compile.
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtFrom, isNewer } from '../../.config/build-once.js'
import { type RunningSandbox, startSandbox } from '../../src/library/sandbox.js'
import { listCodeBlocks } from '../support/pages.js'
import { createConfiguration, createFolder, getCleanEnv } from '../support/program.js'
import { startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const root = join(import.meta.dirname, '../..')
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
)
/** The TypeScript examples of the guide. */
const examples = listCodeBlocks('ts')

/** The copy that is packed. */
let copy: string
let tarball: string
let project: string
let home: string

const run = async (program: string, args: readonly string[], env: Record<string, string> = {}) => {
  const ran = await execa(program, args, {
    cwd: project,
    reject: false,
    extendEnv: false,
    stdin: 'ignore',
    env: {
      ...getCleanEnv(),
      PATH: process.env.PATH ?? '',
      HOME: home,
      npm_config_offline: 'true',
      npm_config_cache: join(home, 'cache'),
      npm_config_update_notifier: 'false',
      ...env,
    },
  })
  return { code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }
}
const runNode = (file: string, env?: Record<string, string>) => run(process.execPath, [file], env)

/** True if `npm run build` has built everything from the current sources. */
const isBuilt = (): boolean =>
  ['main.cjs', 'client.d.cts', 'man/svcctl.1'].every((name) =>
    isNewer(join('dist', name), [...builtFrom, '.config/types.mjs']),
  )

/** Creates a copy of the files that packing needs. */
const createCopy = (built: boolean): string => {
  const made = createFolder()
  const needed = [
    'src',
    'bin',
    '.config',
    '.github',
    'completions',
    'README.md',
    'LICENSE',
    'package.json',
  ]
  for (const name of [...needed, 'tsconfig.json', ...(built ? ['dist'] : [])])
    cpSync(join(root, name), join(made, name), { recursive: true })
  // Bundled packages are copied to the same place as in a clone, because a link changes the order of modules in the output.
  const modules = readFileSync(join(root, 'dist/modules.txt'), 'utf8')
  const bundled = new Set([...modules.matchAll(/\tnode_modules\/([^/]+)/g)].map(([, name]) => name))
  mkdirSync(join(made, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const from = join(root, 'node_modules', name)
    const to = join(made, 'node_modules', name)
    if (bundled.has(name)) cpSync(from, to, { recursive: true })
    else symlinkSync(from, to)
  }
  return made
}

/** Packs a copy as `prepack` and `postpack` do, but without the build. */
const packBuilt = async (from: string, into = project) => {
  const around = (when: string) => execa('node', ['.config/packing.mjs', when], { cwd: from })
  await around('before')
  const to = ['--pack-destination', into]
  const packed = await run('npm', ['pack', from, '--silent', '--ignore-scripts', ...to])
  await around('after')
  return packed
}

beforeAll(async () => {
  const built = isBuilt()
  ;[project, home, copy] = [createFolder(), createFolder(), createCopy(built)]
  const packed = built ? await packBuilt(copy) : await run('npm', ['pack', copy, '--silent'])
  expect(packed).toMatchObject({ code: 0 })
  tarball = join(project, packed.stdout.trim().split('\n').at(-1) ?? '')
}, 240_000)

describe('what is packed', () => {
  const manifest = async () =>
    JSON.parse((await run('tar', ['-xOzf', tarball, 'package/package.json'])).stdout)

  it('is the program, its libraries and its pages, and nothing else', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball])
    const kinds = stdout.split('\n').map((path) =>
      path
        .replace(/^package\//, '')
        .replace(/^dist\/man\/svcctl(-[a-z-]+)?\.([17])$/, 'dist/man/<page>.$2')
        .replace(/^dist\/(?!client|run\.|sandbox\.)[\w.-]+\.cjs$/, 'dist/<chunk>.cjs')
        .replace(/^dist\/client-[\w-]+\.cjs$/, 'dist/<chunk>.cjs'),
    )
    expect([...new Set(kinds)].sort()).toEqual(
      [
        'LICENSE',
        'README.md',
        'bin/package.json',
        'bin/svcctl.js',
        'completions/_svcctl',
        'completions/svcctl.bash',
        'completions/svcctl.fish',
        'completions/svcctl.ps1',
        'dist/<chunk>.cjs',
        'dist/client.cjs',
        'dist/client.d.cts',
        'dist/client.d.ts',
        'dist/client.mjs',
        'dist/licences.txt',
        'dist/man/<page>.1',
        'dist/man/<page>.7',
        'dist/run.cjs',
        'dist/run.d.cts',
        'dist/run.d.ts',
        'dist/run.mjs',
        'dist/sandbox.cjs',
        'dist/sandbox.d.cts',
        'dist/sandbox.d.ts',
        'dist/sandbox.mjs',
        'package.json',
      ].sort(),
    )
  })

  it('is no larger than 1.9 MB', () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(1_900_000)
  })

  it('runs no script when it is installed, and needs no other package', async () => {
    const { scripts, dependencies, bundleDependencies, exports } = await manifest()
    expect(Object.keys(scripts).filter((name) => /install$|^prepare$/.test(name))).toEqual([])
    expect([dependencies, bundleDependencies]).toEqual([undefined, undefined])
    expect(Object.keys(exports)).toEqual(['./client', './sandbox', './run', './package.json'])
  })

  it('says where it is from, and may be published', async () => {
    const packed = await manifest()
    expect(packed).toMatchObject({ license: 'MIT', publishConfig: { access: 'public' } })
    expect(packed.engines).toEqual({ node: '>=20.18.1' })
    expect(packed.keywords.length).toBeGreaterThan(3)
    const places = [packed.homepage, packed.bugs.url, packed.repository.url.replace('git+', '')]
    for (const place of places) expect(new URL(place).origin).toBe('https://svcctl.example')
  })

  it('is the same byte by byte where the same sources are built and packed elsewhere', async () => {
    const [other, into] = [createCopy(false), createFolder()]
    await execa('node', ['.config/build.mjs'], { cwd: other })
    // Declarations and manual pages take most of the time of a build, so they are copied from the first one.
    for (const name of readdirSync(join(copy, 'dist')).filter((entry) => /^man$|\.d\./.test(entry)))
      cpSync(join(copy, 'dist', name), join(other, 'dist', name), { recursive: true })
    expect(await packBuilt(other, into)).toMatchObject({ code: 0 })
    const [name = ''] = readdirSync(into)
    expect(readFileSync(join(into, name)).equals(readFileSync(tarball))).toBe(true)
  }, 120_000)

  it('leaves the manifest as it was', () => {
    const [now, before] = [copy, root].map((at) => readFileSync(join(at, 'package.json'), 'utf8'))
    expect(now).toBe(before)
  })

  it.each(['client', 'run', 'sandbox'])(
    'declares %s in one file that names no other',
    async (name) => {
      const { stdout } = await run('tar', ['-xOzf', tarball, `package/dist/${name}.d.cts`])
      expect(stdout).toContain('declare')
      expect(stdout).not.toMatch(/\bfrom\s*['"]|\bimport\b|reference (?:types|path)/)
      const wrapper = await run('tar', ['-xOzf', tarball, `package/dist/${name}.d.ts`])
      expect(wrapper.stdout).toBe(`export * from './${name}.cjs'`)
    },
  )
})

/** Calls that the compiler must reject, and the types of answers that it must know. */
const wrongCalls = `import { connect, type RecordList } from 'svcctl/client'
import { startSandbox } from 'svcctl/sandbox'

const api = connect({ baseUrl: 'https://code.test', token: 'x' })
export const refused = [
  // @ts-expect-error an enumeration has no such value
  () => api.runners.list({ status: 'asleep' }),
  // @ts-expect-error an id is missing
  () => api.runners.update({ active: false }),
  // @ts-expect-error there is no such field
  () => api.runners.update({ id: 7, actve: false }),
  // @ts-expect-error an id of this kind is a number
  () => api.runners.get({ id: 'seven' }),
  // @ts-expect-error there is no such verb
  () => api.runners.explode({ id: 7 }),
  // @ts-expect-error there is no such area
  () => api.walkers.list(),
  // @ts-expect-error the response has no such field
  async () => (await api.runners.get({ id: 7 })).nickname,
  // @ts-expect-error a time-out is a number of seconds
  () => api.runners.get({ id: 7 }, { timeout: '5' }),
  // @ts-expect-error a list has records, not one response
  () => api.runners.list().withResponse(),
  // @ts-expect-error nothing is known of the answer to any path
  async () => (await api.request('GET /moons')).name,
  // @ts-expect-error a runner that was never contacted has no such time
  async (): Promise<string> => (await api.runners.get({ id: 7 })).contacted_at,
  // @ts-expect-error only the full form of a project says who may see it
  async (): Promise<string> => (await api.projects.get({ id: 7 })).visibility,
  // @ts-expect-error a level may be one that the documents do not have
  async (): Promise<'critical' | 'high'> => (await api.vulnerabilities.get({ id: 7 })).severity,
  // @ts-expect-error an answer is there to be read
  async () => { (await api.mr.get({ id: 1, merge_request_iid: 2 })).title = 'x' },
  // @ts-expect-error neither an address nor a profile
  () => connect({}),
  // @ts-expect-error a token goes with an address
  () => connect({ profile: 'work', token: 'x' }),
  // @ts-expect-error a port is a number
  () => startSandbox({ port: '80' }),
]
export const exact = async (): Promise<readonly (number | string | boolean)[]> => {
  const runner = await api.runners.get({ id: 7 })
  const [job] = await api.jobs.list({ id: 1 }).all()
  const merge = await api.mr.get({ id: 1, merge_request_iid: 2 })
  const [member] = await api.members.listOfProject({ id: 1 }).all()
  const [key] = await api.deployKeys.list({ id: 1 }).all()
  const [node] = await api.geo.list().all()
  const commit = await api.commits.get({ id: 1, sha: 'main' })
  const [issue] = await api.issues.list({ labels: ['bug'] }).all()
  const finding = await api.vulnerabilities.get({ id: 7 })
  const lint = await api.ci.lintOfProject({ id: 1, content: '' })
  const size: number = job?.artifacts[0]?.size ?? 0
  const until: string | undefined = member?.expires_at?.slice(0, 10)
  return [
    runner.id, runner.tag_list.join(), runner.contacted_at ?? 'never', size, until ?? '',
    merge.author.username, merge.head_pipeline?.status ?? '', key?.can_push ?? false, node?.name ?? '',
    commit.parent_ids.length, issue?.assignees.length ?? 0, issue?.references.full ?? '', finding.severity,
    lint?.valid ?? false,
  ]
}
export const known = async (): Promise<string> => {
  const ids: number[] = []
  for await (const { id } of api.jobs.list({ id: 'platform/app' }, { limit: 3 })) ids.push(id)
  for await (const { data, headers } of api.jobs.list({ id: 1 }).pages())
    ids.push(...data.map(({ id }) => id), Number(headers['x-total']))
  const rules: RecordList<{ readonly id: number }> = api.approvals.rulesList({ id: 1 })
  const paused = await api.runners.update({ id: 7, active: false })
  const state: 'online' | 'offline' | (string & {}) | undefined = paused?.status
  const { data, headers, requestId } = await api.runners
    .get({ id: 7 }, { timeout: 5, retries: 0 })
    .withResponse()
  ids.push(data.id, headers['x-total']?.length ?? 0, requestId?.length ?? 0, state?.length ?? 0)
  await api[Symbol.asyncDispose]()
  return \`\${ids.length} \${(await rules.all()).length} \${paused?.description ?? ''}\`
}
`
/** A program that uses the types of an instance, as `client types` writes them. */
const typedProgram = `import { connect } from 'svcctl/client'

const api = connect({ baseUrl: 'https://code.test', token: 'x' })
export const known = async (): Promise<boolean> => {
  const { moon_enabled, admin_mode } = await api.settings.get()
  await api.settings.update({ moon_enabled: !moon_enabled, admin_mode: true })
  for await (const { id } of api.runners.list({ status: 'stale' })) console.log(id)
  return moon_enabled || admin_mode === true
}
export const refused = [
  // @ts-expect-error this setting is a boolean
  () => api.settings.update({ moon_enabled: 'yes' }),
  // @ts-expect-error this instance has no such setting
  () => api.settings.update({ sun_enabled: true }),
  // @ts-expect-error neither the documents nor this instance have such a value
  () => api.runners.list({ status: 'asleep' }),
]
`
/** A program that uses the package as CommonJS. */
const commonJsProgram = `import { connect, Failure } from 'svcctl/client'
import { startSandbox } from 'svcctl/sandbox'

const tried = async (): Promise<void> => {
  const sandbox = await startSandbox()
  const api = connect({ baseUrl: sandbox.url, token: 'no-token-of-anybody' })
  const error: unknown = await api.runners.listAll().all().catch((thrown: unknown) => thrown)
  console.log(error instanceof Failure ? \`\${Failure.name} \${error.category} \${error.status}\` : error)
  await api.close()
  await sandbox.close()
}
void tried()
`
/** Prints the variables that loading the package reads, and whether it leaves signal handlers behind. */
const loadingScript = `const read = []
const signals = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name)).join()
const before = signals()
process.env = new Proxy(process.env, {
  get: (target, name) => { read.push(String(name)); return target[name] },
})
const { connect } = await import('svcctl/client')
await import('svcctl/sandbox')
await import('svcctl/run')
connect({ baseUrl: 'https://code.test', token: 'a-token-for-nobody' })
console.log(JSON.stringify({ read: read.filter((name) => /^(SVC_|CI|XDG|HOME|.*proxy)/i.test(name)), left: before !== signals() }))
`

describe('installed into an empty project', () => {
  let sandbox: RunningSandbox
  const env = { SVC_NO_KEYRING: '1', SVC_CONFIG_DIR: '' }

  const all = ['first.ts', 'line.ts', 'second.ts', 'third.ts', 'wrong.ts']
  const fine = { code: 0, stdout: '', stderr: '' }
  const compiled = (resolution: 'nodenext' | 'bundler', files: readonly string[], lib: string) => {
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      moduleResolution: resolution,
      module: resolution === 'bundler' ? 'esnext' : 'nodenext',
      target: 'es2022',
      types: [],
      outDir: resolution === 'bundler' || lib !== '' ? 'other' : 'out',
      ...(lib === '' ? {} : { lib: lib.split(',') }),
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    return run(process.execPath, [compiler])
  }

  beforeAll(async () => {
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    const [first, line, second, third] = examples
    const texts = { 'first.ts': first, 'line.ts': line, 'second.ts': second, 'third.ts': third }
    const files = {
      ...texts,
      'wrong.ts': wrongCalls,
      'older.cts': commonJsProgram,
      'loading.mjs': loadingScript,
    }
    for (const [name, text = ''] of Object.entries(files)) writeFileSync(join(project, name), text)
    mkdirSync(join(project, 'out'))
    const installed = await run('npm', ['install', '--omit=optional', tarball])
    expect(installed).toMatchObject({ code: 0 })
    expect(installed.stderr).not.toMatch(/script|deprecated|ERESOLVE/i)
    expect(await compiled('nodenext', [...all, 'older.cts'], '')).toMatchObject(fine)
    sandbox = await startSandbox()
    env.SVC_CONFIG_DIR = createConfiguration()
    const login = ['auth', 'login', 'work', '--base-url', sandbox.url, '--token-stdin']
    expect(await svcctl(login, { env, input: `${sandbox.token}\n` })).toMatchObject({ code: 0 })
  }, 120_000)
  afterAll(() => sandbox?.close())

  it.each([
    ['bundler', 'first.ts second.ts wrong.ts', ''],
    ['nodenext', 'wrong.ts', 'es2022'],
  ] as const)('compiles as %s (%s) %s', async (resolution, files, lib) => {
    expect(await compiled(resolution, files.split(' '), lib)).toEqual(fine)
  })

  it('compiles with the types that client types writes of an instance', async () => {
    const words = join(home, 'words.yml')
    writeFileSync(words, 'vocabulary: 1\nvalues: { runners.status: [stale] }\n')
    const server = await startRecorder(() => ({ body: { moon_enabled: true, admin_mode: true } }))
    const here = { ...env, SVC_BASE_URL: server.url, SVC_TOKEN: 'x', SVC_VOCABULARY: words }
    const ran = await svcctl(['client', 'types', '--to', join(project, 'svc.d.ts')], { env: here })
    await server.close()
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    writeFileSync(join(project, 'own.ts'), typedProgram)
    for (const resolution of ['nodenext', 'bundler'] as const) {
      const files = ['svc.d.ts', 'own.ts']
      expect(await compiled(resolution, files, '')).toEqual(fine)
    }
    // Without the types of the instance, none of this compiles.
    expect(await compiled('nodenext', ['own.ts'], '')).toMatchObject({ code: 2 })
  })

  it('runs the first example, by a profile', async () => {
    const ran = await runNode('out/first.js', env)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^\d+ [^\n]+\n(?:\d+ [^\n]+\n)*\d+$/)
  })

  it('runs the second, on an instance of its own', async () => {
    const ran = await runNode('out/second.js')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^\d+ [^\n]+/)
  })

  it('runs the third, with what a single call takes and gives', async () => {
    const ran = await runNode('out/third.js', env)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^\d+\n(?:\d+ \d+\n)+200 \S+\n\{\s+version: /)
  })

  it('runs command lines, by variables of their own', async () => {
    const ran = await runNode('out/line.js')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^id,.*active.*\n1,.*false/)
  })

  it('runs as CommonJS, with the same Failure', async () => {
    expect(await runNode('out/older.cjs')).toEqual({
      code: 0,
      stdout: 'Failure auth 401',
      stderr: '',
    })
  })

  it('loads without a look at the machine, and leaves nothing behind', async () => {
    const { stdout } = await runNode('loading.mjs', env)
    expect(JSON.parse(stdout)).toEqual({ read: [], left: false })
  })
})
