/** Cleans environment variables, and reads those that switch something on, such as `SVC_SANDBOX=1` and `CI=true`. */

const offWords: readonly string[] = ['', '0', 'false', 'no', 'off']

/** True if a variable is set to anything but a word for off: `0`, `false`, `no` or `off`, in any case. */
export const isSwitchedOn = (value: string | undefined): boolean =>
  !offWords.includes((value ?? '').trim().toLowerCase())

/**
 * Removes white space around the values of svcctl's variables: mounted secrets end with a line break, and files with CRLF leave a CR.
 * Also removes NO_COLOR where FORCE_COLOR overrides it, since Node warns on standard error about both.
 */
export const cleanVariables = (env: Record<string, string | undefined>): void => {
  for (const name of Object.keys(env)) if (name.startsWith('SVC_')) env[name] = env[name]?.trim()
  if (env.FORCE_COLOR === '') delete env.FORCE_COLOR
  if (env.FORCE_COLOR === undefined) return
  delete env.NO_COLOR
  delete env.NODE_DISABLE_COLORS
}
