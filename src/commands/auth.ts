/** Implements `auth login`, `auth status`, `auth logout` and `auth switch` (`profile/README.md`). */

import { createClearTextWarning } from '../base/base-url.js'
import { addSeconds } from '../base/dates.js'
import { isObject } from '../base/objects.js'
import { boolean, oneOf, seconds, string } from '../catalogue/params.js'
import type { People } from '../catalogue/views.js'
import type { Context } from '../engine/command/context.js'
import type { Argument, Given } from '../engine/command/types.js'
import {
  createExitRow,
  createNoteRow,
  type Rows,
  yieldRecord,
  yieldRecords,
} from '../engine/rows.js'
import { exitCodes, Failure, recoverFrom, usage } from '../errors.js'
import {
  type Changes,
  checkAddress,
  previewProfile,
  settings,
  signIn,
  signOut,
  userTokenKinds,
} from '../profile/index.js'
import type { Profile, UserTokenKind } from '../profile/types.js'
import { isNarrow } from './answers.js'
import {
  formatCredential,
  formatIdentity,
  type Identity,
  nameOwner,
  probe,
  probeJobToken,
} from './auth-probe.js'
import { resolveSignInProfile, resolveSignOutProfile } from './auth-profile.js'
import { type Arguments, define } from './define.js'
import { discoverInstance } from './known.js'
import { chooseProfiles, getProfileName, openProfileStore, openTokenStore } from './profile.js'
import { loadActiveWords } from './vocabulary-reading.js'

// The token that `auth login` stores.

/** The number of times that login prompts for a token. */
const maxTries = 3

interface Secrets {
  readonly token: string
  readonly refreshToken?: string
}

/** Reads the token from standard input (a refresh token on the second line), or from a hidden prompt. */
const readSecrets = async (
  { ui, place }: Context,
  piped: boolean,
  baseUrl: string,
): Promise<Secrets> => {
  if (piped) {
    const [token = '', refreshToken = ''] = (await place.stdin.text())
      .split('\n')
      .map((l) => l.trim())
    if (token === '') throw usage('standard input contains no token')
    return { token, ...(refreshToken === '' ? {} : { refreshToken }) }
  }
  const token = (await ui.askSecret(`Token for ${baseUrl}`, 'token'))?.trim()
  if (token === undefined || token === '')
    throw usage('auth login requires a token', 'Pipe the token in and pass --token-stdin.')
  return { token }
}

/**
 * Prompts for a token until the instance accepts it, and returns the token with its identity. On a terminal an empty or rejected token is
 * asked for again.
 * @param piped true if the token is read from standard input
 * @throws Failure `auth` or `usage` after the last try; any other error of `attempt` at once
 */
const askToken = async <T>(
  context: Context,
  piped: boolean,
  baseUrl: string,
  attempt: (secrets: Secrets) => Promise<T>,
): Promise<{ secrets: Secrets; identity: T }> => {
  const once = piped || !context.ui.interactive
  for (let left = once ? 1 : maxTries; ; left--)
    try {
      const secrets = await readSecrets(context, piped, baseUrl)
      return { secrets, identity: await attempt(secrets) }
    } catch (error) {
      const wrong = error instanceof Failure && ['auth', 'usage'].includes(error.category)
      if (!wrong || left <= 1) throw error
      context.ui.note(error.message)
    }
}

// Hints of `auth login`. The hints of other commands advise to sign in, which does not help here.

/** The hints by the code of the advice. */
const hints: Readonly<Record<string, (about: string) => string>> = {
  credential: () =>
    'The token may be mistyped, expired, revoked, from another instance or of another --kind.',
  scope: (scope) => `Create a token with the scope ${scope} and sign in with it.`,
}

/** Adds a hint about the token to a failure of the sign-in. Other errors are returned unchanged. */
const addTokenHint = (error: unknown): unknown => {
  if (!(error instanceof Failure)) return error
  const { code = '', about = 'required for this' } = error.details.advice ?? {}
  const hint = Object.hasOwn(hints, code) ? hints[code]?.(about) : undefined
  return hint === undefined ? error : error.with({ hint })
}

const tokenPlaces = {
  keyring: 'the system keyring',
  file: 'a file that only you can read',
} as const

/** Flags that the profile keeps as settings. */
const settingFlags = {
  'token-url': settings['token-url'],
  'client-id': settings['client-id'],
  proxy: settings.proxy,
  'ca-file': settings['ca-file'],
  'cert-file': settings['cert-file'],
  'key-file': settings['key-file'],
} as const

