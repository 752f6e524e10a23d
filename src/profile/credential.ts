/** Provides the credential of a profile: from its token command, or the stored token, which is refreshed before it expires. */
import { addSeconds } from '../base/dates.js'
import { describeDistrust, findDistrust } from '../base/files/trust.js'
import { parseOauthError } from '../base/oauth-errors.js'
import { type Fields, getFields, isObject, tryParseJson } from '../base/objects.js'
import { Failure } from '../errors.js'
import type { StoredToken, Tokens } from './tokens.js'
import { checkToken } from './tokens.js'
import type {
  Environment,
  Post,
  Profile,
  ResolvedCredential,
  TokenPlace,
  UserTokenKind,
} from './types.js'

// Token commands: programs that print the token, such as password managers, vaults and cloud logins.

/** The time limit of a token command, in milliseconds. A person may have to touch a key. */
const patience = 10_000

/** Milliseconds that output may still come after the program has ended, because processes that it left running hold the pipe. */
const closeDelay = 200

/** Characters that a word of the output needs to be masked in errors; shorter words would match everywhere. */
const minWordLength = 6

interface ProgramResult {
  readonly timedOut: boolean
  readonly isMaxBuffer: boolean
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly code?: string | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Returns the end of the program's standard error as one line, without control characters and without words of its standard output. */
const getMessage = ({ stderr, stdout }: ProgramResult): string =>
  stdout
    .split(/\s+/)
    .filter((word) => word.length >= minWordLength)
    .reduce((text, word) => text.replaceAll(word, '***'), stderr)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .slice(-400)

const describeExit = (
  { timedOut, isMaxBuffer, code, signal, exitCode }: ProgramResult,
  limit: number,
): string => {
  if (timedOut) return `did not end within ${limit / 1000} s`
  if (isMaxBuffer) return 'printed too much for a token'
  if (code === 'ENOENT') return 'was not found'
  if (code === 'EACCES') return 'is not executable'
  if (signal !== undefined) return `was ended by ${signal}`
  return `ended with exit code ${exitCode ?? 'unknown'}`
}

const createCommandHint = (profile: string): string =>
  `Run the command by hand to check it, or change it: svcctl profile set ${profile} --token-command …`

const runProgram = async (
  command: readonly string[],
  { env, folder, limit = patience, signal }: TokenCommandOptions,
): Promise<ProgramResult> => {
  const [program = '', ...args] = command
  const { loadProgramRunner } = await import('../base/processes.js')
  const run = await loadProgramRunner()
  const running = run(program, args, env, {
    cwd: folder,
    reject: false,
    stdin: 'ignore',
    timeout: limit,
    forceKillAfterDelay: 1000,
    maxBuffer: 100_000,
    stripFinalNewline: true,
    windowsHide: true,
    cancelSignal: signal,
  })
  running.once('exit', () => {
    setTimeout(() => {
      running.stdout.destroy()
      running.stderr.destroy()
    }, closeDelay).unref()
  })
  return await running
}

/** True if the program ended well by itself. Streams that were closed because of processes left behind do not count. */
const hasSucceeded = ({ exitCode, timedOut, isMaxBuffer }: ProgramResult): boolean =>
  exitCode === 0 && !timedOut && !isMaxBuffer

interface TokenCommandOptions {
  readonly env: Environment
  /** The folder in which the program starts; undefined for that of the process. */
  readonly folder?: string | undefined
  /** The time limit, in milliseconds. */
  readonly limit?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs the token command of a profile without a shell, and returns what it printed as a credential. The output is
 * not stored and appears in no error.
 * @throws Failure `auth` with the program's standard error, or if it printed no token; `interrupted`
 */
export const runTokenCommand = async (
  command: readonly string[],
  kind: UserTokenKind,
  profile: string,
  options: TokenCommandOptions,
): Promise<ResolvedCredential> => {
  const { limit = patience, signal } = options
  const outcome = await runProgram(command, options)
  if (signal?.aborted === true) throw new Failure('interrupted', 'interrupted')
  const hint = createCommandHint(profile)
  if (!hasSucceeded(outcome)) {
    const words = getMessage(outcome)
    throw new Failure(
      'auth',
      `the token command of profile ${profile} (${command[0]}) ${describeExit(outcome, limit)}${words === '' ? '' : `: ${words}`}`,
      { hint },
    )
  }
  try {
    return checkToken(outcome.stdout, kind, `the token command of profile ${profile}`)
  } catch (error) {
    throw new Failure('auth', error instanceof Error ? error.message : String(error), { hint })
  }
}

// OAuth: exchanging the refresh token for a new access token (`profile/README.md`), once for all processes.

/** A token that expires within this time, in milliseconds, is refreshed first. */
const refreshMargin = 60_000

const isExpiring = (token: StoredToken, now: number): boolean => {
  const end = token.expiresAt === undefined ? Number.NaN : Date.parse(token.expiresAt)
  return !Number.isNaN(end) && end - now < refreshMargin
}

const canRefresh = (profile: Profile, token: StoredToken): boolean =>
  token.kind === 'oauth' && token.refreshToken !== undefined && profile.tokenUrl !== undefined

const createRefreshFailure = (profile: Profile, why: string, status?: number): Failure =>
  new Failure('auth', `cannot refresh the token of profile ${profile.name}: ${why}`, {
    hint: `Sign in again with: svcctl auth login -p ${profile.name}`,
    request: profile.tokenUrl && `POST ${profile.tokenUrl}`,
    status,
  })

const parseBody = (body: unknown): Fields =>
  isObject(body) ? body : getFields(tryParseJson(String(body)))

/** The machine-readable code of an OAuth error; its free text could repeat the token. */
const formatErrorCode = ({ error }: Fields): string => {
  const code = parseOauthError(error)
  return code === undefined ? '' : ` ${code}`
}

/** Returns when the new token expires. A lifetime that is not a positive number counts as missing. */
const getExpiry = (body: Fields, now: number): string | undefined => {
  const seconds = Number(body.expires_in)
  return body.expires_in == null || !(seconds > 0) ? undefined : addSeconds(now, seconds)
}

/** Requests a new access token and refresh token. Nothing is stored yet. */
const requestToken = async (
  profile: Profile,
  held: StoredToken,
  post: Post,
  now: () => number,
): Promise<StoredToken> => {
  const { tokenUrl, clientId } = profile
  if (tokenUrl === undefined || held.refreshToken === undefined)
    throw createRefreshFailure(profile, 'there is no refresh token or no token URL')
  const { status, body } = await post(tokenUrl, {
    grant_type: 'refresh_token',
    refresh_token: held.refreshToken,
    ...(clientId === undefined ? {} : { client_id: clientId }),
  })
  const answer = parseBody(body)
  if (status >= 500)
    throw new Failure('unreachable', `${tokenUrl} answered ${status} to the token refresh`, {
      status,
      request: `POST ${tokenUrl}`,
      hint: 'Try again later; the refresh token was kept.',
    })
  if (status < 200 || status > 299)
    throw createRefreshFailure(
      profile,
      `the instance answered ${status}${formatErrorCode(answer)}`,
      status,
    )
  const { access_token: access, refresh_token: next } = answer
  if (typeof access !== 'string')
    throw createRefreshFailure(profile, 'the response has no access_token', status)
  const expiresAt = getExpiry(answer, now())
  return {
    token: checkToken(access, 'oauth', 'the token URL').value,
    kind: 'oauth',
    baseUrl: held.baseUrl,
    // Servers that do not rotate the refresh token omit it.
    refreshToken: typeof next === 'string' && next !== '' ? next : held.refreshToken,
    expiresAt,
  }
}

/**
 * Returns a fresh token to replace `stale`. One process requests it, while others wait and then use the stored one. It is stored before it
 * is used, because the old refresh token is no longer valid.
 * @throws Failure `auth` if the refresh is rejected, `unreachable` if there is no response
 */
const refreshToken = (
  profile: Profile,
  stale: StoredToken,
  tokens: Tokens,
  post: Post,
  now: () => number,
): Promise<StoredToken> =>
  tokens.withTokenLock(profile.name, async () => {
    const place = profile.tokenStore ?? 'file'
    const held = await tokens.read(profile.name, place)
    if (held === undefined)
      throw createRefreshFailure(profile, 'the profile was signed out in the meantime')
    if (held.token !== stale.token && !isExpiring(held, now())) return held
    const fresh = await requestToken(profile, held, post, now)
    await tokens.write(profile.name, fresh, place)
    return fresh
  })

/** Provides a credential on demand, and another one if it was rejected. */
interface CredentialSource {
  get(): Promise<ResolvedCredential>
  /** Returns a credential other than the last one; undefined if there is none. */
  renew(): Promise<ResolvedCredential | undefined>
}

interface Services extends Pick<TokenCommandOptions, 'env' | 'folder' | 'signal'> {
  /** The configuration file that contains the profile. */
  readonly configuration: string
  readonly tokens: Tokens
  readonly post: Post
  readonly now: () => number
}

/** Creates a function whose concurrent calls share one result. */
const createSharedCall = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let flight: Promise<T> | undefined
  return () => {
    flight ??= work().finally(() => {
      flight = undefined
    })
    return flight
  }
}

/**
 * Checks that others could not have written the configuration, which contains the token command.
 * @throws Failure `auth`
 */
const checkConfiguration = (file: string, profile: Profile): void => {
  const found = findDistrust(file)
  if (found === undefined) return
  const { message, remedy } = describeDistrust(found)
  throw new Failure(
    'auth',
    `the token command of profile ${profile.name} was not run, because others could have changed it: ${message}`,
    { request: file, hint: `Check the command in ${file}, then run: ${remedy}` },
  )
}

const createCommandSource = (
  profile: Profile,
  command: readonly string[],
  { configuration, env, folder, signal }: Services,
): CredentialSource => {
  let held: ResolvedCredential | undefined
  const run = createSharedCall(async () => {
    checkConfiguration(configuration, profile)
    held = await runTokenCommand(command, profile.tokenKind ?? 'personal', profile.name, {
      env,
      folder,
      signal,
    })
    return held
  })
  return {
    get: async () => held ?? run(),
    renew: async () => {
      const before = held?.value
      const after = await run()
      return after.value === before ? undefined : after
    },
  }
}

const createMissingTokenFailure = (profile: Profile, place: TokenPlace): Failure =>
  new Failure('auth', `the ${place} no longer has the token of profile ${profile.name}`, {
    hint: `Sign in again with: svcctl auth login -p ${profile.name}`,
  })

const createForeignTokenFailure = (profile: Profile, token: StoredToken): Failure =>
  new Failure(
    'auth',
    `the token of profile ${profile.name} is for ${token.baseUrl}, not for ${profile.baseUrl}`,
    { hint: `Sign in with: svcctl auth login -p ${profile.name} --base-url ${profile.baseUrl}` },
  )

/** If the instance rejects a token within this time after a refresh, in milliseconds, it was the old token. */
const recentRefresh = 10_000

const createStoredSource = (
  profile: Profile,
  place: TokenPlace,
  { tokens, post, now }: Services,
): CredentialSource => {
  let held: StoredToken | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY

  const read = createSharedCall(async (): Promise<StoredToken> => {
    const token = await tokens.read(profile.name, place)
    if (token === undefined) throw createMissingTokenFailure(profile, place)
    if (token.baseUrl !== profile.baseUrl) throw createForeignTokenFailure(profile, token)
    held = token
    return token
  })
  const replace = createSharedCall(async (): Promise<StoredToken> => {
    held = await refreshToken(profile, held ?? (await read()), tokens, post, now)
    refreshedAt = now()
    return held
  })
  const toResolved = (token: StoredToken): ResolvedCredential => ({
    ...checkToken(token.token, token.kind, place === 'keyring' ? 'keyring' : 'token file'),
    expiresAt: token.expiresAt,
    ...(canRefresh(profile, token) ? { renews: true } : {}),
  })

  return {
    get: async () => {
      const token = held ?? (await read())
      const due = isExpiring(token, now()) && canRefresh(profile, token)
      return toResolved(due ? await replace() : token)
    },
    renew: async () => {
      const token = held ?? (await read())
      if (!canRefresh(profile, token)) return undefined
      // Many requests may be in progress with the old token. Only the first rejection causes a refresh.
      return toResolved(now() - refreshedAt < recentRefresh ? token : await replace())
    },
  }
}

/** Creates the source of a profile's credential; undefined if the profile has none. */
export const createCredentialSource = (
  profile: Profile,
  services: Services,
): CredentialSource | undefined => {
  if (profile.tokenCommand !== undefined)
    return createCommandSource(profile, profile.tokenCommand, services)
  return profile.tokenStore === undefined
    ? undefined
    : createStoredSource(profile, profile.tokenStore, services)
}
