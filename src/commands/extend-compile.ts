/** Reads files of commands and compiles them beside what is there: the documents, other extensions and the tool's own words. */

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { Findings } from '../base/documents/findings.js'
import { readReadable } from '../base/files/files.js'
import { toSingular } from '../base/text.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import { areas } from '../catalogue/index.js'
import { isExtension } from '../engine/command/derive.js'
import { flagSets } from '../engine/command/global-flags.js'
import type { Services } from '../engine/command/services.js'
import { Failure, getReason, usage } from '../errors.js'
import type { CompileContext, CompiledExtension } from '../extension/compile.js'
import { type DeclaredExtension, readSource, type SourceFile } from '../extension/source.js'
import { listExtensions, readEndpoints } from '../profile/extension-store.js'
import type { AreaNames } from '../profile/extensions.js'

/** A larger file is refused. */
const maxBytes = 20_000_000

// What an extension is compiled beside.

/** Flags that every command may have, and those that derive from paths. */
const sharedFlags: ReadonlySet<string> = new Set([
  ...Object.values(flagSets).flatMap((flags) =>
    flags.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  ),
  ...['project', 'group', 'instance', 'help', 'version', 'input', 'param', 'to', 'follow'],
])
/** Flags of lists that the API may have as well: both are one. */
const mergedFlags: ReadonlySet<string> = new Set(['sort'])

/** Loads the documented areas. */
const loadDocumented = () =>
  Promise.all(
    areas.map(async (row) => ({ area: row.name, endpoints: (await row.load()) as Endpoints })),
  )

/** Gathers what is there already. @param name of the extension that is compiled */
export const gatherContext = async (services: Services, name: string): Promise<CompileContext> => {
  const { env } = services.place
  const documented = await loadDocumented()
  const others = listExtensions(env)
    .filter((one) => one.name !== name)
    .flatMap((one) => readEndpoints(env, one))
  const commands = await services.place.commands()
  const tools = commands.filter(({ area }) => !documented.some((one) => one.area === area))
  const words = new Set([
    ...tools.filter((one) => Object.keys(one.endpoints).length === 0).map(({ area }) => area),
    'help',
    'version',
  ])
  const specials = new Set(
    commands.flatMap((one) =>
      'rows' in one && one.rows !== undefined && !isExtension(one)
        ? `${one.area} ${one.words}`
        : [],
    ),
  )
  return {
    documented,
    others,
    isToolWord: (area) => words.has(area) || area.startsWith('-'),
    isSpecial: (area, verb) => specials.has(`${area} ${verb}`),
    isSharedFlag: (flag) => sharedFlags.has(flag) && !mergedFlags.has(flag),
  }
}

// Reading a file, and what comes of it.

const readFile = async (path: string, signal: AbortSignal): Promise<Buffer> => {
  try {
    return await readReadable(path, signal, maxBytes)
  } catch (error) {
    throw usage(`cannot read ${path}: ${getReason(error)}`)
  }
}

/** What a line, or what is stored, says of the file of an extension. */
export interface ExtensionSource {
  readonly source: string
  readonly only: readonly string[]
  readonly except: readonly string[]
  readonly with: string | null
}

/** An extension as its file has it. */
export interface ReadExtension extends DeclaredExtension {
  readonly digest: string
}

/** Reads the file of an extension. @throws Failure `usage` for what is wrong with it */
export const readExtension = async (
  { place }: Pick<Services, 'place'>,
  { source, only, except, with: beside }: ExtensionSource,
): Promise<ReadExtension> => {
  const read = async (path: string): Promise<SourceFile> => ({
    name: basename(path),
    bytes: await readFile(path, place.clock.signal),
  })
  const file = await read(source)
  const findings = new Findings()
  const choice = { only, except, beside: beside === null ? undefined : await read(beside) }
  const declared = await readSource(file, choice, await loadDocumented(), findings)
  findings.refuse()
  if (declared === undefined) throw new Failure('internal', 'a file without findings and content')
  return { ...declared, digest: createHash('sha256').update(file.bytes).digest('hex') }
}

/** What areas are called that no document has. */
export const nameAreas = (
  compiled: CompiledExtension,
  { documented, isToolWord }: CompileContext,
): Readonly<Record<string, AreaNames>> =>
  Object.fromEntries(
    Object.keys(compiled.areas).map((area) => {
      const alias = toSingular(area)
      const isFree =
        alias !== area && !isToolWord(alias) && !documented.some((one) => one.area === alias)
      return [area, { summary: area.replaceAll('-', ' '), ...(isFree && { alias }) }]
    }),
  )
