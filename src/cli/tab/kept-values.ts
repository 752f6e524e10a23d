/** What completion learnt from the instance a moment ago, kept where nobody else can have written it. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../../base/files/regular.js'
import { distrust } from '../../base/files/trust.js'
import { isObject } from '../../base/objects.js'
import { makeDirectory } from '../../profile/index.js'
import type { Candidate } from './candidates.js'

/** How long answers are kept, in milliseconds. */
const fresh = 60_000

interface Kept {
  readonly time: number
  /** What the values depend on, but for the token. */
  readonly of: string
  readonly items: readonly Candidate[]
}

/**
 * 32 bits of a text (FNV-1a): enough to tell tokens apart, far too little to tell one. Node's
 * hashes take as long to load as all the rest of an answer from the cache.
 */
const fingerprint = (text: string): string => {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** Whether something is of the last minute; what is far in the future is of a clock that was set since. */
const isFresh = (time: number): boolean => Math.abs(Date.now() - time) < fresh

/** Removes what is too old to be used: nothing that an instance said lies about for ever. */
const sweep = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (!isFresh(statSync(file).mtimeMs)) rmSync(file, { force: true })
  }
}

const keep = async (folder: string, file: string, kept: Kept): Promise<void> => {
  try {
    makeDirectory(folder)
    // Another may have made it meanwhile, where all may make folders.
    if (distrust(folder) !== undefined) return
    sweep(folder)
    const { writeWhole } = await import('../../base/files/files.js')
    await writeWhole(file, JSON.stringify(kept), { own: true, durable: false })
  } catch {
    // A cache that cannot be written costs a request the next time, nothing else.
  }
}

const isCandidate = (value: unknown): value is Candidate =>
  isObject(value) &&
  typeof value.value === 'string' &&
  (value.text === undefined || typeof value.text === 'string')

const isKept = (value: unknown): value is Kept =>
  isObject(value) &&
  typeof value.time === 'number' &&
  typeof value.of === 'string' &&
  Array.isArray(value.items) &&
  value.items.every(isCandidate)

const read = (file: string, of: string): readonly Candidate[] | undefined => {
  try {
    const kept: unknown = JSON.parse(readRegular(file).toString())
    return isKept(kept) && kept.of === of && isFresh(kept.time) ? kept.items : undefined
  } catch {
    return undefined
  }
}

/**
 * The values of a minute ago, or those that `ask` gives, which are kept then.
 * @param cache the folder of caches
 * @param of what the values depend on
 * @param token what they depend on, too, and what is not written
 */
export const keptValues = async (
  cache: string,
  of: string,
  token: string,
  ask: () => Promise<readonly Candidate[] | undefined>,
): Promise<readonly Candidate[]> => {
  const folder = join(cache, 'values')
  const file = join(folder, `${fingerprint(`${token}\n${of}`)}.json`)
  const trusted = distrust(file) === undefined
  const known = trusted ? read(file, of) : undefined
  if (known !== undefined) return known
  const items = await ask()
  if (items === undefined) return []
  if (trusted) await keep(folder, file, { time: Date.now(), of, items })
  return items
}
