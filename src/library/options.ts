/** Checks what programs without types pass to `connect()` and to calls. */
import { isObject } from '../base/objects.js'
import { joinWords } from '../base/text.js'
import { longestWait } from '../client/defaults.js'
import { usage } from '../errors.js'
import { checkProxy } from '../profile/addresses.js'
import { isUserTokenKind, userTokenKinds } from '../profile/tokens.js'
import type { ConnectOptions } from './types.js'

/** The words for what an option must be, and the function that tests a value. */
type Rule = readonly [expected: string, isValid: (value: unknown) => boolean]

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0
const text: Rule = ['a string', (value) => typeof value === 'string']
const callback: Rule = ['a function', (value) => typeof value === 'function']
const object: Rule = ['an object', isObject]
const count = 'a whole number above 0'

const rules: Readonly<Record<string, Rule>> = {
  baseUrl: text,
  token: text,
  tokenKind: [joinWords(userTokenKinds, 'or'), isUserTokenKind],
  jobToken: text,
  transport: object,
  proxy: text,
  noProxy: text,
  ca: text,
  cert: text,
  key: text,
  insecure: ['true or false', (value) => typeof value === 'boolean'],
  profile: text,
  env: object,
  confirm: text,
  sudo: text,
  timeout: [
    `a number of seconds above 0, and at most ${longestWait}`,
    (value) => typeof value === 'number' && value > 0 && value <= longestWait,
  ],
  retries: ['an integer from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0],
  maxWait: ['a number of seconds from 0', (value) => typeof value === 'number' && value >= 0],
  rate: text,
  vocabulary: text,
  // A signal of another realm, such as that of a test in Jest, has another prototype.
  signal: [
    'an AbortSignal',
    (value) => Object.prototype.toString.call(value) === '[object AbortSignal]',
  ],
  note: callback,
  trace: callback,
  params: object,
  query: object,
  body: object,
  limit: [count, (value) => value === 'all' || isCount(value)],
  page: [count, isCount],
  perPage: [count, isCount],
  concurrency: [count, (value) => value === 'auto' || isCount(value)],
}

/**
 * Checks that a function got an object.
 * @throws Failure `usage` for any other value
 */
export const checkObject = (source: string, name: string, value: unknown): void => {
  if (!isObject(value)) throw usage(`${source}: the ${name} must be an object`)
}

/**
 * Checks options. An option that is undefined is one that was not passed, so that a program can pass on what it was given.
 * @throws Failure `usage` with the name of the first option that has a wrong value
 */
export const checkOptions = (source: string, options: object): void => {
  checkObject(source, 'options', options)
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (value === undefined || rule === undefined) continue
    const [expected, isValid] = rule
    if (!isValid(value)) throw usage(`${source}: ${name} must be ${expected}`)
  }
}

/**
 * Checks the options of `connect()`. The limits of requests are checked with the first call, where a program handles failures.
 * @throws Failure `usage` as `checkOptions` does
 */
export const checkConnectOptions = (options: ConnectOptions): void => {
  checkObject('connect()', 'options', options)
  const { timeout: _, retries: _2, maxWait: _3, concurrency: _4, ...others } = options
  checkOptions('connect()', others)
  const { transport = {} } = others
  checkOptions('connect()', transport)
  if (transport.proxy !== undefined) checkProxy('connect(): proxy', transport.proxy)
}
