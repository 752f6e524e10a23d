/** Cleans environment variables, and reads those that switch something on, such as `SVC_SANDBOX=1` and `CI=true`. */

const offWords: readonly string[] = ['', '0', 'false', 'no', 'off']

/** True if a variable is set to anything but a word for off: `0`, `false`, `no` or `off`, in any case. */
export const isSwitchedOn = (value: string | undefined): boolean =>
  !offWords.includes((value ?? '').trim().toLowerCase())

/** Removes white space around the values of svcctl's variables. Mounted secrets end with a line break, and files with CRLF leave a CR. */
export const trimVariables = (env: Record<string, string | undefined>): void => {
  for (const name of Object.keys(env)) if (name.startsWith('SVC_')) env[name] = env[name]?.trim()
}