const loginFlags = {
  kind: oneOf([...userTokenKinds, 'project', 'impersonation'], 'token kind', {
    default: 'personal',
  }),
  'token-stdin': boolean(
    'read the token from standard input, and a refresh token from the second line',
  ),
  'expires-in': seconds('OAuth: seconds until the token expires', { min: 1 }),
  ...settingFlags,
} as const
type LoginArguments = Arguments<typeof loginFlags>

const createProfileArgument = (required: boolean): Argument => ({
  name: 'profile',
  required,
  variadic: false,
  help: 'name of the profile',
  param: string('name of the profile', { completes: 'profile' }),
})

/** Creates the function that checks a token, with the proxy and certificates of the new profile. */
const createTokenCheck =
  ({ instance, ui }: Context, kind: UserTokenKind, profile: Profile) =>
  async ({ token }: Secrets): Promise<Identity> => {
    const { baseUrl } = profile
    const client = instance.createClientFor(baseUrl, { kind, value: token }, { profile })
    try {
      return await ui.showProgress(`checking the token with ${baseUrl}`, () => probe(client))
    } catch (error) {
      throw addTokenHint(error)
    }
  }

/** Returns the settings that are stored with the token. */
const getChanges = ({ flags }: LoginArguments): Changes =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => Object.hasOwn(settingFlags, name)))

/** Creates the data that `signIn` stores. */
const createSignIn = (
  { place }: Context,
  given: LoginArguments,
  at: { readonly name: string; readonly baseUrl: string },
  { token, refreshToken }: Secrets,
  { username }: Identity,
): Parameters<typeof signIn>[2] => {
  const { flags } = given
  const expires = flags['expires-in']
  const expiresAt =
    expires === undefined ? undefined : addSeconds(place.clock.now().getTime(), expires)
  return {
    ...at,
    changes: getChanges(given),
    token: {
      kind: toTokenKind(flags.kind),
      token,
      refreshToken,
      expiresAt,
    },
    user: username,
  }
}

/** Converts the value of --kind. Project and impersonation tokens are sent as personal ones. */
const toTokenKind = (kind: string): UserTokenKind =>
  userTokenKinds.find((known) => known === kind) ?? 'personal'

/** Stores which fields and commands the instance has beyond the documents. Later lines use them; login does not depend on it. */
const discoverSignedInInstance = async (
  context: Context,
  profile: Profile,
  kind: UserTokenKind,
  { token }: Secrets,
): Promise<void> => {
  const { instance, place, ui } = context
  const client = instance.createClientFor(profile.baseUrl, { kind, value: token }, { profile })
  const globals = { ...place.globals, profile: profile.name }
  const words = await loadActiveWords({ env: place.env, globals }).catch(() => undefined)
  const discover = () => discoverInstance(context, profile, client, { anew: true, words })
  await ui.showProgress('looking at the instance', discover)
}

async function* runLogin(context: Context, given: LoginArguments): Rows {
  const { ui } = context
  const store = openProfileStore(context)
  const { name, baseUrl } = await resolveSignInProfile(context, given)
  const before = store.get(name)
  checkAddress(before, baseUrl)
  const kind = toTokenKind(given.flags.kind)
  const warning = createClearTextWarning(baseUrl)
  if (warning !== undefined) ui.warn(warning)
  const profile = previewProfile(store, name, { ...getChanges(given), 'base-url': baseUrl })
  const attempt = createTokenCheck(context, kind, profile)
  const piped = given.flags['token-stdin'] === true
  const { secrets, identity } = await askToken(context, piped, baseUrl, attempt)
  const signing = createSignIn(context, given, { name, baseUrl }, secrets, identity)
  const { tokenStore = 'file' } = await signIn(store, openTokenStore(context), signing)
  if (before?.tokenStore === 'keyring' && tokenStore === 'file')
    ui.warn(
      `the former token of profile "${name}" is still in the system keyring, which could not be used. Revoke that token on the instance.`,
    )
  await store.switch(name)
  await discoverSignedInInstance(context, profile, kind, secrets)
  yield createNoteRow(`signed in to ${baseUrl} as ${formatIdentity(identity)}`)
  yield createNoteRow(
    `stored the token in ${tokenPlaces[tokenStore]}; profile "${name}" is now the current profile`,
  )
  yield* yieldRecord(
    { profile: name, base_url: baseUrl, kind, ...identity, kept_in: tokenStore },
    { changed: true, noted: true },
  )
}

