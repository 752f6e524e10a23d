/** `doctor`: everything that has to be right before a command can work, each with its remedy. */
import { transportOf } from '../../profile/index.js'
import type { Session } from '../../profile/types.js'
import { define } from '../define.js'
import type { Services } from '../services.js'
import { accountChecks } from './account.js'
import { type Check, exitCodeOf, failedBy, warning } from './check.js'
import { instanceChecks } from './instance.js'
import { completionCheck, configurationCheck, keyringCheck, trustChecks } from './machine.js'
import { networkChecks } from './network.js'
import { suggestionChecks } from './suggested.js'
import { versionCheck, vocabularyChecks } from './words.js'

const marks = { ok: 'good', warning: 'warn', failure: 'bad' } as const
const nameWidth = 16

const unusable = (checks: readonly Check[]): boolean => checks.some((c) => c.status === 'failure')

/** Everything that concerns one instance, up to what makes the rest pointless. */
const remoteChecks = async (services: Services, session: Session): Promise<readonly Check[]> => {
  const transport =
    (await transportOf(session, services.place.globals.insecure, services.place.env)) ?? {}
  const network = await networkChecks(session.baseUrl, transport, services.place.clock.now())
  if (unusable(network)) return network
  // Without a credential: nothing is told to an address that may be wrong.
  const party = session.profile === undefined ? {} : { profile: session.profile }
  const there = services.instance.elsewhere(session.baseUrl, undefined, party)
  const instance = await instanceChecks(there, services.place.clock.now)
  if (unusable(instance)) return [...network, ...instance]
  const account = await accountChecks(services, session)
  const version = unusable(account) ? [] : [await versionCheck(services)]
  return [...network, ...instance, ...account, ...version]
}

const sessionChecks = async (services: Services): Promise<readonly Check[]> => {
  try {
    const session = await services.place.session()
    const warnings = (session.warnings ?? []).map((text) => warning('instance', text))
    const address: Check = {
      check: 'instance',
      status: 'ok',
      message: `${session.baseUrl}, from ${session.baseUrlSource}`,
    }
    return [address, ...warnings, ...(await remoteChecks(services, session))]
  } catch (error) {
    return [failedBy('instance', error)]
  }
}

/** A check with its mark, and what to do about it below. */
const textOf = ({ answer }: Services, { check, status, message, remedy }: Check): string => {
  const line = `${answer.text.mark(marks[status])} ${answer.text.strong(check.padEnd(nameWidth))} ${answer.text.hanging(message, nameWidth + 3)}\n`
  return remedy === undefined || status === 'ok'
    ? line
    : `${line}${' '.repeat(nameWidth + 3)}${answer.text.mark('next')} ${answer.text.hanging(remedy, nameWidth + 5)}\n`
}

const show = (services: Services, checks: readonly Check[]): Promise<void> =>
  services.answer.printMany(
    checks.map(({ category: _, ...row }) => row),
    {
      columns: ['check', 'status', 'message', 'remedy'],
      people: { page: () => checks.map((check) => textOf(services, check)) },
    },
  )

export const doctor = define({
  summary: 'Find out what keeps the tool from working, and what to do about it',
  description: [
    'Looks at the configuration and who else may write it or the caches, the way to the instance, its certificate and clock, the credential and what it may do, the version of the instance and the words it is spoken to in, the keyring and the completion of the shell.',
    'Ends with 0 only where the instance can be used: 3 without a usable credential, 7 where it cannot be reached.',
  ],
  examples: ['doctor', 'doctor -o json'],
  run: async (services) => {
    const checks = await services.person.progress('looking', async () => [
      configurationCheck(services.place.env),
      ...trustChecks(services.place.env),
      ...(await suggestionChecks(services.place)),
      ...(await vocabularyChecks(services)),
      ...(await sessionChecks(services)),
      await keyringCheck(services.place.env),
      await completionCheck(services.place.env),
    ])
    await show(services, checks)
    const code = exitCodeOf(checks)
    if (code !== 0) services.answer.exit(code)
  },
})
