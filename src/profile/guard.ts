/** Guard rails of a profile: what is refused, and what must be confirmed how. No I/O. */
import { Failure, usage } from '../errors.js'
import type { Profile } from './types.js'

/**
 * Refuses a request that writes under a profile that only reads.
 * @throws Failure `usage`; nothing was sent
 */
export const checkReadOnly = (
  profile: Pick<Profile, 'name' | 'readOnly'> | undefined,
  method: string,
  path: string,
): void => {
  if (profile?.readOnly !== true || ['GET', 'HEAD'].includes(method.toUpperCase())) return
  throw usage(
    `profile ${profile.name} is read-only: ${method} ${path} was not sent`,
    `Use another profile with -p, or allow writes: svcctl profile set ${profile.name} --no-read-only`,
  )
}

export interface Consent {
  readonly yes: boolean
  /** `--confirm <profile>`. */
  readonly confirm?: string
  /** True when questions may be asked. */
  readonly interactive: boolean
}

/** `go`: confirmed already; `ask`: yes or no; `ask-name`: the profile's name is to be typed. */
export type Confirmation = 'go' | 'ask' | 'ask-name'

/**
 * How something destructive is confirmed. Under a protected profile `--yes` alone is not enough: it takes
 * `--confirm <profile>` besides, or the profile's name typed.
 * @param what what would be lost, for the message
 * @throws Failure `usage` where nobody can be asked, or `--confirm` names another profile
 */
export const confirmationFor = (
  profile: Pick<Profile, 'name' | 'protected'> | undefined,
  consent: Consent,
  what: string,
): Confirmation => {
  const { yes, confirm, interactive } = consent
  if (confirm !== undefined && confirm !== profile?.name)
    throw usage(
      `--confirm names "${confirm}", but ${profile === undefined ? 'no profile applies' : `the profile is ${profile.name}`}`,
      'Nothing was sent. Check that you chose the right instance.',
    )
  if (profile?.protected === true) {
    if (yes && confirm !== undefined) return 'go'
    if (interactive) return 'ask-name'
    throw usage(
      `profile ${profile.name} is protected and must be confirmed by name: ${what}`,
      `Pass --yes --confirm ${profile.name}`,
    )
  }
  if (yes) return 'go'
  if (interactive) return 'ask'
  throw new Failure('usage', `confirmation required, and there is no terminal to ask on: ${what}`, {
    hint: 'Pass --yes to confirm.',
    advice: { code: 'confirm' },
  })
}

/** True when what was typed is the profile's name. */
export const nameMatches = (profile: Pick<Profile, 'name'>, typed: string): boolean =>
  typed.trim() === profile.name
