/** Who may import whom (the design's rooms), and what a start may load before it knows the command. */
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'

interface Import {
  readonly target: string
  /** Only types: erased when built. */
  readonly type: boolean
  readonly dynamic: boolean
}

const statement =
  /^(?:import|export)\s+(?:(type)\s+)?(?:(?:[\w$*]+|\*\s+as\s+\w+|(?:[\w$]+,\s*)?\{[^}]*\})\s+from\s+)?'([^']+)'/gm
const call = /(?<!typeof\s)\bimport\(\s*'([^']+)'\s*\)/g

const importsIn = (text: string): Import[] => [
  ...[...text.matchAll(statement)].map((m) => ({
    target: m[2] ?? '',
    type: m[1] !== undefined,
    dynamic: false,
  })),
  ...[...text.matchAll(call)].map((m) => ({ target: m[1] ?? '', type: false, dynamic: true })),
]

/** The file of `src` that a relative import names; a package's name otherwise. */
const targetOf = (from: string, { target }: Import): string =>
  target.startsWith('.') ? posix.join(posix.dirname(from), target).replace(/\.js$/, '.ts') : target

const roomOf = (file: string): string => file.split('/')[0]?.replace(/\.ts$/, '') ?? ''

const closed = new Set(['http', 'output', 'profile', 'terminal', 'sandbox', 'start'])
/** Below every other room, lowest first: each may import those before it. */
const common = ['errors', 'base', 'catalogue']
const sandboxCommand = (file: string): boolean => /^commands\/sandbox\b/.test(file)

/** Why an import between two rooms is wrong; undefined where it is right. */
const objection = (from: string, to: string, how: Omit<Import, 'target'>): string | undefined => {
  const [here, there] = [roomOf(from), roomOf(to)]
  if (here === there) return undefined
  if (common.includes(here))
    return common.slice(0, common.indexOf(here)).includes(there)
      ? undefined
      : `${here} imports only ${common.slice(0, common.indexOf(here)).join(' and ') || 'nothing of src'}`
  if (here === 'start' && there === 'catalogue') return 'start imports only errors and base'
  if (closed.has(here) && !common.includes(there))
    return `${here} imports only ${common.join(', ')}`
  if (there === 'main' || there === 'start') return `nobody imports ${there}`
  if (there === 'cli' && here !== 'main') return 'nobody imports cli, not even its types'
  if (there === 'sandbox' && !(sandboxCommand(from) && (how.dynamic || how.type)))
    return 'only the sandbox commands load sandbox, by dynamic import'
  return undefined
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
const sources = new Map(
  files.map((file) => [file, importsIn(readFileSync(join('src', file), 'utf8'))]),
)

const offences = (check: (from: string, to: string, how: Import) => string | undefined): string[] =>
  [...sources].flatMap(([from, imports]) =>
    imports.flatMap((how) => {
      const wrong = check(from, targetOf(from, how), how)
      return wrong === undefined ? [] : [`${from} → ${how.target}: ${wrong}`]
    }),
  )

/** Packages that are loaded with the program itself, whatever the command. */
const packagesAtStart = (): string[] => {
  const seen = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const how of sources.get(file) ?? []) {
      if (how.type || how.dynamic) continue
      const target = targetOf(file, how)
      if (how.target.startsWith('.')) visit(target)
      else if (!target.startsWith('node:')) packages.add(target)
    }
  }
  visit('main.ts')
  return [...packages].sort()
}

describe('the rooms of src', () => {
  it('import only those they may', () => {
    expect(
      offences((from, to, how) =>
        how.target.startsWith('.') ? objection(from, to, how) : undefined,
      ),
    ).toEqual([])
  })

  it('name files that exist, with the extension that Node wants', () => {
    expect(
      offences((_, to, how) => {
        if (!how.target.startsWith('.')) return undefined
        if (!how.target.endsWith('.js')) return 'ends in .js'
        return files.includes(to) || to.endsWith('.d.ts') ? undefined : 'is no file'
      }),
    ).toEqual([])
  })

  it('use only typebox in the catalogue, nothing in errors, and node: for what Node brings', () => {
    expect(
      offences((from, to, how) => {
        if (how.target.startsWith('.')) return undefined
        if (builtinModules.includes(to)) return 'is written with node:'
        if (roomOf(from) === 'errors') return 'errors imports nothing'
        if (roomOf(from) === 'catalogue' && !/^typebox(\/|$)/.test(to)) return 'only typebox'
        return undefined
      }),
    ).toEqual([])
  })

  it('load no heavy library before the command is known', () => {
    // A few kilobytes each, and every request or every mistake needs them.
    const light = ['commander', 'env-paths', 'fastest-levenshtein', 'http-link-header']
    expect(packagesAtStart().filter((name) => !light.includes(name))).toEqual([])
  })
})

