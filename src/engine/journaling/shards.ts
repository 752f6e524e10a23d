/** Limits a run to one shard of its objects (`--shard`). */

import { createHash } from 'node:crypto'
import { isScope } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import type { Command, Given, ObjectStream } from '../command/types.js'
import { parseReference } from '../plan/arguments.js'
import { type ParentTarget, parseParentTarget } from '../plan/parents.js'
import { type GivenObject, normalizeId } from '../work/report.js'

// `--shard i/n` lets several machines share a run. The shards are disjoint and complete, whichever machine computes
// them.

interface Shard {
  /** From 1 to `of`. */
  readonly part: number
  readonly of: number
}

const maxShards = 1000

/**
 * Reads the shard of a CI job with `parallel:`.
 * @throws Failure `usage` if the variables are not set
 */
const readCiShard = ({ CI_NODE_INDEX: part, CI_NODE_TOTAL: total }: NodeJS.ProcessEnv): string => {
  if (part && total) return `${part}/${total}`
  throw usage(
    '--shard ci requires CI_NODE_INDEX and CI_NODE_TOTAL',
    'Jobs with `parallel:` set them. Elsewhere, pass the shard: --shard 1/8.',
  )
}

/**
 * Parses a shard such as `3/8`; `ci` reads it from the variables of a parallel job.
 * @throws Failure `usage` if it is invalid
 */
export const parseShard = (text: string, env: NodeJS.ProcessEnv = {}): Shard => {
  const given = text === 'ci' ? readCiShard(env) : text
  const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? []
  const shard = { part: Number(part), of: Number(of) }
  if (!(shard.part >= 1 && shard.part <= shard.of && shard.of <= maxShards))
    throw usage(
      `invalid shard ${JSON.stringify(given)}`,
      `Use a form like 3/8, with at most ${maxShards} shards.`,
    )
  return shard
}

/**
 * Returns the shard of an object: the first eight bytes of SHA-256 over kind, parent and object, modulo the number of
 * shards.
 * @param object its ID; that of the parent if parents are distributed
 */
export const getShardNumber = (
  kind: string,
  { object, parent = '' }: GivenObject,
  of: number,
): number => {
  const text = [kind, normalizeId(parent), normalizeId(object)].join('\0')
  const head = createHash('sha256').update(text).digest().readBigUInt64BE(0)
  return Number(head % BigInt(of)) + 1
}

/** Creates a function that tests whether an argument is in a shard. */
const createShardTest =
  ({ args: [argument] }: Command, { part, of }: Shard, parent: string | undefined) =>
  (text: string): boolean => {
    const kind = argument?.param?.completes ?? ''
    // A URL names an object as well as its path does, so both must have the same shard.
    const address = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text).origin : ''
    const own = isScope(argument?.param)
      ? { id: text }
      : parseReference(text, argument, () => address)
    const project = own.project ?? parent
    const object: GivenObject = {
      object: own.id,
      parent: project,
    }
    return getShardNumber(kind, object, of) === part
  }

const getGivenParent = ({ flags: { project, group } }: Given): string | undefined => {
  const parent = project ?? group
  return parent === undefined ? undefined : String(parent)
}

/** Filters the arguments of a shard, with their rows. */
const filterArguments = (
  { args, rows }: Pick<Given, 'args' | 'rows'>,
  isIn: (text: string) => boolean,
): Pick<Given, 'args' | 'rows'> => ({
  args: args.filter(isIn),
  rows: rows?.filter((_, i) => isIn(args[i] ?? '')),
})

/** Limits a line to the objects of a shard. */
const filterGiven = (command: Command, given: Given, shard: Shard): Given => ({
  ...given,
  ...filterArguments(given, createShardTest(command, shard, getGivenParent(given))),
})

/** Filters the parents of a shard: those with objects in it, or the parents themselves if they have no objects. */
const filterTargets = (
  command: Command,
  targets: readonly ParentTarget[],
  { args, rows }: Pick<Given, 'args' | 'rows'>,
  shard: Shard,
): readonly ParentTarget[] =>
  targets.flatMap((target) => {
    const all =
      target.args === undefined ? { args, rows } : { args: target.args, rows: target.rows }
    if (all.args.length === 0)
      return getShardNumber(target.kind, { object: target.value }, shard.of) === shard.part
        ? [target]
        : []
    const own = filterArguments(all, createShardTest(command, shard, target.value))
    return own.args.length === 0 ? [] : [{ ...target, ...own }]
  })

async function* filterObjects(
  objects: AsyncIterable<GivenObject>,
  isIn: (object: GivenObject) => boolean,
): AsyncGenerator<GivenObject> {
  for await (const object of objects) if (isIn(object)) yield object
}

/** Limits a stream to the objects of a shard. An object with a parent of its own is tested with that. */
const streamInShard = (
  command: Command,
  given: Given,
  stream: ObjectStream,
  shard: Shard,
): ObjectStream => {
  const isIn = ({ object, parent }: GivenObject): boolean => {
    const own =
      stream.below === undefined || parent === undefined
        ? undefined
        : parseParentTarget(stream.below, parent)
    return createShardTest(command, shard, own?.value ?? getGivenParent(given))(object)
  }
  return { ...stream, objects: filterObjects(stream.objects, isIn) }
}

/** Filters the parents of a shard. */
export type ShardFilter = (targets: readonly ParentTarget[]) => readonly ParentTarget[]

/**
 * Limits a line to a shard of its objects. The returned `narrow` filters the parents once they are known.
 * @param text `3/8` or `ci`
 * @throws Failure `usage` if the text is invalid or the line has no objects to distribute
 */
export const applyShard = (
  command: Command,
  given: Given,
  shard: Shard,
  parents: boolean,
): { readonly given: Given; readonly narrow?: ShardFilter } => {
  // `api` with `-` reads its objects itself, and applies the shard there.
  if (command.open === true && given.args.at(-1) === '-') return { given }
  // The arguments of `api` are a call, not objects.
  const all = command.open === true ? { args: [] } : given
  if (parents) return { given, narrow: (targets) => filterTargets(command, targets, all, shard) }
  const { stream } = given
  if (stream !== undefined)
    return { given: { ...given, stream: streamInShard(command, given, stream, shard) } }
  if (given.args.length === 0 || command.open === true)
    throw usage(
      '--shard requires several objects',
      'Pass several objects, - for standard input, --select, or several projects.',
    )
  return { given: filterGiven(command, given, shard) }
}
