/** Draws the overview: tiles with verdicts, findings with commands, and a section for each part. */

import { sumNumbers } from '../../base/collections.js'
import { isObject, toText } from '../../base/objects.js'
import { formatSpan, formatTimeLeft } from '../../base/screen-text.js'
import { formatCount, groupDigits } from '../../base/text.js'
import { formatCounts, type RunnerCounts, runnerStates } from '../../commands/health.js'
import {
  describeCertificates,
  describeTokenEnd,
  describeTroubles,
  getSiteMark,
  getTokenMark,
  getTokenState,
} from '../../commands/overview-parts.js'
import type { OverviewRecord } from '../../commands/overview-record.js'
import {
  type ChartRow,
  drawRows,
  renderCounts,
  renderFigure,
  renderLegend,
  type Series,
  toSeries,
} from '../../output/html/charts.js'
import { html, type Markup, nothing } from '../../output/html/markup.js'
import {
  getInstanceHref,
  renderBadge,
  renderCard,
  renderCommand,
  renderLink,
} from '../../output/html/page-parts.js'
import {
  drawTimeline,
  type EndPoint,
  expiryTones,
  getExpiryState,
} from '../../output/html/timeline.js'
import { openDrawing } from '../../output/html.js'
import type { FormatView } from '../../output/types.js'
import {
  describeSite,
  drawTiles,
  getOnlinePercentage,
  type PartName,
  partNames,
  partTitles,
  type Site,
} from './overview-tiles.js'

const signs = { good: '✓', warn: '!', bad: '✗' } as const

/** An overview, of which each section is drawn. */
interface Section {
  readonly record: OverviewRecord
  readonly view: FormatView
  /** The beginning of the names of sections, which differs for each of several instances. */
  readonly prefix: string
}

// The list of things to do.

const drawFindings = ({ record: { findings, ...record }, prefix }: Section): Markup => {
  const title = 'What to do next'
  if (findings.length === 0) {
    const count = partNames.filter((name) => record[name] !== undefined).length
    return renderCard(
      title,
      '',
      html`<p>Nothing to do: ${formatCount(count, 'section')} checked.</p>\n`,
    )
  }
  const items = findings.map(({ level, message, command: line }) => {
    const isUrgent = level === 'act now'
    const sign = html`<b class="${isUrgent ? 'bad' : 'warn'}" role="img" aria-label="${level}">${isUrgent ? '✗' : '!'}</b>`
    return html`<li>${sign}<span class="text">${message}</span>${renderCommand(line)}</li>\n`
  })
  const text = `${formatCount(findings.length, 'finding')}, the most urgent first`
  return renderCard(title, text, html`<ol class="findings">\n${items}</ol>\n`, {
    id: `${prefix}findings`,
  })
}

const toCounts = (counts: RunnerCounts): ReadonlyMap<string, number> =>
  new Map(runnerStates.flatMap((state) => (counts[state] === 0 ? [] : [[state, counts[state]]])))

const drawRunners = ({ record: { runners } }: Section): readonly [string, Markup] | undefined => {
  if (runners === undefined || runners === null) return undefined
  const { by_state: states, by_type: types, total } = runners
  const all = toCounts(states)
  const series = toSeries([...all.keys()])
  const rows = Object.entries(types).map(([type, counts]): ChartRow => {
    const name = type.replace(/_type$/, '')
    const share = getOnlinePercentage(counts)
    const beside = share === undefined ? 'none active' : `${share} % of active online`
    return { name, label: name, counts: toCounts(counts), beside }
  })
  const share = getOnlinePercentage(states)
  const caption =
    share === undefined ? '' : `online: ${share} % of active runners; ${formatCounts(states)}`
  return [
    formatCount(total, 'runner'),
    renderFigure('By type and status', caption, [
      drawRows(rows, series),
      renderLegend(series, all),
      renderCounts('type', rows, series),
    ]),
  ]
}

/** The tones of waiting times: more than an hour needs attention, more than a day is urgent. */
const ageTones: Readonly<Record<string, string>> = {
  '1 to 6 h': 'warn',
  '6 h to 1 day': 'warn',
  'over 1 day': 'bad',
}

const plainSeries: Series = { word: 'all', color: 'busy', hatch: 0 }

const drawAges = (ages: Readonly<Record<string, number>>): Markup => {
  const series = Object.keys(ages).map(
    (word): Series => ({ word, color: ageTones[word] ?? 'good', hatch: 0 }),
  )
  const rows = Object.entries(ages).map(
    ([name, count]): ChartRow => ({ name, label: name, counts: new Map([[name, count]]) }),
  )
  return renderFigure('How long they have waited', '', [drawRows(rows, series)])
}

const maxProjects = 4

