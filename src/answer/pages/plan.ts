/** Draws a plan: its counts as tiles, a chart by kind, and its changes by place, deletions first. */

import { sumNumbers } from '../../base/collections.js'
import { formatCount, groupDigits, type Tone } from '../../base/text.js'
import { getStatusStyle } from '../../base/tones.js'
import {
  describeOutcomes,
  type PageItem,
  type PagePlace,
  type PlanPageRecord,
} from '../../commands/plan/page-record.js'
import {
  type ChartRow,
  drawRows,
  renderCounts,
  renderLegend,
  toSeries,
} from '../../output/html/charts.js'
import { html, type Markup, nothing } from '../../output/html/markup.js'
import {
  getInstanceHref,
  renderBadge,
  renderCard,
  renderLink,
  renderTiles,
  type Tile,
} from '../../output/html/page-parts.js'
import { openDrawing } from '../../output/html.js'
import type { FormatView } from '../../output/types.js'

/** The tone of each verb, in the order in which the page shows the verbs. */
const verbTones = {
  delete: 'bad',
  update: 'warn',
  replace: 'warn',
  create: 'good',
  enable: 'good',
  impossible: 'busy',
} as const
const getTone = (verb: string): Tone =>
  Object.entries(verbTones).find(([name]) => name === verb)?.[1] ??
  getStatusStyle(verb)?.tone ??
  'quiet'

/** The largest number of changes with which the places of a page are open at first. */
const maxOpen = 50
/** The largest number of items without filters. On a page of more items, the script adds facets, and the tiles link to them. */
const maxUnfiltered = 8

/** True if an item is a change, and no finding. */
const isChange = ({ verb }: PageItem): boolean =>
  Object.hasOwn(verbTones, verb) && verb !== 'impossible'

/** Describes the items of a place: `2 changes, 1 finding`. */
const describeItems = (items: readonly PageItem[]): string => {
  const changes = items.filter(isChange).length
  const findings = items.length - changes
  return [
    ...(changes > 0 ? [formatCount(changes, 'change')] : []),
    ...(findings > 0 ? [formatCount(findings, 'finding')] : []),
  ].join(', ')
}

const listItems = ({ places }: PlanPageRecord): readonly PageItem[] =>
  places.flatMap(({ items }) => items)

const createTile = (
  name: string,
  items: readonly PageItem[],
  tone: Tile['tone'],
  line: string,
): Tile => ({
  name,
  value: groupDigits(items.length),
  tone: items.length > 0 ? tone : 'quiet',
  lines: [line],
  href:
    items.length > maxUnfiltered
      ? `#${[...new Set(items.map(({ verb }) => `verb=${verb}`))].join('&')}`
      : undefined,
})

/** The names of the tiles of deletions, updates and creations. */
const tileNames = {
  plan: ['to delete', 'to change', 'to create'],
  drift: ['unexpected', 'changed', 'missing'],
  applied: ['deleted', 'changed', 'created'],
} as const

/** True if the actions of a plan were carried out. */
const isApplied = ({ outcomes }: PlanPageRecord): boolean => Object.keys(outcomes).length > 0

/** The outcomes of actions that changed the instance as the plan says. */
const goodOutcomes: readonly string[] = ['done', 'unchanged']

/** Creates the tile of the actions that were not carried out. */
const createFailedTile = (record: PlanPageRecord): Tile => {
  const others = Object.fromEntries(
    Object.entries(record.outcomes).filter(([outcome]) => !goodOutcomes.includes(outcome)),
  )
  const items = listItems(record).filter(({ outcome }) => Object.hasOwn(others, outcome))
  const line = items.length === 0 ? 'all was done' : describeOutcomes(others)
  return { ...createTile('not done', items, 'bad', line), href: undefined }
}

/** Draws the counts. After an apply they count what was done; before it, what the plan would do. */
const drawTiles = (record: PlanPageRecord): Markup => {
  const all = listItems(record)
  const applied = isApplied(record)
  const items = applied ? all.filter(({ outcome }) => goodOutcomes.includes(outcome)) : all
  const isDrift = record.of === 'drift'
  const names = tileNames[applied ? 'applied' : isDrift ? 'drift' : 'plan']
  const selectByVerb = (...verbs: readonly string[]): readonly PageItem[] =>
    items.filter(({ verb }) => verbs.includes(verb))
  const [deletions, updates, creations] = [
    selectByVerb('delete'),
    selectByVerb('update', 'replace'),
    selectByVerb('create', 'enable'),
  ]
  const attributes = sumNumbers(updates.map(({ changes }) => changes.length))
  const kinds = [...new Set(creations.map(({ kind }) => kind.replaceAll('_', ' ')))].join(', ')
  const impossible = all.filter(({ verb }) => verb === 'impossible')
  return renderTiles([
    ...(applied ? [createFailedTile(record)] : []),
    createTile(
      names[0],
      deletions,
      'bad',
      isDrift ? 'not declared' : deletions.length > 0 ? 'read what is lost' : 'nothing is lost',
    ),
    createTile(names[1], updates, 'warn', formatCount(attributes, 'attribute')),
    createTile(names[2], creations, 'good', kinds === '' ? 'none' : kinds),
    ...(applied && impossible.length === 0
      ? []
      : [createTile('impossible', impossible, 'busy', 'not changed by apply')]),
    {
      name: 'unchanged',
      value: groupDigits(record.unchanged),
      tone: 'quiet',
      lines: ['as declared'],
    },
  ])
}

