/** The flags that choose an instance: which of them exclude each other, and that each wins over the variables. */
import { usage } from '../../errors.js'

/** Flags that name an instance, as they are typed. */
const instanceFlags = ['from', 'sandbox', 'all-profiles', 'profile', 'base-url'] as const

/** True if SVC_SANDBOX chooses the embedded instance: it is set, and no flag of the line names an instance. */
export const asksForSandbox = (
  { SVC_SANDBOX: text = '' }: NodeJS.ProcessEnv,
  line: ReadonlySet<string>,
): boolean => !['', '0', 'false'].includes(text) && !instanceFlags.some((flag) => line.has(flag))

interface InstanceChoice {
  readonly from?: string | undefined
  readonly sandbox?: boolean
  readonly allProfiles?: boolean
  readonly profile?: string | undefined
  readonly baseUrl?: string | undefined
}

/**
 * Checks that the flags of a line name one instance. A profile and a base URL may name the same one; the session
 * compares their addresses.
 * @throws Failure `usage` that names two flags
 */
export const checkInstanceFlags = (choice: InstanceChoice): void => {
  const { from, sandbox, allProfiles, profile, baseUrl } = choice
  const given = [
    from !== undefined && '--from',
    sandbox === true && '--sandbox',
    allProfiles === true && '--all-profiles',
    profile !== undefined && '--profile',
    baseUrl !== undefined && '--base-url',
  ].filter((flag) => flag !== false)
  const [one, other] = given
  if (one === undefined || other === undefined || one === '--profile') return
  throw usage(`${one} and ${other} name different instances`, 'Pass only one of them.')
}
