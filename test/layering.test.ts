/** Tests which rooms of the source may import which, and what a start may load before the command is known. */
import { existsSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import {
  sourceFiles as files,
  findCycles,
  type Import,
  isText,
  listImports,
  listNodes,
  parseStatements,
  readSource,
  resolveTarget,
} from './support/source.js'

/** The rooms, lowest first. Each may import those before it, but not those on the same level. */
const order: readonly (readonly string[])[] = [
  ['errors'],
  ['base'],
  ['catalogue'],
  ['extension'],
  ['http', 'output', 'profile', 'terminal', 'vocabulary', 'sandbox'],
  ['client'],
  ['engine'],
  ['desired'],
  ['commands'],
  ['answer'],
  ['cli'],
  ['main'],
  ['run'],
]
const floor = ['errors', 'base', 'catalogue']
/** Rooms that may import less than everything below them, and rooms outside the order. */
const only: Readonly<Record<string, readonly string[]>> = {
  start: ['errors', 'base'],
  client: [...floor, 'http'],
  // Only rooms above the commands know how an answer is printed.
  engine: [...floor, 'http', 'profile', 'vocabulary', 'sandbox', 'client'],
  desired: [...floor, 'http', 'client', 'engine'],
  commands: [
    ...floor,
    'extension',
    'http',
    'profile',
    'vocabulary',
    'sandbox',
    'client',
    'engine',
    'desired',
  ],
  library: [...floor, 'http', 'client', 'profile', 'vocabulary', 'sandbox', 'engine'],
}
/** The files that may import a room that is not open to all rooms above it. */
const openTo: Readonly<Record<string, RegExp>> = {
  vocabulary: /^(?:engine|cli|commands|library)\//,
  extension: /^(?:commands\/extend|profile\/extension[\w-]*\.ts)/,
  sandbox: /^(?:commands\/sandbox\.ts|library\/|engine\/workspace\/sandbox\.ts)/,
  desired:
    /^(?:cli\/|commands\/(?:(?:plan|apply)\/|(?:explain|export|export-documents|policy|policy-rules|policy-run)\.ts))/,
}
/** The folders of the engine, lowest first. Each may import those before it; the engine's own files put them together. */
const engineOrder: readonly (readonly string[])[] = [
  ['where', 'work'],
  ['command'],
  ['journal'],
  ['plan'],
  ['workspace', 'records'],
  ['instance'],
  ['journaling'],
  ['bulk'],
  ['perform'],
  ['targets'],
]
/** The engine's files that other rooms may import, except `cli` and `main`, which start the engine. */
const engineExports: Readonly<Record<string, RegExp>> = {
  commands: /^engine\/(?:(?:command|where)\/|rows\.ts)/,
  desired: /^engine\/work\//,
  library: /^engine\/journal\/requests\.ts$/,
}
/** Commands that write over many objects in a way of their own, with the engine's journal. */
const journalCommands =
  /^commands\/(?:(?:apply|journal|plan)\/|(?:api-requests|export|members-remove-everywhere|sandbox)\.ts)/
const journalFiles =
  /^engine\/(?:(?:work|journal|journaling|workspace|plan\/stdin)\/|plan\/(?:objects|arguments)\.ts)/

/** Returns why a file outside the engine may not import this file of it, or undefined. */
const findEngineViolation = (from: string, to: string): string | undefined => {
  if (getRoom(to) !== 'engine' || getRoom(from) === 'engine') return undefined
  const allowed = engineExports[getRoom(from)]
  const open =
    allowed === undefined ||
    allowed.test(to) ||
    (journalCommands.test(from) && journalFiles.test(to))
  return open ? undefined : `${to} is not for ${getRoom(from)}`
}

const getRoom = (file: string): string => file.split('/')[0]?.replace(/\.ts$/, '') ?? ''
const getRank = (room: string): number => order.findIndex((rooms) => rooms.includes(room))

const isBelow = (here: string, there: string): boolean =>
  only[here]?.includes(there) ?? (getRank(there) >= 0 && getRank(there) < getRank(here))

/** Returns why an import between two rooms is wrong, or undefined if it is right. */
const findViolation = (
  from: string,
  to: string,
  how: Omit<Import, 'target'>,
): string | undefined => {
  const [here, there] = [getRoom(from), getRoom(to)]
  if (here === there) return undefined
  if (only[here] === undefined && getRank(here) < 0) return `${here} is no room of the design`
  if (!isBelow(here, there)) return `${there} does not stand below ${here}`
  const inside = findEngineViolation(from, to)
  if (inside !== undefined) return inside
  if (openTo[there]?.test(from) === false) return `${from} is not among those who import ${there}`
  if (there === 'sandbox' && !how.dynamic && !how.type) return `${there} is loaded by import() only`
  return undefined
}

const sources = new Map(files.map((file) => [file, listImports(readSource(file), file)]))

const listViolations = (
  check: (from: string, to: string, how: Import) => string | undefined,
): string[] =>
  [...sources].flatMap(([from, imports]) =>
    imports.flatMap((how) => {
      const wrong = check(from, resolveTarget(from, how), how)
      return wrong === undefined ? [] : [`${from} → ${how.target}: ${wrong}`]
    }),
  )

/** Lists all files and packages that are loaded with these files, directly or indirectly. */
const listLoaded = (...entries: readonly string[]) => {
  const seen = new Set(entries)
  const packages = new Set<string>()
  const builtins = new Set<string>()
  for (const file of seen)
    for (const how of sources.get(file) ?? []) {
      if (how.type || how.dynamic) continue
      const target = resolveTarget(file, how)
      if (how.target.startsWith('.')) seen.add(target)
      else (target.startsWith('node:') ? builtins : packages).add(target)
    }
  return {
    files: [...seen].sort(),
    packages: [...packages].sort(),
    builtins: [...builtins].sort(),
  }
}

/** True for a page of the guide, which is imported as text. */
const isTextModule = (target: string): boolean => target.endsWith('?raw')

describe('the rooms of src', () => {
  it('import only those they may', () => {
    expect(
      listViolations((from, to, how) =>
        how.target.startsWith('.') && !isTextModule(how.target)
          ? findViolation(from, to, how)
          : undefined,
      ),
    ).toEqual([])
  })

  it('are all in the order, or beside it', () => {
    expect(files.length).toBeGreaterThan(300)
    const rooms = [...new Set(files.map(getRoom))]
    expect(rooms.filter((room) => getRank(room) < 0 && only[room] === undefined)).toEqual([])
  })

  it('have no circle of files, not even of types', () => {
    const edges = new Map(
      [...sources].map(([file, imports]) => [file, imports.map((how) => resolveTarget(file, how))]),
    )
    expect(findCycles(edges)).toEqual([])
  })

  it('form no circle of folders beside each other', () => {
    const folders = new Map<string, string[]>()
    for (const [file, imports] of sources)
      for (const how of imports) {
        const [from, to] = [dirname(file), dirname(resolveTarget(file, how))]
        // A folder and its subfolders count as one.
        const one = `${to}/`.startsWith(`${from}/`) || `${from}/`.startsWith(`${to}/`)
        if (how.target.startsWith('.') && getRoom(from) === getRoom(to) && !one)
          folders.set(from, [...(folders.get(from) ?? []), to])
      }
    expect(folders.size).toBeGreaterThan(20)
    expect(findCycles(folders)).toEqual([])
  })

  it('have an order in the engine', () => {
    const places = engineOrder.flatMap((folders, rank) =>
      folders.map((folder) => [`engine/${folder}/`, rank] as const),
    )
    const placeOf = (file: string) => places.find(([folder]) => file.startsWith(folder))
    const inner = files.filter((file) => /^engine\/[^/]+\//.test(file))
    expect(inner.length).toBeGreaterThan(50)
    expect(inner.filter((file) => placeOf(file) === undefined)).toEqual([])
    expect(
      listViolations((from, to) => {
        const [here, there] = [placeOf(from), placeOf(to)]
        if (here === undefined || there === undefined || here[0] === there[0]) return undefined
        return there[1] < here[1] ? undefined : `${there[0]} does not stand before ${here[0]}`
      }),
    ).toEqual([])
  })

  it('name what they load by a text that this test can read', () => {
    const computed = files.flatMap((file) =>
      [...listNodes(parseStatements(readSource(file), file))].flatMap((node) =>
        node.type === 'ImportExpression' && !isText(node.source) ? [file] : [],
      ),
    )
    expect(computed).toEqual([])
  })

  it('name files that exist, with the extension that Node wants', () => {
    expect(
      listViolations((_, to, how) => {
        if (!how.target.startsWith('.') || isTextModule(how.target)) return undefined
        if (how.target.endsWith('.json')) return existsSync(`src/${to}`) ? undefined : 'is no file'
        if (!how.target.endsWith('.js')) return 'ends in .js'
        return files.includes(to) || to.endsWith('.d.ts') ? undefined : 'is no file'
      }),
    ).toEqual([])
  })

  it('use only typebox in the catalogue, nothing in errors, and node: for what Node brings', () => {
    expect(
      listViolations((from, to, how) => {
        if (how.target.startsWith('.')) return undefined
        if (!to.startsWith('node:') && builtinModules.includes(to)) return 'is written with node:'
        if (getRoom(from) === 'errors') return 'errors imports nothing'
        // The file checks certificates and domains with Node's own parsers.
        const parses = from === 'catalogue/refusals.ts' && /^node:(?:crypto|url)$/.test(to)
        const foreign = getRoom(from) === 'catalogue' && !/^typebox(\/|$)/.test(to)
        if (foreign && !parses) return 'only typebox'
        return undefined
      }),
    ).toEqual([])
  })

  it('load no heavy library before the command is known', () => {
    // These are a few kilobytes each, and every request or every mistake needs them.
    const light = ['commander', 'fastest-levenshtein', 'http-link-header']
    const { packages } = listLoaded('main.ts', 'answer/execute.ts', 'cli/tab.ts')
    expect(packages.filter((name) => !light.includes(name))).toEqual([])
  })

  it('load for a request no part of Node that costs milliseconds', () => {
    const { builtins } = listLoaded('main.ts', 'answer/execute.ts', 'cli/tab.ts')
    expect(builtins).toContain('node:fs')
    const slow = /^node:(?:child_process|crypto|fs\/promises|https?|readline|tls|worker)/
    expect(builtins.filter((name) => slow.test(name))).toEqual([])
  })

  it('load for help nothing that sends, shows records or knows profiles', () => {
    const words =
      /^(?:main|errors|engine\/plan\/line)\.ts$|^(?:base|catalogue|commands|terminal|engine\/command|cli\/(?:words|help))\//
    // These are tables without further imports: texts of flags need them, and so does the check for a vocabulary.
    const light = ['client/defaults.ts', 'profile/paths.ts']
    const { files: all, packages } = listLoaded('main.ts')
    expect(all.filter((file) => !words.test(file) && !light.includes(file))).toEqual([])
    expect(all).toContain('cli/words/tree.ts')
    expect(packages).toEqual(['commander'])
  })

  it('load the declared state only when a command runs', () => {
    const commands = sources.get('commands/index.ts')?.filter(({ dynamic }) => dynamic) ?? []
    const entries = commands.map((how) => resolveTarget('commands/index.ts', how))
    expect(entries).toContain('commands/declared.ts')
    const { files: all } = listLoaded(...entries)
    expect(all.filter((file) => getRoom(file) === 'desired')).toEqual([])
  })

  it('load nothing that sends for what completion has kept', () => {
    const { files: all } = listLoaded('cli/tab.ts')
    expect(all).toContain('profile/session.ts')
    expect(
      all.filter((file) =>
        /^(?:http|engine\/(?!command|exclusions|plan|where|targets\/objects))/.test(file),
      ),
    ).toEqual([])
  })
})

describe('flags of V8', () => {
  it('are set in one file, which is the program’s', () => {
    const set = files.filter((file) =>
      /\bsetFlagsFromString\b/.test(removeComments(readSource(file))),
    )
    expect(set).toEqual(['engine/instance/v8.ts'])
  })
})

/** Modules that can start a program. */
const startsPrograms =
  /^(?:node:)?(?:child_process|cluster)$|^(?:execa|cross-spawn|open|shelljs|nano-spawn|tinyexec|zx)(?:\/|$)/
const processAccess = /\bprocess\s*(?:\?\.|\.)\s*(?:execve|binding|dlopen)\b|'node:process'/

describe('programs', () => {
  it('are started in one place, which makes what they see of the environment', () => {
    const starts = [...sources].filter(([, imports]) =>
      imports.some(({ target, type }) => !type && startsPrograms.test(target)),
    )
    expect(starts.map(([file]) => file)).toEqual(['base/processes.ts'])
    expect(files.filter((file) => processAccess.test(removeComments(readSource(file))))).toEqual([])
    expect(readSource('base/processes.ts')).not.toMatch(/export const createEnvironment/)
  })
  it('there get no other: none is handed on, and none is inherited', () => {
    const text = removeComments(readSource('base/processes.ts'))
    const calls = [...text.matchAll(/\b(?:spawn|execFile|execa)\(/g)]
    expect(calls).toHaveLength(3)
    expect([...text.matchAll(/createEnvironment\(/g)]).toHaveLength(calls.length)
    expect(text).toContain('extendEnv: false')
  })
})

/** Ways to reach a terminal without the room `terminal`. */
const streamAccess =
  /\bprocess\s*(?:\?\.|\.)\s*std(?:out|err|in)\b|\{[^{}]*\bstd(?:out|err|in)\b[^{}]*\}\s*=\s*process\b|\bconsole\s*\.|\bwriteSync\(\s*[12]\b|'node:(?:process|console)'/
const removeComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

/** Finds the files that name something outside of comments. */
const findFilesNaming = (name: RegExp): readonly string[] =>
  files.filter((file) => name.test(removeComments(readSource(file))))

describe('the Io of a line', () => {
  it('is handed over: only what begins a line names that of the process', () => {
    expect(findFilesNaming(/\bprocessIo\b/)).toEqual([
      'base/io.ts',
      'base/line-io.ts',
      'main.ts',
      'run.ts',
    ])
  })
  it('is looked up for file names and for the states of these files alone', () => {
    expect(findFilesNaming(/\b(?:getCurrentIo|createLineState)\b/)).toEqual([
      'base/io.ts',
      'base/secrets/mask.ts',
      'base/secrets/redact.ts',
      'catalogue/index.ts',
      'catalogue/kinds.ts',
    ])
    expect(readSource('base/io.ts')).not.toMatch(/export const getCurrentIo/)
  })
})

describe('standard streams', () => {
  const outside = files.filter((file) => getRoom(file) !== 'terminal' && file !== 'base/io.ts')
  it('are touched by terminal/ alone, by way of a line’s Io', () => {
    expect(outside.length).toBeGreaterThan(100)
    expect(outside.filter((file) => streamAccess.test(removeComments(readSource(file))))).toEqual(
      [],
    )
  })
  it.each([
    "process.stdout.write('x')",
    'process.stderr.isTTY',
    'const { env, stderr } = process',
    "console.error('x')",
    "writeSync(2, 'x')",
    "import { stdout } from 'node:process'",
  ])('would be found: %s', (line) => expect(streamAccess.test(line)).toBe(true))
})

describe('the process', () => {
  /** Access to the process that code must make through `Io` instead. */
  const reads =
    /\bprocess\s*(?:\?\.|\.)\s*(?:argv|env|exitCode|exit|on|once|off|removeListener|cwd|chdir)\b|\}\s*=\s*process\b(?!\.)/
  it('is read in base/io.ts and start/ alone', () => {
    const outside = files.filter((file) => getRoom(file) !== 'start' && file !== 'base/io.ts')
    expect(outside.length).toBeGreaterThan(300)
    expect(outside.filter((file) => reads.test(removeComments(readSource(file))))).toEqual([])
  })
  it.each(['process.env.HOME', 'const { env } = process', "process.on('exit', end)"])(
    'would be found: %s',
    (line) => expect(reads.test(line)).toBe(true),
  )
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
      "let k: import('./k.js').K<import('./l.js').L>",
      "export type { M } from './m.js'",
      "export type * from './n.js'",
      "import o = require('./o.js')",
      "import type P = require('./p.js')",
    ].join('\n')
    expect(listImports(text).map((i) => `${i.target}${i.type ? ' type' : ''}`)).toEqual([
      './a.js',
      './b.js',
      './c.js',
      './d.js',
      './f.js type',
      './g.js',
      './h.js',
      './i.js',
      './j.js type',
      './k.js type',
      './l.js type',
      './m.js type',
      './n.js type',
      './o.js',
      './p.js type',
    ])
    expect(listImports(text).filter(({ dynamic }) => dynamic)).toHaveLength(1)
  })

  it('finds circles, each once, and nothing beside them', () => {
    const edges = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', ['e']],
      ['e', ['d', 'f']],
      ['f', []],
    ])
    expect(findCycles(edges)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ])
  })

  it.each([
    ['catalogue/index.ts', 'http/index.ts', 'type'],
    ['errors.ts', 'catalogue/index.ts', 'type'],
    ['errors.ts', 'base/objects.ts', 'static'],
    ['base/objects.ts', 'catalogue/index.ts', 'type'],
    ['http/index.ts', 'output/index.ts', 'static'],
    ['sandbox/index.ts', 'http/index.ts', 'type'],
    ['commands/mr.ts', 'engine/run.ts', 'static'],
    ['engine/run.ts', 'main.ts', 'static'],
    ['engine/run.ts', 'commands/index.ts', 'static'],
    ['commands/journal/undo.ts', 'engine/run.ts', 'static'],
    ['desired/plan.ts', 'engine/bulk/runner.ts', 'type'],
    ['library/client.ts', 'engine/work/run.ts', 'type'],
    ['main.ts', 'start/load.ts', 'static'],
    ['start/load.ts', 'engine/run.ts', 'type'],
    ['engine/run.ts', 'sandbox/index.ts', 'dynamic'],
    ['commands/sandbox.ts', 'sandbox/index.ts', 'static'],
    ['commands/mr.ts', 'engine/services.ts', 'type'],
    ['client/instance.ts', 'output/index.ts', 'type'],
    ['client/instance.ts', 'vocabulary/index.ts', 'type'],
    ['http/index.ts', 'client/instance.ts', 'type'],
    ['engine/work/run.ts', 'desired/plan.ts', 'type'],
    ['desired/plan.ts', 'terminal/style.ts', 'static'],
    ['commands/mr.ts', 'engine/work/run.ts', 'type'],
    ['commands/mr.ts', 'desired/plan.ts', 'dynamic'],
    ['commands/mr.ts', 'library/index.ts', 'type'],
    ['library/client.ts', 'commands/index.ts', 'type'],
    ['library/sandbox.ts', 'sandbox/index.ts', 'static'],
    ['elsewhere/a.ts', 'errors.ts', 'static'],
  ])('refuses %s → %s (%s)', (from, to, how) => {
    expect(
      findViolation(from, to, { type: how === 'type', dynamic: how === 'dynamic' }),
    ).toBeDefined()
  })

  it.each([
    ['http/index.ts', 'errors.ts', 'static'],
    ['http/index.ts', 'base/objects.ts', 'static'],
    ['catalogue/index.ts', 'base/objects.ts', 'static'],
    ['base/objects.ts', 'errors.ts', 'static'],
    ['commands/mr.ts', 'http/index.ts', 'static'],
    ['engine/run.ts', 'http/gate.ts', 'static'],
    ['commands/mr.ts', 'engine/command/types.ts', 'type'],
    ['commands/journal/undo.ts', 'engine/journal/past.ts', 'static'],
    ['commands/mr.ts', 'client/instance.ts', 'type'],
    ['commands/plan/make.ts', 'desired/plan.ts', 'static'],
    ['desired/plan.ts', 'engine/work/report.ts', 'static'],
    ['library/client.ts', 'vocabulary/index.ts', 'static'],
    ['commands/sandbox.ts', 'sandbox/index.ts', 'dynamic'],
    ['main.ts', 'engine/run.ts', 'static'],
  ])('allows %s → %s (%s)', (from, to, how) => {
    expect(
      findViolation(from, to, { type: how === 'type', dynamic: how === 'dynamic' }),
    ).toBeUndefined()
  })
})
