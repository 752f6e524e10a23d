/** The name under which a download is written: never a path, whatever the instance says. */
import { Failure, usage } from '../../errors.js'

/** Names that are devices on some systems. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const control = /\p{Cc}/u

/** The last segment of a name, refused where it could leave the directory or is no file name. */
export const safeName = (name: string): string => {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  if (last === '' || last === '.' || last === '..' || control.test(last) || device.test(last))
    throw new Failure(
      'failed',
      `the instance names the file ${JSON.stringify(name)}, which is no safe file name`,
      {
        hint: 'Choose the name with --to <file>.',
      },
    )
  return last
}

/** The name in a Content-Disposition header, if there is one. */
export const dispositionName = async (header: unknown): Promise<string | undefined> => {
  if (typeof header !== 'string') return undefined
  const { default: disposition } = await import('content-disposition')
  try {
    const { filename } = disposition.parse(header).parameters
    return typeof filename === 'string' && filename !== '' ? filename : undefined
  } catch {
    return undefined
  }
}

/** A path inside an archive, as segments; refused where it leaves the archive. */
export const archiveSegments = (path: string): readonly string[] => {
  const segments = path.split(/[/\\]/)
  const bad =
    /^[/\\]|^[a-z]:/i.test(path) ||
    segments.some((s) => s === '..' || s === '.' || control.test(s) || device.test(s))
  if (bad)
    throw usage(
      `the archive holds ${JSON.stringify(path)}, which leaves the target directory; nothing was extracted`,
    )
  return segments.filter((s) => s !== '')
}
