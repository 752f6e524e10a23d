/**
 * Decides whether a path is trusted: only its owner and the superuser can have changed it. That is required of programs that the tool runs
 * (compiled code, token commands) and of data that it accepts as the instance's.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join, parse, resolve, sep } from 'node:path'
import { resolvePath } from '../io.js'

/** The part of a path that others may change. */
interface Distrust {
  readonly path: string
  /** The last link on the way to the part; absent if there is none. */
  readonly link?: string | undefined
  /** The reason for the distrust: another owner, write access of others, too many links, or a path that cannot be inspected. */
  readonly why: 'owner' | 'writable' | 'device' | 'links' | 'hidden'
}

/** The maximum number of links in one path, as in Linux. */
const maxLinks = 40

/** True for a shared folder such as /tmp, which is root's and sticky: no user can replace the entry of another one. */
const isStickyFolder = (stats: Stats): boolean =>
  stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o1000) !== 0

const findStatsDistrust = (stats: Stats, user: number): Distrust['why'] | undefined => {
  if (stats.uid !== user && stats.uid !== 0) return 'owner'
  // The mode of a link has no meaning. Its folder determines who may replace it.
  if (stats.isSymbolicLink() || (stats.mode & 0o022) === 0 || isStickyFolder(stats))
    return undefined
  return stats.isFile() || stats.isDirectory() ? 'writable' : 'device'
}

/**
 * Returns the reason not to trust an open file. Returns undefined if only this user or root can have written it, even if others can replace
 * the file at its path.
 */
export const findOpenDistrust = (path: string, stats: Stats): Distrust | undefined => {
  const user = process.geteuid?.()
  const why = user === undefined ? undefined : findStatsDistrust(stats, user)
  return why === undefined ? undefined : { path, why }
}

const readStats = (path: string): Stats | 'hidden' | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return 'hidden'
  }
}

/** True for a file or a device, such as /dev/null. Nothing can exist below it. */
const isNoFolder = (stats: Stats | 'hidden'): boolean =>
  stats !== 'hidden' && !stats.isDirectory() && !stats.isSymbolicLink()

/**
 * Returns the reason not to trust a path; undefined if it is trusted. The path, the folders above it, and each link with its target must
 * belong to this user or to root. No other user may write them. A path that does not exist yet is judged by its folder. Windows has no such
 * bits, so everything is trusted there.
 */
export const findDistrust = (path: string): Distrust | undefined => {
  const user = process.geteuid?.()
  if (user === undefined) return undefined
  let links = 0
  let link: string | undefined
  let here = parse(resolvePath(path)).root
  let names = resolvePath(path).slice(here.length).split(sep)
  for (let next: string | undefined = here; next !== undefined; ) {
    const stats = readStats(next)
    if (stats === undefined || (names.length > 0 && isNoFolder(stats))) return undefined
    const why = stats === 'hidden' ? stats : findStatsDistrust(stats, user)
    if (why !== undefined) return { path: next, link, why }
    if (stats !== 'hidden' && stats.isSymbolicLink()) {
      if (++links > maxLinks) return { path: next, why: 'links' }
      link = next
      const target = resolve(dirname(next), readlinkSync(next))
      here = parse(target).root
      names = [...target.slice(here.length).split(sep), ...names]
      next = here
    } else {
      here = next
      const name = names.shift()
      next = name === undefined ? undefined : join(here, name)
    }
  }
  return undefined
}

const quotePath = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** Describes why a path is not trusted, with the command that repairs it, or that shows what it is. */
export const describeDistrust = ({
  path,
  link,
  why,
}: Distrust): { message: string; remedy: string } => {
  const name = quotePath(path)
  const through = link === undefined ? '' : ` (through the link ${link})`
  if (why === 'writable' || why === 'device') {
    const remedy = why === 'device' ? `ls -ld ${quotePath(link ?? path)}` : `chmod go-w ${name}`
    return { message: `other users can write to ${path}${through}`, remedy }
  }
  if (why === 'owner')
    return {
      message: `${path} is owned by another user${through}`,
      remedy: `chown ${process.geteuid?.() ?? '$(id -u)'} ${name} && chmod go-w ${name}`,
    }
  const message =
    why === 'links' ? 'is a symbolic link that points to itself' : 'cannot be inspected'
  return {
    message: `${path} ${message}${why === 'links' ? '' : through}`,
    remedy: `ls -ld ${name}`,
  }
}
