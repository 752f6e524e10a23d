/** `auth login|status|logout|switch` (`profile/README.md`). */

import { clearTextWarning } from '../../base/base-url.js'
import { momentAfter } from '../../base/moments.js'
import { boolean, integer, oneOf, string } from '../../catalogue/params.js'
import { exitCodes, Failure, usage } from '../../errors.js'
import {
  openStore,
  openTokens,
  pathsOf,
  settings,
  signIn,
  signOut,
  userTokenKinds,
} from '../../profile/index.js'
import type { Argument, Context, Given, Special } from '../types.js'
import { askedAddress, askedName, askedToken, type Secrets } from './asking.js'
import { type Identity, identityText, probe } from './probe.js'

const places = {
  keyring: 'the keyring of the system',
  file: 'a file that only you can read',
} as const

const storeOf = (ctx: Context) => openStore(pathsOf(ctx.env), ctx)
const tokensOf = (ctx: Context) => openTokens(pathsOf(ctx.env), ctx.env, ctx)

const profileArgument = (required: boolean): Argument => ({
  name: 'profile',
  required,
  variadic: false,
  help: 'name of the profile',
  param: string('name of the profile', { completes: 'profile' }),
})

const addressOf = (ctx: Context, name: string): Promise<string> =>
  askedAddress(
    ctx,
    ctx.globals.baseUrl ?? (ctx.env.SVC_BASE_URL || undefined) ?? storeOf(ctx).get(name)?.baseUrl,
  )

const nameOf = (ctx: Context, given: Given): string =>
  given.args[0] ??
  ctx.globals.profile ??
  (ctx.env.SVC_PROFILE || undefined) ??
  storeOf(ctx).current() ??
  'default'

const login = async (ctx: Context, given: Given): Promise<void> => {
  const name = await askedName(ctx, nameOf(ctx, given))
  const baseUrl = await addressOf(ctx, name)
  // Project and impersonation tokens travel as personal ones do.
  const kind = userTokenKinds.find((k) => k === given.flags.kind) ?? 'personal'
  const clear = clearTextWarning(baseUrl)
  if (clear !== undefined) ctx.warn(clear)
  // The profile may say already how the instance is reached: its proxy, its certificates.
  const before = storeOf(ctx).get(name)
  const party = before === undefined ? {} : { profile: { ...before, baseUrl } }
  const attempt = async ({ token }: Secrets): Promise<Identity> => {
    const client = await ctx.anonymous(baseUrl, { kind, value: token }, party)
    return ctx.progress(`trying the token at ${baseUrl}`, () => probe(client))
  }
  const { secrets, identity } = await askedToken(ctx, given, baseUrl, attempt)
  const expires = given.flags['expires-in']
  const end = typeof expires === 'number' ? momentAfter(ctx.now().getTime(), expires) : undefined
  const profile = await signIn(storeOf(ctx), tokensOf(ctx), {
    name,
    baseUrl,
    changes: {
      ...(given.flags['token-url'] === undefined ? {} : { 'token-url': given.flags['token-url'] }),
      ...(given.flags['client-id'] === undefined ? {} : { 'client-id': given.flags['client-id'] }),
    },
    token: {
      kind,
      ...secrets,
      ...(end === undefined ? {} : { expiresAt: end }),
    },
    ...(identity.username === undefined ? {} : { user: identity.username }),
  })
  await storeOf(ctx).switch(name)
  const kept = places[profile.tokenStore ?? 'file']
  ctx.note(`signed in to ${baseUrl} as ${identityText(identity)}`)
  ctx.note(`the token is kept in ${kept}; profile "${name}" is the current one`)
  const kept_in = profile.tokenStore ?? 'file'
  await ctx.print({ profile: name, base_url: baseUrl, kind, ...identity, kept_in }, { noted: true })
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
const statusOf = async (ctx: Context, name: string | undefined): Promise<Row> => {
  const session = await ctx.sessionOf(name)
  const row = {
    profile: session.profile?.name ?? '(environment)',
    base_url: session.baseUrl,
    current: session.profile !== undefined && storeOf(ctx).current() === session.profile.name,
  }
  try {
    const credential = await session.credential()
    if (credential === undefined)
      return { ...row, credential: 'none', works: false, user: 'svcctl auth login signs in' }
    const { kind, value, source } = credential
    const client = await ctx.anonymous(session.baseUrl, { kind, value }, session)
    const identity = await probe(client)
    return {
      ...row,
      credential: `${kind}, from ${source}`,
      works: true,
      user: identityText(identity),
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error
    return { ...row, credential: 'not usable', works: false, user: error.message }
  }
}

const status = async (ctx: Context, given: Given): Promise<void> => {
  const wanted = given.args[0] ?? ctx.globals.profile
  const names = wanted === undefined ? storeOf(ctx).names() : [wanted]
  const rows: Row[] = []
  const outside =
    ctx.globals.sandbox || ctx.globals.baseUrl !== undefined || Boolean(ctx.env.SVC_BASE_URL)
  if (wanted === undefined && (outside || names.length === 0))
    rows.push(await statusOf(ctx, undefined))
  for (const name of names) rows.push(await statusOf(ctx, name))
  await ctx.printMany(rows, {
    columns: ['profile', 'current', 'base_url', 'credential', 'works', 'user'],
  })
  if (rows.some((row) => !row.works)) ctx.exit(exitCodes.auth)
}

const kind = oneOf([...userTokenKinds, 'project', 'impersonation'], 'kind of the token', {
  default: 'personal',
})

export const loginCommand: Special = {
  summary: 'Sign in to an instance and keep the credential',
  description: [
    'The token is asked for without echo, or read from standard input with --token-stdin, and tried before it is kept: in the keyring of the system where there is one, else in a file that only you can read.',
  ],
  args: [profileArgument(false)],
  flags: {
    kind,
    'token-stdin': boolean(
      'read the token from standard input; a refresh token on the second line',
    ),
    'token-url': settings['token-url'],
    'client-id': settings['client-id'],
    'expires-in': integer('OAuth: seconds until the token expires', { min: 1 }),
  },
  examples: [
    'auth login --base-url https://svc.example',
    'auth login staging --base-url https://staging.example --token-stdin < token.txt',
  ],
  run: login,
}

export const statusCommand: Special = {
  summary: 'Show each profile, where its credential comes from, and whether it works',
  args: [profileArgument(false)],
  examples: ['auth status', 'auth status -o json'],
  run: status,
}

export const logoutCommand: Special = {
  summary: 'Forget the credential of a profile',
  args: [profileArgument(false)],
  examples: ['auth logout', 'auth logout staging'],
  run: async (ctx, given) => {
    const name = nameOf(ctx, given)
    const had = await signOut(storeOf(ctx), tokensOf(ctx), name)
    ctx.note(
      had
        ? `the credential of profile "${name}" is forgotten`
        : `profile "${name}" had no credential`,
    )
  },
}

export const switchCommand: Special = {
  summary: 'Make a profile the current one',
  args: [profileArgument(true)],
  examples: ['auth switch staging', 'auth switch default'],
  run: async (ctx, given) => {
    const [name] = given.args
    if (name === undefined)
      throw usage('auth switch needs a profile', `There are: ${storeOf(ctx).names().join(', ')}.`)
    await storeOf(ctx).switch(name)
    ctx.note(`profile "${name}" is the current one`)
  },
}
