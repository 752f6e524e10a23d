/**
 * Loads extensions by the index that every start reads; `extension-store.ts` writes them, each into a folder. The endpoints of an area are
 * read on first use. Files that others could have changed are refused. Documented commands work without any of these files.
 */
import path from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { describeDistrust, findDistrust } from '../base/files/trust.js'
import { type Fields, isObject } from '../base/objects.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import { type AddedArea, addAreas, setExtensionFault } from '../catalogue/index.js'
import { addKinds, type Kind } from '../catalogue/kinds.js'
import { usage } from '../errors.js'
import type { SkippedOperation } from '../extension/operation.js'
import type { ServedPath } from '../extension/sandbox.js'
import { areaName } from '../extension/words.js'
import { getExtensionIndex, getPaths } from './paths.js'
import type { Environment } from './types.js'

/** The version of the stored form. Extensions in another form are compiled again. */
export const format = 2

/** The summary and alias of an area that the documents do not have. */
export interface AreaNames {
  readonly summary: string
  readonly alias?: string
}

/** The stored facts of an extension, without its endpoints. */
export interface ExtensionRecord {
  readonly name: string
  readonly title: string | null
  /** The file that it was read from, and the SHA-256 of it and of the file of `--with`. */
  readonly source: string
  readonly digest: string
  readonly with: string | null
  readonly only: readonly string[]
  readonly except: readonly string[]
  /** The only profile that has the extension; null for all. */
  readonly profile: string | null
  readonly added_at: string
  readonly commands: number
  readonly areas: Readonly<Record<string, AreaNames>>
  readonly kinds: Readonly<Record<string, Kind>>
  readonly served: readonly ServedPath[]
  readonly left_out: readonly SkippedOperation[]
}

export interface IndexedArea extends AreaNames {
  readonly from: readonly string[]
}

/** The index of all extensions, which every start of the program reads. */
export interface ExtensionIndex {
  readonly format: number
  readonly version: string
  readonly areas: Readonly<Record<string, IndexedArea>>
  readonly kinds: Readonly<Record<string, Kind>>
  /** The folder of each extension. */
  readonly folders: Readonly<Record<string, string>>
  /** The profile of each extension that a single profile has. */
  readonly profiles: Readonly<Record<string, string>>
}

export const getFolder = (env: Environment, folder: string): string =>
  path.join(getPaths(env).config, 'extensions', folder)

/** Matches a folder of an extension: its name, or the second of its two folders, which take turns. */
export const folderName = /^([a-z][a-z0-9-]{0,99})(?:\.2)?$/

/**
 * Reads a file of an extension.
 * @param folder the name of its folder
 * @throws Failure `usage` if others could have changed the file, or it is damaged
 */
export const readStored = (env: Environment, folder: string, file: string): Fields => {
  const place = path.join(getFolder(env, folder), `${file}.json`)
  const doubt = findDistrust(place)
  if (doubt !== undefined) {
    const { message, remedy } = describeDistrust(doubt)
    throw usage(message, remedy)
  }
  let value: unknown
  try {
    value = JSON.parse(readRegular(place).toString())
  } catch {
    value = undefined
  }
  if (!isObject(value) || (file.startsWith('area-') && !hasEndpoints(value)))
    throw usage(
      `${place} is missing or damaged`,
      `Run: svcctl extend remove ${folder.replace(folderName, '$1')}`,
    )
  return value
}

/** True if all values have what a command is derived from. */
const hasEndpoints = (values: Fields): boolean =>
  Object.values(values).every(
    (one) =>
      isObject(one) &&
      [one.path, one.params, one.returns].every(isObject) &&
      [one.route, one.command, one.summary].every((text) => typeof text === 'string'),
  )

/** Creates the function that loads the endpoints of an area, once. */
const createLoader = (env: Environment, area: string, folders: readonly string[]) => {
  let loaded: Promise<Endpoints> | undefined
  const load = async (): Promise<Endpoints> => {
    const all = folders.map((folder) => readStored(env, folder, `area-${area}`) as Endpoints)
    return Object.assign({}, ...all.toReversed())
  }
  return () => (loaded ??= load())
}

const isArea = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.summary === 'string' &&
  Array.isArray(value.from) &&
  value.from.every((one) => typeof one === 'string' && areaName.test(one))

const isKind = (value: unknown): boolean =>
  isObject(value) && Array.isArray(value.areas) && Array.isArray(value.names)

const isIndex = (value: unknown): value is ExtensionIndex =>
  isObject(value) &&
  isObject(value.areas) &&
  Object.entries(value.areas).every(([name, area]) => areaName.test(name) && isArea(area)) &&
  isObject(value.kinds) &&
  Object.values(value.kinds).every(isKind) &&
  isObject(value.folders) &&
  Object.values(value.folders).every((one) => typeof one === 'string' && folderName.test(one)) &&
  isObject(value.profiles)

/** Reads the index. Returns the fault and its remedy if others could have changed it, or it is damaged. */
export const readIndex = (
  env: Environment,
): ExtensionIndex | { readonly fault: string; readonly remedy: string } => {
  const file = getExtensionIndex(env)
  const doubt = findDistrust(file)
  if (doubt !== undefined) {
    const { message, remedy } = describeDistrust(doubt)
    return { fault: message, remedy }
  }
  const remedy = 'Run: svcctl extend list'
  try {
    const value: unknown = JSON.parse(readRegular(file).toString())
    if (isObject(value) && typeof value.format === 'number' && value.format !== format)
      return { fault: `${file} is of another version of svcctl`, remedy }
    return isIndex(value) ? value : { fault: `${file} is damaged`, remedy }
  } catch {
    return { fault: `${file} is damaged`, remedy }
  }
}

/**
 * Adds the areas and kinds of all extensions to the catalogue of the running line.
 * @returns the reason why nothing was added; undefined if it was
 */
export const loadExtensions = (env: Environment): string | undefined => {
  const index = readIndex(env)
  if ('fault' in index) {
    setExtensionFault(index.remedy)
    return `extensions are not loaded: ${index.fault}`
  }
  const rows = Object.entries(index.areas).map(([name, area]): AddedArea => {
    const folders = area.from.map((one) => index.folders[one] ?? one)
    return { ...area, name, load: createLoader(env, name, folders) }
  })
  addAreas(rows)
  addKinds(index.kinds)
  return undefined
}

/** Returns the only profile that has an extension; undefined if all have. */
export const getProfileOf = (env: Environment, name: string): string | undefined => {
  const index = readIndex(env)
  return 'fault' in index ? undefined : index.profiles[name]
}
