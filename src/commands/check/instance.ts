/** `check instance`: whether the API answers, and how fast. */

import type { Services } from '../../engine/command/services.js'
import { instanceChecks } from '../doctor/instance.js'
import { type Concern, checkFact } from './types.js'

/** What of a diagnosis is no trouble of the instance: totals that it does not send. */
const beside = 'page headers'

const there = async ({ place, instance }: Services) => {
  const { baseUrl, profile } = await place.session()
  // Without a credential: whether somebody may is another question.
  return instance.elsewhere(baseUrl, undefined, profile === undefined ? {} : { profile })
}

export const instanceCheck = checkFact({
  name: 'instance',
  summary: 'Check whether the instance answers, and how fast',
  description: [
    'One GET without a credential. What answers and is not this API is critical; a clock that differs is a warning.',
  ],
  examples: ['check instance', 'check instance --warn 2s --crit 10s --format nagios'],
  measures: {
    answer: { unit: 'seconds', example: '2s', bad: 'above', help: 'time that an answer took' },
  },
  label: 'endpoint',
  levels: {},
  read: async (services) => {
    const { clock } = services.place
    const address = await there(services)
    const before = clock.now().getTime()
    const checks = await instanceChecks(address, clock.now)
    const seconds = (clock.now().getTime() - before) / 1000
    const answered = checks.some(({ check, status }) => check === 'base path' && status === 'ok')
    const findings = checks
      .filter(({ check, status }) => status !== 'ok' && check !== beside)
      .map(({ status, category, message }): Concern => {
        if (status === 'warning') return { level: 'warning', text: message }
        return { level: category === 'not_found' ? 'critical' : 'unknown', text: message }
      })
    const text = `it answered in ${seconds} s`
    return {
      samples: answered ? [{ measure: 'answer', value: seconds, text }] : [],
      findings,
      fine: text,
    }
  },
})
