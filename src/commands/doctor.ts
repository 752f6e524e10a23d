/** Implements `doctor`, which checks everything that commands require, and prints a remedy for each problem. */

import { join } from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { describeDistrust, findDistrust } from '../base/files/trust.js'
import { getHomeFolder } from '../base/io.js'
import { isSwitchedOn } from '../base/switches.js'
import { formatCount } from '../base/text.js'
import { boolean } from '../catalogue/params.js'
import type { Context, ExternalClient } from '../engine/command/context.js'
import { createExitRow, type Rows, yieldRecords } from '../engine/rows.js'
import { exitCodes, recoverFrom } from '../errors.js'
import {
  createTransport,
  getLoginLine,
  getPaths,
  openKeyring,
  openStore,
} from '../profile/index.js'
import type { Environment, ResolvedCredential, Session } from '../profile/types.js'
import { loadChecked, readVocabulary } from '../vocabulary/index.js'
import { type Identity, probe } from './auth-probe.js'
import { findShell } from './completion.js'
import { define } from './define.js'
import {
  type Check,
  createFailedCheck,
  createPassedCheck,
  createWarningCheck,
  runInstanceChecks,
  runNetworkChecks,
  runPathChecks,
  toFailedCheck,
} from './doctor-checks.js'
import { discoverOwnInstance } from './known.js'
import { getVocabularyFile, readVersion } from './vocabulary-reading.js'

/** Returns the exit code of the first failed check. */
const getDoctorExitCode = (checks: readonly Check[]): number => {
  const first = checks.find((c) => c.category !== undefined)?.category
  return first === undefined ? 0 : exitCodes[first]
}

// Checks of this machine: the configuration, the keyring and shell completion.

const checkConfiguration = (env: Environment): Check => {
  const check = 'configuration'
  const { config } = getPaths(env)
  try {
    const store = openStore(getPaths(env))
    const count = store.list().length
    const current = store.getCurrentName()
    const now = current === undefined ? '' : `, current profile: "${current}"`
    return createPassedCheck(check, `${config}: ${formatCount(count, 'profile')}${now}`)
  } catch (error) {
    return toFailedCheck(check, error)
  }
}

/** Checks that other users cannot change the profiles and caches, because svcctl ignores files that they can change. */
const runTrustChecks = (env: Environment): readonly Check[] => {
  const { config, cache } = getPaths(env)
  const createTrustCheck = (check: string, path: string, without: string): Check => {
    const found = findDistrust(path)
    if (found === undefined) return createPassedCheck(check, `only you can write ${path}`)
    const { message, remedy } = describeDistrust(found)
    return createWarningCheck(check, `${message}: ${without}`, `Run: ${remedy}`)
  }
  return [
    createTrustCheck(
      'trusted profiles',
      join(config, 'config.json'),
      'svcctl does not run its token commands',
    ),
    createTrustCheck(
      'trusted cache',
      cache,
      'svcctl uses no cache, so commands and completion are slower',
    ),
  ]
}

/** True in the standalone executable, which cannot load native libraries. */
const isStandalone = async (): Promise<boolean> => (await import('node:sea')).isSea()

/** Checks whether the system keyring can be used. */
export const checkKeyring = async (env: Environment, single = isStandalone): Promise<Check> => {
  const check = 'keyring'
  if (isSwitchedOn(env.SVC_NO_KEYRING))
    return createPassedCheck(check, 'not used, because SVC_NO_KEYRING is set')
  const remedy = 'Tokens are stored in a file that only you can read. A keyring is safer.'
  if (await single())
    return createWarningCheck(
      check,
      'not available in the standalone executable, only in the npm package',
      remedy,
    )
  const keyring = await openKeyring()
  if (keyring === undefined) return createWarningCheck(check, 'none', remedy)
  try {
    await keyring.get('doctor')
    return createPassedCheck(check, 'the system keyring works')
  } catch {
    return createWarningCheck(check, 'the system keyring does not respond', remedy)
  }
}

/** Reads the text of a file; empty if it cannot be read. */
const readText = (file: string): string => {
  try {
    return readRegular(file).toString()
  } catch {
    return ''
  }
}

