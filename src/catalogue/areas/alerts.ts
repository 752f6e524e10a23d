/** Declares the endpoint that receives alerts from monitoring tools. */
import { endpoint, one } from '../endpoint.js'
import { datetime, list, string } from '../params.js'
import { Unknown } from '../shapes/common.js'

/** The severities of alerts. The instance treats any other value as `critical`. */
export const alertSeverities = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const

export const alerts = {
  send: endpoint('POST <alert_endpoint_url>', one(Unknown({ title: 'Alert receipt' })), {
    irreversible: 'an alert cannot be unsent',
    summary: 'Send an alert to an alert endpoint',
    command: 'send',
    path: {},
    params: {
      title: string('title', { default: 'New: Alert' }),
      description: string('description'),
      start_time: datetime('start time [now]'),
      end_time: datetime('end time, which resolves the alert'),
      service: string('affected service'),
      monitoring_tool: string('tool that raised the alert'),
      hosts: list('string', 'affected hosts', { single: true }),
      severity: string(
        `${alertSeverities.join(', ')} (not case-sensitive); any other value counts as critical`,
        { default: 'critical', words: alertSeverities },
      ),
      fingerprint: list('string', 'identifier that groups occurrences of the same alert', {
        single: true,
      }),
      svc_environment_name: string('environment name, required to show the alert on a dashboard'),
    },
    credential: 'parameter',
    access: 'anyone with the endpoint’s authorization key',
    status: 200,
    notes: [
      'Extra properties of any type are accepted.',
      'A Maintainer creates the URL and its key in the project’s monitoring settings.',
    ],
  }),
} as const
