/** Reads the file of an extension: a list of commands, or an OpenAPI document, whose operations it names as commands. */
import { checkValue } from '../base/documents/check.js'
import type { Findings } from '../base/documents/findings.js'
import { getOwn, isObject } from '../base/objects.js'
import { holdText } from '../base/secrets/redact.js'
import { suggestSimilar } from '../base/suggest.js'
import { decodeUtf8 } from '../base/utf8.js'
import { readHeld } from '../base/yaml/texts.js'
import { getMethod, getPath, toPathPattern } from '../catalogue/endpoint.js'
import { checkEntry, readAdditions, readCommands, readDeclaration } from './command-file.js'
import { isOpenApi, type OpenApiOperation, readOpenApi } from './document.js'
import { type CatalogueOperation, PathNames } from './naming.js'
import { getGroup } from './objects.js'
import { getRequest, type Operation, type SkippedOperation } from './operation.js'
import { type CatalogueArea, listEndpoints } from './places.js'
import { type CommandDeclaration, CommandSchema } from './schema.js'

/** A file with its name. */
export interface SourceFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The flags of `extend add` about the file: which paths to add, and the file of `--with`, which adds to the commands. */
export interface SourceChoice {
  readonly only: readonly string[]
  readonly except: readonly string[]
  readonly additions?: SourceFile | undefined
}

/** The extension that a file declares. */
export interface DeclaredExtension {
  /** Undefined if the file does not name the extension. */
  readonly name: string | undefined
  readonly title?: string | undefined
  readonly operations: readonly Operation[]
  readonly skipped: readonly SkippedOperation[]
}

const toRouteKey = ({ method, path }: Pick<Operation, 'method' | 'path'>): string =>
  `${method} ${toPathPattern(path)}`

/** Returns the documented operations with the facts that names are made from. */
export const listDocumentedOperations = (
  areas: readonly CatalogueArea[],
): readonly CatalogueOperation[] =>
  listEndpoints(areas)
    .map(({ area, endpoint: one }) => ({
      area,
      command: one.command,
      method: getMethod(one),
      path: getPath(one),
      many: one.returns.kind === 'many',
    }))
    .filter(({ path }) => path.startsWith('/'))

/** Reads the command and the facts that an operation declares under `x-svcctl`. */
const readOperationExtension = (
  { declared, ...operation }: OpenApiOperation,
  file: string,
  findings: Findings,
) => {
  if (!isObject(declared)) return { operation, command: undefined }
  const { command, ...facts } = declared
  const at = { file, line: 1, column: 1 }
  const isRight = checkValue(CommandSchema, facts, () => at, findings, 0)
  const own = isRight ? readDeclaration(facts as CommandDeclaration) : {}
  const merged = { ...operation, ...own }
  checkEntry({ ...merged, command: getRequest(operation) }, at, findings)
  return { operation: merged, command: typeof command === 'string' ? command : undefined }
}

/** Names the operations of a document. A command under `x-svcctl` takes precedence. */
const nameOperations = (
  found: readonly OpenApiOperation[],
  documented: readonly CatalogueOperation[],
  file: string,
  findings: Findings,
): readonly Operation[] => {
  const names = new PathNames(
    found.map(({ method, path, returns }) => ({ method, path, many: returns === 'many' })),
    documented,
  )
  const named = found.map((one) => {
    const { operation, command } = readOperationExtension(one, file, findings)
    const { method, path, returns } = operation
    return {
      ...operation,
      command: command ?? names.name({ method, path, many: returns === 'many' }),
    }
  })
  return addMissingVerbs(named)
}

/**
 * Adds a verb to a command that is also a group (`jobs log` beside `jobs log erase` becomes `jobs log get`). If one operation of a command
 * returns a list, its other GET operations do too, because documents often omit it.
 */
