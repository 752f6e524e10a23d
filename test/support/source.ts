/** Reads and parses the files of `src`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** A node of a parsed file, with its type, position and other properties. */
export interface SourceNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** The files of `src`, as paths within it, without declaration files (`.d.ts`). */
export const sourceFiles: readonly string[] = readdirSync('src', {
  recursive: true,
  encoding: 'utf8',
})
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .sort()

export const readSource = (file: string): string => readFileSync(join('src', file), 'utf8')

const isNode = (value: unknown): value is SourceNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** Yields a node and all nodes below it, outermost first. */
export function* listNodes(value: unknown): Generator<SourceNode> {
  if (Array.isArray(value)) for (const item of value) yield* listNodes(item)
  if (!isNode(value)) return
  yield value
  for (const below of Object.values(value)) if (typeof below === 'object') yield* listNodes(below)
}

/** Parses a TypeScript text into its statements. */
export const parseStatements = (text: string, file = 'text.ts'): readonly SourceNode[] => {
  const { body }: { readonly body: unknown } = parseAst(text, { lang: 'ts' }, file)
  return Array.isArray(body) ? body.filter(isNode) : []
}

export interface Import {
  readonly target: string
  /** True for imports of types only, which are erased by the build. */
  readonly type: boolean
  readonly dynamic: boolean
}

/** True if a node is a string literal. */
export const isText = (node: unknown): node is SourceNode & { readonly value: string } =>
  isNode(node) && node.type === 'Literal' && typeof node.value === 'string'

/** Lists all imports of a text: `import`, `export from`, `import()`, types by `import()`, `import =`. */
export const listImports = (text: string, file?: string): readonly Import[] =>
  [...listNodes(parseStatements(text, file))].flatMap((node) => {
    const { moduleReference } = node
    const named = isNode(moduleReference) ? moduleReference.expression : node.source
    if (!isText(named)) return []
    const type =
      node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type'
    return [{ target: named.value, type, dynamic: node.type === 'ImportExpression' }]
  })

/** Returns the file of `src` that a relative import names, or else the name of the package. */
export const resolveTarget = (from: string, { target }: Import): string =>
  target.startsWith('.') ? posix.join(posix.dirname(from), target).replace(/\.js$/, '.ts') : target

/** Finds the import cycles between files. */
export const findCycles = (
  edges: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] => {
  const reached = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>()
    const left = [...(edges.get(from) ?? [])]
    for (let next = left.pop(); next !== undefined; next = left.pop())
      if (!seen.has(next)) {
        seen.add(next)
        left.push(...(edges.get(next) ?? []))
      }
    return seen
  }
  const reach = new Map([...edges.keys()].map((file) => [file, reached(file)]))
  const inCircle = [...reach].filter(([file, seen]) => seen.has(file))
  const circles = inCircle.map(([file, seen]) =>
    [...seen].filter((other) => reach.get(other)?.has(file)).sort(),
  )
  return [...new Map(circles.map((circle) => [circle.join(' '), circle])).values()]
}
