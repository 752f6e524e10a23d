/** Credentials in addresses: who logs in before the host, secret parameters behind it. */
import { isSecretParameter, masked } from './names.js'

/** What is put in the place of a secret part; `name` is its parameter, or `userinfo`. */
type AddressMark = (name: string) => string

/** A secret part of a text, and the parameter that it is the value of. */
interface Part {
  readonly name: string
  readonly start: number
  readonly end: number
}

const userInfo = /([a-z][a-z0-9+.-]*:)?\/\/([^/?#\s]+)@/gi
const parameter = /[?&;#]([^=&?#;\s]+)=/g
const valueEnd = /[&#>\s"']|$/g

/** Who logs in by SSH under a name alone has shown no secret: `ssh://git@host`. */
const isPlainUser = (scheme: string, user: string): boolean =>
  /ssh|sftp/i.test(scheme) && !user.includes(':')

const usersIn = (text: string): Part[] =>
  [...text.matchAll(userInfo)].flatMap(({ 0: all, 1: scheme = '', 2: user = '', index }) => {
    const end = index + all.length - 1
    return isPlainUser(scheme, user) ? [] : [{ name: 'userinfo', start: end - user.length, end }]
  })

const parametersIn = (text: string): Part[] =>
  [...text.matchAll(parameter)].flatMap(({ 0: all, 1: name = '', index }) => {
    if (!isSecretParameter(name)) return []
    const start = index + all.length
    valueEnd.lastIndex = start
    const end = valueEnd.exec(text)?.index ?? text.length
    return start === end ? [] : [{ name, start, end }]
  })

const none: readonly Part[] = []

const partsIn = (text: string): readonly Part[] => {
  const users = text.includes('@') ? usersIn(text) : none
  const parameters = text.includes('=') ? parametersIn(text) : none
  if (users.length === 0) return parameters
  return [...users, ...parameters].toSorted((a, b) => a.start - b.start)
}

/**
 * A text with addresses, without the user names, passwords and secret parameters in them.
 * @param mark what stands for each
 */
export const maskAddresses = (text: string, mark: AddressMark = () => masked): string => {
  const parts = partsIn(text)
  if (parts.length === 0) return text
  let out = ''
  let from = 0
  for (const { name, start, end } of parts) {
    if (start < from) continue
    out += text.slice(from, start) + mark(name)
    from = end
  }
  return out + text.slice(from)
}

const address = /^\s*(?:(?:[a-z][a-z0-9+.-]*:)+\/\/|\/)/i

/** Whether a text is an address, or several: what only mentions one is text like any other. */
export const isAddress = (text: string): boolean => address.test(text)

/** The secret parts of an address; none of what is no address. */
export const secretsInAddress = (text: string): readonly string[] =>
  isAddress(text)
    ? partsIn(text).flatMap(({ start, end, name }) => {
        const part = text.slice(start, end)
        return name === 'userinfo' ? [part, ...part.split(':').slice(1)] : [part]
      })
    : []
