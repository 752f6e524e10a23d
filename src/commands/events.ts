/** Implements `events list`, which prints one readable line per event on a terminal (`catalogue/reference/events.md`). */

import { AsyncCache } from '../base/async.js'
import { type Fields, isObject, listObjects, toText } from '../base/objects.js'
import { formatIsoAge } from '../base/screen-text.js'
import { formatCount } from '../base/text.js'
import { projects } from '../catalogue/areas/projects.js'
import type { Context } from '../engine/command/context.js'
import { recoverFrom } from '../errors.js'
import { define } from './define.js'

/** Converts a type to words: `WikiPage::Meta` → `wiki page`, `MergeRequest` → `merge request`. */
const describeType = (type: string): string =>
  type
    .replace(/::.*/s, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()

const formatReference = (type: string, iid: unknown): string => {
  if (typeof iid !== 'number') return ''
  const sign = { MergeRequest: '!', Issue: '#' }[type]
  return sign === undefined ? '' : ` ${sign}${iid}`
}

const describePush = (push: Fields): string => {
  const ref = String(push.ref)
  const kind = String(push.ref_type ?? 'branch')
  if (push.action === 'removed') return `deleted ${kind} ${ref}`
  const count = typeof push.commit_count === 'number' ? push.commit_count : 0
  if (count === 0) return `created ${kind} ${ref}`
  const place = push.action === 'created' ? `new ${kind} ${ref}` : ref
  return `pushed ${formatCount(count, 'commit')} to ${place}`
}

const describeComment = (note: Fields, title: string | undefined): string => {
  const type = toText(note.noteable_type) ?? ''
  const on = type === '' ? 'something' : describeType(type)
  return `commented on ${on}${formatReference(type, note.noteable_iid)}${title === undefined ? '' : ` “${title}”`}`
}

/** Describes the action of an event, without its author and project. */
const describeAction = (event: Fields): string => {
  if (isObject(event.push_data)) return describePush(event.push_data)
  const title = toText(event.target_title)
  if (isObject(event.note)) return describeComment(event.note, title)
  const action = toText(event.action_name) ?? 'did something'
  const type = toText(event.target_type)
  if (type === undefined) return `${action}${title === undefined ? '' : ` “${title}”`}`
  const named = title === undefined ? '' : ` “${title}”`
  return type === 'Project'
    ? `${action} the project`
    : `${action} ${describeType(type)}${formatReference(type, event.target_iid)}${named}`
}

/** The phrases for actions about the membership of a project. */
const memberships: Readonly<Record<string, string>> = {
  joined: 'joined',
  left: 'left',
  expired: 'lost access to',
  'removed due to membership expiration from': 'lost access to',
}

/** Returns the name of the author, or else the username. */
const getActor = (event: Fields): string =>
  (isObject(event.author) ? toText(event.author.name) : undefined) ??
  toText(event.author_username) ??
  'someone'

const whenWidth = 10

/** Formats the time of an event as its age. Text that is not a time is returned as it is. */
export const formatWhen = (event: Fields, now: Date): string =>
  formatIsoAge(toText(event.created_at) ?? '', now) ?? toText(event.created_at) ?? ''

/** Describes an event: `Ana pushed 3 commits to main in platform/app`. */
export const describeEvent = (event: Fields, place: string | undefined): string => {
  const membership = memberships[toText(event.action_name) ?? '']
  const where = place === undefined ? '' : ` in ${place}`
  const deed =
    membership === undefined
      ? describeAction(event) + where
      : `${membership} ${place ?? 'a project'}`
  return `${getActor(event)} ${deed}`
}

/**
 * Creates a function that looks up the path of a project, with one request per project. If the lookup fails, it returns the ID in words.
 */
const createPathLookup = ({ instance }: Context) => {
  const known = new AsyncCache<number, string>()
  const ask = async (id: number): Promise<string> => {
    try {
      const { data } = await instance.call(projects.get, { id })
      return toText(data?.path_with_namespace) ?? `project ${id}`
    } catch (error) {
      recoverFrom(error)
      return `project ${id}`
    }
  }
  return async (id: unknown): Promise<string | undefined> =>
    typeof id === 'number' ? known.of(id, () => ask(id)) : undefined
}

/** Formats one line, wrapped to the terminal: `2 h ago  Ana pushed 3 commits to main in platform/app`. */
const formatLine = (
  { answer }: Context,
  event: Fields,
  where: string | undefined,
  asOf: Date,
): string => {
  const when = answer.text.safe(formatWhen(event, asOf)).padEnd(whenWidth)
  return `${when}  ${answer.text.wrapHanging(describeEvent(event, where), whenWidth + 2)}\n`
}

/** Yields one line per event, as soon as the path of its project is known. */
async function* formatLines(context: Context, events: readonly unknown[]): AsyncGenerator<string> {
  const placeOf = createPathLookup(context)
  const asOf = await context.place.clock.asOf()
  for (const event of listObjects(events))
    yield formatLine(context, event, await placeOf(event.project_id), asOf)
}

export const list = define({
  description: [
    'On a terminal, svcctl prints one line per event. In pipes, and with --output or --fields, it prints the API records.',
  ],
  rows: (context, given) =>
    context.list(given, {
      view: { people: { page: (events) => formatLines(context, events) } },
    }),
})
