/** What a file that was written here holds. */
import { isModestYaml } from '../../base/json/yaml.js'
import { type Fields, isObject } from '../../base/objects.js'
import type { ManagedPlace } from '../address.js'
import { writtenHere } from './document.js'

/** A kind in a place, or in all that is below a group. */
export interface HeldKind {
  readonly place: ManagedPlace
  readonly kind: string
}

/** Whether a text begins as those that export writes. */
export const isWrittenHere = (text: string): boolean =>
  text.split('\n', 2)[1]?.trimEnd() === writtenHere

/** As many lexemes as the largest of our files may have. */
const mostLexemes = 500_000

const kindsIn = (place: ManagedPlace, value: unknown): readonly HeldKind[] | undefined =>
  isObject(value) ? Object.keys(value).map((kind) => ({ place, kind })) : undefined

/** What stands under a group's key; of all below it, under `projects` and `members`. */
const inGroup = (key: string, value: unknown): readonly HeldKind[] | undefined => {
  const place: ManagedPlace = { scope: 'group', path: key }
  if (!key.endsWith('/**') || !isObject(value)) return kindsIn(place, value)
  const { projects, ...others } = value
  const below: ManagedPlace = { scope: 'project', path: key }
  const own = kindsIn({ scope: 'group', path: key.slice(0, -3) }, others) ?? []
  return projects === undefined ? own : [...own, ...(kindsIn(below, projects) ?? [])]
}

type Reading = (value: unknown) => readonly HeldKind[] | undefined

const each =
  (read: (key: string, value: unknown) => readonly HeldKind[] | undefined): Reading =>
  (value) => {
    if (!isObject(value)) return undefined
    const all = Object.entries(value).map(([key, one]) => read(key, one))
    return all.some((one) => one === undefined) ? undefined : all.flatMap((one) => one ?? [])
  }

const keys: Readonly<Record<string, Reading>> = {
  version: () => [],
  site: (value) => kindsIn({ scope: 'site', path: '' }, value),
  groups: each(inGroup),
  projects: each((path, value) => kindsIn({ scope: 'project', path }, value)),
}

const inDocument = (document: Fields): readonly HeldKind[] | undefined =>
  each((key, value) => (Object.hasOwn(keys, key) ? keys[key]?.(value) : undefined))(document)

/** The kinds that a text holds; undefined where it holds anything else, or is no YAML. */
export const heldIn = async (text: string): Promise<readonly HeldKind[] | undefined> => {
  if (!(await isModestYaml(text, mostLexemes))) return undefined
  const { parse } = await import('yaml')
  try {
    const document: unknown = parse(text, { logLevel: 'silent' })
    return isObject(document) ? inDocument(document) : undefined
  } catch {
    return undefined
  }
}
