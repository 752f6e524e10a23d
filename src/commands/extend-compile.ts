/** Reads the files of extensions, and collects the existing commands that an extension is compiled against. */

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { Findings } from '../base/documents/findings.js'
import { readReadable } from '../base/files/files.js'
import { readRegular } from '../base/files/regular.js'
import { toSingular } from '../base/text.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import { areas } from '../catalogue/index.js'
import type { Context } from '../engine/command/context.js'
import { isExtension } from '../engine/command/derive.js'
import { flagSets } from '../engine/command/global-flags.js'
import { Failure, getReason, usage } from '../errors.js'
import type { CompileContext, CompiledExtension } from '../extension/compile.js'
import { type DeclaredExtension, readSource, type SourceFile } from '../extension/read-source.js'
import type { AreaNames } from '../profile/extension-schemas.js'
import { listExtensions, readEndpoints } from '../profile/extension-store.js'

/** The largest file that is read, in bytes. */
const maxBytes = 20_000_000

// The names that an extension must not take.

/** Flags that every command may have, and flags that are derived from paths. */
const sharedFlags: ReadonlySet<string> = new Set([
  ...Object.values(flagSets).flatMap((flags) =>
    flags.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  ),
  ...['project', 'group', 'instance', 'help', 'version', 'input', 'param', 'to', 'follow'],
])

/** Loads the documented areas. */
const loadDocumented = () =>
  Promise.all(
    areas.map(async (row) => ({ area: row.name, endpoints: (await row.load()) as Endpoints })),
  )

/** Collects the commands that exist already. @param name the name of the extension that is compiled */
export const gatherContext = async (context: Context, name: string): Promise<CompileContext> => {
  const { env } = context.place
  const documented = await loadDocumented()
  const others = listExtensions(env)
    .filter((one) => one.name !== name)
    .flatMap((one) => readEndpoints(env, one))
  const commands = await context.place.listCommands()
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
    specials,
    // --sort takes the directions of the API as well as names of fields.
    isSharedFlag: (flag, { type }) => sharedFlags.has(flag) && (flag !== 'sort' || type !== 'enum'),
    toArea: (word) => areas.find(({ alias }) => alias === word)?.name ?? word,
  }
}

// Reading a file, and what comes of it.

const readFile = async (path: string, signal: AbortSignal, isStored: boolean): Promise<Buffer> => {
  try {
    return isStored ? readRegular(path, maxBytes) : await readReadable(path, signal, maxBytes)
  } catch (error) {
    throw usage(`cannot read ${path}: ${getReason(error)}`)
  }
}

/** The file of an extension and the flags for reading it, from a line or from the store. */
export interface ExtensionSource {
  readonly source: string
  readonly only: readonly string[]
  readonly except: readonly string[]
  readonly with: string | null
}

/** An extension as its file declares it, with the SHA-256 of the file and of that of `--with`. */
export interface ReadExtension extends DeclaredExtension {
  readonly digest: string
}

/**
 * Reads the file of an extension.
 * @param stored the paths that come from the store: a pipe that stood there once is not waited for
 * @throws Failure `usage` for mistakes in the file
 */
export const readExtension = async (
  { place }: Pick<Context, 'place'>,
  { source, only, except, with: additionsFile }: ExtensionSource,
  stored: readonly (string | null)[] = [],
): Promise<ReadExtension> => {
  const read = async (path: string): Promise<SourceFile> => ({
    name: basename(path),
    bytes: await readFile(path, place.clock.signal, stored.includes(path)),
  })
  const file = await read(source)
  const findings = new Findings()
  const additions = additionsFile === null ? [] : [await read(additionsFile)]
  const choice = { only, except, additions: additions[0] }
  const declared = await readSource(file, choice, await loadDocumented(), findings)
  findings.refuse()
  if (declared === undefined) throw new Failure('internal', 'a file without findings and content')
  const digest = createHash('sha256')
  for (const { bytes } of [file, ...additions]) digest.update(bytes)
  return { ...declared, digest: digest.digest('hex') }
}

/** Names the areas of an extension: a summary, and the singular as alias if it is free. */
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
