/**
 * Objects by full reference (`platform/app!42`) and by web address: both carry the project with
 * them.
 */

import type { JsonValue } from '../../base/json/value.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { usage } from '../../errors.js'
import { getScope } from '../command/derive/index.js'
import type { Command, Given } from '../command/types.js'
import type { PlanContext } from './objects.js'

// The project that objects bring along as references, beside the one that was asked for.

/** The first argument, or each of several, as a reference that may carry a project. */
export const resolveReferences = async (
  command: Command,
  given: Given,
  around: PlanContext,
): Promise<readonly ObjectReference[]> => {
  const [argument] = command.args
  const texts = argument?.variadic === true ? given.args : given.args.slice(0, 1)
  const base = texts.some((t) => /^https?:/i.test(t)) ? await around.baseUrl() : ''
  return texts.map((text) => parseReference(text, argument?.parameter ?? '', () => base))
}

/** Where every object brings its project along, none is looked for in the environment. */
export const scopedBy = (given: Given, references: readonly ObjectReference[]): Given => {
  const [first] = references
  if (first?.project === undefined || given.flags.project !== undefined) return given
  if (references.some((r) => r.project === undefined)) return given
  return { ...given, flags: { ...given.flags, project: first.project } }
}

export const withoutReference = (
  group: readonly string[],
  reference: ObjectReference | undefined,
): readonly string[] => (reference === undefined ? group : [reference.id, ...group.slice(1)])

/** Whether two texts name one project: a path, in any case, or its number. */
const sameProject = async (a: string, b: string, around: PlanContext): Promise<boolean> => {
  const [one, other] = await Promise.all(
    [a, b].map(async (text) => {
      const number = /^\d+$/.test(text) && /^\d+$/.test(a) !== /^\d+$/.test(b)
      return ((number ? await around.pathOf(Number(text)) : undefined) ?? text).toLowerCase()
    }),
  )
  return one === other
}

export const placeProject = async (
  endpoint: Endpoint,
  reference: ObjectReference | undefined,
  given: Given,
  values: Record<string, JsonValue | undefined>,
  around: PlanContext,
): Promise<void> => {
  const holder = getScope(endpoint)?.placeholder
  if (reference?.project === undefined || holder === undefined) return
  const asked = given.flags.project
  if (asked !== undefined && !(await sameProject(String(asked), reference.project, around)))
    throw usage(
      `the reference names ${reference.project}, but --project is ${String(asked)}`,
      'Remove one of them.',
    )
  values[holder] = reference.project
}

export interface ObjectReference {
  readonly project?: string
  readonly id: string
}

/** Path parameter → the mark of its references and its segment in web addresses. */
const kinds: Readonly<Record<string, { mark?: string; segment: string; word: string }>> = {
  merge_request_iid: { mark: '!', segment: 'merge_requests', word: 'merge request' },
  issue_iid: { mark: '#', segment: 'issues', word: 'issue' },
  job_id: { segment: 'jobs', word: 'job' },
}

const wordOf = (key: 'mark' | 'segment', value: string): string =>
  Object.values(kinds).find((kind) => kind[key] === value)?.word ?? 'something else'

/**
 * What a text names, for the path parameter it fills. A bare number or any other text is the id.
 * @param baseUrl the instance's address: an address elsewhere is refused
 * @throws Failure `usage` for a reference of another kind or an address of another instance
 */
export const parseReference = (
  text: string,
  parameter: string,
  baseUrl: () => string,
): ObjectReference => {
  const kind = kinds[parameter]
  if (kind === undefined) return { id: text }
  if (/^https?:\/\//i.test(text)) return addressOf(text, kind, baseUrl())
  const match = /^(?<project>.*?)(?<mark>[!#])(?<id>\d+)$/.exec(text)
  if (match?.groups === undefined) return { id: text }
  const { project = '', mark = '', id = '' } = match.groups
  if (mark !== kind.mark)
    throw usage(
      `${text} is ${article(wordOf('mark', mark))}; this command expects ${article(kind.word)}`,
    )
  return project === '' ? { id } : { project, id }
}

const article = (word: string): string => (/^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`)

const addressOf = (
  text: string,
  kind: { segment: string; word: string },
  baseUrl: string,
): ObjectReference => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw usage(`not a web address of ${article(kind.word)}: ${text}`)
  // A query may hold a token.
  const shown = url.origin + url.pathname
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  if (url.host !== base.host || !url.pathname.startsWith(`${prefix}/`))
    throw usage(
      `${shown} is not a web address on ${baseUrl}`,
      'Choose the instance with --profile or --base-url.',
    )
  const match = /^\/(?<project>.+?)\/-\/(?<segment>[a-z_]+)\/(?<id>\d+)(?:\/|$)/.exec(
    url.pathname.slice(prefix.length),
  )
  if (match?.groups === undefined)
    throw usage(`${shown} is not a web address of ${article(kind.word)}`)
  const { project = '', segment = '', id = '' } = match.groups
  if (segment !== kind.segment)
    throw usage(
      `${shown} is the web address of ${article(wordOf('segment', segment))}; this command expects ${article(kind.word)}`,
    )
  return { project: decodeURIComponent(project), id }
}