/** Draws rows whose names link to projects. */
const drawProjects = (
  projects: Readonly<Record<string, number>>,
  { record, view }: Section,
): Markup => {
  const all = Object.entries(projects)
  const rows = all.slice(0, maxProjects).map(([path, count]): ChartRow => {
    const href = getInstanceHref(`${record.address}/${encodeURI(path)}`, view)
    return { name: renderLink(path, href), label: path, counts: new Map([['all', count]]) }
  })
  const rest = all.length - rows.length
  const jobs = sumNumbers(all.slice(maxProjects).map(([, count]) => count))
  const caption = rest > 0 ? `and ${formatCount(rest, 'project')} more, with ${jobs}` : ''
  return renderFigure('By project', caption, [drawRows(rows, [plainSeries])])
}

const drawJobs = (section: Section): readonly [string, Markup] | undefined => {
  const { record, view } = section
  const { jobs } = record
  if (jobs === undefined || jobs === null) return undefined
  const { waiting, by_age: ages, by_project: projects, projects_looked_at: looked, oldest } = jobs
  const text = `${waiting} in ${Object.keys(projects).length} of ${formatCount(looked, 'project')}`
  if (oldest === null) return [text, nothing]
  const { name, id, project, tag_list: tags, waited_seconds: waited, why } = oldest
  const href = getInstanceHref(`${record.address}/${encodeURI(project)}/-/jobs/${id}`, view)
  const span = waited === null ? '' : `, for ${formatSpan(waited)}`
  const tagged = tags.length === 0 ? nothing : html`, tags <code>${tags.join(', ')}</code>`
  const line = html`<p>the oldest${span}: ${renderLink(`${name} (${id})`, href)}${tagged}${why === undefined ? '' : '; why:'}</p>\n`
  const shown = why === undefined ? nothing : renderCommand(why)
  return [text, html`${drawAges(ages)}${line}${shown}${drawProjects(projects, section)}`]
}

/** The expiry of a certificate or a token. */
interface End extends EndPoint {
  readonly left: number
  readonly renews: boolean
}

const collectEnds = ({ certificates, tokens }: OverviewRecord): readonly End[] => {
  const all = [
    ...(certificates?.certificates ?? []).map((one) => ({ ...one, label: one.domain })),
    ...(tokens ?? []).map((one) => ({ ...one, label: `token ${one.profile}` })),
  ]
  return all
    .flatMap(({ label, expires_at: at, left_seconds: left, renews }) =>
      at === undefined || left === undefined
        ? []
        : [{ label, time: Date.parse(at), left, renews: renews === true }],
    )
    .toSorted((a, b) => a.time - b.time)
}

/** The largest number of rows in the table of expiry times. */
const maxEnds = 7

const endSeries: readonly Series[] = [
  { word: 'ended, or within 7 days', color: 'bad', hatch: 0 },
  { word: 'within 30 days', color: 'warn', hatch: 0 },
  { word: 'later', color: 'good', hatch: 0 },
]

