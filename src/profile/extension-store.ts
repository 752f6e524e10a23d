/** Stores extensions for `extend`: their folders, and the index that every start of the program reads. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { findDistrust } from '../base/files/trust.js'
import { version } from '../base/version.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import type { Kind } from '../catalogue/kinds.js'
import { Failure } from '../errors.js'
import type { CompiledExtension } from '../extension/compile.js'
import type { Operation } from '../extension/operation.js'
import type { ServedPath } from '../extension/served-paths.js'
import {
  type ExtensionIndex,
  type ExtensionRecord,
  operationsSchema,
  recordSchema,
} from './extension-schemas.js'
import {
  format,
  getFolder,
  listFolders,
  readAreaEndpoints,
  readIndex,
  readStored,
} from './extensions.js'
import { createFileFailure, type LockWait, makeDirectory, withLock } from './files.js'
import { getExtensionIndex } from './paths.js'
import type { Environment } from './types.js'

/** True if the extensions have to be compiled again, since another version of svcctl compiled them or the index is damaged. */
export const isStale = (env: Environment): boolean => {
  if (Object.keys(findFolders(env)).length === 0) return false
  if (findDistrust(getExtensionIndex(env)) !== undefined) return false
  const index = readIndex(env)
  return 'fault' in index || index.version !== version
}

/** Finds the folder of each extension: as the index says, else as the folders are there. */
const findFolders = (env: Environment): Readonly<Record<string, string>> => {
  const index = readIndex(env)
  return 'fault' in index ? Object.fromEntries(listFolders(env)) : index.folders
}

/** A stored extension; only the name and the folder are known if its files are damaged. */
export type StoredExtension = Pick<ExtensionRecord, 'name'> &
  Partial<ExtensionRecord> & { readonly folder: string }

/** Lists the extensions, the oldest first. */
export const listExtensions = (env: Environment): readonly StoredExtension[] =>
  Object.entries(findFolders(env))
    .map(([name, folder]): StoredExtension => {
      try {
        return { ...readStored(env, folder, 'extension', recordSchema), name, folder }
      } catch {
        return { name, folder }
      }
    })
    .toSorted((a, b) => ((a.added_at ?? '') < (b.added_at ?? '') ? -1 : 1))

/** Reads the endpoints of a stored extension, by area. */
export const readEndpoints = (
  env: Environment,
  { folder, areas = {} }: StoredExtension,
): readonly { readonly area: string; readonly endpoints: Endpoints }[] =>
  Object.keys(areas).map((area) => ({
    area,
    endpoints: readAreaEndpoints(env, folder, area),
  }))

/** Reads the operations from which an extension was compiled. */
export const readOperations = (
  env: Environment,
  { folder }: StoredExtension,
): readonly Operation[] => {
  const { operations } = readStored(env, folder, 'operations', operationsSchema)
  return operations as readonly Operation[]
}

/** Reads the records and actions of all extensions that the embedded instance serves. */
export const readServed = (env: Environment): readonly ServedPath[] =>
  listExtensions(env).flatMap(({ served = [] }) => served)

/** Writes the index of extensions; removes it if there are none. */
const writeIndex = async (env: Environment, all: readonly StoredExtension[]): Promise<void> => {
  const { writeWhole } = await import('../base/files/files.js')
  const file = getExtensionIndex(env)
  if (all.length === 0) return rmSync(file, { force: true })
  const areas: Record<string, ExtensionIndex['areas'][string]> = {}
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
  const folders = Object.fromEntries(all.map(({ name, folder }) => [name, folder]))
  const index: ExtensionIndex = { format, version, areas, kinds, folders, profiles }
  await writeWhole(file, `${JSON.stringify(index)}\n`, { own: true })
}

/** Runs work that changes extensions, one process at a time. @throws Failure if a file cannot be written */
export const changeExtensions = <T>(
  env: Environment,
  work: () => Promise<T>,
  waiting: LockWait,
): Promise<T> => {
  const file = getExtensionIndex(env)
  const change = async (): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof Failure ? error : createFileFailure('write', file, error)
    }
  }
  return withLock(file, change, waiting)
}

const removeFolder = (env: Environment, folder: string): void =>
  rmSync(getFolder(env, folder), { force: true, recursive: true })

/** Writes the files of an extension into a folder. */
const writeFiles = async (
  env: Environment,
  folder: string,
  files: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const { writeWhole } = await import('../base/files/files.js')
  removeFolder(env, folder)
  makeDirectory(getFolder(env, folder))
  for (const [file, value] of Object.entries(files))
    await writeWhole(join(getFolder(env, folder), `${file}.json`), `${JSON.stringify(value)}\n`, {
      own: true,
      durable: false,
    })
}

/**
 * Stores an extension beside its former state, which the index then leaves behind: a run that is cut short changes nothing. Call it within
 * `changeExtensions`.
 */
export const saveExtension = async (
  env: Environment,
  record: ExtensionRecord,
  { areas }: Pick<CompiledExtension, 'areas'>,
  operations: readonly Operation[],
): Promise<void> => {
  const { name } = record
  const all = listExtensions(env)
  const former = all.find((one) => one.name === name)?.folder
  const folder = former === name ? `${name}.2` : name
  const endpoints = Object.entries(areas).map(([area, of]) => [`area-${area}`, of] as const)
  const files = { ...Object.fromEntries(endpoints), operations: { operations }, extension: record }
  try {
    await writeFiles(env, folder, files)
    const others = all.filter((one) => one.name !== name)
    await writeIndex(env, [...others, { ...record, folder }])
  } catch (error) {
    removeFolder(env, folder)
    throw error
  }
  if (former !== undefined) removeFolder(env, former)
}

/** Removes an extension. Call it within `changeExtensions`. */
export const removeExtension = async (env: Environment, name: string): Promise<void> => {
  await writeIndex(
    env,
    listExtensions(env).filter((one) => one.name !== name),
  )
  for (const folder of [name, `${name}.2`]) removeFolder(env, folder)
}
