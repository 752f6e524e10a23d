/** Several projects or groups on one line: which flags say so, and what they name. */
import { named, scopeOf } from '../../commands/derive/index.js'
import type { Parent } from '../../commands/described.js'
import type { Command, Given } from '../../commands/types.js'
import { usage } from '../../errors.js'
import type { Raw } from '../words/line.js'
import { idOrText } from './scalars.js'

type ParentKind = 'project' | 'group'

/** What a line says of several parents. */
export interface Parents {
  readonly kind: ParentKind
  /** As they were given, each once. */
  readonly names: readonly string[]
  /** Their names come from standard input. */
  readonly piped: boolean
}

const kinds = ['project', 'group'] as const

/** Whether a command has a form for a project, or for a group. */
export const hasForm = (command: Command, kind: ParentKind): boolean =>
  Object.values(command.endpoints).some((endpoint) => scopeOf(endpoint)?.kind === kind)

const namesIn = (texts: readonly string[]): readonly string[] => {
  const names = texts.flatMap((text) => text.split(',').map((name) => name.trim()))
  return [...new Set(names.filter((name) => name !== ''))]
}

/** Standard input holds one thing. */
const checkPiped = (raw: Raw, label: string): void => {
  const other = raw.args.includes('-')
    ? 'ids from -'
    : raw.flags.get('input')?.at(-1) === '-'
      ? '--input -'
      : undefined
  if (other !== undefined)
    throw usage(`${label} - and ${other} both read standard input: give one of them in another way`)
}

/** What does not go with several. */
const checkFlags = (command: Command, raw: Raw, kind: ParentKind): void => {
  if (Object.values(command.endpoints).some((e) => e.returns.kind === 'file'))
    throw usage(`${named(command)} downloads of one ${kind}`, `Run it once for each ${kind}.`)
  for (const flag of ['page', 'watch'])
    if (raw.flags.has(flag))
      throw usage(`--${flag} does not go with several ${kind}s`, `Give ${named(command)} one.`)
}

/**
 * The several parents of a line; undefined where it has one, or none. Decided by the flags alone.
 * @throws Failure `usage` for what does not go with several
 */
export const parentsIn = (command: Command, raw: Raw): Parents | undefined => {
  const given = kinds.filter((kind) => raw.flags.has(kind) && hasForm(command, kind))
  for (const kind of given) {
    const texts = raw.flags.get(kind) ?? []
    const names = namesIn(texts)
    const piped = names.includes('-')
    if (names.length < 2 && !piped) continue
    if (given.length > 1) throw usage('--project and --group exclude each other')
    if (piped && names.length > 1)
      throw usage(`--${kind} - stands alone: standard input names all of them`)
    if (piped) checkPiped(raw, `--${kind}`)
    checkFlags(command, raw, kind)
    return { kind, names: piped ? [] : names, piped }
  }
  return undefined
}

/** The line without the flags that named several parents. */
export const withoutParents = (raw: Raw): Raw => ({
  ...raw,
  flags: new Map([...raw.flags].filter(([name]) => name !== 'project' && name !== 'group')),
})

/** One of several: how its records name it, and by which flag it is given. */
export interface Slot {
  readonly parent: Parent
  readonly kind: ParentKind
}

export const slotOf = (kind: ParentKind, name: string): Slot => ({
  kind,
  parent: { column: kind, name },
})

/** What was asked, of one of several. */
export const givenFor = (given: Given, { kind, parent }: Slot): Given => ({
  ...given,
  flags: { ...given.flags, [kind]: idOrText(parent.name) },
})
