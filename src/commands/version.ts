/** `version`: the tool's version and, where an instance is configured, the instance's beside it. */

import { version } from '../base/version.js'
import type { Services } from '../engine/command/services.js'
import { survived } from '../errors.js'
import { define } from './define.js'
import { readVersion } from './vocabulary/reading.js'

const isConfigured = async ({ place }: Services): Promise<boolean> => {
  const { globals, env } = place
  if (globals.sandbox || globals.baseUrl !== undefined || env.SVC_BASE_URL) return true
  return (await place.profile()) !== undefined
}

/** The instance's version; null where it does not say, with the reason on standard error. */
const readInstance = async (services: Services) => {
  const { place, ui } = services
  try {
    const { baseUrl } = await place.session()
    try {
      return { name: 'instance', version: (await readVersion(services)) ?? null, address: baseUrl }
    } catch (error) {
      const failure = survived(error)
      ui.warn(`cannot read the version of the instance: ${failure.message}`)
      return { name: 'instance', version: null, address: baseUrl }
    }
  } catch (error) {
    ui.warn(`cannot read the version of the instance: ${survived(error).message}`)
    return undefined
  }
}

export const versionCommand = define({
  summary: 'Show the versions of svcctl and of the instance',
  description: [
    'If an instance is configured, svcctl asks it for its version. If it does not respond, svcctl prints a warning, and the exit code is still 0.',
    'svcctl --version prints the version of svcctl alone and sends nothing.',
  ],
  readOnly: true,
  examples: ['version', 'version -p staging', 'version -o json'],
  run: async (services) => {
    const instance = (await isConfigured(services)) ? await readInstance(services) : undefined
    const tool = { name: 'svcctl', version }
    await services.answer.printMany(instance === undefined ? [tool] : [tool, instance], {
      columns: ['name', 'version', 'address'],
    })
  },
})
