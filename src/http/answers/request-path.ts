/** Reads the path that a refused request named, for hints about it. */
import type { NextStep } from '../types.js'
import { encodeSlashes } from './slashes.js'

interface NamedRequest {
  /** Method and address without credentials. */
  readonly request: string
}

/** Returns the project that a request names in its path, or the group. */
const parseProjectPath = (request: string, kinds = 'projects'): string | undefined => {
  const [, segment = ''] = new RegExp(`/(?:${kinds})/([^/?\\s]+)`).exec(request) ?? []
  try {
    return segment === '' ? undefined : decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Returns the next step for a project that now has another path. */
export const createMovedStep = (request: string): NextStep => {
  const about = parseProjectPath(request)
  return { code: 'moved-project', about }
}

/** Returns the path below the host of its instance, for one that begins with it as `gh -R HOST/OWNER/REPO` does; undefined for others. */
export const findPathBelowHost = ({ request }: NamedRequest): string | undefined => {
  const [, host] = /:\/\/([^/]+)\//.exec(request) ?? []
  if (host === undefined) return undefined
  const path = parseProjectPath(request, 'projects|groups') ?? ''
  const front = [host, host.replace(/:\d+$/, '')].find((one) => path.startsWith(`${one}/`))
  return front === undefined ? undefined : path.slice(front.length + 1)
}

/** True if a path names a project or group by its full path, whose slashes a web server may decode. */
export const hasEncodedSlash = ({ request }: NamedRequest): boolean =>
  /\/(?:projects|groups)\/[^/?\s]*%2F/i.test(request)

/** Returns the intended method and path of a request whose path has a name with plain slashes; undefined for other requests. */
export const suggestRequest = ({ request }: NamedRequest): string | undefined => {
  const [, method = '', path = ''] = /^(\S+) \S*?\/api\/v4\/(\S+)$/.exec(request) ?? []
  const encodedPath = encodeSlashes(path)
  return encodedPath === undefined ? undefined : `${method} ${encodedPath}`
}
