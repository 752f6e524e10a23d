/** The files of `src` as a parser reads them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** A node of a parsed file: its kind, where it stands, and whatever it holds. */
export interface SourceNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** The files of `src`, by their paths within it; not declarations of other people's modules. */
export const sourceFiles: readonly string[] = readdirSync('src', {
  recursive: true,
  encoding: 'utf8',
})
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .sort()

export const textOf = (file: string): string => readFileSync(join('src', file), 'utf8')

const isNode = (value: unknown): value is SourceNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** The nodes below a value, itself included, outermost first. */
export function* nodesOf(value: unknown): Generator<SourceNode> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item)
  if (!isNode(value)) return
  yield value
  for (const below of Object.values(value)) if (typeof below === 'object') yield* nodesOf(below)
}

/** The statements of a TypeScript text. */
export const statementsOf = (text: string, file = 'text.ts'): readonly SourceNode[] => {
  const { body }: { readonly body: unknown } = parseAst(text, { lang: 'ts' }, file)
  return Array.isArray(body) ? body.filter(isNode) : []
}

export interface Import {
  readonly target: string
  /** Only types: erased when built. */
  readonly type: boolean
  readonly dynamic: boolean
}

/** Whether a node is a text between quotes. */
export const isText = (node: unknown): node is SourceNode & { readonly value: string } =>
  isNode(node) && node.type === 'Literal' && typeof node.value === 'string'

/** Every way to name another file: `import`, `export from`, `import()`, types by `import()`, `import =`. */
export const importsIn = (text: string, file?: string): readonly Import[] =>
  [...nodesOf(statementsOf(text, file))].flatMap((node) => {
    const { moduleReference } = node
    const named = isNode(moduleReference) ? moduleReference.expression : node.source
    if (!isText(named)) return []
    const type =
      node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type'
    return [{ target: named.value, type, dynamic: node.type === 'ImportExpression' }]
  })

/** The file of `src` that a relative import names; a package's name otherwise. */
export const targetOf = (from: string, { target }: Import): string =>
  target.startsWith('.') ? posix.join(posix.dirname(from), target).replace(/\.js$/, '.ts') : target

/** The files that reach each other by their imports, in circles of at least two. */
export const circlesIn = (
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
