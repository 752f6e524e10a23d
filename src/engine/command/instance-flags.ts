/** The flags that choose an instance. Each overrides the environment variables. */

/** The names of these flags. */
const instanceFlags = ['from', 'sandbox', 'all-profiles', 'profile', 'base-url'] as const

/** True if SVC_SANDBOX chooses the embedded instance: it is set, and no flag of the line chooses an instance. */
export const isSandboxChosen = (
  { SVC_SANDBOX: text = '' }: NodeJS.ProcessEnv,
  line: ReadonlySet<string>,
): boolean => !['', '0', 'false'].includes(text) && !instanceFlags.some((flag) => line.has(flag))