const drawEnds = ({ record, view }: Section): readonly [string, Markup] | undefined => {
  const { certificates, tokens } = record
  if (certificates === undefined || certificates === null) return undefined
  const ends = collectEnds(record)
  const rows = ends.slice(0, maxEnds).map(({ label, time, left, renews }) => {
    const state = getExpiryState(time, view.now.getTime())
    const sign = signs[expiryTones[state]]
    const text = `${formatTimeLeft(left, new Date(time).toISOString())}${renews ? ', renewed automatically' : ''}`
    return html`<tr><td>${renderBadge(`${sign} ${state === 'later' ? 'fine' : state}`, expiryTones[state])}</td><td>${label}</td><td>${text}</td></tr>\n`
  })
  const rest = ends.length - rows.length
  const more =
    rest > 0
      ? html`<p class="said">and ${rest} more, which ${rest === 1 ? 'ends' : 'end'} later</p>\n`
      : nothing
  const unknown = certificates.certificates.filter(({ left_seconds: left }) => left === undefined)
  const open =
    unknown.length === 0
      ? nothing
      : html`<p class="said">end not known: ${unknown.map(({ domain, expired }) => `${domain}${expired === true ? ' (expired)' : ''}`).join(', ')}</p>\n`
  const caption = describeCertificates(certificates)
  const text = `${formatCount(certificates.certificates.length, 'certificate')}${tokens ? `, ${formatCount(tokens.length, 'token')}` : ''}`
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="what ends next"><table>
<thead><tr><th scope="col">state</th><th scope="col">what</th><th scope="col">ends</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>\n`
  const drawn =
    ends.length === 0
      ? nothing
      : renderFigure('When they end', caption, [
          drawTimeline(ends, view, `When they end: ${caption}`),
          renderLegend(endSeries),
          table,
        ])
  return [ends.length === 0 ? caption : text, html`${drawn}${more}${open}`]
}

const drawSite = (site: Site): readonly Markup[] => {
  const { name, primary, enabled, synced_percent: share } = site
  const tone = getSiteMark(site)
  const beside = html`${[primary === true ? 'primary' : '', enabled === false ? 'disabled' : ''].filter(Boolean).join(', ')}`
  const row: ChartRow = {
    name: html`<b class="${tone}">${signs[tone]}</b> ${name} <span class="said">${beside}</span>`,
    label: name,
    counts: new Map([['all', share ?? 0]]),
    beside: describeSite(site),
  }
  const series: Series = { word: 'all', color: tone, hatch: 0 }
  return [
    drawRows([row], [series], { most: 100, thin: true }),
    ...describeTroubles(site).map((text) => html`<p class="said">${text}</p>\n`),
  ]
}

const drawSites = ({ record: { replication } }: Section): readonly [string, Markup] | undefined =>
  replication === undefined || replication === null
    ? undefined
    : [formatCount(replication.length, 'site'), html`${replication.flatMap(drawSite)}`]

const drawStorages = ({ record: { storages } }: Section): readonly [string, Markup] | undefined => {
  if (storages === undefined || storages === null) return undefined
  const rows = storages.map(
    ({ storage, projects, weight }): ChartRow => ({
      name: storage,
      label: storage,
      counts: new Map([['all', projects]]),
      beside: `${groupDigits(projects)}${weight === null ? '' : `, weight ${weight}`}`,
    }),
  )
  const total = sumNumbers(storages.map(({ projects }) => projects))
  return [formatCount(total, 'project'), drawRows(rows, [plainSeries])]
}

const drawTokens = ({ record: { tokens } }: Section): readonly [string, Markup] | undefined => {
  if (tokens === undefined || tokens === null) return undefined
  const items = tokens.map((one) => {
    const { profile, base_url: address, reason, source } = one
    const tone = getTokenMark(one)
    const state = [getTokenState(one), ...describeTokenEnd(one)].join(', ')
    return html`<li><b class="${tone}">${signs[tone]}</b> <b>${profile}</b> ${state} <span class="said">${address}, ${reason ?? source}</span></li>\n`
  })
  return [formatCount(tokens.length, 'token'), html`<ul class="plain">\n${items}</ul>\n`]
}

const sections: Readonly<
  Record<PartName, (section: Section) => readonly [string, Markup] | undefined>
> = {
  runners: drawRunners,
  jobs: drawJobs,
  certificates: drawEnds,
  replication: drawSites,
  storages: drawStorages,
  tokens: drawTokens,
}

/** Draws a section. One that could not be read shows the reason. */
const drawSection = (section: Section, name: PartName): Markup => {
  const { record, prefix } = section
  if (record[name] === undefined) return nothing
  const gap = record.unread.find(({ part }) => part === name)
  const drawn = sections[name](section)
  const sign = gap?.offered === false && drawn === undefined ? '–' : '!'
  const warning =
    gap === undefined
      ? nothing
      : html`<p><b class="warn">${sign}</b> ${gap.why ?? 'not read'}</p>\n`
  const title =
    name === 'certificates' && section.record.tokens
      ? 'Pages certificates and tokens'
      : partTitles[name][1]
  return renderCard(title, drawn?.[0] ?? '', html`${drawn?.[1] ?? nothing}${warning}`, {
    id: `${prefix}${name}`,
  })
}

const drawOverview = (section: Section): Markup => {
  const { record } = section
  const [runners, jobs, ends, sites, storages, tokens] = [
    'runners',
    'jobs',
    'certificates',
    'replication',
    'storages',
    'tokens',
  ].map((name) => drawSection(section, name as PartName))
  return html`${drawTiles(record, section.prefix)}${drawFindings(section)}<div class="half stack">${runners ?? nothing}${storages ?? nothing}</div><div class="half stack">${jobs ?? nothing}</div>${ends ?? nothing}<div class="half stack">${sites ?? nothing}</div><div class="half stack">${tokens ?? nothing}</div>
<p class="said">Not shown, because the API does not provide it: ${record.not_in_the_api.join(', ')}.</p>\n`
}

/** Draws the overviews of one instance, or of several: each below its name. */
const draw = (records: readonly unknown[], view: FormatView): Markup => {
  const drawn = records.map((row, i) => {
    const isNamed = isObject(row) && typeof row.profile === 'string' && isObject(row.record)
    // The command yields this record, and masking changes no shape of it.
    const record = (isNamed ? row.record : row) as OverviewRecord
    if (!isNamed) return drawOverview({ record, view, prefix: '' })
    const href = getInstanceHref(record.address, view)
    return html`<h2 class="instance">${toText(row.profile) ?? ''} <span class="said">${renderLink(record.address, href)}</span></h2>\n${drawOverview({ record, view, prefix: `${i + 1}-` })}`
  })
  return html`${drawn}`
}

export const open = openDrawing(draw)
