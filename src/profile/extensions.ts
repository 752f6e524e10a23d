/**
 * Loads extensions by the index that every start reads; `extension-store.ts` writes them, each into a folder. The endpoints of an area are
 * read on first use. Files that others could have changed are refused. Documented commands work without any of these files.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { XSchema } from 'typebox/schema'
import { Findings } from '../base/documents/findings.js'
import { parseJson } from '../base/documents/parse-json.js'
import { checkStored, readStoredJson, type StoredValue } from '../base/documents/stored.js'
import { readRegular } from '../base/files/regular.js'
import { describeDistrust, findDistrust } from '../base/files/trust.js'
import { isObject } from '../base/objects.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import { type AddedArea, addAreas, setExtensionFault } from '../catalogue/index.js'
import { addKinds } from '../catalogue/kinds.js'
import { getReason, usage } from '../errors.js'
import { areaSchema, type ExtensionIndex, folderName, indexSchema } from './extension-schemas.js'
import { getExtensionIndex, getPaths } from './paths.js'
import type { Environment } from './types.js'

/** The version of the stored form. Extensions in another form are compiled again. */
export const format = 2

export const getFolder = (env: Environment, folder: string): string =>
  join(getPaths(env).config, 'extensions', folder)

/** Lists the extensions whose folders are there, each with its folder. The last folder of an extension counts. */
export const listFolders = (env: Environment): readonly (readonly [string, string])[] => {
  try {
    const found = readdirSync(getFolder(env, '')).flatMap((name) => {
      const [, extension] = folderName.exec(name) ?? []
      return extension === undefined ? [] : [[extension, name] as const]
    })
    return found.sort().toReversed()
  } catch {
    return []
  }
}

/** The largest size of a file, in bytes. */
const maxBytes = 256 << 20

/**
 * Reads a file of an extension.
 * @param folder the name of its folder
 * @throws Failure `usage` if others could have changed the file, or it is damaged
 */
export const readStored = <const S extends XSchema>(
  env: Environment,
  folder: string,
  file: string,
  schema: S,
): StoredValue<S> => {
  const place = join(getFolder(env, folder), `${file}.json`)
  const doubt = findDistrust(place)
  if (doubt !== undefined) {
    const { message, remedy } = describeDistrust(doubt)
    throw usage(message, remedy)
  }
  const remedy = `Run: svcctl extend remove ${folder.replace(folderName, '$1')}`
  const findings = new Findings()
  const read = (): StoredValue<S> | undefined => {
    try {
      return readStoredJson(schema, readRegular(place, maxBytes), place, findings)?.value
    } catch (error) {
      throw usage(`cannot read ${place}: ${getReason(error)}`, remedy)
    }
  }
  const value = read()
  if (value === undefined) throw findings.toFailure(remedy)
  return value
}

/** Reads the endpoints that an extension adds to an area. @throws Failure as `readStored` */
export const readAreaEndpoints = (env: Environment, folder: string, area: string): Endpoints =>
  readStored(env, folder, `area-${area}`, areaSchema) as Endpoints

/**
 * Reads the endpoints that an extension adds to an area. If another process has replaced the extension since the index was read, they are in
 * another folder now.
 * @throws Failure as `readStored`
 */
const readPresentEndpoints = (
  env: Environment,
  name: string,
  folder: string,
  area: string,
): Endpoints => {
  try {
    return readAreaEndpoints(env, folder, area)
  } catch (error) {
    const index = readIndex(env)
    const present = 'fault' in index ? undefined : index.folders[name]
    if (present === undefined || present === folder) throw error
    return readAreaEndpoints(env, present, area)
  }
}

/** Creates the function that loads the endpoints of an area, once. */
const createLoader = (
  env: Environment,
  area: string,
  extensions: readonly (readonly [name: string, folder: string])[],
) => {
  let loaded: Promise<Endpoints> | undefined
  const load = async (): Promise<Endpoints> => {
    const all = extensions.map(([name, folder]) => readPresentEndpoints(env, name, folder, area))
    return Object.assign({}, ...all.toReversed())
  }
  return () => (loaded ??= load())
}

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
    const findings = new Findings()
    const parsed = parseJson(readRegular(file, maxBytes), file, findings)
    if (
      isObject(parsed?.value) &&
      Number.isInteger(parsed.value.format) &&
      parsed.value.format !== format
    )
      return { fault: `${file} is of another version of svcctl`, remedy }
    const document = parsed && checkStored(indexSchema, parsed, findings)
    return document?.value ?? { fault: findings.toFailure()?.message ?? '', remedy }
  } catch (error) {
    return { fault: `cannot read ${file}: ${getReason(error)}`, remedy }
  }
}

/**
 * Adds the areas and kinds of all extensions to the catalogue of the running line.
 * @returns the reason why nothing was added; undefined if it was, or if there is no extension
 */
export const loadExtensions = (env: Environment): string | undefined => {
  const index = readIndex(env)
  if ('fault' in index) {
    if (listFolders(env).length === 0) return undefined
    setExtensionFault(index.remedy)
    return `extensions are not loaded: ${index.fault}`
  }
  const rows = Object.entries(index.areas).map(([name, area]): AddedArea => {
    const from = area.from.map((one) => [one, index.folders[one] ?? one] as const)
    return { ...area, name, load: createLoader(env, name, from) }
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
