/** What to do next about a failure of the HTTP layer, in the words of commands and flags. */
import { quoted } from '../../base/shell-words.js'
import { Failure } from '../../errors.js'
import type { AdviceCode } from '../../http/advice.js'

const login = '`svcctl auth login` stores a credential; SVC_TOKEN gives one for a single call.'

/** By code; a function where it says what it is about. */
export const hints: Readonly<Record<AdviceCode, string | ((about?: string) => string)>> = {
  sudo: 'Use an administrator’s token that has the sudo scope, or leave --sudo and SVC_SUDO out.',
  'sudo-user': 'Check the id or user name given by --sudo or SVC_SUDO.',
  scope: (scope = 'that this needs') =>
    `The token lacks the scope ${scope}: make one that has it, then \`svcctl auth login\`.`,
  credential:
    'The credential is wrong, expired or revoked: `svcctl auth status` says where it comes from, `svcctl auth login` replaces it.',
  'sign-in': `No credential was sent. ${login}`,
  rights:
    'The user of this token may not do that: `svcctl auth status` says who it is, --help who may.',
  'no-instance': 'Is there an instance under the base URL? `svcctl doctor` checks it.',
  private: `Either it does not exist or it is private; no credential was sent. ${login}`,
  hidden:
    'Either it does not exist or it is private and hidden from this user: check the id or path, and `svcctl auth status`.',
  maintenance: (wait) => {
    const asked = wait === undefined ? '' : ` It asks to wait ${wait}.`
    return `Try again when the maintenance is over; reading may work meanwhile.${asked}`
  },
  unavailable: (wait) =>
    `The instance is not available for now: try again${wait === undefined ? ' later' : `; it asks to wait ${wait}`}.`,
  'moved-project': (project = 'PATH') =>
    `Find its new path with \`svcctl projects get ${quoted(project)} --fields path_with_namespace\`, then name that, or its ID, with -P.`,
  rate: (wait) => {
    const asked = wait === undefined ? '' : ` It asks to wait ${wait}.`
    return `Wait before the next call, and ask for less at once (--concurrency, --rate).${asked}`
  },
  input: 'Correct what it names and try again; --help lists what the command takes.',
  way: 'Try again; if it stays so, `svcctl doctor` looks at each step of the way there.',
  address: 'Check the base URL (--base-url, SVC_BASE_URL, the profile), and the network.',
  authority:
    'If the instance has its own certificate authority, name its file with --ca-file <pem>, which `svcctl auth login` and `svcctl profile set <name>` take.',
  slow: 'Try again, or allow it more time with --timeout <seconds>.',
  ca: 'Name another file with --ca-file, which `svcctl auth login` and `svcctl profile set <name>` take.',
  'client-certificate':
    'Name other files with --cert-file and --key-file, which `svcctl auth login` and `svcctl profile set <name>` take.',
  paging: 'The instance’s paging is at fault; --page reads one page at a time.',
  'order-by-id': 'Only a list in the order of ids goes on past this: add --order-by id.',
  'key-in-address': 'Give the key by --authorization-key or SVC_ALERT_KEY.',
}

const isCode = (code: string): code is AdviceCode => Object.hasOwn(hints, code)

/** A failure with its hint in words; anything else, and what has a hint already, as it is. */
export const worded = (error: unknown): unknown => {
  if (!(error instanceof Failure)) return error
  const { hint, advice } = error.details
  if (hint !== undefined || advice === undefined || !isCode(advice.code)) return error
  const words = hints[advice.code]
  return new Failure(error.category, error.message, {
    ...error.details,
    hint: typeof words === 'string' ? words : words(advice.about),
  })
}
