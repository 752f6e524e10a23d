/** What of a kind is written, where items or attributes are selected by themselves. */
import { type Address, addressText } from '../address.js'
import { meant } from '../comparing/selected.js'
import { mayMean } from '../reading/scoping.js'
import type { Scoping } from '../reading/sight.js'

/** What is written of a kind. */
export interface ChosenParts {
  readonly item: (address: Address) => boolean
  /** Whether the whole of a kind is: then what is not listed may be said to be gone. */
  readonly wholly: (kind: Address) => boolean
}

/** What `--only` and `--except` say of items and attributes. */
export const chosenBy = (selection: Pick<Scoping, 'only' | 'except'>): ChosenParts => ({
  item: (address) => meant({ selection }, address),
  wholly: (kind) => {
    const text = addressText(kind)
    const touched = selection.except?.some((glob) => mayMean(glob, `${text}/`))
    return touched !== true && meant({ selection }, kind)
  },
})
