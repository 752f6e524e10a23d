/** Whether what a file holds is looked at by an export: then it may be written anew. */
import type { HeldKind, Selected } from '../../desired/exporting/index.js'
import type { InstanceSight, Scoping } from '../../desired/reading/sight.js'

const isWithin = (path: string, root: string): boolean =>
  `${path.toLowerCase()}/`.startsWith(`${root.toLowerCase()}/`)

/**
 * What a run looks at, by what its flags say.
 * @param roots paths of the selected groups
 * @param named paths of the selected projects
 */
export const selectedBy = async (
  sight: InstanceSight,
  scoping: Scoping,
  { roots, named }: { readonly roots: readonly string[]; readonly named: readonly string[] },
): Promise<Selected> => {
  const { managedKinds } = await import('../../catalogue/managed/index.js')
  const { projects, groups, only = [], except = [] } = scoping
  const narrowed = projects !== undefined || groups !== undefined
  const inPlace = ({ scope, path }: HeldKind['place']): boolean => {
    if (!narrowed) return true
    if (scope === 'site') return false
    const within = roots.some((root) => isWithin(path, root))
    return (
      within ||
      (scope === 'project' && named.some((one) => one.toLowerCase() === path.toLowerCase()))
    )
  }
  // An item or an attribute that is named alone is not all of its kind.
  const whole = [...only, ...except].every((glob) => !/[#]|:[^/]*[/]/.test(glob))
  return {
    all: !narrowed && only.length === 0 && except.length === 0,
    has: ({ place, kind }) => {
      const known = managedKinds.find(({ name, scope }) => name === kind && scope === place.scope)
      return whole && known !== undefined && inPlace(place) && sight.selected(place, known)
    },
  }
}
