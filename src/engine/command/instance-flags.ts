/** The flags that choose an instance: each wins over the variables. */

/** Flags that name an instance, as they are typed. */
const instanceFlags = ['from', 'sandbox', 'all-profiles', 'profile', 'base-url'] as const

/** True if SVC_SANDBOX chooses the embedded instance: it is set, and no flag of the line names an instance. */
export const isSandboxChosen = (
  { SVC_SANDBOX: text = '' }: NodeJS.ProcessEnv,
  line: ReadonlySet<string>,
): boolean => !['', '0', 'false'].includes(text) && !instanceFlags.some((flag) => line.has(flag))
