/**
 * Which paths may be believed: those that nobody but their owner and the superuser can have changed. The
 * rule for what the tool runs (compiled code, a token command) and for what it takes as the instance's.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join, parse, resolve, sep } from 'node:path'
import { resolvePath } from '../io.js'

/** The part of a path that others may change. */
interface Distrust {
  readonly path: string
  /** Whose it is, or that others may write it; what the system said where it cannot be looked at. */
  readonly why: 'owner' | 'writable' | 'links' | 'hidden'
}

/** As many links as Linux follows in one path. */
const maxLinks = 40

/** Nobody can replace another one's entry in a sticky folder; root's are there to be shared (/tmp). */
const isShared = (stats: Stats): boolean =>
  stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o1000) !== 0

const wrong = (stats: Stats, user: number): Distrust['why'] | undefined => {
  if (stats.uid !== user && stats.uid !== 0) return 'owner'
  // The mode of a link says nothing; who may replace it is said by its folder.
  if (stats.isSymbolicLink() || (stats.mode & 0o022) === 0 || isShared(stats)) return undefined
  return 'writable'
}

/**
 * Why what stands in an open file is not to be believed; undefined where only this user or root can have
 * written it, whoever may put another file in its place.
 */
export const distrustOpen = (path: string, stats: Stats): Distrust | undefined => {
  const user = process.geteuid?.()
  const why = user === undefined ? undefined : wrong(stats, user)
  return why === undefined ? undefined : { path, why }
}

const statsOf = (path: string): Stats | 'hidden' | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return 'hidden'
  }
}

/**
 * Why a path is not to be trusted, undefined where it is: it and every folder above it, each link on the
 * way and what that names, belong to this user or to root and are writable by nobody else. What does not
 * exist yet is judged by what it will stand in. Windows has no such bits: everything is trusted there.
 */
export const distrust = (path: string): Distrust | undefined => {
  const user = process.geteuid?.()
  if (user === undefined) return undefined
  let links = 0
  let here = parse(resolvePath(path)).root
  let names = resolvePath(path).slice(here.length).split(sep)
  for (let next: string | undefined = here; next !== undefined; ) {
    const stats = statsOf(next)
    if (stats === undefined) return undefined
    const why = stats === 'hidden' ? stats : wrong(stats, user)
    if (why !== undefined) return { path: next, why }
    if (stats !== 'hidden' && stats.isSymbolicLink()) {
      if (++links > maxLinks) return { path: next, why: 'links' }
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

const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** What is wrong, and the command that puts it right. */
export const describeDistrust = ({ path, why }: Distrust): { message: string; remedy: string } => {
  const name = quoted(path)
  if (why === 'writable')
    return { message: `other users can write to ${path}`, remedy: `chmod go-w ${name}` }
  if (why === 'owner')
    return {
      message: `${path} is owned by another user`,
      remedy: `chown ${process.geteuid?.() ?? '$(id -u)'} ${name} && chmod go-w ${name}`,
    }
  const message =
    why === 'links' ? 'is a symbolic link that points to itself' : 'cannot be inspected'
  return { message: `${path} ${message}`, remedy: `ls -ld ${name}` }
}
