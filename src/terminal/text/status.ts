/** Words of a status: a symbol that tells them apart without colour, and the tone of the colour. */
import type { Tone } from '../../base/tone.js'

type Look = readonly [symbol: string, tone: Tone]

const good: Look = ['✓', 'good']
const bad: Look = ['✗', 'bad']
const warn: Look = ['!', 'warn']
const busy: Look = ['▸', 'busy']
const waiting: Look = ['◌', 'quiet']
const ended: Look = ['⊘', 'quiet']

const looks: Readonly<Record<string, Look>> = {
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
  pending: waiting,
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
  critical: ['▲', 'bad'],
  high: ['▲', 'bad'],
  medium: ['◆', 'warn'],
  low: ['▽', 'busy'],
  info: ['·', 'quiet'],
}

/** The word with its symbol, and its tone; undefined when the word says nothing known. */
export const status = (word: string): { text: string; tone: Tone } | undefined => {
  const key = word.toLowerCase()
  const look = Object.hasOwn(looks, key) ? looks[key] : undefined
  return look === undefined ? undefined : { text: `${look[0]} ${word}`, tone: look[1] }
}

const marks = { good, bad, warn, next: ['→', undefined] } as const

/** A verdict, or what to do next. */
export type Mark = keyof typeof marks

/** The symbol of a verdict and its tone. */
export const markOf = (kind: Mark): readonly [symbol: string, tone: Tone | undefined] => marks[kind]

/** The same as a screen reader reads it. */
export const spokenMarks: Readonly<Record<Mark, string>> = {
  good: 'ok:',
  warn: 'warning:',
  bad: 'problem:',
  next: 'next:',
}
