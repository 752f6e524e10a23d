/** Runs a line on several snapshots (`--from a,b`, or a folder of them), as on several instances. */

import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { resolvePath } from '../base/io.js'
import { formatCount, splitList } from '../base/text.js'
import { createNoSnapshotFailure, listSubfolders, readManifest } from '../client/manifest-schema.js'
import type { SnapshotManifest } from '../client/snapshot-manifest.js'
import { getCommandName, takesProfiles } from '../engine/command/derive.js'
import type { Raw } from '../engine/plan/line.js'
import { exitCodes, usage } from '../errors.js'
import { chooseSharedFormat, type LineRunner, openSharedRun } from './instances.js'
import type { AskedLine } from './options.js'
import type { PageSource } from './page-view.js'
import { createSiteEnvironment, type LineSite } from './sites.js'

/** A snapshot with its folder. */
interface FoundSnapshot {
  readonly folder: string
  readonly manifest: SnapshotManifest
}

/** The snapshots that a line names, and the folders of incomplete ones. */
interface SnapshotChoice {
  readonly snapshots: readonly FoundSnapshot[]
  readonly incomplete: readonly string[]
}

/** True if a folder has lists of an incomplete snapshot. */
const isIncomplete = (folder: string): boolean =>
  readdirSync(resolvePath(folder)).some((name) => name.endsWith('.ndjson'))

/** Finds the snapshots of a folder: the one that it holds, or those of its subfolders. */
const findInFolder = (folder: string): SnapshotChoice => {
  const manifest = readManifest(folder)
  if (manifest !== undefined) return { snapshots: [{ folder, manifest }], incomplete: [] }
  const folders = listSubfolders(folder)
  const snapshots = folders.flatMap((one) => {
    const found = readManifest(one)
    return found === undefined ? [] : [{ folder: one, manifest: found }]
  })
  const complete = new Set(snapshots.map((one) => one.folder))
  const incomplete = folders.filter((one) => !complete.has(one) && isIncomplete(one))
  if (snapshots.length === 0) throw createNoSnapshotFailure(folder)
  return { snapshots, incomplete }
}

/** True if `--from` names a single snapshot, whose records need no snapshot column. */
export const isOneSnapshot = (text: string): boolean => {
  if (readManifest(text) !== undefined) return true
  // A folder without snapshots is treated as one snapshot, whose error message fits.
  return !text.includes(',') && listSubfolders(text).every((one) => readManifest(one) === undefined)
}

/**
 * Finds the snapshots of a line, the oldest first.
 * @throws Failure `usage` for a folder without snapshots, for snapshots of several instances, or for one that is given twice
 */
const findSnapshots = (text: string): SnapshotChoice => {
  const all = splitList(text).map(findInFolder)
  const snapshots = all
    .flatMap((one) => one.snapshots)
    .toSorted((a, b) => Date.parse(a.manifest.began) - Date.parse(b.manifest.began))
  const instances = new Set(snapshots.map(({ manifest }) => manifest.instance))
  if (instances.size > 1)
    throw usage(
      `the snapshots are of several instances: ${[...instances].join(', ')}`,
      'Pass those of one instance.',
    )
  for (const [i, { folder, manifest }] of snapshots.entries()) {
    const before = snapshots[i - 1]
    if (before === undefined || manifest.began !== before.manifest.began) continue
    const same = before.folder === folder ? '' : ` as ${before.folder}`
    throw usage(`${folder} is given twice${same}`, 'Pass each snapshot once.')
  }
  return { snapshots, incomplete: all.flatMap((one) => one.incomplete) }
}

/** Checks that a line can run on several snapshots. @throws Failure `usage` if it requires a single one */
const checkLine = ({ command, raw }: AskedLine): void => {
  if (raw.flags.has('since') || !takesProfiles(command))
    throw usage(
      `${raw.flags.has('since') ? '--since' : getCommandName(command)} requires one snapshot, and --from names several`,
      'Pass the folder of one snapshot.',
    )
}

const createSnapshotLine = (raw: Raw, folder: string): Raw => ({
  ...raw,
  flags: new Map(raw.flags).set('from', [folder]),
})

const toSite = ({ command, io }: AskedLine, { folder, manifest }: FoundSnapshot): LineSite => ({
  name: manifest.began,
  env: createSiteEnvironment(io.env),
  toOwnLine: (raw) => createSnapshotLine(raw, folder),
  command,
})

/** Describes the groups to which snapshots are limited. If these differ, the counts of the snapshots do, too. */
const describeLimits = (snapshots: readonly FoundSnapshot[]): string => {
  const limits = [...new Set(snapshots.map(({ manifest }) => manifest.groups.join(', ')))]
  const texts = limits.map((groups) => (groups === '' ? 'not limited' : `limited to ${groups}`))
  const [only = ''] = limits
  if (limits.length === 1) return only === '' ? '' : `, ${texts.join('')}`
  return `, some ${texts.join(', some ')}: their counts differ for this reason, too`
}

const createSource =
  (text: string, snapshots: readonly FoundSnapshot[]) => async (): Promise<PageSource> => {
    const [first, last] = [snapshots[0]?.manifest, snapshots.at(-1)?.manifest]
    return {
      instances: last === undefined ? [] : [{ address: last.instance }],
      snapshot: [
        { name: 'snapshots', text: String(snapshots.length) },
        { name: 'from', text: first?.began.slice(0, 10) ?? '' },
        { name: 'to', text: last?.began.slice(0, 10) ?? '' },
        { name: 'folder', text },
      ],
      readAccount: async () => undefined,
    }
  }

/**
 * Runs a line on each of the snapshots that it names.
 * @returns the exit code
 * @throws Failure `usage` if the line requires a single snapshot
 */
export const executeSnapshots = async (
  line: AskedLine,
  text: string,
  run: LineRunner,
): Promise<number> => {
  const { env } = line.io
  const chosen = await chooseSharedFormat(line, env)
  checkLine(line)
  const { snapshots, incomplete } = findSnapshots(text)
  const getSource = createSource(text, snapshots)
  const latest = snapshots.at(-1)?.manifest.ended
  const asOf = latest === undefined ? undefined : new Date(latest)
  const of = { env, getSource, asOf, column: 'snapshot' } as const
  const shared = await openSharedRun({ line, run }, chosen, of)
  shared.notes.note(`from ${formatCount(snapshots.length, 'snapshot')}${describeLimits(snapshots)}`)
  for (const folder of incomplete)
    shared.notes.warn(`${basename(folder)} is left out: the snapshot is incomplete`)
  const sites = snapshots.map((one) => toSite(line, one))
  const least = incomplete.length > 0 ? exitCodes.partial : 0
  return shared.run(sites, false, least)
}
