/** Provides an invented vocabulary of eight words, used in every section; no product has them. */
import { createLookups, parseVocabulary } from '../../src/vocabulary/index.js'

export const invented = `vocabulary: 1
words:
  spamsvc: junkguard
  cloud: nimbus
  dsn: beacon
  runners: workers
names:
  monitor_site: watch_region
  runner_id: worker_number
  can_push: may_write
  cloud_integration_enabled: cloud_integration_enabled
cookies: { _svc_session: _hub_session }
headers: { x-total: x-hub-total }
paths: { /geo_nodes: /geo_sites }
slugs: { monitoring: watchtower }
values:
  runners.status: [stale, never_contacted]
gone: { "POST /ci/lint": "check within a project: --project" }
secrets: [hub_signing_blob]
`

const parseEntries = () => parseVocabulary(invented, 'work.yml')
export const loadInventedWords = async () => createLookups(await parseEntries())
