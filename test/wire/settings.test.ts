import { settings } from '../../src/catalogue/areas/settings.js'
import { checkRequests } from './pin.js'

checkRequests('settings', settings, [
  { key: 'get', values: {}, sends: 'GET /application/settings' },
  {
    key: 'update',
    values: {
      asset_proxy_allowlist: ['a.test'],
      default_branch_protection: 1,
      deletion_adjourned_period: 90,
      domain_denylist_enabled: true,
      domain_denylist: ['*.bad.test', 'worse.test'],
      domain_allowlist: [],
      ed25519_key_restriction: -1,
    },
    extra: { signup_enabled: false },
    sends: 'PUT /application/settings',
    body:
      '{"asset_proxy_allowlist":"a.test","default_branch_protection":1,' +
      '"deletion_adjourned_period":90,"domain_denylist_enabled":true,' +
      '"domain_denylist":["*.bad.test","worse.test"],"domain_allowlist":[],' +
      '"ed25519_key_restriction":-1,"signup_enabled":false}',
  },
  {
    key: 'update',
    values: {},
    extra: { domain_allowlist: null },
    sends: 'PUT /application/settings',
    body: '{"domain_allowlist":null}',
  },
])