const addMissingVerbs = (operations: readonly Operation[]): readonly Operation[] => {
  const groups = new Set(operations.flatMap(({ command }) => getGroup(command) ?? []))
  const isMany = ({ returns }: Operation): boolean => returns === 'many'
  const lists = new Set(operations.filter(isMany).map(({ command }) => command))
  return operations.map((one): Operation => {
    const many = isMany(one) || (one.method === 'GET' && lists.has(one.command))
    const verb = { GET: many ? 'list' : 'get', POST: 'create', DELETE: 'delete' }
    const last = getOwn<string>(verb, one.method) ?? 'update'
    return {
      ...one,
      ...(many && { returns: 'many' }),
      command: groups.has(one.command) ? `${one.command} ${last}` : one.command,
    }
  })
}

/** Adds the entries of the `--with` file to the operations of a document; entries take precedence. */
const mergeAdditions = async (
  operations: readonly Operation[],
  { name, bytes }: SourceFile,
  findings: Findings,
): Promise<readonly Operation[]> => {
  const { operations: own, additions } = await readAdditions(bytes, name, findings)
  const renamed = new Map(own.map((one) => [toRouteKey(one), one]))
  const known = new Set(operations.map(toRouteKey))
  const all = [
    ...operations.map((one) => {
      const { command, ...facts } = renamed.get(toRouteKey(one)) ?? one
      return { ...one, ...facts, params: { ...one.params, ...facts.params }, command }
    }),
    ...own.filter((one) => !known.has(toRouteKey(one))),
  ]
  const commands = new Set(all.map(({ command }) => command))
  for (const [words, , at] of additions)
    if (!commands.has(words))
      findings.add(at, `the document has no command "${words}"`, suggestSimilar(words, commands))
  return all.map((one) => {
    const [, facts, at] = additions.find(([words]) => words === one.command) ?? []
    if (facts === undefined || at === undefined) return one
    const merged = { ...one, ...facts, params: { ...one.params, ...facts.params } }
    checkEntry(merged, at, findings)
    return merged
  })
}

/** Drops a PATCH if PUT exists for the same path, and adds it to the skipped operations. */
const skipPatchTwins = (operations: readonly Operation[], skipped: readonly SkippedOperation[]) => {
  const routes = new Set(operations.map(toRouteKey))
  const isTwin = (one: Operation): boolean =>
    one.method === 'PATCH' && routes.has(toRouteKey({ method: 'PUT', path: one.path }))
  const twins = operations.filter(isTwin).map((one) => ({
    request: getRequest(one),
    command: one.command,
    reason: 'PUT of the same path does this',
  }))
  return { operations: operations.filter((one) => !isTwin(one)), skipped: [...skipped, ...twins] }
}

const readDocumentFile = async (
  { name, bytes }: SourceFile,
  { additions, ...choice }: SourceChoice,
  documented: readonly CatalogueOperation[],
  findings: Findings,
): Promise<DeclaredExtension | undefined> => {
  const read = await readHeld(holdText(decodeUtf8(bytes)))
  const first = { file: name, line: 1, column: 1 }
  if ('wrong' in read) return findings.add(first, `the file is ${read.wrong}`)
  const content = findings.tried(first, () => readOpenApi(read.value, choice))
  if (content === undefined) return undefined
  const { title, operations, skipped } = content
  const named = nameOperations(operations, documented, name, findings)
  const all = additions === undefined ? named : await mergeAdditions(named, additions, findings)
  return { name: undefined, title, ...skipPatchTwins(all, skipped) }
}

/** Reads the file of an extension, and adds its mistakes to the findings. */
export const readSource = async (
  file: SourceFile,
  choice: SourceChoice,
  areas: readonly CatalogueArea[],
  findings: Findings,
): Promise<DeclaredExtension | undefined> => {
  const text = decodeUtf8(file.bytes)
  if (isOpenApi(text))
    return readDocumentFile(file, choice, listDocumentedOperations(areas), findings)
  const at = { file: file.name, line: 1, column: 1 }
  if (!/\b(?:extension|commands)\b/.test(text))
    return findings.add(
      at,
      'this is neither an OpenAPI document nor a file of commands',
      'svcctl help extend shows one.',
    )
  const given = [...choice.only, ...choice.except, ...(choice.additions === undefined ? [] : [''])]
  if (given.length > 0)
    return findings.add(at, '--only, --except and --with are for OpenAPI documents')
  const commands = await readCommands(file.bytes, file.name, findings)
  return commands && { ...commands, skipped: [] }
}
