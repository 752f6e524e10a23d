/** Integrations, alert endpoints with the tracking of errors, and domains of static sites. */
import type { State } from '../../state/state.js'
import { ago } from '../origin.js'

// Integrations of projects.

export const seedIntegrations = (state: State): void => {
  const times = { created_at: ago(180), updated_at: ago(30) }
  state.integrations.add({
    project_id: 1,
    slug: 'emails-on-push',
    title: 'Emails on push',
    active: true,
    ...times,
    properties: {
      recipients: 'team@example.test',
      disable_diffs: false,
      send_from_committer_email: true,
      branches_to_be_notified: 'all',
      push_events: true,
      tag_push_events: true,
    },
  })
  state.integrations.add({
    project_id: 8,
    slug: 'custom-issue-tracker',
    title: 'Custom issue tracker',
    active: true,
    ...times,
    properties: {
      new_issue_url: 'https://tracker.example.test/new',
      issues_url: 'https://tracker.example.test/:id',
      project_url: 'https://tracker.example.test',
      push_events: true,
    },
  })
}

// Alert endpoints, and the tracking of errors with its client keys.

export const seedMonitoring = (state: State): void => {
  const endpoint = { active: true, auto_close_incident: true }
  state.alertEndpoints.add({
    ...endpoint,
    project_id: 1,
    name: 'monitoring',
    identifier: '3a1f0c5d9b7e2468',
    key: 'sandbox-alert-key',
    mapping: {},
  })
  state.alertEndpoints.add({
    ...endpoint,
    project_id: 1,
    name: 'probes',
    identifier: '86420e7b9d5c0f1a',
    key: 'sandbox-probe-key',
    mapping: { title: ['check', 'name'], severity: ['check', 'level'] },
  })
  state.errorTracking.add({
    project_id: 1,
    active: true,
    project_name: 'app',
    errsvc_external_url: 'https://errors.example.test/example/app',
    api_url: 'https://errors.example.test/api/0/projects/example/app',
    integrated: false,
  })
  for (const [project_id, public_key] of [
    [1, '1d2c3b4a5f6e7d8c9b0a1f2e3d4c5b6a'],
    [1, 'a0b1c2d3e4f5061728394a5b6c7d8e9f'],
    [6, '0f1e2d3c4b5a69788796a5b4c3d2e1f0'],
  ] as const)
    state.clientKeys.add({ project_id, active: project_id === 1, public_key, created_at: ago(66) })
}

// Domains of static sites, and their certificates.

const valid = `-----BEGIN CERTIFICATE-----
MIIBqzCCAVGgAwIBAgIUJuJIi2zDz4R2KBNVIU+SnXt3QEAwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRc2l0ZS5leGFtcGxlLnRlc3QwHhcNMjYxMTIwMjExMDE0WhcN
MzYxMTE3MjExMDE0WjAcMRowGAYDVQQDDBFzaXRlLmV4YW1wbGUudGVzdDBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABDs/+5l4N3HfoVLrVy4hRHGsLwkVfy3wQn18
VBvJl1iC6qeLqBznfCq9L1BU6DW01DC3OwZR97q4wRR2XUETEzOjcTBvMB0GA1Ud
DgQWBBTXZvz9qi/rAXsoRd7Oq8FhLPNpuzAfBgNVHSMEGDAWgBTXZvz9qi/rAXso
Rd7Oq8FhLPNpuzAPBgNVHRMBAf8EBTADAQH/MBwGA1UdEQQVMBOCEXNpdGUuZXhh
bXBsZS50ZXN0MAoGCCqGSM49BAMCA0gAMEUCIQDWVzgeCN+jJuO5Fs3T6dcw9l4Z
ugMmCWt0SjCaWFo3ZwIgPWZfBxsfO5I1Fdl2CMYG4bbybm8TYzMwHNGH/YO67eA=
-----END CERTIFICATE-----
`
const expired = `-----BEGIN CERTIFICATE-----
MIIBZzCCAQ6gAwIBAgIGGis8TV5vMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEG9s
ZC5leGFtcGxlLnRlc3QwHhcNMjQwMTAxMDAwMDAwWhcNMjUwMTAxMDAwMDAwWjAb
MRkwFwYDVQQDDBBvbGQuZXhhbXBsZS50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEGi1hT12ls5dDRxV4haqS3gOgR5vvssu1z+t2ZwkVkKd1g+ltxeRZRPag
sSr3phUND2DS+Y63MXRnVDLxuSUMZaM+MDwwGwYDVR0RBBQwEoIQb2xkLmV4YW1w
bGUudGVzdDAdBgNVHQ4EFgQU8b7ZSexMDaTBznn4HYb/zrEXaTwwCgYIKoZIzj0E
AwIDRwAwRAIgckFna9WuGkidVVPHhpzL0PerQtKaY4T5hygMF77DHkMCIBXLjIHT
uVBi55gMOmSjF968hcGseyMdiLAjN4MRB0PV
-----END CERTIFICATE-----
`

export const seedPagesDomains = (state: State): void => {
  const plain = { auto_ssl_enabled: false, certificate: null, key: null }
  const domains = [
    { project_id: 6, domain: 'www.example.test', ...plain },
    { project_id: 6, domain: 'site.example.test', ...plain, certificate: valid },
    { project_id: 6, domain: 'auto.example.test', ...plain, auto_ssl_enabled: true },
    { project_id: 8, domain: 'old.example.test', ...plain, certificate: expired },
  ]
  for (const domain of domains) state.pagesDomains.add(domain)
}
