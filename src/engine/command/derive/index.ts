/** Catalogue → commands: what an area's endpoints and the specials beside them make together. */
export {
  flagName,
  getCommandName,
  getScope,
  type ScopeKind,
  singleNamed,
  withoutSpecial,
} from './derived.js'
export { asSent, findReading, shownIn } from './reading.js'
export {
  flagsOfCommand,
  hiddenScopes,
  type IsWanted,
  manyFlags,
  mentionedIn,
  ownFlags,
  siteFlags,
} from './taken.js'
export {
  calls,
  changes,
  getSelects,
  hasForm,
  isAskable,
  isRehearsal,
  keepsJournal,
  lists,
  onlyReads,
  rehearsable,
  rowFlags,
  sendsAll,
  spreads,
  streams,
  takesSeveral,
  watchable,
} from './traits.js'
