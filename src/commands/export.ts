/** Implements `svcctl export`, which writes the state of an instance to files that produce an empty plan. */

import { managedKinds } from '../catalogue/managed.js'
import type { ManagedPlace } from '../desired/address.js'
import type { HeldKind, KindFilter } from '../desired/exporting/folder.js'
import { exportPlace } from '../desired/exporting/kind.js'
import { createChosenParts, type ExportOptions } from '../desired/exporting/model.js'
import { type InstanceView, openView } from '../desired/reading/index.js'
import {
  checkGlobs,
  findKindMistake,
  isPathWithin,
  lower,
  type SelectionOptions,
} from '../desired/selection.js'
import type { Context } from '../engine/command/context.js'
import type { Rows } from '../engine/rows.js'
import { usage } from '../errors.js'
import {
  type ExportRun,
  findShareableGroups,
  openExportTarget,
  UnreadParts,
  writeExport,
} from './export-documents.js'
import { type ExportLine, parseSelection } from './plan/flags.js'
import { toReadable } from './plan/instance.js'

// The filter of existing files: an export may replace only the kinds and places that it covers.

/**
 * Creates the filter of the kinds and places that an export covers.
 * @param roots the paths of the selected groups
 * @param named the paths of the selected projects
 */
const createKindFilter = (
  view: InstanceView,
  { projects, groups, only = [], except = [] }: SelectionOptions,
  roots: readonly string[],
  named: readonly string[],
): KindFilter => {
  const narrowed = projects !== undefined || groups !== undefined
  const isInPlace = ({ scope, path }: HeldKind['place']): boolean => {
    if (!narrowed || scope === 'site') return !narrowed
    const isNamed = scope === 'project' && named.some((one) => lower(one) === lower(path))
    return isNamed || roots.some((root) => isPathWithin(path, root))
  }
  // A selection of a single item or attribute does not cover its whole kind.
  const whole = [...only, ...except].every((glob) => !/#|^[^:]*:[^/]*\//.test(glob))
  return {
    all: !narrowed && only.length === 0 && except.length === 0,
    has: ({ place, kind }) => {
      const known = managedKinds.find(({ name, scope }) => name === kind && scope === place.scope)
      return whole && known !== undefined && isInPlace(place) && view.selected(place, known)
    },
  }
}

/** Returns the selection of an export. Kinds as arguments have the meaning of `--only`. */
const parseExportSelection = ({ place }: Context, given: ExportLine): SelectionOptions => {
  const scoping = parseSelection(given, place)
  const wrong = given.args.map(findKindMistake).find((mistake) => mistake !== undefined)
  if (wrong !== undefined) throw usage(wrong.text, wrong.hint)
  checkGlobs({ only: scoping.only, except: scoping.except })
  if (given.args.length === 0) return scoping
  return { ...scoping, only: [...given.args, ...(scoping.only ?? [])] }
}

/**
 * Checks that the selection includes all projects that a group's values reach.
 * @throws Failure `usage`
 */
const checkFactor = (
  { flags: { factor } }: ExportLine,
  { projects, only, except }: SelectionOptions,
): void => {
  if (factor !== true) return
  if (projects !== undefined)
    throw usage('--factor needs all projects of a group and cannot be combined with --project')
  const narrow = [...(only ?? []), ...(except ?? [])].find((glob) => !/^\w+$/.test(glob))
  if (narrow !== undefined)
    throw usage(`--factor needs all projects of a group: pass kinds, not ${narrow}`)
}

const site: ManagedPlace = { scope: 'site', path: '' }

type InstancePlaces = Awaited<ReturnType<InstanceView['places']>>

/** Returns the paths of the groups that -G names by ID or path. */
const getRoots = ({ groups = [] }: SelectionOptions, found: InstancePlaces): readonly string[] =>
  groups.flatMap((name) =>
    /^\d+$/.test(name)
      ? found.groups.flatMap(({ id, path }) => (String(id) === name ? path : []))
      : name,
  )

/** From this number of places on, places are read in parallel instead of the kinds of one place. */
const manyPlaces = 32

/** Creates the export: finds its places, and prepares reading them. */
const createExport = async (
  context: Context,
  { flags }: ExportLine,
  scoping: SelectionOptions,
  view: InstanceView,
  countPlace: () => void,
  leftOut: ExportOptions['leftOut'],
): Promise<Omit<ExportRun, 'instance'>> => {
  const unread = new UnreadParts(context.ui)
  const found = await view.places('everything')
  for (const place of found.unread) unread.addUnreadPlace(place)
  const roots = getRoots(scoping, found)
  const shareable = flags.factor === true ? findShareableGroups(found.projects, roots) : undefined
  const withSite = managedKinds.some((kind) => kind.scope === 'site' && view.selected(site, kind))
  // In the order of the document.
  const groups = new Map(
    [...(shareable ?? []), ...found.groups].map((group) => [lower(group.path), group]),
  )
  const inOrder = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
  const places = [...(withSite ? [site] : []), ...inOrder, ...found.projects]
  const named = found.projects.map(({ path }) => path)
  const how: ExportOptions = {
    names: view.names,
    exact: flags.exact === true,
    operational: flags['with-operational'] === true,
    allSettings: flags['all-settings'] === true,
    leftOut,
    chosen: createChosenParts(scoping),
    asked: scoping.only !== undefined,
  }
  const readPlace: ExportRun['readPlace'] = async (place) => {
    const current = await exportPlace(view, place, how, places.length < manyPlaces)
    unread.addResult(current)
    countPlace()
    return current
  }
  const selected = createKindFilter(view, scoping, roots, named)
  return { context, places, unread, selected, readPlace, shareable }
}

/** Runs the export. */
export async function* runExport(context: Context, given: ExportLine): Rows {
  const { ui } = context
  const target = await openExportTarget(context, given.flags.to)
  const scoping = parseExportSelection(context, given)
  checkFactor(given, scoping)
  const instance = toReadable(context)
  const view = openView(instance, scoping)
  const counter = ui.startCounter()
  let undocumented = 0
  const countPlace = (): void => counter.add(1)
  const leftOut = (count: number): void => {
    undocumented += count
  }
  let unread: UnreadParts
  try {
    const run = await createExport(context, given, scoping, view, countPlace, leftOut)
    counter.setTotal(run.places.length)
    yield* writeExport({ ...run, instance }, target)
    unread = run.unread
  } finally {
    counter.end()
  }
  for (const text of view.notes) ui.note(text)
  if (undocumented > 0)
    ui.note(
      `${undocumented} settings that the documented API does not change are left out; --all-settings includes them`,
    )
  const failure = unread.createFailure()
  if (failure !== undefined) throw failure
}
