/** What goes wrong, in words for an agent: arguments in place of flags, and nothing that only a person at a command line can do. */
import { areas } from '../../catalogue/index.js'
import { flagName } from '../../engine/command/derive/names.js'
import { declared } from '../../engine/command/globals.js'
import { type Category, Failure } from '../../errors.js'
import type { AdviceCode } from '../../http/advice.js'
import type { Offer } from './offers.js'

/** What of a command its words are about. */
type About = Pick<Offer, 'data' | 'command'>

const owner = 'the person who runs this server'
const tell = `Tell ${owner}: only they can fix this.`
const again = `Try again. If it fails again, tell ${owner}.`

/** By code, as `engine/workspace/advice.ts` has it for people. */
const hints: Readonly<Record<AdviceCode | 'confirm', string | ((about?: string) => string)>> = {
  sudo: `The server is not permitted to act as another user. ${tell}`,
  'sudo-user': `The user that the server acts as does not exist. ${tell}`,
  scope: (scope = 'required for this') => `The server’s token lacks the scope ${scope}. ${tell}`,
  credential: `The server’s credential is wrong, expired or revoked. ${tell}`,
  'sign-in': `The server has no credential. ${tell}`,
  rights:
    'The user of this server is not permitted to do this. describe_command shows the required role.',
  'no-instance': `The server’s base URL may be wrong. ${tell}`,
  private: 'It does not exist, or it is private and the server has no credential.',
  hidden: 'It does not exist, or the user of this server cannot see it. Check the ID or path.',
  maintenance: (wait) =>
    `The instance is in maintenance mode. Try again${wait === undefined ? ' later' : ` after ${wait}`}. Reads may still work.`,
  unavailable: (wait) =>
    `The instance is temporarily unavailable. Try again${wait === undefined ? ' later' : ` after ${wait}`}.`,
  'moved-project': 'The project has a new path. "projects get" with the old path returns it.',
  rate: (wait) => `Wait${wait === undefined ? '' : ` ${wait}`} before the next call.`,
  input: 'Correct the named values and try again. describe_command lists the arguments.',
  way: again,
  address: tell,
  authority: tell,
  slow: `Try again, or request less. If it fails again, tell ${owner}.`,
  ca: tell,
  'client-certificate': tell,
  paging: 'The paging of the instance is faulty. Request less with the command’s filters.',
  'order-by-id': 'Only a list ordered by ID can continue past this point. Set order_by to id.',
  'response-size': 'The same request would fail again. Request less with the command’s filters.',
  'record-size': `The same request would fail again: no tool can return so large a record. ${tell}`,
  'key-in-address': tell,
  confirm: 'Only a person can confirm this. plan returns the command line for them.',
}

/** Where nothing is left of a hint for people, or not all of it. */
const otherwise: Partial<Record<Category, string>> = {
  usage: 'describe_command lists the arguments.',
  auth: tell,
  internal: tell,
  unreachable: again,
}

const ofArea = new RegExp(`\\bsvcctl (?=(?:${areas.map(({ name }) => name).join('|')})\\b)`, 'g')
/** What is said to whoever types a line, sets a variable or edits a profile. */
const toPerson =
  /\bsvcctl\b|(?<![\w-])(?:--(?:[a-z]|\.|\s|$)|-[pPGoLvyqh]\b)|\b(?:SVC|CI)_[A-Z]|@file\b|\bbase URL\b/
const ends = /(?<=[.:;!?])\s+/

/** A text without the parts that are for a person at a command line. */
const without = (text: string): string => {
  const parts = text.split(ends)
  const kept = parts.filter((part) => !toPerson.test(part))
  return kept.length === parts.length ? text : kept.join(' ').replace(/[:;]$/, '.')
}

/** Flags and placeholders as the arguments that an agent gives; those that it does not have stay. */
const named = (text: string, { data, command: { flags } }: About): string => {
  const names = new Map(
    data.map(({ name, param, flag }) => [
      flag === undefined ? `<${flagName(name, param)}>` : `--${flag.name}`,
      name,
    ]),
  )
  const ofLine = new Set([...Object.keys(declared), 'input', 'param', ...flags.map((f) => f.name)])
  return text.replace(/<[a-z-]+>|(?<![\w-])--([a-z][a-z-]*)/g, (word, flag?: string) => {
    const name = names.get(word)
    if (name !== undefined || flag === undefined || ofLine.has(flag)) return name ?? word
    // In the words of the instance.
    return flag.replaceAll('-', '_')
  })
}

const called = (text: string, offer: About): string => named(text, offer).replace(ofArea, '')

/** The tool's own words about a command, for an agent; empty where they are all for a person. */
export const describeOffer = (offer: About, text: string): string => without(called(text, offer))

const isCode = (code: string): code is keyof typeof hints => Object.hasOwn(hints, code)

const adviceFor = ({ details: { advice } }: Failure): string | undefined => {
  if (advice === undefined || !isCode(advice.code)) return undefined
  const words = hints[advice.code]
  return typeof words === 'string' ? words : words(advice.about)
}

/** What is left of a hint for people, and what else an agent can do. */
const hintFor = (offer: About, { category, details }: Failure): string => {
  const whole = category === 'auth' ? '' : called(details.hint ?? '', offer)
  const kept = without(whole)
  return kept !== '' && kept === whole ? kept : `${kept} ${otherwise[category] ?? ''}`.trim()
}

/** A failure of a command in words for an agent. What the instance said stays as it is. */
export const failureFor = (offer: About, failure: Failure): Failure => {
  const { category, message, details } = failure
  const { hint: _, ...others } = details
  const hint = adviceFor(failure) ?? hintFor(offer, failure)
  // Nothing was sent: the words are all the tool's.
  const said =
    category === 'usage' ? describeOffer(offer, message) || called(message, offer) : message
  return new Failure(category, said, { ...others, ...(hint === '' ? {} : { hint }) })
}
