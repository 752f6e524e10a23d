/** The instance's application settings, as files declare them. */
import { settings } from '../areas/settings.js'
import { managed } from './managed.js'

export const siteSettings = managed({
  name: 'settings',
  scope: 'site',
  holds: 'one',
  read: settings.get,
  update: settings.update,
  open: true,
})
