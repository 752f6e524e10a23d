/** Replaces `config`, by which other tools read and change settings. */
import type { Environment } from '../../base/io.js'
import { isSecretName } from '../../base/secrets/names.js'
import { loadAreaEndpoints } from '../../catalogue/index.js'
import { getPaths, openStore, settingNames } from '../../profile/index.js'

/** A line, split into its words and all other tokens. */
export interface SplitLine {
  readonly words: readonly string[]
  /** The tokens without the first `n` words. */
  readonly without: (n: number) => readonly string[]
}

/** Returns the name of the current profile; undefined if there is none, or if it cannot be read. */
const getProfileName = (env: Environment): string | undefined => {
  try {
    return (env.SVC_PROFILE || undefined) ?? openStore(getPaths(env)).getCurrentName()
  } catch {
    return undefined
  }
}

/** True for the name of a setting of profiles. */
const isSetting = (key: string): boolean =>
  settingNames.some((name) => name === key.replaceAll('_', '-'))

/** True for the name of a setting of the instance that is none of profiles. */
const isInstanceSetting = async (key: string): Promise<boolean> => {
  const { update } = await loadAreaEndpoints('settings')
  return !isSetting(key) && Object.hasOwn(update?.params ?? {}, key.replaceAll('-', '_'))
}

/** Replaces `config get` and `config set KEY VALUE` by commands on the current profile, or on the settings of the instance. */
export const replaceSetting = async (
  { words, without }: SplitLine,
  env: Environment,
): Promise<readonly string[] | undefined> => {
  const [first, verb, key, value] = words
  if (first !== 'config') return undefined
  const isOfInstance = verb !== undefined && key !== undefined && (await isInstanceSetting(key))
  if (isOfInstance && verb === 'get') return ['settings', 'get', '--fields', key, ...without(3)]
  if (isOfInstance && verb === 'set' && value !== undefined)
    return ['settings', 'update', key, value, ...without(4)]
  const name = getProfileName(env) ?? 'default'
  if (verb === 'get' && key === undefined) return ['profile', 'get', name, ...without(2)]
  if (/^(?:get|unset)$/.test(verb ?? '') && key !== undefined && isSetting(key))
    return verb === 'get'
      ? ['profile', 'get', name, ...without(3)]
      : ['profile', 'set', name, '--unset', key, ...without(3)]
  if (verb !== 'set' || key === undefined || value === undefined) return undefined
  const flag = `--${key.replaceAll('_', '-')}`
  if (isSecretName(key)) return ['auth', 'login', '--token-stdin', ...without(4)]
  // The credential of a profile is for its own address.
  return ['profile', 'set', flag === '--base-url' ? 'default' : name, flag, value, ...without(4)]
}
