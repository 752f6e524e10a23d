/** Exports an instance to files, and reads and plans these files, all in this process, for tests. */

import { machineIo } from '../../../src/base/io.js'
import type { ManagedPlace } from '../../../src/desired/address.js'
import { exportPlace } from '../../../src/desired/exporting/kind.js'
import {
  CommonItemFinder,
  createChosenParts,
  createYamlWriter,
  type ExportOptions,
  FileMap,
  type FileSection,
  formatDocument,
} from '../../../src/desired/exporting/model.js'
import { readFiles } from '../../../src/desired/files/index.js'
import { openView } from '../../../src/desired/reading/index.js'
import type { SelectionOptions } from '../../../src/desired/selection.js'
import type { ReadableInstance } from '../../../src/desired/state.js'
import { makePlan } from '../planning.js'

export type RoundOptions = Partial<ExportOptions> & {
  readonly factor?: boolean
  readonly scoping?: SelectionOptions
}

/** Exports the instance as one document. */
export const exportDocument = async (
  instance: ReadableInstance,
  ways: RoundOptions = {},
): Promise<string> => {
  const { factor, scoping = {}, ...others } = ways
  const view = openView(instance, scoping)
  const how: ExportOptions = {
    names: view.names,
    exact: false,
    operational: false,
    allSettings: false,
    chosen: createChosenParts(scoping),
    asked: scoping.only !== undefined,
    ...others,
  }
  const { projects, groups } = await view.places('everything')
  const site: ManagedPlace = { scope: 'site', path: '' }
  const sections: FileSection[] = []
  for (const place of [site, ...groups]) {
    const { section } = await exportPlace(view, place, how)
    if (section !== undefined) sections.push(section)
  }
  const factoring = new CommonItemFinder(factor === true ? groups : [])
  for (const place of projects) {
    const { section, unread } = await exportPlace(view, place, how)
    if (unread.length > 0) throw unread[0]?.failure
    factoring.add(place, section?.value ?? new FileMap([]))
  }
  const shared = factoring.shared()
  const own = projects.flatMap((place) => factoring.own(place) ?? [])
  return formatDocument(createYamlWriter(), [...sections, ...shared, ...own])
}

/** Plans the changes of a document to the instance. */
export const planDocument = async (
  instance: ReadableInstance,
  document: string,
  scoping: SelectionOptions = {},
) => {
  const cwd = import.meta.dirname
  const declared = await readFiles(['-'], { cwd, stdin: async () => document })
  const view = openView(instance, scoping)
  const { projects, groups } = await view.places(declared.reach)
  const wishes = declared
    .places({
      projects: projects.map(({ path }) => path),
      groups: groups.map(({ path }) => path),
    })
    .flatMap((here) => here.desired())
  const about = new Map(projects.map((place) => [place.path, place]))
  return makePlan(wishes, view, {
    only: scoping.only,
    except: scoping.except,
    each: instance.each,
    about: (path) => about.get(path),
    projects: projects.length,
    checks: true,
    now: machineIo.now,
  })
}
