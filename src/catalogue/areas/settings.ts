/** Application settings of the instance. */
import { endpoint, one } from '../endpoint.js'
import { settingsAttributes, settingsRequirements } from '../settings-attributes.js'
import { Settings } from '../shapes/settings.js'

const access = 'administrators'

export const settings = {
  get: endpoint('GET /application/settings', one(Settings), {
    summary: 'Show the application settings',
    command: 'get',
    open: 'settings',
    path: {},
    params: {},
    access,
  }),
  update: endpoint('PUT /application/settings', one(Settings), {
    summary: 'Change application settings',
    command: 'update',
    open: 'settings',
    changes: true,
    path: {},
    params: settingsAttributes,
    access,
    notes: Object.entries(settingsRequirements).map(
      ([name, needed]) => `${name} requires ${needed}, in the same call or set before.`,
    ),
  }),
} as const
