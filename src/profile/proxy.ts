/** Checks the address of a proxy, from a profile or from the environment. */

import { usage } from '../errors.js'

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** True if an http(s) URL has no path, query or fragment, like that of a proxy. */
const isOrigin = ({ protocol, pathname, search, hash }: URL): boolean =>
  /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === '/'

/**
 * Checks a proxy URL, whose username and password must be percent-encoded.
 * @throws Failure `usage`, which does not repeat the URL, because it may contain a password
 */
export const checkProxy = (setting: string, proxy: string): string => {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined
  if (url === undefined || !isOrigin(url))
    throw usage(
      `${setting} is not a valid proxy URL`,
      'Use the form http://host:port or https://host:port.',
    )
  if (!isDecodable(url.username) || !isDecodable(url.password))
    throw usage(
      `${setting} contains a username or password that is not percent-encoded`,
      'Encode % as %25, @ as %40, : as %3A and / as %2F.',
    )
  return proxy
}
