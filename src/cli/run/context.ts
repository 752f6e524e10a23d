/** The services of one run, put together: what a command is handed. */
import { echoes, writes } from '../../catalogue/endpoint.js'
import { allCommands } from '../../commands/derive/index.js'
import type { Globals } from '../../commands/globals.js'
import type { Command, Context, Plan } from '../../commands/types.js'
import { Failure } from '../../errors.js'
import type { Ask, Whole, WireRequest } from '../../http/types.js'
import type { Format } from '../../output/types.js'
import type { Unknown } from '../plan/attributes.js'
import { plansOf, type Surroundings } from '../plan/plan.js'
import { version } from '../words/version.js'
import { columnsFor } from './answer/columns.js'
import { isBare } from './answer/outcome.js'
import { createScreen } from './answer/screen.js'
import { createExchange } from './instance/exchange.js'
import { meant, unknownNames } from './instance/judge.js'
import { Lists } from './instance/listing.js'
import { Taken } from './instance/taken.js'
import { eachOf, widthOf } from './many/each.js'
import { performAll } from './many/perform.js'
import { createAsk } from './person/ask.js'
import { projectPaths } from './place/project-paths.js'
import { createSurroundings } from './place/surroundings.js'
import type { Rounds } from './watch.js'

export interface RunOptions {
  readonly command: Command
  readonly globals: Globals
  readonly format: Format
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly stdin: () => Promise<string>
  /** The objects came from standard input: the answer is a list, however many there are. */
  readonly listed: boolean
}

export interface Run {
  readonly ctx: Context
  readonly exitCode: () => number
  readonly rounds: Rounds
  readonly close: () => Promise<void>
}

const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new Failure('interrupted', 'interrupted'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

/** Ends a run early and well: the request was printed instead of sent. */
export class Printed extends Error {}

/** A read that shows nothing of what it was asked for is no answer, whatever its status. */
const checkRead = ({ endpoint }: Ask, whole: Whole, { path }: WireRequest): void => {
  const { status } = whole
  const shows = ['one', 'many'].includes(endpoint.returns.kind)
  if (writes(endpoint) || !shows || status === 304 || !isBare(whole)) return
  throw new Failure('unreachable', `the instance answered ${status} without what was asked for`, {
    status,
    request: `GET ${path}`,
    hint: 'Check the base URL, and what stands between here and the instance.',
  })
}

/** Puts the services of a run together; nothing is sent before a command asks for it. */
export const createRun = async (options: RunOptions): Promise<Run> => {
  const { command, globals, env, signal, stdin, listed } = options
  let code = 0
  const screen = await createScreen(options)
  const around = createSurroundings(options, screen.services)
  const exchange = createExchange({
    globals,
    env,
    signal,
    session: around.session,
    profile: around.profile,
    screen,
  })
  const lists = new Lists(globals, exchange.instance, screen)
  const questions = createAsk({
    interactive: screen.interactive,
    note: screen.services.note,
    prompts: screen.prompts,
    argv: process.argv.slice(2),
    fetch: async ({ endpoint, request }) =>
      (await (await exchange.client(endpoint)).call(request)).data,
  })
  const sentUnknown: Unknown = (endpoint, name) =>
    screen.services.note(
      `the catalogue does not know the parameter "${name}"; it is sent as it is${meant(endpoint, name)}`,
    )
  const surroundings: Surroundings = {
    env,
    note: screen.services.note,
    // The answer of a write shows whether the instance knows it.
    unknown: (endpoint, name) => {
      if (globals.curl || !echoes(endpoint)) sentUnknown(endpoint, name)
    },
    baseUrl: async () => (await around.session()).baseUrl,
    scope: around.scope,
    pathOf: projectPaths(exchange, globals),
    missing: questions.ask,
    pick: questions.pick,
  }
  // A watch plans once: nobody is asked for the same value every round.
  const planned = new Map<string, Promise<readonly Plan[]>>()
  const plans: Context['plans'] = (given, override) => {
    const make = async () => {
      const made = await plansOf(command, given, surroundings, override)
      questions.teach()
      return made
    }
    if (globals.watch === undefined) return make()
    const key = JSON.stringify([given, override])
    const known = planned.get(key) ?? make()
    planned.set(key, known)
    return known
  }

  const taken = new Taken()
  const answered = async (ask: Ask): Promise<Whole> => {
    const wire = await exchange.request(ask)
    const client = await exchange.client(ask.endpoint)
    try {
      const whole = await client.call(wire)
      checkRead(ask, whole, wire)
      if (!taken.note(ask, whole) && globals.strict) code = Math.max(code, 1)
      return whole
    } catch (error) {
      if (echoes(ask.endpoint))
        for (const name of unknownNames(ask)) sentUnknown(ask.endpoint, name)
      throw error
    }
  }

  const ctx: Context = {
    ...screen.services,
    get interactive() {
      return screen.interactive()
    },
    env,
    cwd: process.cwd(),
    globals,
    signal,
    stdin,
    now: () => new Date(),
    about: () => ({ version }),
    columnsFor: (endpoint) => columnsFor(command.area, endpoint),
    commands: allCommands,
    session: around.session,
    sessionOf: around.sessionOf,
    profile: around.profile,
    scope: async (kind) => (await around.scope([kind]))?.value,
    client: exchange.client,
    anonymous: exchange.anonymous,
    request: exchange.request,
    guard: (request) => exchange.guard(request),
    confirm: async (what, details, of) =>
      screen.confirm(of ?? (await around.session()), what, details),
    naming: async (wanted) =>
      (await import('./person/naming.js')).naming(command, wanted, exchange.glance),
    plan: async (given, override) => {
      const [first] = await plans(given, override)
      if (first === undefined) throw new Failure('internal', 'a command without a plan')
      return first
    },
    plans,
    call: async (ask) => {
      if (!globals.curl) return answered(ask)
      await screen.services.write(`${await exchange.curl(ask)}\n`)
      throw new Printed()
    },
    list: async (plan, emit = {}) => {
      if (!globals.curl) return lists.stream(plan, emit)
      await screen.services.write(`${await exchange.curl(plan, lists.request(plan))}\n`)
      return { records: 0, more: false }
    },
    gather: (ask, limit) => lists.gather(ask, limit),
    collect: (plan) => lists.collect(plan),
    listRequest: (request) => lists.streamRequest(request),
    showCurl: async (ask) => screen.services.write(`${await exchange.curl(ask)}\n`),
    showRequest: async (request) => screen.services.write(`${await exchange.curlOf(request)}\n`),
    perform: (wanted, how) => performAll(ctx, wanted, { list: listed, ...how }),
    each: async (items, work) => {
      const tally = ctx.tally(items.length)
      const counted: typeof work = (item) => work(item).finally(() => tally.add(1))
      await eachOf(items, widthOf(ctx), signal, counted).finally(tally.end)
    },
    sleep: (milliseconds) => sleep(milliseconds, signal),
    exit: (wanted) => {
      code = Math.max(code, wanted)
    },
  }
  const close = async (): Promise<void> => {
    for (const { text, unknown } of taken.lines()) screen.later(text, unknown ? 'warn' : 'note')
    await exchange.close()
    await around.close()
    await screen.close()
  }
  return { ctx, exitCode: () => code, rounds: screen.rounds, close }
}
