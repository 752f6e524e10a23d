/** Provides the symbol and tone of each status word, for the terminal and for the badges, facets and charts of HTML pages. */

import type { Tone } from './text.js'

// The symbols distinguish the words without color. Severity has symbols of its own.

type SymbolStyle = readonly [symbol: string, tone: Tone]

export const good: SymbolStyle = ['✓', 'good']
export const bad: SymbolStyle = ['✗', 'bad']
export const warn: SymbolStyle = ['!', 'warn']
const busy: SymbolStyle = ['▸', 'busy']
const waiting: SymbolStyle = ['◌', 'quiet']
const ended: SymbolStyle = ['⊘', 'quiet']

const looks: Readonly<Record<string, SymbolStyle>> = {
  online: ['●', 'good'],
  offline: ['○', 'bad'],
  paused: ['‖', 'warn'],
  not_connected: waiting,
  stale: waiting,
  success: good,
  passed: good,
  done: good,
  ok: good,
  active: good,
  valid: good,
  healthy: good,
  finished: good,
  merged: good,
  approved: good,
  resolved: good,
  can_be_merged: good,
  opened: ['○', 'good'],
  failed: bad,
  error: bad,
  invalid: bad,
  unhealthy: bad,
  blocked: bad,
  expired: bad,
  cannot_be_merged: bad,
  confirmed: bad,
  detected: warn,
  warning: warn,
  running: busy,
  started: busy,
  checking: busy,
  scheduled: waiting,
  pending: ['◌', 'warn'],
  created: waiting,
  preparing: waiting,
  waiting_for_resource: waiting,
  unchecked: waiting,
  unchanged: ['·', 'quiet'],
  manual: ['▹', 'quiet'],
  skipped: ['›', 'quiet'],
  canceled: ended,
  dismissed: ended,
  deactivated: ended,
  closed: ended,
  critical: ['▲', 'grave'],
  high: ['▲', 'bad'],
  medium: ['◆', 'warn'],
  low: ['▽', 'busy'],
  info: ['·', 'busy'],
}

/** Returns a status word with its symbol and tone; undefined for an unknown word. */
export const getStatusStyle = (word: string): { text: string; tone: Tone } | undefined => {
  const key = word.toLowerCase()
  const look = Object.hasOwn(looks, key) ? looks[key] : undefined
  return look === undefined ? undefined : { text: `${look[0]} ${word}`, tone: look[1] }
}
