/** Checks that several journals are those of the shards of one run. */
import { isDeepStrictEqual } from 'node:util'
import { usage } from '../../errors.js'
import type { RunHistory } from '../journal/reader.js'
import { parseShard } from './shards.js'

/** The fields of a header that all shards of a run have in common. An empty shard has only the first two. */
const sameFields = ['command', 'instance', 'endpoint', 'input'] as const

/** True for a shard without objects: its header has no endpoint, because nothing was planned. */
export const isEmptyShard = ({ header }: RunHistory): boolean => header.endpoint === ''

/** Returns the first shard that has objects, whose header describes the run; the first of all if none has any. */
export const findMainPart = (parts: readonly [RunHistory, ...RunHistory[]]): RunHistory =>
  parts.find((part) => !isEmptyShard(part)) ?? parts[0]

/** @throws Failure `usage` for journals of different runs */
export const checkSameRun = (parts: readonly RunHistory[], first: RunHistory): void => {
  for (const part of parts)
    for (const field of isEmptyShard(part) ? sameFields.slice(0, 2) : sameFields)
      if (!isDeepStrictEqual(part.header[field], first.header[field]))
        throw usage(
          `${part.file} and ${first.file} belong to different runs: ${field} differs`,
          'Pass only the journals of one sharded run.',
        )
}

/**
 * Finds the shards that have no journal, such as `4/7`.
 * @throws Failure `usage` if the journals have different numbers of shards
 */
export const findMissingShards = (parts: readonly RunHistory[]): readonly string[] => {
  const shards = parts.map(({ header }) => header.shard)
  const [known] = shards.flatMap((text) => text ?? [])
  if (known === undefined) return []
  const { of } = parseShard(known)
  const other = parts.find(({ header: { shard } }) => !shard || parseShard(shard).of !== of)
  if (other !== undefined)
    throw usage(
      `${other.file} is ${other.header.shard ? `shard ${other.header.shard}` : 'no shard'}, but another journal is shard ${known}`,
      'Pass only the journals of one sharded run.',
    )
  return Array.from({ length: of }, (_, i) => `${i + 1}/${of}`).filter(
    (one) => !shards.includes(one),
  )
}

/**
 * @param hint what to do with runs that are no shards
 * @throws Failure `usage` for a run that is no shard, or journals of different runs
 */
export const checkShards = (
  parts: readonly RunHistory[],
  first: RunHistory,
  hint: string,
): void => {
  checkSameRun(parts, first)
  findMissingShards(parts)
  const whole = parts.find(({ header }) => header.shard === undefined)
  if (whole !== undefined) throw usage(`${whole.file} is no shard of a run`, hint)
}
