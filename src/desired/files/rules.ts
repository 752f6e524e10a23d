/** Rules of a file: what each is for, and what those get. */
import type { JsonValue } from '../../base/json/value.js'
import { quoted } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import { propertiesOf } from '../../catalogue/shapes/properties.js'
import { canonical } from '../values.js'
import type { DeclaredKind } from './declared.js'
import { newItem, takeAttributes } from './item.js'
import type { Judging } from './judging.js'
import { originText } from './mistakes.js'
import { plainValue, sort, type Written, type WrittenMap } from './written.js'

const fieldsOf = (kind: Managed): readonly string[] => {
  const shapes = [kind.read, kind.each].map((endpoint) => propertiesOf(endpoint?.returns.shape))
  return [...new Set(['id', ...shapes.flatMap((fields) => Object.keys(fields ?? {}))])]
}

/** What a rule is for; undefined where it is wrong. */
const matchOf = (
  kind: Managed,
  map: WrittenMap,
  { mistakes }: Judging,
): Readonly<Record<string, JsonValue>> | undefined => {
  const fields = fieldsOf(kind)
  const wrong = map.entries.filter(({ key, origin, value }) => {
    const isField = fields.includes(key)
    const texts = value.is === 'list' ? value.items : [value]
    const fits = texts.every((text) => text.is === 'scalar' && text.value !== null)
    if (!isField)
      mistakes.add(
        origin,
        `${quoted(key)} is no field of ${kind.name}`,
        didYouMean(key, fields) ?? `Its fields are ${fields.join(', ')}.`,
      )
    else if (!fits) mistakes.add(value.origin, `${key} takes a value to match`)
    return !isField || !fits
  })
  if (map.entries.length === 0)
    mistakes.add(map.origin, 'a rule says which it is for', 'With {id: "*"} it is for all.')
  if (wrong.length > 0 || map.entries.length === 0) return undefined
  return Object.fromEntries(map.entries.map(({ key, value }) => [key, plainValue(value, mistakes)]))
}

const takeRule = (declared: DeclaredKind, rule: WrittenMap, judging: Judging): void => {
  const { mistakes } = judging
  const parts = new Map(rule.entries.map((entry) => [entry.key, entry]))
  for (const { key, origin } of rule.entries)
    if (key !== 'match' && key !== 'set')
      mistakes.add(
        origin,
        `${quoted(key)} is not known here`,
        didYouMean(key, ['match', 'set']) ?? 'A rule has match and set.',
      )
  const [match, set] = [parts.get('match')?.value, parts.get('set')?.value]
  if (match?.is !== 'map' || set?.is !== 'map') {
    mistakes.add(rule.origin, 'a rule has two maps, match and set')
    return
  }
  const fields = matchOf(declared.kind, match, judging)
  const key = fields === undefined ? `?${originText(rule.origin)}` : `=${canonical(fields)}`
  const item = declared.items.get(key) ?? newItem(key.slice(1), rule.origin, fields ?? {})
  item.body ??= rule.origin
  declared.items.set(key, item)
  takeAttributes(declared.kind, item, set, judging)
}

/** Takes a kind's rules; later ones win, and one for the same as another goes on with it. */
export const takeRules = (declared: DeclaredKind, rules: Written, judging: Judging): void => {
  for (const rule of rules.is === 'list' ? rules.items : [])
    if (rule.is === 'map') takeRule(declared, rule, judging)
    else
      judging.mistakes.add(
        rule.origin,
        `a rule has match and set, and is not ${quoted(sort(rule))}`,
      )
}
