/** Credentials in the text of a record: masked however many tokens they have, at any depth. */
import { masked } from '../../base/secrets/names.js'
import { bytesOfPieces, tokens } from '../json/tokens.js'
import type { Secrecy, SecrecyOf } from './secrets.js'

const keyOf = (token: string): string => {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}

/** Hides the values of secrets, token by token. */
class Hider {
  /** Brackets open within a value that is dropped as a whole. */
  private dropped = 0
  /** Of each open bracket, whether it is a list whose texts are hidden. */
  private readonly open: boolean[] = []
  private armed: Secrecy
  private last = ''
  constructor(private readonly secrecyOf: SecrecyOf) {}

  /** The token to write for this one; undefined to write nothing. */
  take(token: string): string | undefined {
    if (this.dropped > 0) {
      if (token === '{' || token === '[') this.dropped++
      if (token === '}' || token === ']') this.dropped--
      return undefined
    }
    const { armed } = this
    this.armed = undefined
    if (armed === 'declared') return this.hide(token)
    if (token === ':' && this.last.startsWith('"')) this.armed = this.secrecyOf(keyOf(this.last))
    this.last = token
    const listed = this.open.at(-1) === true
    if (token === '{') this.open.push(false)
    else if (token === '[') this.open.push(listed || armed === 'guessed')
    else if (token === '}' || token === ']') this.open.pop()
    const text = token.startsWith('"') && token !== '""'
    return text && (listed || armed === 'guessed') ? JSON.stringify(masked) : token
  }

  private hide(token: string): string {
    this.last = ''
    if (token === 'null' || token === '""') return token
    if (token === '{' || token === '[') this.dropped = 1
    return JSON.stringify(masked)
  }
}

function* hidden(text: string, secrecyOf: SecrecyOf): Generator<string> {
  const hider = new Hider(secrecyOf)
  for (const token of tokens(text)) {
    const kept = hider.take(token)
    if (kept !== undefined) yield kept
  }
}

/** JSON text with its secrets masked and no white space; all other tokens are as they came. */
export const maskedText = (text: string, secrecyOf: SecrecyOf): Uint8Array =>
  bytesOfPieces(hidden(text, secrecyOf))
