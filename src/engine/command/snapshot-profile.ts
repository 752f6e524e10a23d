/** Finds the profile of the instance that a line asks, or whose snapshot it reads. */
import { listSubfolders, readManifest } from '../../client/manifest-schema.js'
import { getActiveProfile, getPaths, openStore } from '../../profile/index.js'
import type { InstanceFlags } from '../../profile/types.js'
import { getLastValue, readInstanceFlags } from './tokens.js'

/** Returns the address of the instance of a snapshot, or of several; undefined if there is none. The command reports why. */
const findSnapshotInstance = (from: string): string | undefined => {
  const [first = ''] = from.split(',').map((one) => one.trim())
  try {
    const [manifest] = [first, ...listSubfolders(first)].flatMap((one) => readManifest(one) ?? [])
    return manifest?.instance
  } catch {
    return undefined
  }
}

/** Reads the flags that choose an instance. A line with `--from` has the profile of the snapshot's instance, if there is one. */
export const readSourceFlags = (
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): InstanceFlags => {
  const from = getLastValue(tokens, 'from')
  const instance = from === undefined ? undefined : findSnapshotInstance(from)
  if (instance === undefined) return readInstanceFlags(tokens, env)
  const store = openStore(getPaths(env))
  const address = { baseUrl: instance, sandbox: false }
  const profile =
    getActiveProfile(address, env, () => store) ??
    store.list().find(({ baseUrl }) => baseUrl === instance)
  return { ...address, ...(profile === undefined ? {} : { profile: profile.name }) }
}
