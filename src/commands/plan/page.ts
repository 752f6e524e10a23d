/** A plan as people read it: place by place, what would become of each item, and what it comes to. */
import { shelvesOf } from '../../base/shelves.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { DesiredPlan, PlanFinding, PlannedAction, Verb } from '../../desired/actions.js'
import type { Address, ManagedPlace } from '../../desired/address.js'
import type { AnswerService } from '../../engine/command/services.js'
import { roughWidths } from '../../terminal/text/width.js'
import type { MadePlan } from './making.js'
import { summaryOf } from './summary.js'
import { type ChangeSigns, changeText, givenText } from './values.js'

/** What is printed of one item: its line, and the lines below it. */
interface Entry {
  readonly place: ManagedPlace
  readonly turn: readonly [number, number, string]
  readonly label: string
  readonly text: string
  readonly below: readonly { readonly label: string; readonly text: string }[]
}

type Mark = Verb | 'replace' | PlanFinding['is'] | 'unread'

const marks: Readonly<Record<Mark, string>> = {
  create: '+',
  enable: '+',
  update: '~',
  replace: '±',
  delete: '-',
  leftover: '!',
  secret: '!',
  unknown: '?',
  impossible: '!',
  unsupported: '!',
  warning: '!',
  note: '·',
  unread: '✗',
}
const order = Object.keys(marks)
const { measure } = roughWidths

/** What stands before an item, and between its values: symbols, or words for a screen reader. */
interface Signs {
  readonly mark: (is: keyof typeof marks) => string
  readonly change?: ChangeSigns
}
const signsFor = ({ text }: Pick<AnswerService, 'text'>): Signs =>
  text.accessible
    ? { mark: (is) => `${is}:`, change: { gone: 'remove', come: 'add', to: 'to' } }
    : { mark: (is) => marks[is] }
const stages = managedKinds.map(({ scope, name }) => `${scope} ${name}`)

const turnOf = (kind: string, { scope }: ManagedPlace, is: string, item = ''): Entry['turn'] => {
  // What changes comes first, as in the sum.
  const rank = is === 'update' ? -1 : order.indexOf(is)
  return [stages.indexOf(`${scope} ${kind}`), rank, item]
}

/** An item without its place. */
const nameOf = ({ kind, item, attribute }: Address): string =>
  `${kind}${item === undefined ? '' : `/${item}`}${attribute === undefined ? '' : `#${attribute}`}`

const lowered = (text: string): string =>
  `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/\.$/, '')

const texts: Readonly<
  Record<Exclude<Verb | 'replace', 'update'>, (action: PlannedAction) => string>
> = {
  create: ({ changes }) => givenText(changes),
  enable: ({ changes }) =>
    ['is there already: enabled', givenText(changes)].filter(Boolean).join('; '),
  replace: () => 'another key: added, then the old one removed',
  delete: ({ loses }) => (loses === undefined ? 'DELETED' : `DELETED: ${lowered(loses)}`),
}

const ofAction = (
  action: PlannedAction,
  replaced: ReadonlySet<string>,
  { mark, change: signs }: Signs,
): Entry => {
  const { address, changes, replaces = '' } = action
  const verb = replaced.has(replaces) ? 'replace' : action.verb
  return {
    place: address,
    turn: turnOf(address.kind, address, verb, address.item),
    label: `${mark(verb)} ${nameOf(address)}`,
    text: verb === 'update' ? '' : texts[verb](action),
    below:
      verb === 'update'
        ? changes.map((change) => ({ label: change.attribute, text: changeText(change, signs) }))
        : [],
  }
}

const ofFinding = ({ is, address, text }: PlanFinding, { mark }: Signs): Entry => ({
  place: address,
  turn: turnOf(address.kind, address, is, address.item),
  label: `${mark(is)} ${nameOf(address)}`,
  text,
  below: [],
})

const ofUnread = (
  { place, kind, failure }: DesiredPlan['unread'][number],
  { mark }: Signs,
): Entry => ({
  place,
  turn: turnOf(kind, place, 'unread'),
  label: `${mark('unread')} ${kind === '*' ? 'all of it' : kind}`,
  text: `could not be read: ${failure.message}`,
  below: [],
})

const byTurn = (a: Entry, b: Entry): number =>
  a.turn[0] - b.turn[0] ||
  a.turn[1] - b.turn[1] ||
  (a.turn[2] < b.turn[2] ? -1 : a.turn[2] > b.turn[2] ? 1 : 0)

/** Where texts begin: after the longest label, if that leaves them room. */
const columnFor = (entries: readonly Entry[], width: number): number => {
  const longest = entries.flatMap(({ label, below }) => [
    2 + measure(label),
    ...below.map((line) => 6 + measure(line.label)),
  ])
  return Math.min(Math.max(20, ...longest) + 3, Math.floor(width / 2))
}

/** How lines are laid out: on a terminal they are folded, elsewhere they are whole. */
const layout = ({ text, terminal, width }: AnswerService, entries: readonly Entry[]) => {
  const column = columnFor(entries, terminal ? width : 140)
  return (indent: number, label: string, value: string): string => {
    const shown = `${' '.repeat(indent)}${text.safe(label)}`
    if (value === '') return `${shown}\n`
    const said = terminal ? text.hanging(value, column) : text.safe(value)
    const used = indent + measure(text.safe(label))
    return used + 2 > column
      ? `${shown}\n${' '.repeat(column)}${said}\n`
      : `${shown}${' '.repeat(column - used)}${said}\n`
  }
}

/** A project by its path alone; a group may have the same. */
const headOf = ({ scope, path }: ManagedPlace): string =>
  scope === 'site' ? 'site' : scope === 'group' ? `groups/${path}` : path

/** The entries of a plan by their places, as they come in it: the instance, groups, projects. */
const placesOf = (entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> => {
  const scopes = ['site', 'group', 'project']
  const sorted = [...entries].sort(
    (a, b) =>
      scopes.indexOf(a.place.scope) - scopes.indexOf(b.place.scope) ||
      (a.place.path < b.place.path ? -1 : a.place.path > b.place.path ? 1 : byTurn(a, b)),
  )
  return shelvesOf(sorted, ({ place }) => headOf(place))
}

const refusals = ({ refused }: DesiredPlan, { text, terminal }: AnswerService): readonly string[] =>
  refused.map(
    (one) =>
      `${terminal ? text.mark('bad') : marks.unread} refused by a limit: ${text.safe(one.text)}; ${text.safe(one.flag)} lifts it\n`,
  )

/** The lines of a plan. */
export function* pageOf(
  { plan, replaced, document, worked }: Pick<MadePlan, 'plan' | 'replaced' | 'document' | 'worked'>,
  answer: AnswerService,
): Generator<string> {
  const signs = signsFor(answer)
  const entries = [
    ...plan.actions
      .filter(({ id }) => !replaced.has(id))
      .map((one) => ofAction(one, replaced, signs)),
    ...plan.findings.map((one) => ofFinding(one, signs)),
    ...plan.unread.map((one) => ofUnread(one, signs)),
  ]
  const line = layout(answer, entries)
  for (const [head, ones] of placesOf(entries)) {
    const place = answer.text.safe(head)
    yield `${answer.terminal ? answer.text.strong(place) : place}\n`
    for (const { label, text, below } of ones) {
      yield line(2, label, text)
      for (const one of below) yield line(6, one.label, one.text)
    }
  }
  if (entries.length > 0) yield '\n'
  yield* refusals(plan, answer)
  const sum = summaryOf(document.counts, worked)
  yield `${answer.terminal ? answer.text.hanging(sum, 0) : sum}\n`
}
