/** Settings: what is switched on goes with what it requires, where nobody can see whether that is set. */
import { settingsRequirements } from '../../../catalogue/settings-attributes.js'
import type { KindHooks } from '../types.js'

export const settings: KindHooks = {
  needs: (_, { attributes }, item) =>
    Object.entries(settingsRequirements).flatMap(([name, required]) => {
      const wanted = attributes.get(name)?.value
      const on = wanted?.is === 'value' && wanted.value === true
      return on && item?.attributes[name] !== true && attributes.has(required) ? [required] : []
    }),
}
