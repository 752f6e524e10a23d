/** Checks commands from extensions and explains their errors: hints name the extension file. */
import { Failure, usage } from '../../errors.js'
import type { Session } from '../../profile/types.js'
import { getCommandName, isExtension } from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import type { CommandFacts } from '../command/types.js'

const getExtensionFile = ({ endpoints }: CommandFacts): string | undefined =>
  Object.values(endpoints).find(({ from }) => from !== undefined)?.from

/** Creates a function that adds the extension's name to a failure if the instance lacks the route of its command, or answers in another form. */
export const createSourceDescriber =
  (command: CommandFacts, { sandbox }: Pick<Globals, 'sandbox'>) =>
  (error: unknown): unknown => {
    const from = isExtension(command) ? getExtensionFile(command) : undefined
    if (!(error instanceof Failure) || from === undefined) return error
    const { status = 0, lacks, hint = '' } = error.details
    const words = getCommandName(command)
    const append = (text: string): Failure => error.with({ hint: `${hint} ${text}`.trim() })
    if (lacks === 'form')
      return append(`${words} is from ${from}: "returns" declares what it answers.`)
    if (![404, 405].includes(status)) return error
    const isUnanswered = sandbox && /40[45] Not (?:Found|Allowed)$/.test(error.message)
    return isUnanswered
      ? error.with({
          hint: `The embedded instance does not answer ${words}; see svcctl help extend.`,
        })
      : append(`${words} is from ${from}, not in the documents.`)
  }

/**
 * Checks that an extension's command may run with a profile.
 * @throws Failure `usage` if the extension is for another profile
 */
export const checkProfile = async (
  command: CommandFacts,
  env: NodeJS.ProcessEnv,
  { profile }: Pick<Session, 'profile'>,
): Promise<void> => {
  const from = getExtensionFile(command)
  if (from === undefined || !isExtension(command)) return
  const { getProfileOf } = await import('../../profile/extensions.js')
  const only = getProfileOf(env, from)
  if (only === undefined || only === profile?.name) return
  throw usage(
    `${getCommandName(command)} is of the extension ${from}, for the profile ${only}`,
    `Pass --profile ${only}, or add the file again without --profile.`,
  )
}
