/** A plan as people read it: place by place, what would become of each item, and what it comes to. */
import { shelvesOf } from '../../base/shelves.js'
import type { DesiredPlan } from '../../desired/actions.js'
import type { PlanEntry } from '../../desired/entries.js'
import type { AnswerService } from '../../engine/command/services.js'
import { roughWidths } from '../../terminal/text/width.js'
import type { MadePlan } from './making.js'
import { summaryOf } from './summary.js'
import { type ChangeSigns, changeText, givenText, marks } from './values.js'

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
const lowered = (text: string): string =>
  `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/\.$/, '')

/** What stands beside the name of an item. */
const textOf = ({ is, changes, loses, text }: PlanEntry): string => {
  switch (is) {
    case 'update':
      return ''
    case 'create':
      return givenText(changes)
    case 'enable':
      return ['is there already: enabled', givenText(changes)].filter(Boolean).join('; ')
    case 'replace':
      return 'another key: added, then the old one removed'
    case 'delete':
      return loses === undefined ? 'DELETED' : `DELETED: ${lowered(loses)}`
    default:
      return text
  }
}

/** What is printed of an item: its line, and the lines below it. */
interface Lines {
  readonly label: string
  readonly text: string
  readonly below: readonly { readonly label: string; readonly text: string }[]
}

const linesOf = (entry: PlanEntry, { mark, change: signs }: Signs): Lines => ({
  label: `${mark(entry.is)} ${entry.name}`,
  text: textOf(entry),
  below:
    entry.is === 'update'
      ? entry.changes.map((one) => ({ label: one.attribute, text: changeText(one, signs) }))
      : [],
})

/** How long the longest label is. */
const widest = (entries: readonly PlanEntry[], signs: Signs): number => {
  let longest = 20
  for (const entry of entries) {
    const { label, below } = linesOf(entry, signs)
    longest = Math.max(longest, 2 + measure(label), ...below.map((one) => 6 + measure(one.label)))
  }
  return longest
}

/** How lines are laid out: on a terminal they are folded, elsewhere they are whole. */
const layout = ({ text, terminal, width }: AnswerService, longest: number) => {
  // Texts begin after the longest label, if that leaves them room.
  const column = Math.min(longest + 3, Math.floor((terminal ? width : 140) / 2))
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
const headOf = ({ address: { scope, path }, place }: PlanEntry): string =>
  scope === 'project' ? path : place

const refusals = ({ refused }: DesiredPlan, { text, terminal }: AnswerService): readonly string[] =>
  refused.map(
    (one) =>
      `${terminal ? text.mark('bad') : marks.unread} refused by a limit: ${text.safe(one.text)}; ${text.safe(one.flag)} lifts it\n`,
  )

/** What a plan is held against, and what is left besides. */
const compared = ({ against }: Pick<MadePlan, 'against'>, { text }: AnswerService) => {
  if (against === undefined) return []
  const { ref, commit, standing, dropped, undeclared } = against
  const further = standing === 1 ? '1 further change stands' : `${standing} further changes stand`
  return [
    ...dropped.map((id) => `no longer wanted: ${text.safe(id)}\n`),
    ...undeclared.map((one) => `no longer declared, left as it is: ${text.safe(one)}\n`),
    `Compared with ${text.safe(ref)} at ${commit.slice(0, 7)}: ${further} since before; apply makes them too.\n`,
  ]
}

/** The lines of a plan. */
export function* pageOf(
  made: Pick<MadePlan, 'plan' | 'entries' | 'counts' | 'worked' | 'against'>,
  answer: AnswerService,
): Generator<string> {
  const signs = signsFor(answer)
  const { entries } = made
  const line = layout(answer, widest(entries, signs))
  for (const [head, ones] of shelvesOf(entries, headOf)) {
    const place = answer.text.safe(head)
    yield `${answer.terminal ? answer.text.strong(place) : place}\n`
    for (const entry of ones) {
      const { label, text, below } = linesOf(entry, signs)
      yield line(2, label, text)
      for (const one of below) yield line(6, one.label, one.text)
    }
  }
  if (entries.length > 0) yield '\n'
  yield* compared(made, answer)
  yield* refusals(made.plan, answer)
  const sum = summaryOf(made.counts, made.worked)
  yield `${answer.terminal ? answer.text.hanging(sum, 0) : sum}\n`
}