/** Draws the chart of the items by kind. */
const drawKinds = (record: PlanPageRecord): Markup => {
  const items = listItems(record)
  if (items.length === 0) return nothing
  const verbs = [...Object.keys(verbTones), ...items.map(({ verb }) => verb)]
  const present = [...new Set(verbs)].filter((verb) => items.some((item) => item.verb === verb))
  const series = toSeries(present, getTone)
  const kinds = new Map<string, Map<string, number>>()
  const totals = new Map<string, number>()
  for (const { kind, verb } of items) {
    const counts = kinds.get(kind) ?? new Map<string, number>()
    kinds.set(kind, counts)
    counts.set(verb, (counts.get(verb) ?? 0) + 1)
    totals.set(verb, (totals.get(verb) ?? 0) + 1)
  }
  const rows = [...kinds].map(([kind, counts]): ChartRow => {
    const name = kind.replaceAll('_', ' ')
    return { name, label: name, counts }
  })
  return renderCard(
    'By kind',
    `${formatCount(items.filter(isChange).length + record.unchanged, 'object')} compared`,
    [drawRows(rows, series), renderLegend(series, totals), renderCounts('kind', rows, series)],
  )
}

const arrow = '→'

/** Draws an attribute with its current and its wanted value. */
const drawChange = ({ attribute, now, wanted }: PageItem['changes'][number]): Markup => {
  const before = now === '' ? nothing : html`<del>${now}</del> ${arrow} `
  return html`<dt>${attribute}</dt><dd>${before}<ins>${wanted}</ins></dd>`
}

/** Draws a change or a finding, with its attributes and its consequence. */
const drawItem = (item: PageItem): Markup => {
  const { verb, sign, kind, name, text, origin, loses, outcome, why, changes } = item
  const tone = getTone(verb)
  const outcomeBadge =
    outcome === ''
      ? nothing
      : html` ${renderBadge(outcome.replaceAll('_', ' '), goodOutcomes.includes(outcome) ? 'good' : 'bad')}`
  const words = [text, why].filter((one) => one !== '').join('; ')
  const said = words === '' ? nothing : html` <span class="said">${words}</span>`
  const lost = loses === '' ? nothing : html`<dt>consequence</dt><dd>${loses}</dd>`
  const list =
    changes.length === 0 && loses === ''
      ? nothing
      : html`<dl>${lost}${changes.map(drawChange)}</dl>`
  return html`<div class="change b-${tone}" data-verb="${verb}" data-kind="${kind}"><b class="${tone}">${sign}</b><span><b>${name}</b> ${renderBadge(verb, tone)}${outcomeBadge}${said}</span><span class="at">${origin}</span>${list}</div>\n`
}

/** Draws the items of a place. */
const drawPlace = ({ name, path, items }: PagePlace, isOpen: boolean, view: FormatView): Markup => {
  const href =
    path === ''
      ? undefined
      : getInstanceHref(`${view.page?.address ?? ''}/${encodeURI(path)}`, view)
  const more =
    href === undefined ? nothing : html`<p>${renderLink(`${name} on the instance`, href)}</p>\n`
  return html`<details class="place"${isOpen ? ' open' : ''}><summary><b>${name}</b> <span class="said">${describeItems(items)}</span></summary>\n${more}${items.map(drawItem)}</details>\n`
}

const drawPlan = (records: readonly unknown[], view: FormatView): Markup => {
  // The command yields this record.
  const [record] = records as readonly PlanPageRecord[]
  if (record === undefined) return nothing
  const items = listItems(record)
  const refused = record.refused.map((text) => html`<p class="warning">${text}</p>\n`)
  const places = record.places.map((place) => drawPlace(place, items.length <= maxOpen, view))
  const summary = isApplied(record) ? describeOutcomes(record.outcomes) : record.todo.join(', ')
  const facts = `${summary}; ${groupDigits(record.unchanged)} unchanged (${formatCount(record.requests, 'request')})`
  const changes = items.some(isChange)
    ? renderCard(
        'Changes',
        'deletions first',
        html`<p class="said">${facts}</p>\n${refused}${places}`,
        { id: 'changes' },
      )
    : renderCard(
        'No change',
        '',
        html`<p>The instance is as the files declare: ${facts}.</p>\n${refused}${places}`,
        { id: 'changes' },
      )
  return html`${drawTiles(record)}${drawKinds(record)}${changes}`
}

/** Opens the printer of the page (`pages/index.ts`). */
export const open = openDrawing(drawPlan)
