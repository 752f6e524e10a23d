/** Projects by number and by path are the same: what the instance says of a number. */
import type { Globals } from '../../../commands/globals.js'
import type { Surroundings } from '../../plan/plan.js'
import type { ExchangeServices } from '../instance/exchange.js'

/** Paths of projects by number, each asked for once; --curl asks for nothing. */
export const projectPaths = (
  exchange: Pick<ExchangeServices, 'client' | 'request'>,
  { curl }: Pick<Globals, 'curl'>,
): Surroundings['pathOf'] => {
  const known = new Map<number, Promise<string | undefined>>()
  const read = async (id: number): Promise<string | undefined> => {
    const { projects } = await import('../../../catalogue/areas/projects.js')
    const ask = { endpoint: projects.get, values: { id } }
    const { data } = await (await exchange.client(projects.get)).call(await exchange.request(ask))
    return data !== null && typeof data === 'object' && 'path_with_namespace' in data
      ? String(data.path_with_namespace)
      : undefined
  }
  return async (id) => {
    if (curl) return undefined
    const path = known.get(id) ?? read(id)
    known.set(id, path)
    return path
  }
}
