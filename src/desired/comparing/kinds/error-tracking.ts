/** Error tracking: only what was configured before can be switched. */
import { asItShould, type KindHooks } from '../types.js'

export const errorTracking: KindHooks = {
  absent: async (_, { attributes }) => {
    const active = attributes.get('active')?.value
    return active?.is === 'value' && active.value === false ? asItShould : undefined
  },
  impossible: async (_, { verb }) =>
    verb === 'create' ? 'error tracking was never configured: it can only be switched' : undefined,
}
