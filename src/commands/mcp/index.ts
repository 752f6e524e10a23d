/** `mcp serve`: the commands for agents, over the Model Context Protocol. */
import { boolean, list } from '../../catalogue/params.js'
import type { AnswerService, PlaceService, Services } from '../../engine/command/services.js'
import { usage } from '../../errors.js'
import type { Session } from '../../profile/types.js'
import { ClosedPipe } from '../../terminal/streams/stdout.js'
import { define, type GivenBy } from '../define.js'
import { callLogOf } from './log.js'
import { offersOf } from './offers.js'
import { checkToolsets, toolsetsOf } from './tools.js'

const flags = {
  toolsets: list('string', 'areas whose commands are tools of their own', {
    placeholder: 'area,…',
  }),
  'allow-write': boolean('with --toolsets: also those that write and destroy nothing'),
} as const

/** @throws Failure `usage` unless it is one profile, by its name, that lets itself be written to */
const checkWriting = ({ globals }: PlaceService, session: Session | undefined): void => {
  const { baseUrl, profile: name, sandbox } = globals
  if (name === undefined || sandbox || baseUrl !== undefined)
    throw usage(
      '--allow-write needs a profile by its name, and nothing else that says which instance',
      'Give -p <profile>, without --sandbox and --base-url.',
    )
  const { profile } = session ?? {}
  const what = profile?.readOnly === true ? 'read-only' : profile?.protected && 'protected'
  if (what)
    throw usage(
      `profile ${name} is ${what}: --allow-write does not go with it`,
      'Without --allow-write agents read, and plan what a person does.',
    )
}

/** Flags that name the instance, for whoever runs the line of a plan. */
const whereOf = ({ globals }: PlaceService): readonly string[] => {
  const { baseUrl, profile, sandbox } = globals
  if (sandbox) return ['--sandbox']
  return [
    ...(profile === undefined ? [] : ['-p', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
  ]
}

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Writes to its end: a reader who is gone shows only then. */
const writeAll = async (answer: AnswerService, text: string): Promise<void> => {
  await answer.write(text)
  await answer.flush()
}

const run = async (services: Services, given: GivenBy<typeof flags>): Promise<void> => {
  const { answer, person, place } = services
  const { toolsets = [], 'allow-write': writes = false } = given.flags
  const wanted = toolsets.map(String)
  if (place.globals.showSecrets)
    throw usage('--show-secrets does not go with mcp serve: agents never see secrets')
  checkToolsets(wanted)
  if (writes && wanted.length === 0) throw usage('--allow-write goes with --toolsets')
  // The embedded instance is started by the first call.
  const session = place.globals.sandbox ? undefined : await place.session()
  if (writes) checkWriting(place, session)
  const log = callLogOf(session)
  if (answer.terminal)
    person.note('this speaks the Model Context Protocol with a program: Ctrl-D ends it')
  const { within, clock, stdin } = place
  const offers = once(async () => offersOf(await place.commands()))
  const tools = toolsetsOf(wanted.length === 0 ? [] : await offers(), wanted, writes)
  try {
    const { serveLines } = await import('./server.js')
    await serveLines(
      { within, offers, tools, where: whereOf(place), log, signal: clock.signal },
      { chunks: () => stdin.chunks(), write: (text) => writeAll(answer, text) },
    )
  } catch (error) {
    if (!(error instanceof ClosedPipe)) throw error
  } finally {
    log.close()
  }
}

export const serve = define({
  summary: 'Serve the commands to an agent, over the Model Context Protocol',
  lasts: true,
  description: [
    'Speaks with one program on standard input and output, until that ends. An agent has four tools: find_commands, describe_command, read and plan. It may read whatever you may read; plan shows what a command would change, and the line by which a person does it. Nothing else is sent.',
    'With --toolsets the reading commands of areas are tools of their own, with --allow-write those that write, too. That takes a profile by its name (-p), neither read-only nor protected; what destroys something stays a plan.',
    'Agents give values, never flags: no argument names a file, a variable, another profile or another address. Secrets are masked whatever is asked, control characters are written out, an answer holds 32 KB at most and goes on with a cursor. What the instance says stands under data alone. Each call is in the audit log of the profile.',
  ],
  flags,
  examples: [
    'mcp serve --sandbox < /dev/null',
    'mcp serve --sandbox --toolsets runners,ci < /dev/null',
  ],
  run,
})
