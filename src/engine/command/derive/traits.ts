/** What a command is, by its endpoints. */

import { type Endpoint, echoes, getMethod, writes } from '../../../catalogue/endpoint.js'
import { formatOf } from '../../../catalogue/params.js'
import { getProperties } from '../../../catalogue/shapes/properties.js'
import type { Globals } from '../globals.js'
import type { Command, Described, Flag } from '../types.js'
import { getScope, type ScopeKind } from './derived.js'

/** Whether a command reaches the instance through the catalogue. */
export const calls = (c: Described): boolean => Object.keys(c.endpoints).length > 0
/** Whether it may be asked of several instances at once. */
export const isAskable = (c: Described): boolean =>
  calls(c) || c.open === true || c.readOnly === true

/** Whether a command lists records page by page. */
export const lists = (c: Described): boolean =>
  c.open === true || Object.values(c.endpoints).some((e) => e.returns.kind === 'many')

/** Whether a command sends attributes. */
export const sendsBody = (c: Described): boolean =>
  c.open === true || Object.values(c.endpoints).some(writes)

/** Methods that change something, where a path follows: a path alone is read. */
const changing = /^(?:POST|PUT|PATCH|DELETE)$/i

/** Whether a line of a command may change something: of an open one its method says so. */
export const changes = (c: Described, [first = '', path]: readonly string[]): boolean =>
  c.writes === true ||
  Object.values(c.endpoints).some(writes) ||
  (c.open === true && path !== undefined && changing.test(first))

/** Whether a command may be tried without writing: it writes, and the API has no trial of its own for it. */
export const rehearsable = (c: Described): boolean =>
  (sendsBody(c) || c.writes === true) &&
  !Object.values(c.endpoints).some((e) => e.rehearses === true)

/** A command with the flags that say whether its requests are sent. */
interface Asked {
  readonly command: Described
  readonly globals: Pick<Globals, 'curl' | 'dryRun'>
}

/** Whether nothing is written; a command whose API tries it out by itself sends what it is given. */
export const isRehearsal = ({ command, globals }: Asked): boolean =>
  globals.dryRun && rehearsable(command)

/** Whether everything is sent. */
export const sendsAll = (asked: Asked): boolean => !asked.globals.curl && !isRehearsal(asked)

/** Which list a command's objects may be selected from; undefined where there is none. */
export const getSelects = (c: Described): Endpoint['selects'] =>
  c.args[0]?.variadic === true
    ? Object.values(c.endpoints).find((e) => e.selects !== undefined)?.selects
    : undefined

/** Whether a selection may be made among the objects of several projects, which are of none. */
export const spreads = (c: Described): boolean => getSelects(c)?.spread === true

/** Whether a command is answered with what it changed. */
export const answersChanges = (c: Described): boolean => Object.values(c.endpoints).some(echoes)

/** Whether a command only reads, so that it may be repeated. */
export const watchable = (c: Described): boolean =>
  c.watches === true ||
  (calls(c) &&
    Object.values(c.endpoints).every(
      (e) => getMethod(e) === 'GET' && (e.returns.kind === 'one' || e.returns.kind === 'many'),
    ))

/** Whether a command shows objects that may have pages of their own. */
export const hasPage = (c: Described): boolean =>
  watchable(c) &&
  Object.values(c.endpoints).some((e) => getProperties(e.returns.shape)?.web_url !== undefined)

/** Whether a command has a form for what belongs to a project, or to a group. */
export const hasForm = (c: Pick<Described, 'endpoints'>, kind: ScopeKind): boolean =>
  Object.values(c.endpoints).some((e) => getScope(e)?.kind === kind)

/** Whether a command is answered with a file. */
export const downloads = (c: Pick<Described, 'endpoints'>): boolean =>
  Object.values(c.endpoints).some((e) => e.returns.kind === 'file')

/** Whether a command changes nothing, whatever is asked of it. */
export const onlyReads = (c: Described): boolean =>
  c.open !== true &&
  c.ownJournal !== true &&
  Object.values(c.endpoints).every((e) => !writes(e) && e.returns.kind !== 'file')

/** Whether a command may be spread over projects. */
export const ofProjects = (c: Described): boolean => hasForm(c, 'project')

/** Whether a command may work on several objects, each by a request of its own. */
export const isOfMany = (c: Described): boolean =>
  c.open === true || takesSeveral(c) || hasForm(c, 'project') || hasForm(c, 'group')

/** A command, which may be one that does everything itself. */
type MaybeRun = Described & Pick<Command, 'run'>

/** Whether a command's writes are planned, and so kept in a journal. */
export const keepsJournal = (c: MaybeRun): boolean => sendsBody(c) && c.run === undefined

/** Whether a command takes its objects as they come. */
export const streams = (c: MaybeRun): boolean => c.run === undefined && c.gathers !== true

/** The flags of a command that rows of standard input may say of each object instead. */
export const rowFlags = (
  c: Pick<MaybeRun, 'args' | 'flags' | 'endpoints' | 'run'>,
): readonly Flag[] => {
  const writing = Object.values(c.endpoints).some(writes)
  if (!takesSeveral(c) || !writing || c.run !== undefined) return []
  return c.flags.filter(
    ({ hidden, param, parameter, path }) =>
      parameter !== undefined &&
      path !== true &&
      hidden !== true &&
      // It names a file of this machine.
      formatOf(param) !== 'pem',
  )
}

/** Whether a command takes several objects by position. */
export const takesSeveral = ({ args: [first] }: Pick<Described, 'args'>): boolean =>
  first?.variadic === true && first.file !== true
