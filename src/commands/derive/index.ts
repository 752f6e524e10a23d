/** Catalogue → commands: what an area's endpoints and the specials beside them make together. */
export {
  allCommands,
  commandOf,
  commandsOfArea,
  examplesOf,
  toolCommand,
  wordsOf,
} from './list.js'
export { flagName, named } from './names.js'
export { isScope, type ScopeKind, scopeOf } from './scope.js'
export { flagsOfCommand, ownFlags } from './taken.js'
export { lists, watchable } from './traits.js'
