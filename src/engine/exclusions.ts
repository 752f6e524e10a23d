/** Checks the flags that exclude each other: one table has them, and one sentence names both as they were typed. */

import { quoteWord } from '../base/shell-words.js'
import { type FormatTraits, formatTraits } from '../catalogue/formats.js'
import { isSwitch } from '../catalogue/params.js'
import { type Failure, usage } from '../errors.js'
import { getFirstSegment, isPreview } from './command/derive.js'
import { getCommandFlags } from './command/flags.js'
import type { GlobalFlagRow } from './command/global-flag.js'
import { globalFlagRows } from './command/global-flags.js'
import type { Globals } from './command/globals.js'
import { getWordsBeforeDashes } from './command/tokens.js'
import type { CommandFacts } from './command/types.js'
import type { Raw } from './plan/line.js'

type FlagName = keyof typeof globalFlagRows

/** A command and the flags that its line gives. */
interface TypedFlags {
  readonly command: CommandFacts
  readonly raw: Raw
}

/** A line with its global flags, before it is carried out. */
interface Line extends TypedFlags {
  readonly globals: Globals
}

/** Each of `flags` excludes each of `others`. */
interface FlagPair {
  readonly flags: readonly FlagName[]
  readonly others: readonly FlagName[]
  readonly hint?: string
  /** Returns true for the lines to which the row applies. Without it, the row applies to all lines. */
  readonly applies?: (line: Line) => boolean
}

const getFormat = ({ raw }: TypedFlags): FormatTraits | undefined =>
  formatTraits.find(({ name }) => name === raw.flags.get('output')?.at(-1))

const groups = ['group-by', 'count', 'sum', 'avg', 'min', 'max', 'p95'] as const
const polls = ['watch', 'wait-until'] as const

const oneInstance = 'They may name different instances. Pass only one of them.'
const oneAnswer = 'One answer is written, and the line would give several.'

/** The columns and JSON fields of a preview, and the columns of targets, which the answer checks itself. */
const previewFields: ReadonlySet<string> = new Set([
  ...['object', 'attribute', 'now', 'new'],
  ...['request', 'read', 'changes', 'loses', 'irreversible'],
  ...['profile', 'snapshot', 'project', 'group'],
])

/** True if all fields of `--fields` are fields of a preview. */
const hasOnlyPreviewFields = ({ globals: { fields = [] } }: Line): boolean =>
  fields.every((field) => previewFields.has(getFirstSegment(field)))

const exclusions: readonly FlagPair[] = [
  {
    flags: ['from'],
    others: ['sandbox', 'all-profiles', 'profile', 'base-url'],
    hint: oneInstance,
  },
  { flags: ['sandbox'], others: ['all-profiles', 'profile', 'base-url'], hint: oneInstance },
  { flags: ['all-profiles'], others: ['profile', 'base-url'], hint: oneInstance },
  {
    flags: ['from'],
    others: ['sudo', 'curl', ...polls, 'page', 'web', 'show-secrets'],
    hint: 'A snapshot is read, and no instance is asked.',
  },
  {
    flags: ['since'],
    others: ['sort', 'limit', 'page', 'per-page', 'fields', 'curl', ...polls, ...groups],
    hint: 'All records are compared, and what changed is printed.',
  },
  {
    flags: ['since'],
    others: ['output'],
    hint: 'A change has several columns. Pass -o csv or -o json.',
    applies: (line) => getFormat(line)?.shows === 'fields',
  },
  {
    flags: ['dry-run'],
    others: ['curl', 'journal', 'resume', ...polls],
    hint: 'A preview sends no write.',
    applies: isPreview,
  },
  {
    flags: ['dry-run'],
    others: ['fields'],
    hint: 'A preview has the columns object, attribute, now and new, and in JSON also request, read and changes.',
    applies: (line) => isPreview(line) && !hasOnlyPreviewFields(line),
  },
  {
    flags: ['dry-run'],
    others: ['output'],
    hint: 'The preview names no object that has an ID.',
    applies: (line) =>
      isPreview(line) && line.command.args.length === 0 && getFormat(line)?.shows === 'names',
  },
  { flags: ['resume'], others: ['curl'] },
  {
    flags: ['resume'],
    others: ['journal'],
    hint: 'A resumed run continues in its own journal.',
  },
  { flags: ['resume'], others: ['shard'], hint: 'The journal contains the shard.' },
  { flags: ['open'], others: ['to'] },
  { flags: ['to'], others: polls, hint: oneAnswer },
  {
    flags: ['output'],
    others: polls,
    hint: oneAnswer,
    applies: (line) => getFormat(line)?.isPage === true,
  },
  {
    flags: ['output'],
    others: groups,
    hint: 'It prints objects that other commands accept, and groups are none.',
    applies: (line) => getFormat(line)?.shows === 'names',
  },
  { flags: ['page'], others: groups, hint: 'Groups are made of a whole list. Omit --page.' },
  {
    flags: groups,
    others: ['fields'],
    hint: 'The line prints groups, which have columns of their own. Omit --fields.',
  },
  {
    flags: groups,
    others: ['wait-until'],
    hint: 'Conditions are about records, and the line prints groups.',
  },
  {
    flags: ['jq'],
    others: ['output'],
    hint: 'It filters JSON. Pass -o json or -o ndjson.',
    applies: (line) => !['json', 'ndjson'].includes(getFormat(line)?.name ?? ''),
  },
  {
    flags: ['jq'],
    others: ['curl', 'web', 'open'],
    hint: 'It filters JSON, and the line would print none.',
  },
  {
    flags: ['web'],
    others: ['output', ...groups],
    hint: 'It opens a page of the instance, and the line prints no records.',
  },
  { flags: ['web'], others: polls },
  { flags: ['sort'], others: ['page'], hint: 'The whole list is ordered. Use --limit.' },
  {
    flags: ['sort'],
    others: ['per-page'],
    hint: 'The whole list is ordered. Add --limit, for example --limit 20.',
    applies: ({ globals }) => globals.limit === undefined,
  },
]

