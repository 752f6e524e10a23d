/** Reads a file of commands: checks its schema, and turns each entry into an operation. */
import type { Findings } from '../base/documents/findings.js'
import { readDocument } from '../base/documents/index.js'
import type { Origin } from '../base/documents/written.js'
import type { JsonValues } from '../base/objects.js'
import type { Param } from '../catalogue/params.js'
import { listPlaceholders, type Operation, parseRequest, toPlainText } from './operation.js'
import { createParam, parseTypeWord } from './parameters.js'
import { type CommandDeclaration, commandsSchema, type ParameterSchema } from './schema.js'

/** The content of a file of commands. */
interface DeclaredCommands {
  readonly name: string
  readonly title?: string | undefined
  readonly operations: readonly Operation[]
}

const toParam = (name: string, declared: string | ParameterSchema): Param => {
  if (typeof declared === 'string') return parseTypeWord(name, declared)
  const { required, secret, flag, description, in: place, ...schema } = declared
  return createParam(name, schema, { required, secret, flag, description, in: place })
}

/** Reads what a declaration sets of an operation, all but its request. */
export const readDeclaration = (declared: CommandDeclaration): Partial<Operation> => {
  const { request: _, params = {}, shape, summary, confirm, done, undo, sets, ...rest } = declared
  const toPlain = (text: string | undefined) => (text === undefined ? undefined : toPlainText(text))
  const all = Object.entries(params).map(([name, one]) => [name, toParam(name, one)] as const)
  const facts = {
    ...rest,
    ...(Object.keys(params).length > 0 && { params: Object.fromEntries(all) }),
    ...(shape !== undefined && { shape: { properties: shape } as JsonValues }),
    summary: toPlain(summary)?.replace(/\.$/, ''),
    confirm: toPlain(confirm),
    done: toPlain(done),
    undo: toPlain(undo),
    sets: sets as JsonValues | undefined,
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/** Adds the mistakes of a declared command that the schema cannot express. */
export const checkEntry = (operation: Operation, at: Origin, findings: Findings): void => {
  const { method, sets, follow, returns, command, sandbox } = operation
  const addFinding = (text: string): undefined => findings.add(at, `${command}: ${text}`)
  if (method === 'GET' && sets !== undefined) addFinding('"sets" is for commands that write')
  if (method === 'GET' && operation.confirm !== undefined)
    addFinding('"confirm" is for commands that write')
  if (method !== 'GET' && (returns === 'many' || returns === 'file'))
    addFinding(`a ${method} cannot return ${returns}`)
  if (follow === true && returns !== 'file') addFinding('"follow" needs "returns: file"')
  if (sandbox === 'state' && sets === undefined) addFinding('"sandbox: state" needs "sets"')
  if (sandbox === 'log' && returns !== 'file') addFinding('"sandbox: log" needs "returns: file"')
}

/** Creates the operation of an entry. Returns undefined, and adds a finding, if its request is missing or wrong. */
const toOperation = (
  command: string,
  declared: string | CommandDeclaration,
  at: Origin,
  findings: Findings,
): Operation | undefined => {
  const whole = typeof declared === 'string' ? { request: declared } : declared
  if (whole.request === undefined) return findings.add(at, `${command}: "request" is missing`)
  const request = parseRequest(whole.request)
  if ('reason' in request) return findings.add(at, `${command}: ${request.reason}`)
  const { params = {}, ...facts } = readDeclaration(whole)
  const names = listPlaceholders(request.path)
  const [inPath, others] = [true, false].map((is) =>
    Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name) === is)),
  )
  const operation = {
    ...request,
    ...facts,
    command,
    params: others ?? {},
    placeholders: inPath,
    at,
  }
  checkEntry(operation, at, findings)
  return operation
}

/** An entry that adds to a command of the OpenAPI document: the words of the command, and what the entry sets. */
export type CommandEntry = readonly [words: string, facts: Partial<Operation>, at: Origin]

/** Reads the file of `--with`. Entries without a request add to commands of the OpenAPI document; others add commands or rename them. */
export const readAdditions = async (
  bytes: Uint8Array,
  file: string,
  findings: Findings,
): Promise<{
  readonly operations: readonly Operation[]
  readonly additions: readonly CommandEntry[]
}> => {
  const document = await readDocument(commandsSchema, bytes, file, findings)
  const operations: Operation[] = []
  const additions: CommandEntry[] = []
  for (const [words, one] of Object.entries(document?.value.commands ?? {})) {
    const at = document?.at(['commands', words], true) ?? { file, line: 1, column: 1 }
    const adds = typeof one !== 'string' && one.request === undefined
    if (adds) additions.push([words, readDeclaration(one), at])
    else operations.push(...[toOperation(words, one, at, findings) ?? []].flat())
  }
  return { operations, additions }
}

/**
 * Reads a file of commands, and adds its mistakes to the findings. Returns undefined if the file cannot be read as one.
 * @param file the name of the file
 */
export const readCommands = async (
  bytes: Uint8Array,
  file: string,
  findings: Findings,
): Promise<DeclaredCommands | undefined> => {
  const document = await readDocument(commandsSchema, bytes, file, findings)
  if (document === undefined) return undefined
  const { extension, title, commands } = document.value
  const operations = Object.entries(commands).flatMap(
    ([words, one]) =>
      toOperation(words, one, document.at(['commands', words], true), findings) ?? [],
  )
  return { name: extension, title: title && toPlainText(title), operations }
}
