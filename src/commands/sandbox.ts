/** The embedded instance: `--sandbox` for one call, `sandbox serve|reset|status`. */
import { join, resolve } from 'node:path'
import { integer, string } from '../catalogue/endpoint.js'
import { usage } from '../errors.js'
import { pathsOf } from '../profile/index.js'
import type { ResolvedCredential, Session } from '../profile/types.js'
import type { Context, Given, Special } from './types.js'

/** Where the state is kept between calls. */
export const stateFolder = (env: NodeJS.ProcessEnv): string => join(pathsOf(env).state, 'sandbox')

const jobToken = (env: NodeJS.ProcessEnv): ResolvedCredential | undefined => {
  const value = env.SVC_JOB_TOKEN
  return value === undefined || value === ''
    ? undefined
    : { kind: 'job', value, source: 'SVC_JOB_TOKEN' }
}

/**
 * Starts the instance for one call. It acts as its administrator unless SVC_TOKEN says otherwise.
 * @returns the session, and what stops the instance and saves its state
 */
export const sandboxSession = async (
  env: NodeJS.ProcessEnv,
  sudo: string | undefined,
): Promise<{ session: Session; close: () => Promise<void> }> => {
  const { startSandbox } = await import('../sandbox/index.js')
  const sandbox = await startSandbox({ stateDir: stateFolder(env) })
  const given = env.SVC_TOKEN
  const administrator = sandbox.users[0]?.token ?? ''
  const credential: ResolvedCredential =
    given === undefined || given === ''
      ? { kind: 'personal', value: administrator, source: 'the administrator of the sandbox' }
      : { kind: kindOf(env.SVC_TOKEN_KIND), value: given, source: 'SVC_TOKEN' }
  const session: Session = {
    baseUrl: sandbox.url,
    baseUrlSource: '--sandbox',
    credential: async () => credential,
    jobToken: () => jobToken(env),
    renew: async () => undefined,
    ...(sudo === undefined ? {} : { sudo }),
  }
  return { session, close: () => sandbox.close() }
}

const kindOf = (text: string | undefined): 'personal' | 'oauth' | 'session' => {
  if (text === undefined || text === '' || text === 'personal') return 'personal'
  if (text === 'oauth' || text === 'session') return text
  throw usage(`SVC_TOKEN_KIND takes personal, oauth or session, not "${text}"`)
}

const folderOf = (ctx: Context, given: Given): string =>
  typeof given.flags.state === 'string' ? resolve(ctx.cwd, given.flags.state) : stateFolder(ctx.env)

const state = string('folder that holds the state')

const untilInterrupted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
    // Listening alone keeps the process alive; nothing else has to.
  })

export const serve: Special = {
  summary: 'Serve the embedded instance until interrupted',
  description: [
    'Prints its address, its users and their tokens. It listens on 127.0.0.1 only; Ctrl-C stops it and saves its state.',
  ],
  flags: {
    port: integer('port; any free one unless given', { min: 0, max: 65535 }),
    state,
    speed: integer('how many times faster than life rebases and moves go', { min: 1, default: 1 }),
  },
  examples: ['sandbox serve', 'sandbox serve --port 8080 --state ./instance'],
  run: async (ctx, given) => {
    const { startSandbox } = await import('../sandbox/index.js')
    const sandbox = await startSandbox({
      stateDir: folderOf(ctx, given),
      port: Number(given.flags.port ?? 0),
      speed: Number(given.flags.speed ?? 1),
    })
    try {
      if (ctx.format === 'table') {
        await ctx.write(`${sandbox.url}\n\n`)
        await ctx.printMany(sandbox.users, { columns: ['username', 'role', 'token'], reveal: true })
        ctx.note(
          `talk to it with: SVC_BASE_URL=${sandbox.url} SVC_TOKEN=<token> svcctl …   (Ctrl-C stops it)`,
        )
      } else await ctx.print({ url: sandbox.url, users: sandbox.users }, { reveal: true })
      await ctx.flush()
      await untilInterrupted(ctx.signal)
    } finally {
      await sandbox.close()
    }
  },
}

export const reset: Special = {
  summary: 'Begin the embedded instance again with the sample data',
  flags: { state },
  examples: ['sandbox reset --yes', 'sandbox reset --state ./instance --yes'],
  run: async (ctx, given) => {
    const folder = folderOf(ctx, given)
    await ctx.confirm('Everything that was done on the embedded instance is forgotten.', [folder])
    const { removeState } = await import('../sandbox/index.js')
    await removeState(folder)
    ctx.note(`the embedded instance in ${folder} begins again with the sample data`)
  },
}

export const status: Special = {
  summary: 'Show where the embedded instance keeps its state, and what is in it',
  flags: { state },
  examples: ['sandbox status', 'sandbox status -o json'],
  run: async (ctx, given) => {
    const folder = folderOf(ctx, given)
    const { summaryOf } = await import('../sandbox/index.js')
    await ctx.print({ folder, ...summaryOf(folder) })
  },
}