const checkCompletion = async (env: Environment): Promise<Check> => {
  const check = 'completion'
  const shell = findShell(env)
  if (shell === undefined) return createPassedCheck(check, 'unknown shell')
  const { starts, scripts } = shell.getFiles(getHomeFolder(env), env)
  for (const file of [...starts, ...scripts])
    if (/svcctl.*completion|_svcctl/.test(readText(file)))
      return createPassedCheck(check, `${shell.name} loads the completion from ${file}`)
  return createWarningCheck(
    check,
    `${shell.name} does not load the completion`,
    `Install the completion with: ${shell.install}`,
  )
}

// Checks of the credential: its user, scopes and rights.

const checkJobToken = (session: Session): Check =>
  session.getJobToken() === undefined
    ? createFailedCheck(
        'credential',
        'auth',
        `no credential for ${session.baseUrl}`,
        `Sign in with: ${getLoginLine(session)}`,
      )
    : createFailedCheck(
        'credential',
        'auth',
        'there is only a job token, which few commands accept',
        'Set SVC_TOKEN as well, or sign in.',
      )

const checkAdministrator = ({ administrator }: Identity): Check =>
  administrator
    ? createPassedCheck('administrator', 'yes')
    : createWarningCheck(
        'administrator',
        'no; settings, geo, runners list --instance and other commands need one',
        'Use an administrator’s token for these commands.',
      )

const checkScopes = ({ scopes }: Identity): Check => {
  if (scopes === undefined) return createPassedCheck('scopes', 'the instance does not report them')
  const text = scopes.join(', ')
  return scopes.includes('api')
    ? createPassedCheck('scopes', text)
    : createWarningCheck(
        'scopes',
        `${text}; without the scope "api", svcctl cannot change anything`,
        'Create a token with the scope "api".',
      )
}

const createIdentityChecks = (
  credential: ResolvedCredential,
  identity: Identity,
  sudo: string | undefined,
): readonly Check[] => [
  createPassedCheck('credential', `${credential.kind}, from ${credential.source}`),
  createPassedCheck('user', identity.username ?? 'the instance does not report the user'),
  ...(sudo === undefined ? [] : [createPassedCheck('acting as', sudo)]),
  checkAdministrator(identity),
  checkScopes(identity),
]

/** Creates a client for the instance with the session's credential. */
const connect = async (
  { instance }: Pick<Context, 'instance'>,
  session: Session,
): Promise<ExternalClient> => {
  const credential = await session.getCredential()
  const own = credential && { kind: credential.kind, value: credential.value }
  return instance.createClientFor(session.baseUrl, own, session)
}

/** Checks the credential. No check contains the credential itself. */
const runAccountChecks = async (context: Context, session: Session): Promise<readonly Check[]> => {
  try {
    const credential = await session.getCredential()
    if (credential === undefined) return [checkJobToken(session)]
    const identity = await probe(await connect(context, session))
    return createIdentityChecks(credential, identity, session.sudo)
  } catch (error) {
    return [toFailedCheck('credential', error)]
  }
}

// Checks of the instance's version and vocabulary.

/** Reads the version that the instance reports. */
const checkVersion = async (context: Context): Promise<Check> => {
  try {
    const version = await readVersion(context)
    return createPassedCheck('version', version ?? 'the instance does not report it')
  } catch (error) {
    const { status } = recoverFrom(error).details
    if (status === undefined) return toFailedCheck('version', error)
    return createPassedCheck('version', `the instance does not report it (${status})`)
  }
}

/** Reports the undocumented settings, fields and values of the instance, and its missing endpoints. */
const runKnownChecks = async (context: Context, anew: boolean): Promise<readonly Check[]> => {
  const known = await discoverOwnInstance(context, { anew })
  if (known === undefined) return []
  const found = [
    formatCount(Object.keys(known.settings).length, 'setting'),
    formatCount(Object.values(known.fields).flat().length, 'field'),
    formatCount(Object.values(known.values).flat().length, 'value'),
  ]
  const older = Object.entries(known.kept_from ?? {}).map(
    ([section, at]) => `; ${section} ${String(at).slice(0, 10)}`,
  )
  const seen = `seen ${known.read_at.slice(0, 10)}${older.join('')}`
  return [
    {
      ...createPassedCheck('beyond documents', `${found.join(', ')} (${seen})`),
      known,
    },
    ...known.gone.map(({ route, status }) =>
      createWarningCheck('gone', `${route}: this instance does not have it (${status})`),
    ),
  ]
}

