/** Where and who: files, environment, keyring and helper commands, and which of them wins. */
export { removeProfile, signIn, signOut } from './account.js'
export {
  type AuditEntry,
  auditEntry,
  auditFields,
  openAudit,
} from './audit.js'
export { type AuditEnd, type AuditFilter, readAudit } from './audit-read.js'
export { environmentToken, jobTokenFor } from './environment-tokens.js'
export { makeDirectory } from './files.js'
export {
  checkReadOnly,
  confirmationFor,
  nameMatches,
} from './guard.js'
export { openKeyring } from './keyring.js'
export { pathsOf } from './paths.js'
export { environmentScope, scopeAtHand, type Takes } from './project.js'
export { resolveSession } from './session.js'
export {
  type Changes,
  fieldOf,
  settingNames,
  settings,
  shownProfile,
} from './settings.js'
export { checkName, openStore } from './store.js'
export { userTokenKinds } from './token-value.js'
export { openTokens } from './tokens.js'
export { type TransportSettings, transportOf } from './transport.js'
