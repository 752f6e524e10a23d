/** Decides which commands agents may use, and rewords messages for agents: arguments instead of flags, and no advice about a shell. */

import { type Endpoint, getMethod, writes } from '../../catalogue/endpoint.js'
import { findAreaNamed, listAreas } from '../../catalogue/index.js'
import { isSameType } from '../../catalogue/params.js'
import { deriveWithoutSpecial, getCommandName, getFlagName } from '../../engine/command/derive.js'
import { type Datum, getData } from '../../engine/command/flags.js'
import { globalFlagRows } from '../../engine/command/global-flags.js'
import type { CommandFacts } from '../../engine/command/types.js'
import { type Category, Failure } from '../../errors.js'
import type { AdviceCode } from '../../http/types.js'

/** A command that agents may use. */
export interface Offer {
  /** The name of the command, such as `runners list`. */
  readonly name: string
  readonly command: CommandFacts
  /** True if only the endpoints of the command are offered, without its handwritten part. */
  readonly plain: boolean
  readonly data: readonly Datum[]
  /** True if the command only reads, according to its endpoints and its own declaration. */
  readonly reads: boolean
  readonly destroys: boolean
  /** True if repeating the call has no further effect. */
  readonly idempotent: boolean
  /** True if the command lists records by page. */
  readonly lists: boolean
  /** The files that the command reads. The person who starts the server names them; agents cannot. */
  readonly files?: readonly string[]
}

/** True if an endpoint returns a file, or requires a secret as a parameter. Agents cannot use these. */
const needsFileOrSecret = ({ returns, credential }: Endpoint): boolean =>
  returns.kind === 'file' || credential === 'parameter'

/** True if a handwritten command accepts a parameter in another form than its endpoints, such as the name of a file. */
const readsFiles = ({ args, flags, endpoints }: CommandFacts): boolean =>
  args.some(({ file }) => file === true) ||
  flags.some(({ parameter, param }) => {
    if (parameter === undefined) return false
    const own = Object.values(endpoints).flatMap(
      (e) => e.params[parameter] ?? e.path[parameter] ?? [],
    )
    return own.length > 0 && !own.some((one) => isSameType(one, param))
  })

/** Commands of the tool that describe an instance and read no local files. */
const offeredToolCommands = new Set([
  'overview',
  'access',
  'check instance',
  'check runners',
  'check geo',
  'check certificates',
])

/** True if a command belongs to an area of the API. */
const isOfApi = ({ area }: CommandFacts): boolean => findAreaNamed(area) !== undefined

/** Converts a command to an offer; undefined if agents may not use it. */
const toOffer = (found: CommandFacts): Offer | undefined => {
  const endpoints = Object.values(found.endpoints)
  const asks = endpoints.length > 0 || found.readOnly === true || found.writes === true
  if (!isOfApi(found) && !offeredToolCommands.has(getCommandName(found))) return undefined
  if (!asks || found.longRunning === true) return undefined
  if (endpoints.some(needsFileOrSecret)) return undefined
  const plain = readsFiles(found)
  const command = plain ? deriveWithoutSpecial(found) : found
  return {
    name: getCommandName(command),
    command,
    plain,
    data: getData(command),
    reads: !endpoints.some(writes) && command.waits !== true && command.writes !== true,
    // It is not known what a handwritten command writes, so it counts as destructive.
    destroys: endpoints.some((e) => e.destructive !== undefined) || command.writes === true,
    idempotent: endpoints.every((e) => getMethod(e) !== 'POST' || e.safe === true),
    lists: endpoints.some(({ returns }) => returns.kind === 'many'),
  }
}

/** Creates the offer of `drift` for these files only. */
const createDriftOffer = (command: CommandFacts, files: readonly string[]): Offer => ({
  name: 'drift',
  command,
  plain: false,
  data: [],
  reads: true,
  destroys: false,
  idempotent: true,
  lists: false,
  files,
})

/**
 * Returns the commands that agents may use.
 * @param declared the files of the declared state for `drift`
 */
export const getOffers = (
  commands: readonly CommandFacts[],
  declared: readonly string[] = [],
): readonly Offer[] =>
  commands.flatMap((command) => {
    const drifts = declared.length > 0 && getCommandName(command) === 'drift'
    return (drifts ? createDriftOffer(command, declared) : toOffer(command)) ?? []
  })

// Failures in words for an agent: arguments instead of flags, and no advice that only a person can follow.

/** The parts of an offer that are used to reword messages. */
type OfferWords = Pick<Offer, 'data' | 'command'>

const owner = 'the person who runs this server'
const tellOwner = `Tell ${owner}: only they can fix this.`
const tryAgain = `Try again. If it fails again, tell ${owner}.`

