/**
 * Implements `alerts send`, which sends an alert with its own authorization key and without a token or profile
 * (`catalogue/reference/alerts.md`).
 */

import { isLoopback } from '../base/base-url.js'
import { isObject, type JsonValues } from '../base/objects.js'
import { decodeUri } from '../base/text.js'
import { alerts } from '../catalogue/areas/alerts.js'
import { boolean, string } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { toKebabCase } from '../engine/command/derive.js'
import { toCallAnswer } from '../engine/command/outcomes.js'
import type { Rows } from '../engine/rows.js'
import { type Failure, usage } from '../errors.js'
import type { Credential, WireRequest } from '../http/types.js'
import { type Arguments, define } from './define.js'

const createMissingEndpointFailure = (): Error =>
  usage(
    'alerts send requires --endpoint (or SVC_ALERT_ENDPOINT)',
    'The project’s monitoring settings show the URL and its key to Maintainers.',
  )

const flags = {
  endpoint: string('URL of the alert endpoint, or a path on the instance', {
    env: 'SVC_ALERT_ENDPOINT',
    format: 'url',
  }),
  'authorization-key': string('authorization key of the alert endpoint', {
    env: 'SVC_ALERT_KEY',
    secret: true,
  }),
  basic: boolean('send the key with HTTP Basic, as a password without a username'),
  resolve: boolean('resolve the alert: set end_time [now]'),
  test: boolean('send a test alert'),
} as const
type AlertGiven = Arguments<typeof flags>

/** Returns the whole URL of an alert endpoint, which may be given by its path on the instance. */
const toWholeUrl = async ({ place }: Context, text: string): Promise<string> =>
  text.startsWith('/') ? `${(await place.session()).baseUrl}${text}` : text

/** Returns the URL of the alert endpoint. A path is resolved against the instance's base URL. */
const resolveEndpoint = async (context: Context, given: AlertGiven): Promise<URL> => {
  const { ui, place } = context
  const { endpoint } = given.flags
  const { SVC_ALERT_ENDPOINT: theirs } = place.env
  const text = endpoint ?? theirs ?? (await ui.ask('URL of the alert endpoint'))
  if (typeof text !== 'string' || text === '') throw createMissingEndpointFailure()
  const whole = await toWholeUrl(context, text)
  if (!URL.canParse(whole) || !/^https?:$/.test(new URL(whole).protocol))
    throw usage(
      `${endpoint === undefined && theirs !== undefined ? 'SVC_ALERT_ENDPOINT' : '--endpoint'} must be a URL that begins with https:// or http://`,
    )
  return new URL(whole)
}

/** Removes the key from an alert URL and returns it; undefined if the URL has none. */
export const takeKey = (address: URL): string | undefined => {
  const { username, password } = address
  address.username = ''
  address.password = ''
  const key = password === '' ? username : password
  return key === '' ? undefined : decodeUri(key)
}

const resolveKey = async (
  { ui, place }: Context,
  given: AlertGiven,
  inAddress: string | undefined,
): Promise<Credential> => {
  const explicit = given.flags['authorization-key']
  const basic = given.flags.basic === true || (explicit === undefined && inAddress !== undefined)
  const kind = basic ? 'basic' : 'bearer'
  const key =
    explicit ??
    inAddress ??
    place.env.SVC_ALERT_KEY ??
    (await ui.askSecret('authorization key of the alert endpoint', 'authorization-key'))
  if (typeof key === 'string' && key !== '') return { kind, value: key }
  throw usage(
    'alerts send requires --authorization-key (or SVC_ALERT_KEY)',
    'Pass it as env:NAME or @file.',
  )
}

