/** The project that objects bring along as references, beside the one that was asked for. */
import type { JsonValue } from '../../base/json/value.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { usage } from '../../errors.js'
import { scopeOf } from '../command/derive/index.js'
import type { Command, Given } from '../command/types.js'
import { type ObjectReference, referenceOf } from './references.js'
import type { Surroundings } from './surroundings.js'

/** The first argument, or each of several, as a reference that may carry a project. */
export const referencesOf = async (
  command: Command,
  given: Given,
  around: Surroundings,
): Promise<readonly ObjectReference[]> => {
  const [argument] = command.args
  const texts = argument?.variadic === true ? given.args : given.args.slice(0, 1)
  const base = texts.some((t) => /^https?:/i.test(t)) ? await around.baseUrl() : ''
  return texts.map((text) => referenceOf(text, argument?.parameter ?? '', () => base))
}

/** Where every object brings its project along, none is looked for in the environment. */
export const scopedBy = (given: Given, references: readonly ObjectReference[]): Given => {
  const [first] = references
  if (first?.project === undefined || given.flags.project !== undefined) return given
  if (references.some((r) => r.project === undefined)) return given
  return { ...given, flags: { ...given.flags, project: first.project } }
}

export const withoutReference = (
  group: readonly string[],
  reference: ObjectReference | undefined,
): readonly string[] => (reference === undefined ? group : [reference.id, ...group.slice(1)])

/** Whether two texts name one project: a path, in any case, or its number. */
const sameProject = async (a: string, b: string, around: Surroundings): Promise<boolean> => {
  const [one, other] = await Promise.all(
    [a, b].map(async (text) => {
      const number = /^\d+$/.test(text) && /^\d+$/.test(a) !== /^\d+$/.test(b)
      return ((number ? await around.pathOf(Number(text)) : undefined) ?? text).toLowerCase()
    }),
  )
  return one === other
}

export const placeProject = async (
  endpoint: Endpoint,
  reference: ObjectReference | undefined,
  given: Given,
  values: Record<string, JsonValue | undefined>,
  around: Surroundings,
): Promise<void> => {
  const holder = scopeOf(endpoint)?.placeholder
  if (reference?.project === undefined || holder === undefined) return
  const asked = given.flags.project
  if (asked !== undefined && !(await sameProject(String(asked), reference.project, around)))
    throw usage(
      `the reference names ${reference.project}, --project ${String(asked)}`,
      'Leave one of them out.',
    )
  values[holder] = reference.project
}
