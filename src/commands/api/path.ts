/** The path of `svcctl api`: what stands for others in it, what cannot stand in one, and where it goes. */
import { hasDots, isDots } from '../../base/segments.js'
import type { WorkspaceService } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import { usage } from '../../errors.js'
import type { WireRequest } from '../../http/types.js'

/** Percent-encoded, whatever it is. */
const encoded = (text: string): string =>
  [...Buffer.from(text)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('')

const kinds = ['project', 'group'] as const
type Kind = (typeof kinds)[number]

/** How the project or group of a call may be given. */
const ways: Readonly<Record<Kind, string>> = {
  project:
    'Pass --project (-P), --group (-G) or --all-projects, set SVC_PROJECT, or run the command inside a clone of the project.',
  group: 'Pass --group (-G) or --all-groups, or set SVC_GROUP.',
}

/**
 * The request with what was named in the places of `{project}` and `{group}`, else what is at hand.
 * @throws Failure `usage` where there is neither
 */
export const fillApiPath = async (
  place: WorkspaceService,
  { flags }: Pick<Given, 'flags'>,
  request: WireRequest,
): Promise<WireRequest> => {
  let { path } = request
  for (const kind of kinds) {
    if (!path.includes(`{${kind}}`)) continue
    const value = flags[kind] ?? (await place.scope(kind))
    if (value === undefined)
      throw usage(`the path contains {${kind}}, but no ${kind} is given`, ways[kind])
    const text = String(value)
    if (text === '' || isDots(text)) throw usage(`"${text}" cannot replace {${kind}}`)
    path = path.replaceAll(`{${kind}}`, encodeURIComponent(text).replaceAll('.', '%2E'))
  }
  return { ...request, path }
}

const checkedPath = (path: string): string => {
  const [plain = ''] = path.split(/[?#]/)
  if (hasDots(plain)) throw usage('"." and ".." cannot be used in a path')
  const stray = /[^\x21-\x7e]|#/.exec(path)?.[0]
  if (stray === undefined) return path
  throw usage(
    `${stray === ' ' ? 'a blank' : JSON.stringify(stray)} cannot be used in a path`,
    `Write it as ${stray === '#' ? '%23' : encoded(stray)}.`,
  )
}

/** Where a path below the API goes, or one of another root of the instance. */
export const resolveAddress = async (
  place: WorkspaceService,
  path: string,
  query: string,
): Promise<Pick<WireRequest, 'path' | 'absolute'>> => {
  const root = path.startsWith('/api/') && !path.startsWith('/api/v4/')
  const below = path.startsWith('/api/v4/') ? path.slice('/api/v4'.length) : path
  const whole = query === '' ? below : `${below}${below.includes('?') ? '&' : '?'}${query}`
  return root
    ? { path: `${(await place.session()).baseUrl}${whole}`, absolute: true }
    : { path: whole }
}

/**
 * The path that was typed, as it may be sent.
 * @throws Failure `usage` naming what cannot stand in one
 */
export const normalizePath = (target: string): string => checkedPath(target.replace(/^(?!\/)/, '/'))
