/** Converts the advice codes of HTTP failures to hints that name commands and flags. */
import { quoteWord } from '../../base/shell-words.js'
import { Failure } from '../../errors.js'
import type { AdviceCode } from '../../http/types.js'
import { getLoginLine, type NamedSession } from '../../profile/index.js'
import { addInstanceFlags, type InstanceGlobals } from '../command/globals.js'

/** Returns the hint to sign in, or to set the variable, which several profiles do not read. */
export const getSignInHint = (session?: NamedSession): string => {
  const variable = session?.profile === undefined ? ', or set SVC_TOKEN' : ''
  return `Sign in with \`${getLoginLine(session)}\`${variable}.`
}

const quoteRequest = (request: string): string => request.split(' ').map(quoteWord).join(' ')

/** The instance of a failure, and the flags of its line. */
export interface FailurePlace {
  readonly session?: NamedSession
  readonly globals?: InstanceGlobals
}

/** Creates a hint from the detail that it mentions, and the place of the failure. */
type HintWriter = (about: string | undefined, place: FailurePlace) => string

/** Quotes a line that asks the instance of the failure. */
const quoteLine = (words: string, { globals = {} }: FailurePlace): string =>
  `\`${addInstanceFlags(`svcctl ${words}`, globals)}\``

/** The hint of each advice code. */
export const hints: Readonly<Record<AdviceCode, string | HintWriter>> = {
  sudo: 'Use an administrator’s token with the sudo scope, or remove --sudo and SVC_SUDO.',
  'sudo-user': 'Check the ID or username in --sudo or SVC_SUDO.',
  scope: (scope = 'required for this', { session }) => {
    const { variable } = session ?? {}
    const next =
      variable === undefined ? `run \`${getLoginLine(session)}\`` : `set ${variable} to it`
    return `The token lacks the scope ${scope}. Create a token with it, then ${next}.`
  },
  credential: (_, place) => {
    const next =
      place.session?.variable === undefined
        ? `${quoteLine('auth status', place)} shows its source, and \`${getLoginLine(place.session)}\` replaces it.`
        : `It is the token in ${place.session.variable}: set that to another one.`
    return `The credential is wrong, expired or revoked. ${next}`
  },
  'sign-in': (_, { session }) => `No credential was sent. ${getSignInHint(session)}`,
  rights: (_, place) =>
    `The token’s user is not permitted to do this. ${quoteLine('auth status', place)} shows the user, and --help the required role.`,
  'no-instance': (_, place) =>
    `There is a proxy or a sign-in page in front of the instance, or the base URL is wrong. ${quoteLine('doctor', place)} tells which.`,
  'decoded-path': (_, place) =>
    `The instance does not have this endpoint, the base URL is wrong, or a web server in front decodes %2F in paths. ${quoteLine('doctor', place)} tells which; use the ID until then.`,
  slashes: (request, { globals = {} }) => {
    const form = 'Slashes in the name of a project, group, branch or file are written %2F'
    return request === undefined
      ? `${form}.`
      : `${form}. Run "${addInstanceFlags(`svcctl api ${quoteRequest(request).replace(/^GET /, '')}`, globals)}".`
  },
  private: (_, { session }) =>
    `It does not exist, or it is private and no credential was sent. ${getSignInHint(session)}`,
  hidden: (_, place) =>
    `It does not exist, or this user cannot see it. Check the ID or path, and ${quoteLine('auth status', place)}.`,
  maintenance: (wait) => {
    const waitText = wait === undefined ? '' : ` It asks to wait ${wait}.`
    return `Try again after the maintenance. Reads may still work.${waitText}`
  },
  unavailable: (wait) =>
    `The instance is temporarily unavailable. Try again${wait === undefined ? ' later' : `; it asks to wait ${wait}`}.`,
  'moved-project': (project = 'PATH', place) =>
    `Find its new path with ${quoteLine(`projects get ${quoteWord(project)} --fields path_with_namespace`, place)}, then pass that path or its ID with -P.`,
  rate: (wait) => {
    const waitText = wait === undefined ? '' : ` It asks to wait ${wait}.`
    return `Wait before the next call, lower --concurrency or --rate, or allow more with --retries and --max-wait.${waitText}`
  },
  input: 'Correct the named values and try again. --help lists the flags.',
  way: (_, place) => `Try again. If it fails again, run ${quoteLine('doctor', place)}.`,
  address: 'Check the base URL (--base-url, SVC_BASE_URL or profile) and the network.',
  authority:
    'Name the PEM file of the certificate authority in SSL_CERT_FILE, or pass --ca-file <pem> to `svcctl auth login` or `svcctl profile set <name>`.',
  identity:
    'Pass a client certificate and its key with --cert-file and --key-file to `svcctl auth login` or `svcctl profile set <name>`.',
  slow: 'Try again, or allow more time with --timeout <seconds>.',
  ca: 'Name another file in SSL_CERT_FILE, or with --ca-file of `svcctl auth login` or `svcctl profile set <name>`.',
  'client-certificate':
    'Pass other files with --cert-file and --key-file to `svcctl auth login` or `svcctl profile set <name>`.',
  paging: 'The paging of the instance is faulty. Use --page to read one page at a time.',
  'order-by-id': 'Only a list ordered by ID can continue past this point. Add --order-by id.',
  'response-size': 'Request less: smaller pages of a list (--per-page), or fewer objects.',
  'record-size': 'Run the command again with -o json, without --fields and for a single object.',
  'key-in-address': 'Pass the key with --authorization-key or SVC_ALERT_KEY.',
}

const isCode = (code: string): code is AdviceCode => Object.hasOwn(hints, code)

/** Adds the hint of its advice code to a failure. Other errors, and failures with a hint, are returned unchanged. */
export const addWorkspaceHint = (error: unknown, place: FailurePlace = {}): unknown => {
  if (!(error instanceof Failure)) return error
  const { hint, advice } = error.details
  if (hint !== undefined || advice === undefined || !isCode(advice.code)) return error
  const words = hints[advice.code]
  return error.with({ hint: typeof words === 'string' ? words : words(advice.about, place) })
}
