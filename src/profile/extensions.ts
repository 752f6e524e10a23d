/**
 * Stores extensions: a folder each, with an index that a start reads. Their endpoints are read when their area is met. What
 * others could have changed is not believed, and the commands of the documents do not depend on any of it.
 */
import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { describeDistrust, findDistrust } from '../base/files/trust.js'
import { isObject } from '../base/objects.js'
import { version } from '../base/version.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import { type AddedArea, addAreas, setExtensionFault } from '../catalogue/index.js'
import { addKinds, type Kind } from '../catalogue/kinds.js'
import { usage } from '../errors.js'
import type { CompiledExtension } from '../extension/compile.js'
import type { Operation, SkippedOperation } from '../extension/operation.js'
import type { ServedPath } from '../extension/sandbox.js'
import { createFileFailure, makeDirectory, readObject, withLock } from './files.js'
import { extensionIndex, getPaths } from './paths.js'
import type { Environment } from './types.js'

/** The form in which extensions are stored; those of another one are compiled again. */
const format = 1

/** What an area is called, where the documents do not have it. */
export interface AreaNames {
  readonly summary: string
  readonly alias?: string
}

/** What is kept of an extension beside its endpoints. */
export interface ExtensionRecord {
  readonly name: string
  readonly title: string | null
  /** The file that it was read from, and that file's SHA-256. */
  readonly source: string
  readonly digest: string
  readonly with: string | null
  readonly only: readonly string[]
  readonly except: readonly string[]
  /** The only profile that has it. */
  readonly profile: string | null
  readonly added_at: string
  readonly commands: number
  readonly areas: Readonly<Record<string, AreaNames>>
  readonly kinds: Readonly<Record<string, Kind>>
  readonly served: readonly ServedPath[]
  readonly left_out: readonly SkippedOperation[]
}

interface IndexedArea extends AreaNames {
  readonly from: readonly string[]
}

/** What a start reads. */
interface ExtensionIndex {
  readonly format: number
  readonly version: string
  readonly areas: Readonly<Record<string, IndexedArea>>
  readonly kinds: Readonly<Record<string, Kind>>
  /** The profiles of extensions that are for one alone. */
  readonly profiles: Readonly<Record<string, string>>
}

const nameRule = /^[a-z][a-z0-9-]{0,99}$/

const getFolder = (env: Environment, name: string): string =>
  path.join(getPaths(env).config, 'extensions', name)

/** Reads a file of an extension. @throws Failure `usage` if others could have changed it, or it is damaged */
const readStored = (
  env: Environment,
  name: string,
  file: string,
): Readonly<Record<string, unknown>> => {
  const place = path.join(getFolder(env, name), `${file}.json`)
  const doubt = findDistrust(place)
  if (doubt !== undefined) {
    const { message, remedy } = describeDistrust(doubt)
    throw usage(message, remedy)
  }
  const value = readObject(place)
  if (value === undefined) throw usage(`${place} is missing`, `Run: svcctl extend remove ${name}`)
  return value
}

/** Loads the endpoints of an area, once. */
const createLoader = (env: Environment, area: string, from: readonly string[]) => {
  let loaded: Promise<Endpoints> | undefined
  const load = async (): Promise<Endpoints> => {
    const all = from.map((name) => readStored(env, name, `area-${area}`) as Endpoints)
    return Object.assign({}, ...all.toReversed())
  }
  return () => (loaded ??= load())
}

const isArea = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.summary === 'string' &&
  Array.isArray(value.from) &&
  value.from.every((one) => typeof one === 'string' && nameRule.test(one))

const isKind = (value: unknown): boolean =>
  isObject(value) && Array.isArray(value.areas) && Array.isArray(value.names)

const isIndex = (value: unknown): value is ExtensionIndex =>
  isObject(value) &&
  isObject(value.areas) &&
  Object.entries(value.areas).every(([name, area]) => nameRule.test(name) && isArea(area)) &&
  isObject(value.kinds) &&
  Object.values(value.kinds).every(isKind) &&
  isObject(value.profiles)

/** Reads the index; says why it cannot be believed. */
const readIndex = (
  env: Environment,
): ExtensionIndex | { readonly fault: string; readonly remedy: string } => {
  const file = extensionIndex(env)
  const doubt = findDistrust(file)
  if (doubt !== undefined) {
    const { message, remedy } = describeDistrust(doubt)
    return { fault: message, remedy }
  }
  const remedy = 'Run: svcctl extend list'
  try {
    const value: unknown = JSON.parse(readRegular(file).toString())
    if (!isIndex(value)) return { fault: `${file} is damaged`, remedy }
    if (value.format === format) return value
    return { fault: `${file} is of another version of svcctl`, remedy }
  } catch {
    return { fault: `${file} is damaged`, remedy }
  }
}

/**
 * Adds the areas and kinds of all extensions to those that the running line knows.
 * @returns why nothing was added; undefined if it was
 */
