/** Domains of static sites, and their certificates. */
import type { State } from '../../state/state.js'

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
