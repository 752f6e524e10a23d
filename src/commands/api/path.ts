/** The path of `svcctl api`: what stands for others in it, what cannot stand in one, and where it goes. */
import { hasDots } from '../../base/segments.js'
import { usage } from '../../errors.js'
import type { WireRequest } from '../../http/types.js'
import type { PlaceService } from '../services.js'

/** Percent-encoded, whatever it is. */
const encoded = (text: string): string =>
  [...Buffer.from(text)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('')

/** `{project}` and `{group}` stand for the project and group at hand. */
const filled = async (place: PlaceService, path: string): Promise<string> => {
  let text = path
  for (const kind of ['project', 'group'] as const) {
    if (!text.includes(`{${kind}}`)) continue
    const value = await place.scope(kind)
    if (value === undefined)
      throw usage(
        `{${kind}} stands in the path, and there is no ${kind} at hand`,
        `Set SVC_${kind.toUpperCase()}.`,
      )
    text = text.replaceAll(`{${kind}}`, encodeURIComponent(value).replaceAll('.', '%2E'))
  }
  return text
}

const checkedPath = (path: string): string => {
  const [plain = ''] = path.split(/[?#]/)
  if (hasDots(plain)) throw usage('"." and ".." cannot stand in a path')
  const stray = /[^\x21-\x7e]|#/.exec(path)?.[0]
  if (stray === undefined) return path
  throw usage(
    `${stray === ' ' ? 'a blank' : JSON.stringify(stray)} cannot stand in a path`,
    `Write it as ${stray === '#' ? '%23' : encoded(stray)}.`,
  )
}

/** Where a path below the API goes, or one of another root of the instance. */
export const addressOf = async (
  place: PlaceService,
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
export const pathIn = async (place: PlaceService, target: string): Promise<string> =>
  checkedPath((await filled(place, target)).replace(/^(?!\/)/, '/'))
