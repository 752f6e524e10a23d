/** The words of kinds that stand beside attributes. */

import { quoted } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import type { DeclaredItem } from './declared.js'
import { type Judging, onlyOnce } from './judging.js'
import { sort, type WrittenEntry } from './written.js'

const textsOf = (entry: WrittenEntry, { mistakes }: Judging): readonly string[] | undefined => {
  const { value } = entry
  const items = value.is === 'list' ? value.items : [value]
  const texts = items.flatMap((item) =>
    item.is === 'scalar' && item.value !== null && item.text !== '' ? [item.text] : [],
  )
  if (texts.length === items.length) return texts
  mistakes.add(value.origin, `${entry.key} takes a list of names`)
  return undefined
}

/** `previously`: what an item was called. */
export const previouslyOf = (
  kind: Managed,
  item: DeclaredItem,
  entry: WrittenEntry,
  judging: Judging,
): void => {
  const { mistakes } = judging
  if (kind.renames !== true) {
    const label = kind.label === undefined ? '' : `: change its ${kind.label}`
    mistakes.add(entry.origin, `${kind.name} cannot be renamed${label}`)
    return
  }
  const names = textsOf(entry, judging)
  if (names === undefined) return
  if (names.includes(String(item.identity)))
    mistakes.add(entry.origin, `previously names ${quoted(String(item.identity))} itself`)
  item.previously = onlyOnce(
    item.previously,
    { value: names, origin: entry.origin },
    'previously',
    judging,
  )
}

/** `family`: whose attributes an item has, where its name does not say it. */
export const familyOf = (
  kind: Managed,
  item: DeclaredItem,
  { origin, value }: WrittenEntry,
  judging: Judging,
): void => {
  const families = kind.families ?? []
  const text = value.is === 'scalar' ? value.text : ''
  if (families.some(({ name }) => name === text)) {
    item.family = onlyOnce(item.family, { value: text, origin }, 'family', judging)
    return
  }
  const names = families.map(({ name }) => name)
  judging.mistakes.add(
    value.origin,
    `family takes one of ${names.join(', ')}, not ${quoted(sort(value))}`,
    didYouMean(text, names),
  )
}
