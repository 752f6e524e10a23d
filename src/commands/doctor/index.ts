/** `doctor`: everything that has to be right before a command can work, each with its remedy. */
import { transportOf } from '../../profile/index.js'
import type { Session } from '../../profile/types.js'
import type { Context, Special } from '../types.js'
import { accountChecks } from './account.js'
import { type Check, exitCodeOf, failedBy, warning } from './check.js'
import { instanceChecks } from './instance.js'
import { completionCheck, configurationCheck, keyringCheck, trustChecks } from './machine.js'
import { networkChecks } from './network.js'

const marks = { ok: 'good', warning: 'warn', failure: 'bad' } as const
const nameWidth = 16

const unusable = (checks: readonly Check[]): boolean => checks.some((c) => c.status === 'failure')

/** Everything that concerns one instance, up to what makes the rest pointless. */
const remoteChecks = async (ctx: Context, session: Session): Promise<readonly Check[]> => {
  const transport = (await transportOf(session, ctx.globals.insecure, ctx.env)) ?? {}
  const network = await networkChecks(session.baseUrl, transport, ctx.now())
  if (unusable(network)) return network
  // Without a credential: nothing is told to an address that may be wrong.
  const client = await ctx.client({ credential: 'parameter', route: 'GET /projects' })
  const instance = await instanceChecks(client, ctx.now)
  if (unusable(instance)) return [...network, ...instance]
  return [...network, ...instance, ...(await accountChecks(ctx, session))]
}

const sessionChecks = async (ctx: Context): Promise<readonly Check[]> => {
  try {
    const session = await ctx.session()
    const warnings = (session.warnings ?? []).map((text) => warning('instance', text))
    const address: Check = {
      check: 'instance',
      status: 'ok',
      message: `${session.baseUrl}, from ${session.baseUrlSource}`,
    }
    return [address, ...warnings, ...(await remoteChecks(ctx, session))]
  } catch (error) {
    return [failedBy('instance', error)]
  }
}

/** A check with its mark, and what to do about it below. */
const textOf = (ctx: Context, { check, status, message, remedy }: Check): string => {
  const line = `${ctx.mark(marks[status])} ${ctx.strong(check.padEnd(nameWidth))} ${ctx.hanging(message, nameWidth + 3)}\n`
  return remedy === undefined || status === 'ok'
    ? line
    : `${line}${' '.repeat(nameWidth + 3)}→ ${ctx.hanging(remedy, nameWidth + 5)}\n`
}

const show = (ctx: Context, checks: readonly Check[]): Promise<void> =>
  ctx.printMany(
    checks.map(({ category: _, ...row }) => row),
    {
      columns: ['check', 'status', 'message', 'remedy'],
      people: { page: () => checks.map((check) => textOf(ctx, check)) },
    },
  )

export const doctor: Special = {
  summary: 'Find out what keeps the tool from working, and what to do about it',
  description: [
    'Looks at the configuration and who else may write it or the caches, the way to the instance, its certificate and clock, the credential and what it may do, the keyring and the completion of the shell.',
    'Ends with 0 only where the instance can be used: 3 without a usable credential, 7 where it cannot be reached.',
  ],
  examples: ['doctor', 'doctor -o json'],
  run: async (ctx) => {
    const checks = await ctx.progress('looking', async () => [
      configurationCheck(ctx.env),
      ...trustChecks(ctx.env),
      ...(await sessionChecks(ctx)),
      await keyringCheck(ctx.env),
      await completionCheck(ctx.env),
    ])
    await show(ctx, checks)
    const code = exitCodeOf(checks)
    if (code !== 0) ctx.exit(code)
  },
}
