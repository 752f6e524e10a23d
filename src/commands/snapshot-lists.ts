/** Chooses the lists of a snapshot: those of the arguments, or all that describe the configuration of the instance. */
import { splitCommand } from '../base/shell-words.js'
import { type Endpoint, getPath } from '../catalogue/endpoint.js'
import { getScope } from '../engine/command/derive.js'
import type { CommandFacts } from '../engine/command/types.js'
import { usage } from '../errors.js'

/** Areas whose lists contain history or people's work. They are included only if the line names them. */
const historyAreas = new Set([
  'jobs',
  'commits',
  'events',
  'issues',
  'mr',
  'vulnerabilities',
  'dependencies',
])
/** Flags that select a list with the same records as another one. */
const repeatedForms = new Set(['legacy-path', 'inherited'])

/** Returns the command line of a list; undefined if the list requires an object. */
const toListLine = ({ area, words }: CommandFacts, endpoint: Endpoint): string | undefined => {
  const scope = getScope(endpoint)
  const places = getPath(endpoint)
    .split('/')
    .filter((segment) => segment.startsWith(':')).length
  if (places > (scope === undefined ? 0 : 1)) return undefined
  const spread = scope === undefined ? '' : ` --all-${scope.kind}s`
  const archived = scope?.kind === 'project' ? ' --with-archived' : ''
  const form = endpoint.when === undefined ? '' : ` --${endpoint.when.flag}`
  return `${area} ${words}${form}${spread}${archived}`
}

/** Returns the command lines of all lists that describe the configuration of the instance. */
const getDefaultLines = (commands: readonly CommandFacts[]): readonly string[] => [
  'projects list',
  'settings get',
  // Waiting jobs are part of the overview.
  'jobs list --all-projects --scope pending',
  ...commands.flatMap((command) => {
    if (
      historyAreas.has(command.area) ||
      command.area === 'projects' ||
      !/^(?:(?!billable ).* )?list$|^status$/.test(command.words)
    )
      return []
    return Object.values(command.endpoints).flatMap((endpoint) => {
      const wanted =
        endpoint.returns.kind === 'many' && !repeatedForms.has(endpoint.when?.flag ?? '')
      return (wanted && toListLine(command, endpoint)) || []
    })
  }),
]

/** Returns the name of a list: `runners`, `members-of-groups`, `deploy-keys-instance`. */
const getKindName = (words: readonly string[]): string => {
  const plain = /^(?:list|get|--all-.*|--with-archived)$/
  const spread = words.find((word) => /^--all-(project|group)s$/.test(word))
  const named = words.filter((word) => !plain.test(word)).map((word) => word.replace(/^-+/, ''))
  const text = named.join('-').replace(/[^\w-]+/g, '-')
  return spread === undefined ? text : `${text}-of-${spread.slice('--all-'.length)}`
}

/** The global flags that the line of a list may have: a snapshot has whole lists. */
export const listFlags: readonly string[] = ['all-projects', 'all-groups', 'with-archived']

/** A list to read. */
export interface WantedList {
  readonly line: string
  readonly words: readonly string[]
  readonly kind: string
  /** The column that names the project or group, for a list that is read for each of them. */
  readonly column: 'project' | 'group' | undefined
}

/**
 * Parses the command line of a list.
 * @throws Failure `usage` for a line that a snapshot cannot contain
 */
const toWantedList = (line: string): WantedList => {
  const words = splitCommand(line.trim())
  const [first = ''] = words
  // The name of an area alone means its list.
  const whole = words.length === 1 ? [first, 'list'] : words
  if (words.some((word) => /^-[PG]|^--(project|group|where|recursive)\b/.test(word)))
    throw usage(
      `"${line}" names single places or conditions`,
      'Use --all-projects or --all-groups, and filters of the API.',
    )
  const column = (['project', 'group'] as const).find((one) => words.includes(`--all-${one}s`))
  return { line: whole.join(' '), words: whole, kind: getKindName(whole), column }
}

/**
 * Returns the lists of the given command lines, or the default ones.
 * @throws Failure `usage` for a line that a snapshot cannot contain
 */
export const chooseLists = (
  args: readonly string[],
  commands: readonly CommandFacts[],
): readonly WantedList[] => {
  const lines = args.length === 0 ? getDefaultLines(commands) : args
  const wanted = lines.map(toWantedList)
  // Lists that are read for each project are looked up by the list of projects.
  const spread = wanted.some(({ words }) => words.some((word) => word.startsWith('--all-')))
  const all =
    spread && !wanted.some(({ kind }) => kind === 'projects')
      ? [toWantedList('projects list'), ...wanted]
      : wanted
  for (const [i, { kind, line }] of all.entries()) {
    const first = all.slice(0, i).find((one) => one.kind === kind)
    if (first?.line === line) throw usage(`"${line}" is given twice`)
    if (first !== undefined)
      throw usage(`"${first.line}" and "${line}" have the same file, ${kind}.ndjson`)
  }
  return all
}