export const loadExtensions = (env: Environment): string | undefined => {
  const index = readIndex(env)
  if ('fault' in index) {
    setExtensionFault(index.remedy)
    return `extensions are not loaded: ${index.fault}`
  }
  const rows = Object.entries(index.areas).map(
    ([name, area]): AddedArea => ({ ...area, name, load: createLoader(env, name, area.from) }),
  )
  addAreas(rows)
  addKinds(index.kinds)
  return undefined
}

/** Returns the only profile that has an extension; undefined if all have. */
export const getProfileOf = (env: Environment, name: string): string | undefined => {
  const index = readIndex(env)
  return 'fault' in index ? undefined : index.profiles[name]
}

// What `extend` does with the store.

/** True if the extensions have to be compiled again: another version of svcctl did so last, or the index is damaged. */
export const isStale = (env: Environment): boolean => {
  if (listFolders(env).length === 0 || findDistrust(extensionIndex(env)) !== undefined) return false
  const index = readIndex(env)
  return 'fault' in index || index.version !== version
}

const listFolders = (env: Environment): readonly string[] => {
  try {
    const all = readdirSync(path.join(getPaths(env).config, 'extensions'), { withFileTypes: true })
    return all
      .flatMap((one) => (one.isDirectory() && nameRule.test(one.name) ? one.name : []))
      .sort()
  } catch {
    return []
  }
}

/** An extension that is stored; only its name is known where its files are damaged. */
export type StoredExtension = Pick<ExtensionRecord, 'name'> & Partial<ExtensionRecord>

/** Lists the extensions, the first that was added first. */
export const listExtensions = (env: Environment): readonly StoredExtension[] =>
  listFolders(env)
    .map((name): StoredExtension => {
      try {
        return { ...readStored(env, name, 'extension'), name }
      } catch {
        return { name }
      }
    })
    .toSorted((a, b) => ((a.added_at ?? '') < (b.added_at ?? '') ? -1 : 1))

/** Reads the endpoints of a stored extension, by area. */
export const readEndpoints = (
  env: Environment,
  { name, areas = {} }: StoredExtension,
): readonly { readonly area: string; readonly endpoints: Endpoints }[] =>
  Object.keys(areas).map((area) => ({
    area,
    endpoints: readStored(env, name, `area-${area}`) as Endpoints,
  }))

/** Reads the operations that an extension was compiled of. */
export const readOperations = (env: Environment, name: string): readonly Operation[] => {
  const { operations } = readStored(env, name, 'operations')
  return Array.isArray(operations) ? (operations as Operation[]) : []
}

/** Reads what the embedded instance answers of all extensions. */
export const readServed = (env: Environment): readonly ServedPath[] =>
  listExtensions(env).flatMap(({ served = [] }) => served)

/** Writes the index of what is stored; removes it where nothing is. */
const writeIndex = async (env: Environment): Promise<void> => {
  const { writeWhole } = await import('../base/files/files.js')
  const file = extensionIndex(env)
  const all = listExtensions(env)
  if (all.length === 0) return rmSync(file, { force: true })
  const areas: Record<string, IndexedArea> = {}
  const kinds: Record<string, Kind> = {}
  for (const { name, areas: own = {}, kinds: more = {} } of all) {
    for (const [area, names] of Object.entries(own))
      areas[area] = { ...names, ...areas[area], from: [...(areas[area]?.from ?? []), name] }
    for (const [kind, { areas: listed, ...facts }] of Object.entries(more))
      kinds[kind] = { ...facts, ...kinds[kind], areas: [...(kinds[kind]?.areas ?? []), ...listed] }
  }
  const profiles = Object.fromEntries(
    all.flatMap(({ name, profile }) => (profile == null ? [] : [[name, profile]])),
  )
  const index: ExtensionIndex = { format, version, areas, kinds, profiles }
  await writeWhole(file, `${JSON.stringify(index)}\n`, { own: true })
}

/** Changes the store while nobody else does. @throws Failure where it cannot be written */
const change = (env: Environment, work: () => Promise<void>): Promise<void> => {
  const file = extensionIndex(env)
  return withLock(file, async () => {
    try {
      await work()
      await writeIndex(env)
    } catch (error) {
      throw createFileFailure('write', file, error)
    }
  })
}

/** Stores an extension in the place of another one of its name. */
export const saveExtension = (
  env: Environment,
  record: ExtensionRecord,
  compiled: Pick<CompiledExtension, 'areas'>,
  operations: readonly Operation[],
): Promise<void> =>
  change(env, async () => {
    const { writeWhole } = await import('../base/files/files.js')
    const folder = getFolder(env, record.name)
    rmSync(folder, { force: true, recursive: true })
    makeDirectory(folder)
    const write = (file: string, value: unknown): Promise<void> =>
      writeWhole(path.join(folder, `${file}.json`), `${JSON.stringify(value)}\n`, {
        own: true,
        durable: false,
      })
    for (const [area, endpoints] of Object.entries(compiled.areas))
      await write(`area-${area}`, endpoints)
    await write('operations', { operations })
    await write('extension', record)
  })

/** Removes an extension. */
export const removeExtension = (env: Environment, name: string): Promise<void> =>
  change(env, async () => rmSync(getFolder(env, name), { force: true, recursive: true }))
