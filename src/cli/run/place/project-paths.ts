/** Projects by number and by path are the same: what the instance says of a number. */
import { KeptAnswers } from '../../../base/kept.js'
import { isObject, textOf } from '../../../base/objects.js'
import type { Ask } from '../../../http/types.js'

/**
 * Paths of projects by number, each asked for once.
 * @param read the data that a request is answered with; undefined where nothing may be sent
 */
export const projectPaths = (
  read: (ask: Ask) => Promise<unknown>,
): ((id: number) => Promise<string | undefined>) => {
  const kept = new KeptAnswers<number, string | undefined>()
  const pathOf = async (id: number): Promise<string | undefined> => {
    const { projects } = await import('../../../catalogue/areas/projects.js')
    const data = await read({ endpoint: projects.get, values: { id } })
    return isObject(data) ? textOf(data.path_with_namespace) : undefined
  }
  return (id) => kept.of(id, () => pathOf(id))
}
