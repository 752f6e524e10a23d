/** Alert ingestion. */
import { endpoint, one } from '../endpoint.js'
import { datetime, list, string } from '../params.js'
import { Unknown } from '../shapes/common.js'

/** What a severity is normalised to; anything else becomes `critical`. */
export const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const

export const alerts = {
  send: endpoint('POST <alert_endpoint_url>', one(Unknown({ title: 'Alert receipt' })), {
    irreversible: 'an alert that was sent stays',
    summary: 'Send an alert to an alert endpoint',
    command: 'send',
    path: {},
    params: {
      title: string('title', { default: 'New: Alert' }),
      description: string('description'),
      start_time: datetime('when it began; now when absent'),
      end_time: datetime('when it ended; the alert is resolved'),
      service: string('affected service'),
      monitoring_tool: string('tool that noticed it'),
      hosts: list('string', 'affected hosts', { single: true }),
      severity: string(`${severities.join(', ')}, in any case; any other is critical`, {
        default: 'critical',
      }),
      fingerprint: list('string', 'unique identifier that groups occurrences', { single: true }),
      svc_environment_name: string('environment; needed to show the alert on a dashboard'),
    },
    credential: 'parameter',
    access: 'holders of the endpoint’s authorization key',
    status: 200,
    notes: [
      'Extra properties of any type are accepted.',
      'A Maintainer creates the address and its key in the project’s monitoring settings.',
    ],
  }),
} as const
