/** `auth login|status|logout|switch` (`profile/README.md`). */

import { clearTextWarning } from '../../base/base-url.js'
import { momentAfter } from '../../base/moments.js'
import { boolean, integer, oneOf, string } from '../../catalogue/params.js'
import { exitCodes, survived, usage } from '../../errors.js'
import {
  type Changes,
  changedProfile,
  settings,
  signIn,
  signOut,
  userTokenKinds,
} from '../../profile/index.js'
import type { Profile, UserTokenKind } from '../../profile/types.js'
import { define, type GivenBy } from '../define.js'
import type { Services } from '../services.js'
import { storeOf, tokensOf } from '../stores.js'
import type { Argument, Given } from '../types.js'
import { askedAddress, askedName, askedToken, type Secrets } from './asking.js'
import { withHint } from './hints.js'
import { type Identity, identityText, probe } from './probe.js'

const places = {
  keyring: 'the keyring of the system',
  file: 'a file that only you can read',
} as const

/** Flags that the profile keeps as settings. */
const keptFlags = {
  'token-url': settings['token-url'],
  'client-id': settings['client-id'],
  proxy: settings.proxy,
  'ca-file': settings['ca-file'],
  'cert-file': settings['cert-file'],
  'key-file': settings['key-file'],
} as const

const loginFlags = {
  kind: oneOf([...userTokenKinds, 'project', 'impersonation'], 'kind of the token', {
    default: 'personal',
  }),
  'token-stdin': boolean('read the token from standard input; a refresh token on the second line'),
  'expires-in': integer('OAuth: seconds until the token expires', { min: 1 }),
  ...keptFlags,
} as const
type Login = GivenBy<typeof loginFlags>

const profileArgument = (required: boolean): Argument => ({
  name: 'profile',
  required,
  variadic: false,
  help: 'name of the profile',
  param: string('name of the profile', { completes: 'profile' }),
})

const addressOf = (services: Services, name: string): Promise<string> =>
  askedAddress(
    services,
    services.place.globals.baseUrl ??
      (services.place.env.SVC_BASE_URL || undefined) ??
      storeOf(services).get(name)?.baseUrl,
  )

const nameOf = (services: Services, given: Pick<Given, 'args'>): string =>
  given.args[0] ??
  services.place.globals.profile ??
  (services.place.env.SVC_PROFILE || undefined) ??
  storeOf(services).current() ??
  'default'

/** Tries a token, by the way that the profile will have: its proxy, its certificates. */
const attemptAt =
  ({ instance, person }: Services, kind: UserTokenKind, profile: Profile) =>
  async ({ token }: Secrets): Promise<Identity> => {
    const { baseUrl } = profile
    const there = instance.elsewhere(baseUrl, { kind, value: token }, { profile })
    try {
      return await person.progress(`trying the token at ${baseUrl}`, () => probe(there))
    } catch (error) {
      throw withHint(error)
    }
  }

/** The settings that are kept with the token. */
const changesOf = ({ flags }: Login): Changes =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => Object.hasOwn(keptFlags, name)))

/** What is signed in with, as it is kept. */
const signedIn = (
  { place }: Services,
  given: Login,
  at: { readonly name: string; readonly baseUrl: string },
  { token, refreshToken }: Secrets,
  { username }: Identity,
): Parameters<typeof signIn>[2] => {
  const { flags } = given
  const expires = flags['expires-in']
  const expiresAt =
    expires === undefined ? undefined : momentAfter(place.clock.now().getTime(), expires)
  return {
    ...at,
    changes: changesOf(given),
    token: {
      kind: kindOf(flags.kind),
      token,
      refreshToken,
      expiresAt,
    },
    user: username,
  }
}

/** Project and impersonation tokens travel as personal ones do. */
const kindOf = (kind: string): UserTokenKind =>
  userTokenKinds.find((known) => known === kind) ?? 'personal'

