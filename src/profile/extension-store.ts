/** Stores extensions for `extend`: their folders, and the index that every start of the program reads. */
import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { findDistrust } from '../base/files/trust.js'
import { version } from '../base/version.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import type { Kind } from '../catalogue/kinds.js'
import type { CompiledExtension } from '../extension/compile.js'
import type { Operation } from '../extension/operation.js'
import type { ServedPath } from '../extension/sandbox.js'
import { areaName } from '../extension/words.js'
import {
  type ExtensionIndex,
  type ExtensionRecord,
  format,
  getFolder,
  type IndexedArea,
  readIndex,
  readStored,
} from './extensions.js'
import { createFileFailure, makeDirectory, withLock } from './files.js'
import { getExtensionIndex, getPaths } from './paths.js'
import type { Environment } from './types.js'

/** True if the extensions have to be compiled again, since another version of svcctl compiled them or the index is damaged. */
export const isStale = (env: Environment): boolean => {
  if (listFolders(env).length === 0 || findDistrust(getExtensionIndex(env)) !== undefined)
    return false
  const index = readIndex(env)
  return 'fault' in index || index.version !== version
}

const listFolders = (env: Environment): readonly string[] => {
  try {
    const all = readdirSync(path.join(getPaths(env).config, 'extensions'), { withFileTypes: true })
    return all
      .flatMap((one) => (one.isDirectory() && areaName.test(one.name) ? one.name : []))
      .sort()
  } catch {
    return []
  }
}

/** A stored extension; only the name is known if its files are damaged. */
export type StoredExtension = Pick<ExtensionRecord, 'name'> & Partial<ExtensionRecord>

/** Lists the extensions, the oldest first. */
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

/** Reads the operations from which an extension was compiled. */
export const readOperations = (env: Environment, name: string): readonly Operation[] => {
  const { operations } = readStored(env, name, 'operations')
  return Array.isArray(operations) ? (operations as Operation[]) : []
}

/** Reads the records and actions of all extensions that the embedded instance serves. */
export const readServed = (env: Environment): readonly ServedPath[] =>
  listExtensions(env).flatMap(({ served = [] }) => served)

/** Writes the index of the stored extensions; removes it if there are none. */
const writeIndex = async (env: Environment): Promise<void> => {
  const { writeWhole } = await import('../base/files/files.js')
  const file = getExtensionIndex(env)
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

/**
 * Changes the stored extensions under a lock, and rewrites the index.
 * @throws Failure if a file cannot be written
 */
const change = (env: Environment, work: () => Promise<void>): Promise<void> => {
  const file = getExtensionIndex(env)
  return withLock(file, async () => {
    try {
      await work()
      await writeIndex(env)
    } catch (error) {
      throw createFileFailure('write', file, error)
    }
  })
}

/** Stores an extension. It replaces one with the same name. */
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
