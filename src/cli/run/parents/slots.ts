/** The projects or groups that a line means, one after the other. */
import { isObject, textOf } from '../../../base/objects.js'
import { projects } from '../../../catalogue/areas/projects.js'
import type { Naming } from '../../../catalogue/words.js'
import type { Services } from '../../../commands/services.js'
import { survived, usage } from '../../../errors.js'
import { objectsOf } from '../../plan/objects.js'
import { isFound, type Parents, type Slot, slotOf } from '../../plan/parents.js'
import { pipedObjects } from '../../plan/piped-reader.js'
import type { ProjectChoice } from './found.js'

/** The names that standard input has: what lists of projects print, or one a line. */
const pipedNames = async (
  { kind }: Parents,
  text: string,
  naming: Naming | undefined,
): Promise<readonly string[]> => {
  const argument = {
    name: kind,
    required: true,
    variadic: true,
    help: kind,
    param: { type: 'string', help: kind, completes: kind },
  } as const
  const names = await pipedObjects(text, await objectsOf(argument, naming))
  if (names.length === 0) throw usage(`standard input names no ${kind}`)
  return [...new Set(names)]
}

const isNumber = (name: string): boolean => /^\d+$/.test(name)

/** The path of a project by its number; the number itself where the instance does not tell. */
const pathOf = async ({ instance }: Services, id: string): Promise<string> => {
  try {
    const { data } = await instance.call(projects.get, { id: Number(id) })
    return (isObject(data) ? textOf(data.path_with_namespace) : undefined) ?? id
  } catch (error) {
    survived(error)
    return id
  }
}

/** Projects given by number and by path, or in capitals and without, are one before anything is written to them. */
const oneEach = async (
  services: Services,
  names: readonly string[],
): Promise<readonly string[]> => {
  const both = names.some(isNumber) && !names.every(isNumber)
  const given = names.filter((name) => !isNumber(name)).map((name) => name.toLowerCase())
  const paths = new Set(given)
  const kept = new Map<string, string>()
  for (const name of names) {
    const path = both && isNumber(name) ? await pathOf(services, name) : undefined
    const key = (path ?? name).toLowerCase()
    if ((path === undefined || !paths.has(key)) && !kept.has(key)) kept.set(key, name)
  }
  return [...kept.values()]
}

/**
 * The parents that a line means.
 * @param writing each is to be there once, however it was given
 * @throws Failure `not_found` where there is none
 */
export const slotsOf = async (
  services: Services,
  parents: Parents,
  writing: boolean,
  narrowed: ProjectChoice & { readonly naming?: Naming },
): Promise<readonly Slot[]> => {
  const { kind, origin } = parents
  if (isFound(parents)) return (await import('./found.js')).foundSlots(services, parents, narrowed)
  const text = origin === 'piped' ? await services.place.stdin.text() : undefined
  const names =
    text === undefined ? parents.names : await pipedNames(parents, text, narrowed.naming)
  const once = writing && kind === 'project' ? await oneEach(services, names) : names
  return once.map((name) => slotOf(kind, name))
}
