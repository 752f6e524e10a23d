/** `--shard`: the part of what was given that this run is about. */

import { createHash } from 'node:crypto'
import { getCurrentIo } from '../../base/io.js'
import { isScope } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import type { Command, Given, NamedObject, ObjectStream } from '../command/types.js'
import { parseReference } from '../plan/arguments.js'
import { type ParentTarget, parseParentTarget } from '../plan/parents.js'
import { type GivenObject, normalizeId } from '../work/report.js'

// `--shard i/n`: one part of the objects, so that several machines share a run. The parts are
// disjoint and together everything, whoever computes them.

interface Shard {
  /** From 1 to `of`. */
  readonly part: number
  readonly of: number
}

const most = 1000

/**
 * Reads the shard of a job with `parallel:`.
 * @throws Failure `usage` where its environment names none, or half of one
 */
const readCiShard = ({ CI_NODE_INDEX: part, CI_NODE_TOTAL: total }: NodeJS.ProcessEnv): string => {
  if (part && total) return `${part}/${total}`
  throw usage(
    '--shard ci requires CI_NODE_INDEX and CI_NODE_TOTAL',
    'Jobs with `parallel:` set them. Elsewhere, pass the shard: --shard 1/8.',
  )
}

/**
 * `3/8`, or `ci` for what a parallel job's environment says.
 * @throws Failure `usage`
 */
export const parseShard = (text: string, env: NodeJS.ProcessEnv = {}): Shard => {
  const given = text === 'ci' ? readCiShard(env) : text
  const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? []
  const shard = { part: Number(part), of: Number(of) }
  if (!(shard.part >= 1 && shard.part <= shard.of && shard.of <= most))
    throw usage(
      `invalid shard ${JSON.stringify(given)}`,
      `Use a form like 3/8, with at most ${most} shards.`,
    )
  return shard
}

/**
 * Returns the shard of an object: by the first eight bytes of SHA-256 over kind, parent and object.
 * @param object by its id, or its parent's where parents are shared out
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

/** Creates the test whether an object is in a shard, as it was given. */
const createShardTest =
  ({ args: [argument] }: Command, { part, of }: Shard, parent: string | undefined) =>
  (text: string): boolean => {
    const kind = argument?.param?.completes ?? ''
    // The address of an instance says as much of its objects as its path.
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

/** Filters the arguments that are in a shard, with their rows. */
const filterArguments = (
  { args, rows }: Pick<Given, 'args' | 'rows'>,
  isIn: (text: string) => boolean,
): Pick<Given, 'args' | 'rows'> => ({
  args: args.filter(isIn),
  rows: rows?.filter((_, i) => isIn(args[i] ?? '')),
})

/** Limits what was asked to the objects of a shard. */
const filterGiven = (command: Command, given: Given, shard: Shard): Given => ({
  ...given,
  ...filterArguments(given, createShardTest(command, shard, getGivenParent(given))),
})

/** Filters the parents of a shard: those with objects in it, or themselves if they have none. */
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
  objects: AsyncIterable<NamedObject>,
  isIn: (object: NamedObject) => boolean,
): AsyncGenerator<NamedObject> {
  for await (const object of objects) if (isIn(object)) yield object
}

/** Limits a stream to the objects of a shard. An object that brings its own parent along is tested with that. */
const streamInShard = (
  command: Command,
  given: Given,
  stream: ObjectStream,
  shard: Shard,
): ObjectStream => {
  const isIn = ({ text, parent }: NamedObject): boolean => {
    const own =
      stream.below === undefined || parent === undefined
        ? undefined
        : parseParentTarget(stream.below, parent)
    return createShardTest(command, shard, own?.value ?? getGivenParent(given))(text)
  }
  return { ...stream, objects: filterObjects(stream.objects, isIn) }
}

/** The parents of several that are in a part. */
export type ShardFilter = (targets: readonly ParentTarget[]) => readonly ParentTarget[]

/**
 * Limits what was asked to a shard of its objects. Each of several parents is narrowed when the parents are known.
 * @param text `3/8`, or `ci`
 * @throws Failure `usage` for a text that is no shard, or where nothing can be shared out
 */
export const applyShard = (
  command: Command,
  given: Given,
  text: string,
  parents: boolean,
): { readonly given: Given; readonly narrow?: ShardFilter } => {
  const shard = parseShard(text, getCurrentIo().env)
  // Its objects are no arguments: it asks for its part by itself.
  if (command.open === true && given.args.at(-1) === '-') return { given }
  // The arguments of an open command are its call, and no objects.
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
