import { alerts } from '../../src/catalogue/areas/alerts.js'
import { checkRequests } from './pin.js'

const endpoint = 'https://forge.test/platform/app/alerts/notify/monitoring/abc123.json'

checkRequests('alerts', alerts, [
  { key: 'send', values: { endpoint }, sends: `POST ${endpoint}`, body: '{}' },
  {
    key: 'send',
    values: {
      endpoint,
      title: 'Disk full',
      start_time: '2026-01-02T03:04:05Z',
      hosts: ['db1', 'db2'],
      severity: 'High',
      fingerprint: ['disk-db'],
      svc_environment_name: 'production',
    },
    extra: { usage: { percent: 99 }, note: null },
    sends: `POST ${endpoint}`,
    body:
      '{"title":"Disk full","start_time":"2026-01-02T03:04:05Z","hosts":["db1","db2"],' +
      '"severity":"High","fingerprint":"disk-db","svc_environment_name":"production",' +
      '"usage":{"percent":99},"note":null}',
  },
])