interface StatusRow {
  readonly profile: string
  readonly base_url: string
  readonly credential: string
  /** True if the token works; null if that is not known. */
  readonly works: boolean | null
  readonly user: string
  readonly [key: string]: unknown
}

/** Checks the credential of a profile; for undefined, that of flags and environment. */
const checkStatus = async (context: Context, name: string | undefined): Promise<StatusRow> => {
  const session = await context.place.session({ profile: name })
  const current = openProfileStore(context).getCurrentName()
  const createRow = (profile: string) => ({
    profile,
    base_url: session.baseUrl,
    current: profile === current,
  })
  let row = { ...createRow(name ?? nameOwner(session)), credential: 'invalid' }
  try {
    const credential = (await session.getCredential()) ?? session.getJobToken()
    if (credential === undefined)
      return { ...row, credential: 'none', works: false, user: 'svcctl auth login signs in' }
    const { kind, value } = credential
    const client = context.instance.createClientFor(session.baseUrl, { kind, value }, session)
    const owner = createRow(name ?? nameOwner(session, credential))
    row = { ...owner, credential: formatCredential(credential) }
    if (kind !== 'job') return { ...row, works: true, user: formatIdentity(await probe(client)) }
    const job = await probeJobToken(client)
    return job === undefined
      ? { ...row, works: null, user: 'the instance does not say whose job it is' }
      : { ...row, works: true, user: job }
  } catch (error) {
    return { ...row, works: false, user: recoverFrom(error).message }
  }
}

/** Describes the table of a narrow terminal, which shows the host instead of the URL and leaves out the credential. */
const createNarrowStatusView = (several: boolean): People => ({
  columns: ['profile', ...(several ? ['current'] : []), 'works', 'host', 'user'],
  rows: (records) =>
    records.filter(isObject).map((row) => ({ ...row, host: getHost(String(row.base_url)) })),
})

const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

async function* listStatus(context: Context, given: Pick<Given, 'args'>): Rows {
  const rows: StatusRow[] = []
  // SVC_BASE_URL may be the address of a profile, whose credential is then used, so a profile can occur twice.
  for (const name of chooseProfiles(context.place, getProfileName(context, given)))
    if (!rows.some(({ profile }) => profile === name)) rows.push(await checkStatus(context, name))
  yield* yieldRecords(rows, {
    columns: ['profile', 'current', 'base_url', 'credential', 'works', 'user'],
    ...(isNarrow(context.answer)
      ? { people: createNarrowStatusView(rows.length > 1) }
      : { stacks: 'cut' as const }),
    // The column `credential` shows the kind and the origin of a credential, and no secret.
    reveal: true,
  })
  if (rows.some((row) => row.works === false)) yield createExitRow(exitCodes.auth)
}

export const loginCommand = define({
  description: [
    'svcctl prompts for the token without echo, or reads it from standard input with --token-stdin. It checks the token and stores it in the system keyring, or in a file that only you can read.',
    'Without a name, the profile for this address is renewed; a new one is named after the host, with "-" for ":" and "/". The profile becomes the current one. Its address does not change: use another name for another instance.',
  ],
  args: [createProfileArgument(false)],
  flags: loginFlags,
  rows: runLogin,
})

export const statusCommand = define({
  args: [createProfileArgument(false)],
  rows: listStatus,
})

export const logoutCommand = define({
  args: [createProfileArgument(false)],
  rows: async function* (context, given) {
    const name = resolveSignOutProfile(context, given)
    if (name === undefined) return yield createNoteRow('there is no profile to sign out of')
    const store = openProfileStore(context)
    const wasSignedIn = await signOut(store, openTokenStore(context), name)
    const keepsCommand = store.get(name)?.tokenCommand !== undefined
    yield createNoteRow(
      wasSignedIn
        ? `deleted the credential of profile "${name}"`
        : `profile "${name}" has no ${keepsCommand ? 'stored ' : ''}credential`,
    )
    if (keepsCommand)
      yield createNoteRow(
        `its token command still provides one; remove it with: svcctl profile set ${name} --unset token-command`,
      )
  },
})

export const switchCommand = define({
  args: [createProfileArgument(true)],
  rows: async function* (context, given) {
    const [name] = given.args
    if (name === undefined)
      throw usage(
        'auth switch requires a profile',
        `Available: ${openProfileStore(context).listNames().join(', ')}.`,
      )
    await openProfileStore(context).switch(name)
    yield createNoteRow(`switched to profile "${name}"`)
  },
})