/** Checks the active vocabulary, and lists the endpoints that it declares as missing. */
const runVocabularyChecks = async ({ place }: Context): Promise<readonly Check[]> => {
  const file = getVocabularyFile(place)
  if (file === undefined)
    return [createPassedCheck('vocabulary', 'none: names are those of the documents')]
  try {
    await loadChecked(file)
    const { words, names, gone } = await readVocabulary(file)
    return [
      createPassedCheck('vocabulary', `${file}: ${words.length} words, ${names.length} names`),
      ...gone.map(({ key, value }) => createWarningCheck('gone', `${key}: ${value}`)),
    ]
  } catch (error) {
    return [toFailedCheck('vocabulary', error, 'svcctl vocabulary check says more.')]
  }
}

const marks = { ok: 'good', warning: 'warn', failure: 'bad' } as const
const nameWidth = 16

const hasFailure = (checks: readonly Check[]): boolean => checks.some((c) => c.status === 'failure')

/** Runs all checks of the instance. After a failure, checks that depend on it are omitted. */
const runRemoteChecks = async (
  context: Context,
  session: Session,
  anew: boolean,
): Promise<readonly Check[]> => {
  const transport =
    (await createTransport(session, context.place.globals.insecure, context.place.env)) ?? {}
  const network = await runNetworkChecks(session.baseUrl, transport, context.place.clock.now())
  if (hasFailure(network)) return network
  // No credential is sent, because the address may be wrong.
  const party = session.profile === undefined ? {} : { profile: session.profile }
  const client = context.instance.createClientFor(session.baseUrl, undefined, party)
  const instance = await runInstanceChecks(client, context.place.clock.now)
  if (hasFailure(instance)) return [...network, ...instance]
  const account = await runAccountChecks(context, session)
  if (hasFailure(account))
    return [...network, ...instance, ...account, ...(await runPathChecks(client))]
  const paths = await runPathChecks(await connect(context, session))
  const version = await checkVersion(context)
  const known = await runKnownChecks(context, anew)
  return [...network, ...instance, ...account, ...paths, version, ...known]
}

const runSessionChecks = async (context: Context, anew: boolean): Promise<readonly Check[]> => {
  try {
    const session = await context.place.session()
    const warnings = (session.warnings ?? []).map((text) => createWarningCheck('instance', text))
    const address: Check = {
      check: 'instance',
      status: 'ok',
      message: `${session.baseUrl}, from ${session.baseUrlSource}`,
    }
    return [address, ...warnings, ...(await runRemoteChecks(context, session, anew))]
  } catch (error) {
    return [toFailedCheck('instance', error)]
  }
}

/** Formats a check with its mark, followed by its remedy. */
const formatCheck = ({ answer }: Context, { check, status, message, remedy }: Check): string => {
  const line = `${answer.text.mark(marks[status])} ${answer.text.emphasize(check.padEnd(nameWidth))} ${answer.text.wrapHanging(message, nameWidth + 3)}\n`
  return remedy === undefined || status === 'ok'
    ? line
    : `${line}${' '.repeat(nameWidth + 3)}${answer.text.mark('next')} ${answer.text.wrapHanging(remedy, nameWidth + 5)}\n`
}

const listChecks = (context: Context, checks: readonly Check[]): Rows =>
  yieldRecords(
    checks.map(({ category: _, ...row }) => row),
    {
      columns: ['check', 'status', 'message', 'remedy'],
      people: { page: () => checks.map((check) => formatCheck(context, check)) },
    },
  )

export const doctor = define({
  description: [
    'Checks the configuration and its permissions, the network, TLS and the clock. It also checks the credential and its scopes, the version and vocabulary of the instance, the keyring and shell completion.',
    'If a profile is in use, svcctl looks once a day at what the instance has beyond the API documents: settings, fields, values, missing endpoints. It stores their names and types with the profile, and no contents.',
    'Exit code 0: the instance can be used; 3: no valid credential; 4: wrong base URL, or paths do not arrive; 7: the instance cannot be reached.',
  ],
  flags: { refresh: boolean('look anew at what the instance has beyond the API documents') },
  rows: async function* (context, given) {
    const checks = await context.ui.showProgress('looking', async () => [
      checkConfiguration(context.place.env),
      ...runTrustChecks(context.place.env),
      ...(await runVocabularyChecks(context)),
      ...(await runSessionChecks(context, given.flags.refresh === true)),
      await checkKeyring(context.place.env),
      await checkCompletion(context.place.env),
    ])
    yield* listChecks(context, checks)
    const code = getDoctorExitCode(checks)
    if (code !== 0) yield createExitRow(code)
  },
})
