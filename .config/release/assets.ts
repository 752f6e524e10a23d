/** Collects the assets of an executable: the files of the program, and the code that V8 compiled from them. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { type ESTree, parseSync, Visitor } from 'rolldown/utils'
import { head, tail } from '../../src/start/loader.js'

const run = promisify(execFile)

/** Returns the text of an argument, or undefined if it is not a constant text. */
const getArgumentText = (node: ESTree.Node | undefined): string | undefined => {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined
  return node.quasis[0]?.value.cooked ?? undefined
}

/**
 * Lists the files that a file of the program requires.
 * @throws Error if it has an `import()`, which fails in an executable
 */
export const listRequired = (name: string, text: string): readonly string[] => {
  const { program, errors } = parseSync(name, text, { sourceType: 'script' })
  if (errors.length > 0) throw new Error(`${name} cannot be parsed: ${errors[0]?.message}`)
  const found: string[] = []
  new Visitor({
    ImportExpression: ({ start }) => {
      throw new Error(`${name} holds an import() at ${start}, which fails in an executable`)
    },
    CallExpression: ({ callee, arguments: [first] }) => {
      const named = callee.type === 'Identifier' && callee.name === 'require'
      const target = named ? getArgumentText(first) : undefined
      if (target?.startsWith('./')) found.push(target.slice(2))
    },
  }).visit(program)
  return found
}

/** Reads the files of the program, by name. */
export const readProgram = (dist: string): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  const names = new Set(['main.cjs'])
  for (const name of names) {
    const text = readFileSync(join(dist, name), 'latin1')
    texts.set(name, text)
    for (const next of listRequired(name, text)) names.add(next)
  }
  return texts
}

/** Lines of daily work. The code that they call is compiled in advance, other code when it is needed. */
const usualLines: readonly (readonly string[])[] = [
  ['--help'],
  ['runners', 'list', '--help'],
  ['__complete', '--', 'runners', 'list', '--st'],
  ['runners', 'get', '1', '-o', 'json', '--sandbox'],
  ['runners', 'list', '--instance', '--sandbox'],
  ['projects', 'list', '--limit', 'all', '-o', 'ndjson', '--sandbox'],
  ['runners', 'update', '1', '--active', '--sandbox'],
]

/** The number of equal recordings that a file needs, and the most recordings that are made. */
const [agreeing, maxRounds] = [5, 20]

/**
 * Flags that make V8 compile to nearly the same bytes each time: a fixed seed, and no other threads, which leave used memory behind.
 * A Node without these flags accepts the compiled code as well.
 */
export const steadyFlags = [
  '--random-seed=1',
  '--single-threaded-gc',
  '--no-concurrent-recompilation',
  '--no-concurrent-sparkplug',
] as const

/**
 * Compiles the program with V8 by running these lines. Returns the code by group and file. Recordings differ in a few meaningless
 * bytes, so lines are recorded until enough recordings of each file are equal: a release must be the same wherever it is built.
 * @param node a Node like that of the executable
 * @param record the built script (`record.ts`) that runs a line and keeps the compiled code
 */
export const compileProgram = async (
  node: string,
  record: string,
  folder: string,
): Promise<ReadonlyMap<string, Buffer>> => {
  const counts = new Map<string, number>()
  const settled = new Map<string, Buffer>()
  for (let round = 0; round < maxRounds; round++) {
    const recorded = await recordOnce(node, record, join(folder, `round-${round}`))
    for (const [name, bytes] of recorded) {
      const found = `${name} ${createHash('sha256').update(bytes).digest('hex')}`
      const count = (counts.get(found) ?? 0) + 1
      counts.set(found, count)
      if (count === agreeing && !settled.has(name)) settled.set(name, bytes)
    }
    if ([...recorded.keys()].every((name) => settled.has(name))) break
  }
  return new Map([...settled].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Records all lines once, with a home folder of its own. */
const recordOnce = async (
  node: string,
  record: string,
  folder: string,
): Promise<ReadonlyMap<string, Buffer>> => {
  const names = ['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME']
  const [home, code] = [join(folder, 'home'), join(folder, 'code')]
  for (const place of [home, code]) mkdirSync(place, { recursive: true, mode: 0o700 })
  const env = Object.fromEntries(names.map((name) => [name, home]))
  for (const line of usualLines)
    await run(node, [...steadyFlags, record, resolve('dist'), code, ...line], { env })
  return new Map(readdirSync(code).map((name) => [name, readFileSync(join(code, name))]))
}

/**
 * Writes assets into `folder`: the files of the program, and the compiled code. A file that no line of daily work loads is
 * compressed, because it is rarely read (`main.ts`).
 * @returns the paths of the assets, by name
 */
export const writeAssets = (
  folder: string,
  program: ReadonlyMap<string, string>,
  code: ReadonlyMap<string, Buffer>,
): Record<string, string> => {
  mkdirSync(folder)
  const isUsual = (name: string): boolean =>
    [...code.keys()].some((key) => key.endsWith(`.${name}`))
  const texts = [...program].map(([name, text]) => {
    const bytes = Buffer.from(`${head}${text}${tail}`, 'latin1')
    return isUsual(name)
      ? ([name, bytes] as const)
      : ([`${name}.br`, brotliCompressSync(bytes)] as const)
  })
  const files: Record<string, string> = {}
  for (const [name, content] of [...texts, ...code]) {
    files[name] = join(folder, name)
    writeFileSync(join(folder, name), content)
  }
  return files
}
