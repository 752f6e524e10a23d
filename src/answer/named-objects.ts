/** Replaces names by IDs: an argument that is no ID is looked up in the list of its kind. */

import { parseRecord } from '../base/json/values.js'
import { isObject } from '../base/objects.js'
import { areas } from '../catalogue/index.js'
import { getKindWord, type KindName, kinds, toPlural } from '../catalogue/kinds.js'
import { isNumeric } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { hasForm } from '../engine/command/derive.js'
import type { Command } from '../engine/command/types.js'
import type { Raw } from '../engine/plan/line.js'
import { usage } from '../errors.js'

/** The kinds whose objects have names that people know better than their IDs. */
const namedKinds = ['runner', 'deploy-key', 'approval-rule', 'geo-node'] as const
type NamedKind = Extract<KindName, (typeof namedKinds)[number]>

/** Returns the kind of a command's first argument if its objects have names. */
const getKind = ({ args: [first] }: Pick<Command, 'args'>): NamedKind | undefined =>
  isNumeric(first?.param) ? namedKinds.find((kind) => kind === first.param?.completes) : undefined

const isId = (text: string): boolean => /^[+-]?\d+$/.test(text) || text === '-' || text === ''

/** Returns the arguments of a line that are names. */
const findNames = (command: Command, raw: Raw): readonly string[] => {
  const several = command.args[0]?.variadic === true
  return (several ? raw.args : raw.args.slice(0, 1)).filter((text) => !isId(text))
}

/** Creates the line that lists a kind, in the project or group of the original line. */
const createListWords = async (
  kind: NamedKind,
  command: Command,
  raw: Raw,
  { place }: Pick<Context, 'place'>,
): Promise<readonly string[]> => {
  const [area = ''] = kinds[kind].areas
  const endpoints = (await areas.find(({ name }) => name === area)?.load()) ?? {}
  const list = Object.values(endpoints).filter(({ lists }) => lists === kind)
  const words = [area, ...(list[0]?.command.split(' ') ?? [])]
  for (const scope of ['project', 'group'] as const) {
    const ofList = { endpoints: Object.fromEntries(Object.entries(list)) }
    if (!hasForm(command, scope) || !hasForm(ofList, scope)) continue
    const name = raw.flags.get(scope)?.at(-1) ?? (await place.scope(scope))
    if (name !== undefined) return [...words, `--${scope}=${name}`]
  }
  return words
}

/** Reads a list, and returns its IDs by the names of its objects. */
const readIds = async (
  words: readonly string[],
  title: string,
  { place }: Pick<Context, 'place'>,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const ids = new Map<string, string[]>()
  const answer = await place.runs.readLine({
    words,
    allowed: ['project', 'group'],
    takeRecord: (bytes) => {
      const record = parseRecord(bytes)
      if (!isObject(record) || typeof record[title] !== 'string') return
      const known = ids.get(record[title])
      if (known === undefined) ids.set(record[title], [String(record.id)])
      else known.push(String(record.id))
    },
  })
  if (answer.failure !== undefined) throw answer.failure
  return ids
}

/** The largest number of objects that an error names. */
const mostShown = 10

/** Finds the ID of the object with a name. @throws Failure `usage` if there is none, or several */
const findId = (
  word: string,
  name: string,
  ids: ReadonlyMap<string, readonly string[]>,
  safe: (text: string) => string,
): string => {
  const [id, ...others] = ids.get(name) ?? []
  if (others.length > 0)
    throw usage(
      `several ${toPlural(word)} are called "${safe(name)}"`,
      `Pass one of the IDs ${[id, ...others].join(', ')}.`,
    )
  if (id !== undefined) return id
  const known = [...ids].flatMap(([one, all]) => all.map((number) => `${safe(one)} (${number})`))
  const shown = known.slice(0, mostShown).join(', ')
  throw usage(
    `no ${word} is called "${safe(name)}"`,
    known.length === 0
      ? `The list has no ${toPlural(word)}.`
      : `The list has ${shown}${known.length > mostShown ? ', …' : ''}.`,
  )
}

/**
 * Returns a line with IDs in place of names.
 * @throws Failure `usage` for a name of no object, or of several
 */
export const withIds = async (
  command: Command,
  raw: Raw,
  context: Pick<Context, 'place' | 'ui' | 'answer'>,
): Promise<Raw> => {
  const kind = getKind(command)
  const names = findNames(command, raw)
  if (kind === undefined || names.length === 0) return raw
  const word = getKindWord(kind)
  const { safe } = context.answer.text
  if (context.place.globals.curl)
    throw usage(`--curl requires the ID of the ${word}`, 'A name is looked up in a list.')
  const words = await createListWords(kind, command, raw, context)
  const ids = await readIds(words, kinds[kind].title, context)
  const meant = new Map(
    [...new Set(names)].map((name) => [name, findId(word, name, ids, safe)] as const),
  )
  for (const [name, id] of meant) context.ui.note(`${safe(name)} is ${word} ${id}`)
  const most = command.args[0]?.variadic === true ? raw.args.length : 1
  const args = raw.args.map((text, i) => (i < most ? (meant.get(text) ?? text) : text))
  return { ...raw, args }
}