/** How a file could reach a terminal past the room that knows its manners. */
const doors =
  /\bprocess\s*(?:\?\.|\.)\s*std(?:out|err|in)\b|\{[^{}]*\bstd(?:out|err|in)\b[^{}]*\}\s*=\s*process\b|\bconsole\s*\.|\bwriteSync\(\s*[12]\b|'node:(?:process|console)'/
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

describe('standard streams', () => {
  const outside = files.filter((file) => roomOf(file) !== 'terminal')
  it('are touched by terminal/ alone', () => {
    expect(outside.length).toBeGreaterThan(100)
    expect(
      outside.filter((file) =>
        doors.test(withoutComments(readFileSync(join('src', file), 'utf8'))),
      ),
    ).toEqual([])
  })
  it.each([
    "process.stdout.write('x')",
    'process.stderr.isTTY',
    'const { env, stderr } = process',
    "console.error('x')",
    "writeSync(2, 'x')",
    "import { stdout } from 'node:process'",
  ])('would be found: %s', (line) => expect(doors.test(line)).toBe(true))
})

describe('the check itself', () => {
  it('finds every way to import', () => {
    const text = [
      "import './a.js'",
      "import b from './b.js'",
      "import * as c from './c.js'",
      "import d, {\n  type D,\n  e,\n} from './d.js'",
      "import type { F } from './f.js'",
      "export { g } from './g.js'",
      "export * from './h.js'",
      "const i = async () => (await import('./i.js')).i",
      "type J = typeof import('./j.js')",
    ].join('\n')
    expect(importsIn(text).map((i) => `${i.target}${i.type ? ' type' : ''}`)).toEqual([
      './a.js',
      './b.js',
      './c.js',
      './d.js',
      './f.js type',
      './g.js',
      './h.js',
      './i.js',
    ])
  })

  it.each([
    ['catalogue/index.ts', 'http/client.ts', 'type'],
    ['errors.ts', 'catalogue/index.ts', 'type'],
    ['errors.ts', 'base/objects.ts', 'static'],
    ['base/objects.ts', 'catalogue/index.ts', 'type'],
    ['http/client.ts', 'output/index.ts', 'static'],
    ['sandbox/index.ts', 'http/client.ts', 'type'],
    ['commands/mr/index.ts', 'cli/run/run.ts', 'static'],
    ['commands/mr/index.ts', 'cli/run/context.ts', 'type'],
    ['cli/run/run.ts', 'main.ts', 'static'],
    ['main.ts', 'start/load.ts', 'static'],
    ['start/load.ts', 'cli/run/run.ts', 'type'],
    ['cli/run/run.ts', 'sandbox/index.ts', 'dynamic'],
    ['commands/sandbox/serve.ts', 'sandbox/index.ts', 'static'],
  ])('refuses %s → %s (%s)', (from, to, how) => {
    expect(objection(from, to, { type: how === 'type', dynamic: how === 'dynamic' })).toBeDefined()
  })

  it.each([
    ['http/client.ts', 'errors.ts', 'static'],
    ['http/client.ts', 'base/objects.ts', 'static'],
    ['catalogue/index.ts', 'base/objects.ts', 'static'],
    ['base/objects.ts', 'errors.ts', 'static'],
    ['commands/mr/index.ts', 'http/client.ts', 'static'],
    ['cli/run/run.ts', 'commands/index.ts', 'static'],
    ['commands/sandbox/serve.ts', 'sandbox/index.ts', 'dynamic'],
    ['main.ts', 'cli/run/run.ts', 'static'],
  ])('allows %s → %s (%s)', (from, to, how) => {
    expect(
      objection(from, to, { type: how === 'type', dynamic: how === 'dynamic' }),
    ).toBeUndefined()
  })
})
