/** Implements `auth token` and `auth git-credential`, which give the credential of a profile to other programs. */

import type { Context } from '../engine/command/context.js'
import { type Rows, yieldText } from '../engine/rows.js'
import { Failure, usage } from '../errors.js'
import { getLoginLine } from '../profile/index.js'
import type { Session } from '../profile/types.js'
import { define } from './define.js'
import { openProfileStore } from './profile.js'

/** Returns the token of a session. @throws Failure for a protected profile, a session cookie, or no credential */
const readToken = async (session: Session): Promise<string> => {
  if (session.profile?.protected === true)
    throw usage(
      `profile ${session.profile.name} is protected, and its credential is not printed`,
      'Use a token of its own for the other program.',
    )
  const credential = await session.getCredential()
  if (credential === undefined)
    throw new Failure('auth', 'there is no credential', {
      hint: `Run "${getLoginLine(session)}".`,
    })
  if (credential.kind === 'session')
    throw usage('a session cookie is no token, and is not printed', 'Sign in with a token.')
  return credential.value
}

/** Checks that no format is set, since the answer is the token alone. @throws Failure `usage` for `-o` */
const checkPlain = ({ place: { globals } }: Context): void => {
  if (globals.output !== undefined) throw usage('auth token prints the token alone; omit -o')
}

export const tokenCommand = define({
  description: [
    'Other programs can use it: curl -H "PRIVATE-TOKEN: $(svcctl auth token)". The credentials of protected profiles and session cookies are not printed.',
  ],
  single: true,
  credential: true,
  rows: async function* (context) {
    checkPlain(context)
    yield* yieldText(`${await readToken(await context.place.session())}\n`)
  },
})

/** Parses the request of git: lines of `key=value`, up to an empty line. */
const parseRequest = (text: string): ReadonlyMap<string, string> => {
  const [block = ''] = text.split(/\r?\n\r?\n/, 1)
  return new Map(
    block.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf('=')
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const]
    }),
  )
}

/** Returns the origin of an address (scheme, host and port); undefined if it is not valid. */
const toOrigin = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).origin : undefined

/** Finds the session of the instance that git asks for, by its origin; undefined if no profile has it. */
const findSession = async (
  { place, ...context }: Context,
  origin: string | undefined,
): Promise<Session | undefined> => {
  if (origin === undefined) return undefined
  const named = place.globals.profile !== undefined || place.globals.baseUrl !== undefined
  const profile = openProfileStore({ place, ...context })
    .list()
    .find(({ baseUrl }) => toOrigin(baseUrl) === origin)
  const session =
    named || profile === undefined
      ? await place.session()
      : await place.session({ profile: profile.name })
  return toOrigin(session.baseUrl) === origin ? session : undefined
}

async function* answerGit(context: Context, [action]: readonly string[]): Rows {
  if (action !== 'get') return
  const request = parseRequest(await context.place.stdin.text())
  const address = `${request.get('protocol') ?? ''}://${request.get('host') ?? ''}`
  const session = await findSession(context, toOrigin(address))
  if (session === undefined || session.profile?.protected === true) return
  const token = await readToken(session)
  const username = request.get('username') ?? 'oauth2'
  yield* yieldText(`username=${username}\npassword=${token}\n`)
}

export const gitCredentialCommand = define({
  description: [
    'Set it for an instance: git config --global credential.https://svc.example.helper "!svcctl auth git-credential". It answers for the scheme, host and port of an unprotected profile, and stores nothing.',
  ],
  single: true,
  credential: true,
  args: [
    {
      name: 'get|store|erase',
      required: true,
      variadic: false,
      help: 'what git asks for; store and erase do nothing',
      values: async () => ['get', 'store', 'erase'].map((value) => ({ value })),
    },
  ],
  rows: async function* (context, { args }) {
    if (!['get', 'store', 'erase'].includes(args[0] ?? ''))
      throw usage('auth git-credential requires get, store or erase')
    yield* answerGit(context, args)
  },
})
