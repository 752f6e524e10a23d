/** Credentials in the text of a record: masked however many tokens they have, at any depth. */
import { type Secrecy, type SecrecyOf, secrecyIn } from '../../base/secrets/mask.js'
import { masked } from '../../base/secrets/names.js'
import { bytesOfPieces, tokens } from '../json/tokens.js'

const keyOf = (token: string): string => {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}

/** What is written where a variable is not marked as one. */
const unmarked = new Set(['false', '"false"', 'null'])

/** The objects of a text that say of themselves that they are variables, by their place among all. */
const variablesIn = (text: string, secrecyOf: SecrecyOf): ReadonlySet<number> => {
  const found = new Set<number>()
  const open: number[] = []
  let [objects, last, marks] = [0, '', false]
  for (const token of tokens(text)) {
    if (marks && !unmarked.has(token)) found.add(open.at(-1) ?? 0)
    marks = token === ':' && secrecyOf(keyOf(last)) === 'marks'
    if (token === '{') open.push(++objects)
    else if (token === '[') open.push(0)
    else if (token === '}' || token === ']') open.pop()
    last = token
  }
  return found
}

/** A bracket that is open: of a list, whether its texts are hidden, of an object, whether it is a variable. */
interface Open {
  readonly listed: boolean
  readonly variable: boolean
}

/** Hides the values of secrets, token by token. */
class Hider {
  /** Whether anything was hidden. */
  changed = false
  /** Brackets open within a value that is dropped as a whole. */
  private dropped = 0
  private objects = 0
  private readonly open: Open[] = []
  private armed: Secrecy | undefined
  private last = ''
  constructor(
    private readonly secrecyOf: SecrecyOf,
    private readonly variables: ReadonlySet<number>,
  ) {}

  /** The token to write for this one; undefined to write nothing. */
  take(token: string): string | undefined {
    if (token === '{') this.objects++
    if (this.dropped > 0) {
      if (token === '{' || token === '[') this.dropped++
      if (token === '}' || token === ']') this.dropped--
      return undefined
    }
    const { armed } = this
    this.armed = undefined
    if (armed === 'declared') return this.hide(token)
    if (token === ':' && this.last.startsWith('"')) this.armed = this.secrecy(keyOf(this.last))
    this.last = token
    const listed = this.open.at(-1)?.listed === true
    if (token === '{') this.open.push({ listed: false, variable: this.variables.has(this.objects) })
    else if (token === '[')
      this.open.push({ listed: listed || armed === 'guessed', variable: false })
    else if (token === '}' || token === ']') this.open.pop()
    const text = token.startsWith('"') && token !== '""'
    return text && (listed || armed === 'guessed') ? this.mask() : token
  }

  private secrecy(name: string): Secrecy | undefined {
    const own = this.open.at(-1)?.variable === true && this.secrecyOf(name) === 'value'
    return own ? 'declared' : secrecyIn(this.secrecyOf, name)
  }

  private hide(token: string): string {
    this.last = ''
    if (token === 'null' || token === '""') return token
    if (token === '{' || token === '[') this.dropped = 1
    return this.mask()
  }

  private mask(): string {
    this.changed = true
    return JSON.stringify(masked)
  }
}

function* hidden(text: string, hider: Hider): Generator<string> {
  for (const token of tokens(text)) {
    const kept = hider.take(token)
    if (kept !== undefined) yield kept
  }
}

/**
 * JSON text with its secrets masked and no white space; all other tokens are as they came.
 * @returns undefined where it holds none
 */
export const maskedText = (text: string, secrecyOf: SecrecyOf): Uint8Array | undefined => {
  const hider = new Hider(secrecyOf, variablesIn(text, secrecyOf))
  const bytes = bytesOfPieces(hidden(text, hider))
  return hider.changed ? bytes : undefined
}
