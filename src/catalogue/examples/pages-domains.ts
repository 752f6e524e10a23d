/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const pagesDomains: Examples = {
  get: [
    'pages-domains get www.example.test -P web/site',
    'pages-domains get site.example.test auto.example.test -P web/site -o json',
  ],
  delete: [
    'pages-domains delete auto.example.test -P web/site --yes',
    'pages-domains delete www.example.test site.example.test -P web/site --yes',
  ],
}
