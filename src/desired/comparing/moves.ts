/** Items that go from one place to another: what one place loses and another gets is done in its turn. */
import { shelvesOf } from '../../base/shelves.js'
import type { Draft } from './types.js'

/** What tells an item apart wherever it is; undefined of what is nothing to other places. */
const itemOf = ({ kind, address, steps }: Draft): string | undefined => {
  if (kind.alone === true) return `${kind.name} ${address.item?.toLowerCase()}`
  if (kind.enable === undefined) return undefined
  const [name = ''] = Object.keys(kind.at ?? {})
  const number = steps.at(-1)?.values[name]
  return number === undefined ? undefined : `${kind.name} ${number}`
}

interface Moves {
  /** Those that a draft waits for. */
  readonly before: ReadonlyMap<Draft, readonly Draft[]>
  /** Those that wait for a delete. */
  readonly late: readonly Draft[]
}

/**
 * What is in one place at a time leaves the first before it comes to the next; what must be somewhere comes to
 * the next before it leaves the first.
 */
export const movesOf = (drafts: readonly Draft[]): Moves => {
  const before = new Map<Draft, readonly Draft[]>()
  for (const ones of shelvesOf(drafts, itemOf).values()) {
    const gone = ones.filter(({ verb }) => verb === 'delete' || verb === 'replace')
    const come = ones.filter(({ verb }) => verb === 'create' || verb === 'enable')
    if (gone.length === 0 || come.length === 0) continue
    for (const draft of come) if (draft.kind.alone === true) before.set(draft, gone)
    for (const draft of gone) if (draft.kind.alone !== true) before.set(draft, come)
  }
  return { before, late: [...before.keys()].filter(({ kind }) => kind.alone === true) }
}
