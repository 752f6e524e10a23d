/** Resource groups: jobs make them. */
import type { KindHooks } from '../types.js'

export const resourceGroups: KindHooks = {
  impossible: async (_, { verb }) =>
    verb === 'create' ? 'exists only after a job used it: nothing to change yet' : undefined,
}
