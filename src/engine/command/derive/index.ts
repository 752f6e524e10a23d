/** Catalogue → commands: what an area's endpoints and the specials beside them make together. */
export { plainOf, singleNamed } from './derived.js'
export { flagName, isScope, named, type ScopeKind, scopeOf } from './names.js'
export { asSent, readingOf, shownIn } from './reading.js'
export { flagsOfCommand, hiddenScopes, manyFlags, ownFlags } from './taken.js'
export {
  calls,
  changes,
  hasForm,
  isAskable,
  keepsJournal,
  lists,
  rehearsable,
  rowFlags,
  selectsOf,
  spreads,
  streams,
  takesSeveral,
  watchable,
} from './traits.js'
