/** Catalogue → commands: what an area's endpoints and the specials beside them make together. */
export { plainOf, singleNamed } from './derived.js'
export { flagName, named } from './names.js'
export { readingOf } from './reading.js'
export { isScope, type ScopeKind, scopeOf } from './scope.js'
export { asSent, shownIn } from './shown.js'
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