/** The hints for agents by code. `answer/prompter.ts` has those for people. */
const hints: Readonly<Record<AdviceCode | 'confirm', string | ((about?: string) => string)>> = {
  sudo: `The server is not permitted to act as another user. ${tellOwner}`,
  'sudo-user': `The user that the server acts as does not exist. ${tellOwner}`,
  scope: (scope = 'required for this') =>
    `The server’s token lacks the scope ${scope}. ${tellOwner}`,
  credential: `The server’s credential is wrong, expired or revoked. ${tellOwner}`,
  'sign-in': `The server has no credential. ${tellOwner}`,
  rights:
    'The user of this server is not permitted to do this. describe_command shows the required role.',
  'no-instance': `The server’s base URL may be wrong, or a proxy in front of the instance answered. ${tellOwner}`,
  'decoded-path': `A web server in front of the instance may decode %2F in paths. Use the ID of the project or group.`,
  slashes: (request) =>
    `Slashes in the name of a project, group, branch or file are written %2F${request === undefined ? '' : `: ${request}`}.`,
  private: 'It does not exist, or it is private and the server has no credential.',
  hidden: 'It does not exist, or the user of this server cannot see it. Check the ID or path.',
  maintenance: (wait) =>
    `The instance is in maintenance mode. Try again${wait === undefined ? ' later' : ` after ${wait}`}. Reads may still work.`,
  unavailable: (wait) =>
    `The instance is temporarily unavailable. Try again${wait === undefined ? ' later' : ` after ${wait}`}.`,
  'moved-project': 'The project has a new path. "projects get" with the old path returns it.',
  rate: (wait) => `Wait${wait === undefined ? '' : ` ${wait}`} before the next call.`,
  input: 'Correct the named values and try again. describe_command lists the arguments.',
  way: tryAgain,
  address: tellOwner,
  authority: tellOwner,
  identity: tellOwner,
  slow: `Try again, or request less. If it fails again, tell ${owner}.`,
  ca: tellOwner,
  'client-certificate': tellOwner,
  paging: 'The paging of the instance is faulty. Request less with the command’s filters.',
  'order-by-id': 'Only a list ordered by ID can continue past this point. Set order_by to id.',
  'response-size': 'The same request would fail again. Request less with the command’s filters.',
  'record-size': `The same request would fail again: no tool can return so large a record. ${tellOwner}`,
  'key-in-address': tellOwner,
  confirm: 'Only a person can confirm this. plan returns the command line for them.',
}

/** The hints that replace or complete a hint for people after personal advice was removed. */
const fallbackHints: Partial<Record<Category, string>> = {
  usage: 'describe_command lists the arguments.',
  auth: tellOwner,
  internal: tellOwner,
  unreachable: tryAgain,
}

/** Creates a pattern of the program's name before an area. */
const createCommandPrefix = (): RegExp =>
  new RegExp(
    `\\bsvcctl (?=(?:${listAreas()
      .map(({ name }) => name)
      .join('|')})\\b)`,
    'g',
  )
/** Matches text that is only for a person who types a command line, sets a variable or edits a profile. */
const personalAdvice =
  /\bsvcctl\b|(?<![\w-])(?:--(?:[a-z]|\.|\s|$)|-[pPGoLvyqh]\b)|\b(?:SVC|CI)_[A-Z]|@file\b|\bbase URL\b/
const sentenceEnd = /(?<=[.:;!?])\s+/

/** Removes the sentences that are only for a person at a command line. */
const removePersonalAdvice = (text: string): string => {
  const parts = text.split(sentenceEnd)
  const kept = parts.filter((part) => !personalAdvice.test(part))
  return kept.length === parts.length ? text : kept.join(' ').replace(/[:;]$/, '.')
}

/** Replaces flags and placeholders by the names of an agent's arguments. Flags without an argument are not changed. */
const replaceFlags = (text: string, { data, command: { flags } }: OfferWords): string => {
  const names = new Map(
    data.map(({ name, param, flag }) => [
      flag === undefined ? `<${getFlagName(name, param)}>` : `--${flag.name}`,
      name,
    ]),
  )
  const ofLine = new Set([
    ...Object.keys(globalFlagRows),
    'input',
    'param',
    ...flags.map((f) => f.name),
  ])
  return text.replace(/<[a-z-]+>|(?<![\w-])--([a-z][a-z-]*)/g, (word, flag?: string) => {
    const name = names.get(word)
    if (name !== undefined || flag === undefined || ofLine.has(flag)) return name ?? word
    // The flag is in the instance's vocabulary.
    return flag.replaceAll('-', '_')
  })
}

const toAgentWords = (text: string, offer: OfferWords): string =>
  replaceFlags(text, offer).replace(createCommandPrefix(), '')

/** Rewords a text of svcctl for an agent; empty if all of it is for a person. */
export const toAgentText = (offer: OfferWords, text: string): string =>
  removePersonalAdvice(toAgentWords(text, offer))

const isCode = (code: string): code is keyof typeof hints => Object.hasOwn(hints, code)

const getAdvice = ({ details: { advice } }: Failure): string | undefined => {
  if (advice === undefined || !isCode(advice.code)) return undefined
  const words = hints[advice.code]
  return typeof words === 'string' ? words : words(advice.about)
}

/** Returns the rest of a hint for people, and a fallback hint if a part was removed. */
const getHint = (offer: OfferWords, { category, details }: Failure): string => {
  const whole = category === 'auth' ? '' : toAgentWords(details.hint ?? '', offer)
  const kept = removePersonalAdvice(whole)
  return kept !== '' && kept === whole ? kept : `${kept} ${fallbackHints[category] ?? ''}`.trim()
}

/** Rewords a failure for an agent. Messages of the instance are not changed. */
export const toAgentFailure = (offer: OfferWords, failure: Failure): Failure => {
  const { category, message, details } = failure
  const { hint: _, ...others } = details
  const hint = getAdvice(failure) ?? getHint(offer, failure)
  // Nothing was sent, so all words of the message are from svcctl.
  const text =
    category === 'usage' ? toAgentText(offer, message) || toAgentWords(message, offer) : message
  return new Failure(category, text, { ...others, ...(hint === '' ? {} : { hint }) })
}
