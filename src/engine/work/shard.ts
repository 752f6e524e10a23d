/**
 * `--shard i/n`: one part of the objects, so that several machines share a run. The parts are
 * disjoint and together everything, whoever computes them.
 */
import { createHash } from 'node:crypto'
import { usage } from '../../errors.js'
import { type GivenObject, identityOf } from './items.js'

export interface Shard {
  /** From 1 to `of`. */
  readonly part: number
  readonly of: number
}

const most = 1000

const ofCi = (env: NodeJS.ProcessEnv): string => {
  const { CI_NODE_INDEX: part, CI_NODE_TOTAL: of } = env
  if (!part || !of)
    throw usage(
      '--shard ci takes CI_NODE_INDEX and CI_NODE_TOTAL, which are not both set',
      'Jobs with `parallel:` have them; elsewhere give the part: --shard 1/8.',
    )
  return `${part}/${of}`
}

/**
 * `3/8`, or `ci` for what a parallel job's environment says.
 * @throws Failure `usage`
 */
export const parseShard = (text: string, env: NodeJS.ProcessEnv = {}): Shard => {
  const given = text === 'ci' ? ofCi(env) : text
  const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? []
  const shard = { part: Number(part), of: Number(of) }
  if (!(shard.part >= 1 && shard.part <= shard.of && shard.of <= most))
    throw usage(
      `${JSON.stringify(given)} is no part of a whole`,
      `Give it as 3/8: the third of eight; at most ${most} of them.`,
    )
  return shard
}

/**
 * Which part an object is in: the first eight bytes of SHA-256 over kind, parent and object.
 * @param object by its id, or its parent's where parents are shared out
 */
export const partOf = (kind: string, { object, parent = '' }: GivenObject, of: number): number => {
  const text = [kind, identityOf(parent), identityOf(object)].join('\0')
  const head = createHash('sha256').update(text).digest().readBigUInt64BE(0)
  return Number(head % BigInt(of)) + 1
}

/** The objects of one part. */
export async function* shardOf<T extends GivenObject>(
  objects: AsyncIterable<T>,
  kind: string,
  { part, of }: Shard,
): AsyncGenerator<T> {
  for await (const given of objects) if (partOf(kind, given, of) === part) yield given
}
