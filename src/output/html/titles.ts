/** Creates the titles of pages from the command, its arguments and its groups. */

import { capitalize, joinWords } from '../../base/text.js'
import type { GroupFacts } from '../../catalogue/views.js'

/** The parts of a title. */
export interface TitleParts {
  readonly area: string
  readonly words: string
  /** The summary of the command, for answers without a noun. */
  readonly summary: string
  readonly args: readonly string[]
  /** The owner of the listed objects: `of the instance`; empty if it is not known. */
  readonly of: string
  readonly groups?: GroupFacts | undefined
}

/** The nouns for the records of an area's list, or of a command that has others: singular and plural. */
const nouns: Readonly<Record<string, readonly [one: string, many: string]>> = {
  access: ['way in', 'ways in'],
  'approvals rules': ['approval rule', 'approval rules'],
  'check policy': ['finding', 'findings'],
  'ci variables': ['CI variable', 'CI variables'],
  commits: ['commit', 'commits'],
  'commits diff': ['changed file', 'changed files'],
  'commits refs': ['branch or tag', 'branches and tags'],
  'deploy-keys': ['deploy key', 'deploy keys'],
  dependencies: ['dependency', 'dependencies'],
  'error-tracking keys': ['client key', 'client keys'],
  events: ['event', 'events'],
  'geo nodes': ['replication site', 'replication sites'],
  'geo status': ['replication site', 'replication sites'],
  integrations: ['integration', 'integrations'],
  issues: ['issue', 'issues'],
  'issues related-mrs': ['merge request', 'merge requests'],
  jobs: ['job', 'jobs'],
  'jobs bridges': ['trigger job', 'trigger jobs'],
  journal: ['run', 'runs'],
  members: ['member', 'members'],
  'members billable': ['billable member', 'billable members'],
  'members billable memberships': ['membership', 'memberships'],
  mr: ['merge request', 'merge requests'],
  'mr closes-issues': ['issue', 'issues'],
  'pages-domains': ['Pages domain', 'Pages domains'],
  profile: ['profile', 'profiles'],
  projects: ['project', 'projects'],
  'resource-groups': ['resource group', 'resource groups'],
  runners: ['runner', 'runners'],
  'runners jobs': ['job', 'jobs'],
  vulnerabilities: ['vulnerability', 'vulnerabilities'],
}

const getVerb = (words: string): string => words.split(' ').at(-1) ?? ''

/** Returns the nouns for the records of a command; `record` and `records` if it has none. */
export const getNouns = ({
  area,
  words,
}: Pick<TitleParts, 'area' | 'words'>): readonly [string, string] => {
  const own = nouns[area === 'access' ? area : `${area} ${words}`]
  const group = words.split(' ').slice(0, -1).join(' ')
  const isOfArea = ['list', 'get'].includes(getVerb(words))
  const ofArea = isOfArea ? nouns[group === '' ? area : `${area} ${group}`] : undefined
  return own ?? ofArea ?? ['record', 'records']
}

const toText = (field: string): string => field.replaceAll('_', ' ').replaceAll('.', ' ')

const measureWords: Readonly<Record<string, string>> = {
  sum: 'Sum',
  avg: 'Average',
  min: 'Smallest value',
  max: 'Largest value',
  p95: '95th percentile',
}

/** Describes a column of numbers in words. */
export const describeMeasure = (
  column: string,
  { measures }: Pick<GroupFacts, 'measures'>,
  many: string,
): string => {
  const measure = measures.find((one) => one.column === column)
  return measure === undefined
    ? `Number of ${many}`
    : `${measureWords[measure.name] ?? measure.name} of the ${toText(measure.field)}`
}

/** Appends the keys of groups to what they count: `Number of jobs per day, by status`. */
export const appendKeys = (what: string, { keys }: Pick<GroupFacts, 'keys'>): string => {
  const [time] = keys.filter(({ unit }) => unit !== undefined)
  const others = keys.filter((key) => key !== time).map(({ field }) => toText(field))
  const timed = time === undefined ? what : `${what} per ${time.unit}`
  return others.length === 0 ? timed : `${timed}, by ${joinWords(others, 'and')}`
}

const describeGroups = (groups: GroupFacts, many: string): string => {
  const [measure] = groups.measures
  const what =
    measure === undefined ? `Number of ${many}` : `${capitalize(toText(measure.field))} of ${many}`
  return appendKeys(what, groups)
}

/** Creates the title of a page: *Runners of the instance*, *Duration of jobs, by project and name*. */
export const createTitle = (parts: TitleParts): string => {
  const { words, summary, args, of, groups, area } = parts
  const [one, many] = getNouns(parts)
  if (groups !== undefined) return describeGroups(groups, many)
  if (one === 'record' || area === 'access') {
    const about = args.join(', ')
    if (area === 'overview') return `Overview ${of}`
    if (area === 'access') return `Who has access to ${about}`
    return args.length === 1 ? `${summary}: ${about}` : summary
  }
  const about = args.join(', ')
  if (getVerb(words) === 'get') return `${capitalize(one)} ${about} ${of}`.trim()
  const [owner] = getVerb(words) === 'list' ? [] : (nouns[area] ?? [])
  if (owner !== undefined && about !== '')
    return `${capitalize(many)} of ${owner} ${about} ${of}`.trim()
  return `${capitalize(many)} ${of === '' && about !== '' ? `of ${about}` : of}`.trim()
}
