/** What an executable holds: the files of the program, and what V8 compiled of them. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ESTree, parseSync, Visitor } from 'rolldown/utils'
import { head, tail } from '../../src/start/loader.js'

const run = promisify(execFile)

/** The text of an argument, where it is one. */
const textOf = (node: ESTree.Node | undefined): string | undefined => {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined
  return node.quasis[0]?.value.cooked ?? undefined
}

/**
 * The files that a file of the program requires.
 * @throws where it holds an `import()`, which fails in an executable
 */
export const requiredBy = (name: string, text: string): readonly string[] => {
  const { program, errors } = parseSync(name, text, { sourceType: 'script' })
  if (errors.length > 0) throw new Error(`${name} cannot be parsed: ${errors[0]?.message}`)
  const found: string[] = []
  new Visitor({
    ImportExpression: ({ start }) => {
      throw new Error(`${name} holds an import() at ${start}, which fails in an executable`)
    },
    CallExpression: ({ callee, arguments: [first] }) => {
      const named = callee.type === 'Identifier' && callee.name === 'require'
      const target = named ? textOf(first) : undefined
      if (target?.startsWith('./')) found.push(target.slice(2))
    },
  }).visit(program)
  return found
}

/** The files of the program, by name. */
export const programOf = (dist: string): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  const names = new Set(['main.cjs'])
  for (const name of names) {
    const text = readFileSync(join(dist, name), 'latin1')
    texts.set(name, text)
    for (const next of requiredBy(name, text)) names.add(next)
  }
  return texts
}

/** Lines of a working day. What they call is there compiled; the rest is when it is wanted. */
const usual: readonly (readonly string[])[] = [
  ['--help'],
  ['runners', 'list', '--help'],
  ['__complete', '--', 'runners', 'list', '--st'],
  ['runners', 'get', '1', '-o', 'json', '--sandbox'],
  ['runners', 'list', '--instance', '--sandbox'],
  ['projects', 'list', '--limit', 'all', '-o', 'ndjson', '--sandbox'],
  ['runners', 'update', '1', '--active', '--sandbox'],
]

/**
 * What V8 compiled of the program in these lines, by shelf and file. The program itself keeps it, in the cache of its user:
 * the code twice behind eight bytes (`../../src/start/load.ts`).
 * @param node a Node like that of the executable
 */
export const compiledBy = async (
  node: string,
  folder: string,
): Promise<ReadonlyMap<string, Buffer>> => {
  const names = ['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME']
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  const env = Object.fromEntries(names.map((name) => [name, home]))
  for (const line of usual) await run(node, ['bin/svcctl.js', ...line], { env })
  const code = join(home, 'svcctl', 'code')
  const [kept = ''] = readdirSync(code)
  return new Map(
    readdirSync(join(code, kept))
      .filter((name) => name.endsWith('.cjs'))
      .map((name) => {
        const bytes = readFileSync(join(code, kept, name))
        return [name, bytes.subarray(8, 8 + bytes.readUInt32LE(0))]
      }),
  )
}

/** Writes assets into `folder`. @returns their files, by name */
export const writeAssets = (
  folder: string,
  program: ReadonlyMap<string, string>,
  code: ReadonlyMap<string, Buffer>,
): Record<string, string> => {
  mkdirSync(folder)
  const texts = [...program].map(([name, text]) => [name, `${head}${text}${tail}`] as const)
  const files: Record<string, string> = {}
  for (const [name, content] of [...texts, ...code]) {
    files[name] = join(folder, name)
    writeFileSync(join(folder, name), content, 'latin1')
  }
  return files
}
