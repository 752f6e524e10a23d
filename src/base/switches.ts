/** Reads environment variables that switch something on, such as `SVC_SANDBOX=1` and `CI=true`. */

const offWords: readonly string[] = ['', '0', 'false', 'no', 'off']

/** True if a variable is set to anything but a word for off: `0`, `false`, `no` or `off`, in any case. */
export const isSwitchedOn = (value: string | undefined): boolean =>
  !offWords.includes((value ?? '').trim().toLowerCase())
