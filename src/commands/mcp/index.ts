/** Implements `mcp serve`, which serves the commands to an AI agent. */
import { yieldPushed } from '../../base/async.js'
import { boolean, list } from '../../catalogue/params.js'
import type { RunClock } from '../../engine/command/clock.js'
import type { Context, WorkspaceService } from '../../engine/command/context.js'
import { createNoteRow, createTextRow, type Rows } from '../../engine/rows.js'
import { Failure, usage } from '../../errors.js'
import { type AuditEntry, type AuditLog, openAudit } from '../../profile/audit.js'
import type { Session } from '../../profile/types.js'
import { type Arguments, define } from '../define.js'
import { getOffers } from './offers.js'
import type { CallLog } from './server.js'
import { checkToolsets, getToolsets } from './tools.js'

const flags = {
  toolsets: list('string', 'areas whose commands become separate tools', {
    placeholder: 'area,…',
    completes: 'area',
  }),
  drift: list('string', 'let the agent read drift from these files and folders', {
    placeholder: 'file,…',
    completes: 'file',
  }),
  'allow-write': boolean('with --toolsets: include commands that write but destroy nothing'),
} as const

/** @throws Failure `usage` unless the line names one profile that allows writes */
const checkWriting = ({ globals }: WorkspaceService, session: Session | undefined): void => {
  const { baseUrl, profile: name, sandbox } = globals
  if (name === undefined || sandbox || baseUrl !== undefined)
    throw usage(
      '--allow-write requires a named profile and no other choice of instance',
      'Pass -p <profile>, without --sandbox and --base-url.',
    )
  const { profile } = session ?? {}
  const what = profile?.readOnly === true ? 'read-only' : profile?.protected && 'protected'
  if (what)
    throw usage(
      `profile ${name} is ${what}, so --allow-write cannot be used`,
      'Without --allow-write, agents can read, and can plan changes for a person to make.',
    )
}

/** Returns the flags that select the instance. A person runs the plan's line later, when another profile may be current. */
const getInstanceFlags = (
  { globals }: WorkspaceService,
  session: Session | undefined,
): readonly string[] => {
  const { baseUrl, sandbox } = globals
  if (sandbox) return ['--sandbox']
  const own = session?.profile?.baseUrl === session?.baseUrl ? session?.profile?.name : undefined
  const profile = globals.profile ?? own
  return [
    ...(profile === undefined ? [] : ['-p', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
  ]
}

// The log of calls: one line per call in the audit log of the profile.

/** Matches arguments that identify an object. URLs contain these values as well, so they can be logged. */
const identityArguments = /^(?:id|project|group|user|key|sha|slug|domain|path|\w+_i?id)$/
const maxDescription = 300

/** Describes a call by its command and object. Other values are not logged. */
const describeCall = (tool: string, input: Readonly<Record<string, unknown>>): string => {
  const { command, arguments: inner } = input
  const values = typeof inner === 'object' && inner !== null ? inner : input
  const named = Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    identityArguments.test(name) && ['string', 'number'].includes(typeof value)
      ? [`${name}=${value}`]
      : [],
  )
  const words = [tool, ...(typeof command === 'string' ? [command] : []), ...named]
  return words.join(' ').slice(0, maxDescription)
}

const getOutcome = (failure: Failure | undefined): AuditEntry['outcome'] => {
  if (failure === undefined) return 'done'
  const { status, unknownOutcome } = failure.details
  if (failure.category === 'usage') return 'not_sent'
  // Without a response, the outcome is unknown.
  return status === undefined || unknownOutcome === true ? 'unknown' : 'refused'
}

const noLog: CallLog = { begin: () => () => undefined, close: () => undefined }

const createCallLog = (
  log: AuditLog,
  { profile, user, sudo }: Session,
  { now, uptime }: RunClock,
): CallLog => {
  let broken: unknown
  return {
    begin: (tool, input) => {
      if (broken !== undefined)
        throw new Failure('failed', 'not executed, because the audit log cannot be written')
      const begun = uptime()
      return (failure) => {
        try {
          log.append({
            time: now().toISOString(),
            profile: profile?.name ?? '',
            user: user ?? null,
            sudo: sudo ?? null,
            method: 'MCP',
            path: describeCall(tool, input),
            status: failure?.details.status ?? null,
            request_id: failure?.details.requestId ?? null,
            duration_ms: Math.round(uptime() - begun),
            outcome: getOutcome(failure),
          })
        } catch (error) {
          broken = error
          throw error
        }
      }
    },
    close: () => log.close(),
  }
}

/**
 * Opens the call log of a session. Without an audit log of the profile, nothing is recorded.
 * @throws Failure `usage` if the file cannot be opened
 */
const openCallLog = (session: Session | undefined, clock: RunClock): CallLog => {
  const file = session?.profile?.auditLog
  return session === undefined || file === undefined
    ? noLog
    : createCallLog(openAudit(file), session, clock)
}

const makeOnce = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

async function* serveAgent(context: Context, given: Arguments<typeof flags>): Rows {
  const { answer, place } = context
  const { toolsets = [], drift = [], 'allow-write': writes = false } = given.flags
  const wanted = toolsets.map(String)
  if (place.globals.showSecrets)
    throw usage('mcp serve does not allow --show-secrets: agents never see secrets')
  checkToolsets(wanted)
  if (writes && wanted.length === 0) throw usage('--allow-write requires --toolsets')
  // The first call starts the embedded instance.
  const session = place.globals.sandbox ? undefined : await place.session()
  if (writes) checkWriting(place, session)
  const { serveLines } = await import('./server.js')
  const { runs, clock, stdin } = place
  const { randomBytes } = clock
  const log = openCallLog(session, clock)
  if (answer.terminal)
    yield createNoteRow(
      'this command is for programs (Model Context Protocol); press Ctrl-D to end it',
    )
  const offers = makeOnce(async () => getOffers(await place.listCommands(), drift.map(String)))
  const tools = getToolsets(wanted.length === 0 ? [] : await offers(), wanted, writes)
  const where = getInstanceFlags(place, session)
  const serving = { runs, offers, tools, where, log, randomBytes, signal: clock.signal }
  try {
    const messages = yieldPushed<string>((write) =>
      serveLines(serving, { chunks: () => stdin.readBytes(), write }),
    )
    for await (const message of messages) {
      yield createTextRow(message)
      // A closed pipe is detected only when all output is written.
      yield { kind: 'flush' }
    }
  } finally {
    log.close()
  }
}

export const serve = define({
  longRunning: true,
  description: [
    'Serves one program over standard input and output. The agent has four tools: find_commands, describe_command, read and plan. It can read everything that you can read. plan previews a change of one or many objects, for a person to carry out with journal run. The agent cannot write.',
    'With --toolsets, each read-only command of the given areas is a separate tool. --allow-write adds commands that write; it requires a named profile (-p) that is neither read-only nor protected. Destructive commands remain plans.',
    'Agents pass values, never flags: no argument can name a file, a variable, another profile or another URL. Secrets are always masked and control characters escaped. A response has at most 32 KB and continues with a cursor. Data from the instance appears only under "data". The profile’s audit log records each call.',
  ],
  flags,
  rows: serveAgent,
})