const login = async (services: Services, given: Login): Promise<void> => {
  const { answer, person } = services
  const store = storeOf(services)
  const name = await askedName(services, nameOf(services, given))
  const baseUrl = await addressOf(services, name)
  const kind = kindOf(given.flags.kind)
  const clear = clearTextWarning(baseUrl)
  if (clear !== undefined) person.warn(clear)
  const will = changedProfile(store, name, { ...changesOf(given), 'base-url': baseUrl })
  const attempt = attemptAt(services, kind, will)
  const piped = given.flags['token-stdin'] === true
  const { secrets, identity } = await askedToken(services, piped, baseUrl, attempt)
  const signing = signedIn(services, given, { name, baseUrl }, secrets, identity)
  const { tokenStore: kept_in = 'file' } = await signIn(store, tokensOf(services), signing)
  await store.switch(name)
  person.note(`signed in to ${baseUrl} as ${identityText(identity)}`)
  person.note(`the token is kept in ${places[kept_in]}; profile "${name}" is the current one`)
  await answer.print(
    { profile: name, base_url: baseUrl, kind, ...identity, kept_in },
    { changed: true, noted: true },
  )
}

interface Row {
  readonly profile: string
  readonly base_url: string
  readonly credential: string
  readonly works: boolean
  readonly user: string
  readonly [key: string]: unknown
}

/** One profile, or what flags and environment make: where its credential comes from, whether it works. */
const statusOf = async (services: Services, name: string | undefined): Promise<Row> => {
  const session = await services.place.sessionOf(name)
  const row = {
    profile: session.profile?.name ?? '(environment)',
    base_url: session.baseUrl,
    current: session.profile !== undefined && storeOf(services).current() === session.profile.name,
  }
  try {
    const credential = await session.credential()
    if (credential === undefined)
      return { ...row, credential: 'none', works: false, user: 'svcctl auth login signs in' }
    const { kind, value, source } = credential
    const identity = await probe(
      services.instance.elsewhere(session.baseUrl, { kind, value }, session),
    )
    return {
      ...row,
      credential: `${kind}, from ${source}`,
      works: true,
      user: identityText(identity),
    }
  } catch (error) {
    return { ...row, credential: 'not usable', works: false, user: survived(error).message }
  }
}

const status = async (services: Services, given: Pick<Given, 'args'>): Promise<void> => {
  const wanted = given.args[0] ?? services.place.globals.profile
  const names = wanted === undefined ? storeOf(services).names() : [wanted]
  const rows: Row[] = []
  const outside =
    services.place.globals.sandbox ||
    services.place.globals.baseUrl !== undefined ||
    Boolean(services.place.env.SVC_BASE_URL)
  if (wanted === undefined && (outside || names.length === 0))
    rows.push(await statusOf(services, undefined))
  for (const name of names) rows.push(await statusOf(services, name))
  await services.answer.printMany(rows, {
    columns: ['profile', 'current', 'base_url', 'credential', 'works', 'user'],
    stacks: 'cut',
    // `credential` says of which kind it is and where it comes from.
    reveal: true,
  })
  if (rows.some((row) => !row.works)) services.answer.exit(exitCodes.auth)
}

export const loginCommand = define({
  summary: 'Sign in to an instance and keep the credential',
  description: [
    'The token is asked for without echo, or read from standard input with --token-stdin, and tried before it is kept: in the keyring of the system where there is one, else in a file that only you can read.',
  ],
  args: [profileArgument(false)],
  flags: loginFlags,
  examples: [
    'auth login --base-url https://svc.example',
    'auth login staging --base-url https://staging.example --token-stdin < token.txt',
  ],
  run: login,
})

export const statusCommand = define({
  summary: 'Show each profile, where its credential comes from, and whether it works',
  args: [profileArgument(false)],
  examples: ['auth status', 'auth status -o json'],
  run: status,
})

export const logoutCommand = define({
  summary: 'Forget the credential of a profile',
  args: [profileArgument(false)],
  examples: ['auth logout', 'auth logout staging'],
  run: async (services, given) => {
    const name = nameOf(services, given)
    const had = await signOut(storeOf(services), tokensOf(services), name)
    services.person.note(
      had
        ? `the credential of profile "${name}" is forgotten`
        : `profile "${name}" had no credential`,
    )
  },
})

export const switchCommand = define({
  summary: 'Make a profile the current one',
  args: [profileArgument(true)],
  examples: ['auth switch staging', 'auth switch default'],
  run: async (services, given) => {
    const [name] = given.args
    if (name === undefined)
      throw usage(
        'auth switch needs a profile',
        `There are: ${storeOf(services).names().join(', ')}.`,
      )
    await storeOf(services).switch(name)
    services.person.note(`profile "${name}" is the current one`)
  },
})