/** True if a line has a flag. A switch that `--no-…` turns off does not count. */
const isGiven = ({ flags }: Raw, name: FlagName): boolean => {
  const text = flags.get(name)?.at(-1)
  const { param }: GlobalFlagRow = globalFlagRows[name]
  return text !== undefined && !(isSwitch(param) && text === 'false')
}

/** The flags whose value decides. An error names them with their values. */
const withValue: readonly string[] = ['output', 'profile']

/** Returns the form of a flag that was typed: `-L` or `--limit`. */
const findForm = ({ command, raw }: TypedFlags, name: string): string => {
  const [flag] = getCommandFlags(command, (one) => one.name === name)
  const all = [...(flag?.own ?? []), name, ...(flag?.aliases ?? [])]
  const names = all.flatMap((one) => [`--${one}`, `--no-${one}`])
  const short = flag?.short === undefined ? undefined : `-${flag.short}`
  const forms = getWordsBeforeDashes(raw.words ?? []).flatMap((word) => {
    const long = names.find((one) => word === one || word.startsWith(`${one}=`))
    const isShort = short !== undefined && /^-[^-]/.test(word) && word.startsWith(short)
    return long ?? (isShort ? short : [])
  })
  return forms.at(-1) ?? `--${name}`
}

/** Returns a flag as it was typed: `-L` or `--limit`, `-o html`. */
const formatAsTyped = (line: TypedFlags, name: string): string => {
  const form = findForm(line, name)
  const value = withValue.includes(name) ? line.raw.flags.get(name)?.join(',') : undefined
  return value === undefined ? form : `${form} ${value}`
}

/** Flags that choose the instance, the user or the shard, each with the hint for several values. The last value must not replace the others. */
const choices: Readonly<Partial<Record<FlagName, (form: string, values: string) => string>>> = {
  profile: (form, values) => `Pass several instances as one value: ${form} ${values}`,
  from: (form, values) => `Pass several snapshots as one value: ${form} ${values}`,
  'base-url': () => oneInstance,
  sudo: () => 'Pass only one of them.',
  shard: () => 'Run a line for each of them.',
}

/** The names of the flags of which a line can have only one value. */
export const choiceFlags: ReadonlySet<string> = new Set(Object.keys(choices))

/** @throws Failure `usage` for a choice that a line makes twice */
const checkChoices = (line: TypedFlags): void => {
  for (const [name, suggest] of Object.entries(choices)) {
    const values = [...new Set(line.raw.flags.get(name))]
    if (values.length < 2) continue
    const form = findForm(line, name)
    throw usage(
      `${form} is given more than once, with different values`,
      suggest(form, quoteWord(values.join(','))),
    )
  }
}

/** Returns the error for two flags of a line that exclude each other. */
export const createExclusion = (
  line: TypedFlags,
  [flag, other]: readonly [string, string],
  hint?: string,
): Failure =>
  usage(`${formatAsTyped(line, flag)} and ${formatAsTyped(line, other)} exclude each other`, hint)

/** @throws Failure `usage` for a choice that is made twice, and for the first two flags of a line that exclude each other */
export const checkExclusions = (line: Line): void => {
  checkChoices(line)
  const find = (names: readonly FlagName[]) => names.find((name) => isGiven(line.raw, name))
  for (const { flags, others, hint, applies } of exclusions) {
    const [flag, other] = [find(flags), find(others)]
    if (flag === undefined || other === undefined || applies?.(line) === false) continue
    throw createExclusion(line, [flag, other], hint)
  }
}
