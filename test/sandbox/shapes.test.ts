/** Answers of the embedded instance hold what the catalogue's shapes promise, and nothing else. */
import { Errors } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { dependencies } from '../../src/catalogue/areas/dependencies.js'
import { deployKeys } from '../../src/catalogue/areas/deploy-keys.js'
import { errorTracking } from '../../src/catalogue/areas/error-tracking.js'
import { geo } from '../../src/catalogue/areas/geo.js'
import { integrations } from '../../src/catalogue/areas/integrations.js'
import { pagesDomains } from '../../src/catalogue/areas/pages-domains.js'
import { projects } from '../../src/catalogue/areas/projects.js'
import { settings } from '../../src/catalogue/areas/settings.js'
import { vulnerabilities } from '../../src/catalogue/areas/vulnerabilities.js'
import { freshSandbox } from './instance.js'

const { send } = freshSandbox()

const readings = [
  ['/projects?statistics=true&per_page=100', projects.list],
  ['/users/ana/projects', projects.listOfUser],
  ['/projects/1', projects.get],
  ['/projects/12', projects.get],
  ['/projects/1/integrations', integrations.list],
  ['/projects/1/services/emails-on-push', integrations.getService],
  ['/application/settings', settings.get],
  ['/deploy_keys', deployKeys.listAll],
  ['/projects/1/deploy_keys', deployKeys.list],
  ['/pages/domains', pagesDomains.listAll],
  ['/projects/6/pages/domains', pagesDomains.list],
  ['/projects/1/vulnerabilities', vulnerabilities.list],
  ['/vulnerabilities/1', vulnerabilities.get],
  ['/projects/1/dependencies', dependencies.list],
  ['/geo_nodes', geo.list],
  ['/geo_nodes/1', geo.get],
  ['/geo_nodes/status', geo.status],
  ['/projects/1/error_tracking/settings', errorTracking.get],
  ['/projects/1/error_tracking/client_keys', errorTracking.keysList],
] as const

describe('answers of the instance, of projects and of security', () => {
  it.each(readings)('%s', async (path, { returns }) => {
    const { status, body } = await send(`GET ${path}`)
    expect(status).toBe(200)
    const records: unknown[] = returns.kind === 'many' ? body : [body]
    expect(records.length).toBeGreaterThan(0)
    for (const record of records) {
      const wrong = Errors(returns.shape, record)
      expect(wrong.map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([])
      const known = Object.keys(returns.shape.properties)
      expect(Object.keys(record as object).filter((name) => !known.includes(name))).toEqual([])
    }
  })
})
