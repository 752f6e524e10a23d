/** Compares who continues a run with who began it, and formats lines for the author of a run. */
import { quoteWord } from '../../base/shell-words.js'
import { type Failure, usage } from '../../errors.js'
import type { Header } from './lines.js'

// A run can only be resumed by the same user, on the same instance, with the same major version.

/** The user, the instance and the version with which a run is resumed. */
type RunIdentity = Pick<Header, 'instance' | 'profile' | 'user' | 'sudo' | 'version'>

const getMajorVersion = (version: string): string => version.split('.')[0] ?? ''
const formatSudo = (user: string | null): string =>
  user === null ? 'without --sudo' : `with --sudo ${user}`

/** Returns the flags that choose the instance and the user of a run. It is empty for those of the environment. */
const formatAuthorFlags = ({ instance, profile, sudo }: Header): string =>
  [
    instance.startsWith('sandbox:') ? '--sandbox' : profile && `-p ${quoteWord(profile)}`,
    sudo && `--sudo ${quoteWord(sudo)}`,
  ]
    .filter((flag) => flag)
    .join(' ')

/** Returns a line on the instance and for the user of a run. */
export const formatAuthorLine = (words: string, header: Header): string =>
  `svcctl ${words} ${formatAuthorFlags(header)}`.trimEnd()

/** Returns a line that names a run, on the instance and for the user of that run. */
export const formatRunLine = (words: string, header: Header): string =>
  formatAuthorLine(`${words} ${header.id}`, header)

/**
 * Describes how to continue a run as its author. If the line has the flags of the run already, the profile has another credential or
 * address than then.
 */
export const hintAuthor = (
  began: Header,
  now: Omit<RunIdentity, 'version'>,
  line?: string,
): string => {
  if (began.sudo === null && now.sudo !== null) return 'Leave out --sudo.'
  const flags = formatAuthorFlags(began)
  if (flags === '') return `The run had the instance ${began.instance} and no profile.`
  if (began.profile === null || began.profile !== now.profile || began.sudo !== now.sudo)
    return line ?? `Add the flags of that run: ${flags}`
  return began.instance === now.instance
    ? `Use the same credential as then. To store it: svcctl auth login ${quoteWord(began.profile)}`
    : `The profile ${began.profile} had another address then: ${began.instance}`
}

/**
 * Compares who resumes a run with who began it.
 * @returns the question to confirm first if the users cannot be compared
 * @throws Failure `usage` if the instance, the version or the user differs
 */
export const checkIdentity = (began: Header, now: RunIdentity): string | undefined => {
  const createOtherFailure = (was: string, is: string, hint = hintAuthor(began, now)): Error =>
    usage(`the run ${began.id} was started ${was}, and this is ${is}`, hint)
  if (began.instance !== now.instance)
    throw createOtherFailure(`at ${began.instance}`, now.instance)
  if (getMajorVersion(began.version) !== getMajorVersion(now.version))
    throw createOtherFailure(
      `by version ${began.version}`,
      now.version,
      `Use svcctl ${getMajorVersion(began.version)}, which began it.`,
    )
  if (began.sudo !== now.sudo)
    throw createOtherFailure(formatSudo(began.sudo), formatSudo(now.sudo))
  // With --sudo, the instance reports the user of that flag, and the journal may have the owner of the token.
  if (began.sudo !== null || began.user === now.user) return undefined
  if (began.user !== null && now.user !== null)
    throw createOtherFailure(`by ${began.user}`, now.user)
  return `cannot tell whether the same user started the run ${began.id}`
}

/**
 * Checks that a run can be resumed at all.
 * @throws Failure `usage` if it cannot
 */
export const checkResumable = ({ id, final }: Header): void => {
  if (final !== undefined) throw usage(`the run ${id} cannot be resumed: ${final}`)
}

/** Creates the failure for a run that is only planned, so that nothing of it can be resumed or undone. */
export const createNotBegunFailure = (header: Header): Failure =>
  usage(
    `the run ${header.id} has not begun`,
    `Carry it out with: ${formatRunLine('journal run', header)}`,
  )
