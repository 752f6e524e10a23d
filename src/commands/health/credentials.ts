/**
 * The tokens of the profiles: whether each works, asked by one GET with that token at its own address, and
 * when it ends, where signing in was told so. The API has no word for a token's end.
 */
import { mr } from '../../catalogue/areas/mr.js'
import type { Services } from '../../engine/command/services.js'
import { survived } from '../../errors.js'
import { getPaths, openStore } from '../../profile/index.js'
import type { ResolvedCredential, Session } from '../../profile/types.js'

export interface ProfileCredential {
  readonly profile: string
  readonly base_url: string
  /** `personal, from the keyring`. */
  readonly credential: string
  /** Undefined where nobody could say. */
  readonly works?: boolean
  /** Why it does not, or why that is not known. */
  readonly reason?: string
  readonly expires_at?: string
  readonly left_seconds?: number
  readonly renews?: boolean
}

/** What a session is called that no profile made. */
const unnamed = '(environment)'

const endOf = ({ expiresAt, renews }: ResolvedCredential, now: Date) => {
  const time = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt)
  return {
    ...(Number.isNaN(time)
      ? {}
      : {
          expires_at: new Date(time).toISOString(),
          left_seconds: Math.floor((time - now.getTime()) / 1000),
        }),
    ...(renews === true ? { renews } : {}),
  }
}

/** One documented GET that needs somebody to be signed in. */
const tried = async (
  { instance }: Services,
  session: Session,
  { kind, value }: ResolvedCredential,
): Promise<Pick<ProfileCredential, 'works' | 'reason'>> => {
  try {
    const there = instance.elsewhere(session.baseUrl, { kind, value }, session)
    const request = await there.build({ endpoint: mr.list, values: {} })
    await there.call({ ...request, path: `${request.path}?per_page=1` })
    return { works: true }
  } catch (error) {
    const { category, message, details } = survived(error)
    // What is only not allowed to it, it may ask for.
    if (details.status === 403) return { works: true }
    return category === 'auth' ? { works: false, reason: message } : { reason: message }
  }
}

const ofSession = async (services: Services, session: Session): Promise<ProfileCredential> => {
  const who = { profile: session.profile?.name ?? unnamed, base_url: session.baseUrl }
  let credential: ResolvedCredential | undefined
  try {
    credential = await session.credential()
  } catch (error) {
    const { category, message } = survived(error)
    const works = category === 'unreachable' ? {} : { works: false }
    return { ...who, credential: 'invalid', ...works, reason: message }
  }
  if (credential === undefined)
    return { ...who, credential: 'none', works: false, reason: 'no token' }
  return {
    ...who,
    credential: `${credential.kind}, from ${credential.source}`,
    ...(await tried(services, session, credential)),
    ...endOf(credential, services.place.clock.now()),
  }
}

/** Those that are meant: the profile of the line, else all; what stands beside them where that is in force. */
const namesIn = ({ place }: Services): readonly (string | undefined)[] => {
  const { globals, env } = place
  if (globals.profile !== undefined) return [globals.profile]
  const names = openStore(getPaths(env)).names()
  const outside = globals.sandbox || globals.baseUrl !== undefined || Boolean(env.SVC_BASE_URL)
  if (outside || names.length === 0) return [undefined, ...(globals.sandbox ? [] : names)]
  return names
}

/** One of all profiles that cannot even be opened is one that does not work. */
const ofProfile = async (services: Services, name: string): Promise<ProfileCredential> => {
  try {
    return await ofSession(services, await services.place.sessionOf(name))
  } catch (error) {
    const { message } = survived(error)
    const base_url = openStore(getPaths(services.place.env)).get(name)?.baseUrl ?? ''
    return { profile: name, base_url, credential: 'invalid', works: false, reason: message }
  }
}

/**
 * The tokens of all profiles, or of the one that the line names.
 * @throws Failure `auth` where there is no instance at all, `usage` for a profile that there is not
 */
export const readCredentials = (services: Services): Promise<readonly ProfileCredential[]> => {
  const { profile } = services.place.globals
  return Promise.all(
    namesIn(services).map(async (name) =>
      name === undefined || name === profile
        ? ofSession(services, await services.place.sessionOf(name))
        : ofProfile(services, name),
    ),
  )
}