/** Checks that the key of the environment is sent only to the endpoint of the environment. */
const checkKey = async (context: Context, given: AlertGiven, address: URL): Promise<void> => {
  const { SVC_ALERT_ENDPOINT: theirs, SVC_ALERT_KEY: key } = context.place.env
  if (!theirs || !key || given.flags.endpoint === undefined) return
  if (given.flags['authorization-key'] !== undefined || takeKey(new URL(address)) !== undefined)
    return
  const whole = await toWholeUrl(context, theirs)
  if (URL.canParse(whole) && new URL(whole).origin === address.origin) return
  throw usage(
    `SVC_ALERT_KEY is for SVC_ALERT_ENDPOINT, not for --endpoint at ${address.origin}`,
    'Pass --authorization-key, or unset SVC_ALERT_ENDPOINT to send the key there anyway.',
  )
}

const warnAboutKey = ({ ui }: Context, address: URL, inAddress: string | undefined): void => {
  if (inAddress !== undefined)
    ui.warn(
      'the endpoint URL contains a key, which would end up in logs, so svcctl sends it in a header; pass it with --authorization-key or SVC_ALERT_KEY',
    )
  if (address.protocol === 'http:' && !isLoopback(address.hostname))
    ui.warn(`the key is sent to ${address.host} in clear text; use https`)
}

/** The attributes that `--test` sets unless the line does. */
const testAlert = {
  title: 'New: Alert (test)',
  description: 'A test alert, sent by svcctl.',
  severity: 'info',
  monitoring_tool: 'svcctl',
} as const

/** Returns the attributes that --test and --resolve set, without those that the line sets. */
const getPresets = ({ place }: Context, given: AlertGiven): JsonValues => {
  const isGiven = (name: string): boolean =>
    Object.hasOwn(given.flags, toKebabCase(name)) ||
    name in (given.input ?? {}) ||
    Object.hasOwn(given.extra, name)
  const wanted = {
    ...(given.flags.test === true ? testAlert : {}),
    ...(given.flags.resolve === true
      ? {
          end_time: place.clock
            .now()
            .toISOString()
            .replace(/\.\d+Z$/, 'Z'),
        }
      : {}),
  }
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !isGiven(name)))
}

/** Returns the undocumented properties of --input. The instance accepts any property. */
const getUndocumented = (given: AlertGiven): JsonValues =>
  Object.fromEntries(
    Object.entries(given.input ?? {}).filter(([name]) => !Object.hasOwn(alerts.send.params, name)),
  )

/** Adds the body's property `endpoint`, because the plan uses that name for the URL. */
const withProperty = (request: WireRequest, property: unknown): WireRequest => {
  if (property === undefined || typeof request.body !== 'string') return request
  const body: unknown = JSON.parse(request.body)
  return isObject(body)
    ? { ...request, body: JSON.stringify({ ...body, endpoint: property }) }
    : request
}

const withKeyHint = (failure: Failure): Failure =>
  failure.category === 'auth'
    ? failure.with({
        hint: 'The authorization key is wrong or was renewed. The project’s monitoring settings show the current one.',
      })
    : failure

async function* sendAlert(context: Context, given: AlertGiven): Rows {
  const address = await resolveEndpoint(context, given)
  await checkKey(context, given, address)
  const inAddress = takeKey(address)
  warnAboutKey(context, address, inAddress)
  const credential = await resolveKey(context, given, inAddress)
  const more = getUndocumented(given)
  const input = Object.fromEntries(
    Object.entries(given.input ?? {}).filter(([name]) => !Object.hasOwn(more, name)),
  )
  const profile = await context.place.profile()
  const preset = { ...getPresets(context, given), ...more, endpoint: address.href }
  yield* context.write(await context.planActions({ ...given, input }, { preset }), {
    to: {
      origin: address.origin,
      credential,
      party: profile === undefined ? undefined : { profile },
      request: (request) => withProperty(request, more.endpoint),
    },
    finish: async (_, came) => {
      if ('failure' in came) throw withKeyHint(came.failure)
      if (!('whole' in came) || came.whole.data === undefined) {
        context.ui.note('sent the alert')
        return { reported: true }
      }
      return toCallAnswer(came.whole)
    },
  })
}

export const send = define({
  description: [
    'Only the authorization key is sent: as a bearer token, or with --basic as a password. Use --input for properties of any type.',
  ],
  flags,
  rows: sendAlert,
})
