/** What is selected: -P and -G say which places, --only and --except which kinds there. What is not is not read. */

import { managedKinds } from '../../catalogue/managed/index.js'
import type { Managed, ManagedScope } from '../../catalogue/managed/managed.js'
import { addressText, type ManagedPlace, matches } from '../address.js'
import type { Scoping } from './sight.js'

export const lower = (text: string): string => text.toLowerCase()

/** Whether a path is the one given, or below it; everything is below the empty one. */
export const within = (path: string, root: string): boolean =>
  root === '' || lower(path) === lower(root) || lower(path).startsWith(`${lower(root)}/`)

const isName = (glob: string): boolean => /^\w+$/.test(glob) && glob !== 'site'

/** Whether something that begins with this text is meant by a glob: what follows is not known yet. */
export const mayMean = (glob: string, begun: string): boolean => {
  const pattern = lower(glob)
  let states = new Set([0])
  const skip = (state: number): number[] =>
    pattern[state] === '*' ? [state, ...skip(state + 1)] : [state]
  for (const sign of lower(begun)) {
    const next = [...states].flatMap(skip).flatMap((state) => {
      // What a glob names, all below it is meant, too.
      if (state === pattern.length) return /[:/#]/.test(sign) ? [-1] : []
      if (state === -1) return [-1]
      return pattern[state] === '*' ? [state] : pattern[state] === sign ? [state + 1] : []
    })
    states = new Set(next)
  }
  return states.size > 0
}

/** Whether a kind in its place, an item of it, or an attribute is meant by a glob. */
const touches = (glob: string, place: ManagedPlace, kind: string): boolean => {
  const address = { scope: place.scope, path: place.path, kind }
  if (isName(glob) || matches(glob, address)) return matches(glob, address)
  const text = addressText(address)
  return mayMean(glob, `${text}/`) || mayMean(glob, `${text}#`)
}

const beginnings: Readonly<Record<ManagedScope, string>> = {
  site: 'site',
  group: 'groups/',
  project: 'projects/',
}

export class PlaceChoice {
  readonly projects: readonly string[]
  readonly groups: readonly string[]
  /** By flags, so that nothing of the instance itself is meant. */
  readonly narrowed: boolean
  readonly #only: readonly string[]
  readonly #except: readonly string[]

  constructor({ projects = [], groups = [], only = [], except = [] }: Scoping) {
    this.projects = projects
    this.groups = groups
    this.narrowed = projects.length > 0 || groups.length > 0
    this.#only = only
    this.#except = except
  }

  /** Whether any kind that such places have may be meant. */
  means(scope: ManagedScope): boolean {
    if (this.narrowed && scope === 'site') return false
    if (scope === 'group' && this.narrowed && this.groups.length === 0) return false
    const names = managedKinds.filter((kind) => kind.scope === scope).map(({ name }) => name)
    const open = names.filter((name) => !this.#except.includes(name))
    return (
      open.length > 0 &&
      (this.#only.length === 0 ||
        this.#only.some((glob) =>
          isName(glob) ? open.includes(glob) : mayMean(glob, beginnings[scope]),
        ))
    )
  }

  /** Whether a kind in its place is meant, or something in it. */
  kind(place: ManagedPlace, { name }: Pick<Managed, 'name'>): boolean {
    const { only, except } = { only: this.#only, except: this.#except }
    const address = { scope: place.scope, path: place.path, kind: name }
    if (except.some((glob) => matches(glob, address))) return false
    return only.length === 0 || only.some((glob) => touches(glob, place, name))
  }

  /** Whether any kind of a place is meant. */
  place(place: ManagedPlace): boolean {
    return managedKinds.some((kind) => kind.scope === place.scope && this.kind(place, kind))
  }
}
