/** The name under which a download is written: never a path, whatever the instance says. */

import { scrub, scrubbedMark } from '../../base/secrets/scrub.js'
import { isDots } from '../../base/segments.js'
import { Failure } from '../../errors.js'

/** Names that are devices on some systems. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const control = /\p{Cc}/u

/** The last segment of a name, refused where it could leave the directory or is no file name. */
export const safeName = (name: string): string => {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  if (last === '' || isDots(last) || control.test(last) || device.test(last))
    throw new Failure('failed', `the instance sent the unsafe file name ${JSON.stringify(name)}`, {
      hint: 'Pass the name with --to <file>.',
    })
  return last
}

/** The name in a Content-Disposition header, if there is one; without what was sent as a secret. */
export const dispositionName = async (header: unknown): Promise<string | undefined> => {
  if (typeof header !== 'string') return undefined
  const { default: disposition } = await import('content-disposition')
  try {
    const { filename } = disposition.parse(header).parameters
    return typeof filename === 'string' && filename !== ''
      ? scrub(filename).replaceAll(scrubbedMark, 'xxx')
      : undefined
  } catch {
    return undefined
  }
}

const unsafe = (path: string, why: string): Failure =>
  new Failure(
    'failed',
    `the archive contains ${JSON.stringify(path)}, which ${why}; nothing was extracted`,
    { hint: 'Run the command without --extract to keep the archive itself.' },
  )

/**
 * A path inside an archive, as segments.
 * @throws Failure `failed` where it leaves the archive, or is no name for a file everywhere
 */
export const archiveSegments = (path: string): readonly string[] => {
  const segments = path.split(/[/\\]/)
  const leaves = /^[/\\]|^[a-z]:/i.test(path) || segments.some(isDots)
  if (leaves) throw unsafe(path, 'leaves the target directory')
  if (segments.some((s) => control.test(s) || device.test(s)))
    throw unsafe(path, 'is not a safe file name')
  const names = segments.filter((s) => s !== '')
  if (names.length === 0) throw unsafe(path, 'has no name')
  return names
}
