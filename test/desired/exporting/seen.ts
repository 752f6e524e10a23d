/** Provides current kinds and options of an export, in memory, for tests. */
import { type Managed, type ManagedScope, managedKinds } from '../../../src/catalogue/managed.js'
import type { ManagedPlace } from '../../../src/desired/address.js'
import type { ExportOptions } from '../../../src/desired/exporting/model.js'
import type { CurrentItem, CurrentKind } from '../../../src/desired/state.js'

export const findKind = (name: string, scope: ManagedScope): Managed => {
  const kind = managedKinds.find((one) => one.name === name && one.scope === scope)
  if (kind === undefined) throw new Error(`unknown kind ${name} of a ${scope}`)
  return kind
}

export const app: ManagedPlace = { scope: 'project', path: 'platform/app' }
export const site: ManagedPlace = { scope: 'site', path: '' }

type Item = Partial<CurrentItem> & Pick<CurrentItem, 'attributes'>

export const createCurrentKind = (
  name: string,
  items: readonly Item[],
  place = app,
): CurrentKind => ({
  place,
  kind: findKind(name, place.scope),
  is: 'read',
  items: items.map((item) => ({ identity: '', at: {}, record: {}, ...item })),
})

const users: Readonly<Record<number, string>> = { 2: 'ana', 3: 'ben', 4: '007' }

/** Creates plain options: additive, everything selected, three users known. */
export const createExportOptions = (how: Partial<ExportOptions> = {}): ExportOptions => ({
  names: { name: (of, number) => (of === 'user' ? users[number] : undefined) },
  exact: false,
  operational: false,
  allSettings: false,
  chosen: { item: () => true, wholly: () => true },
  asked: false,
  ...how,
})
