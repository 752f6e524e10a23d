/** Catalogue → commands: what an area's endpoints and the specials beside them make together. */
export { singleNamed, withoutSpecial } from './derived.js'
export { flagName, getCommandName, getScope, type ScopeKind } from './names.js'
export { asSent, findReading, shownIn } from './reading.js'
export { flagsOfCommand, hiddenScopes, manyFlags, ownFlags, siteFlags } from './taken.js'
export {
  calls,
  changes,
  getSelects,
  hasForm,
  isAskable,
  keepsJournal,
  lists,
  onlyReads,
  rehearsable,
  rowFlags,
  spreads,
  streams,
  takesSeveral,
  watchable,
} from './traits.js'
