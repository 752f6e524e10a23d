/** Where and who: files, environment, keyring and helper commands, and which of them wins. */
export { changedProfile, removeProfile, signIn, signOut } from './account.js'
export {
  type AuditEntry,
  auditEntry,
  auditFields,
  openAudit,
} from './audit/audit.js'
export { type AuditEnd, type AuditFilter, readAudit } from './audit/read.js'
export { makeDirectory } from './files.js'
export {
  checkReadOnly,
  confirmationFor,
  nameMatches,
} from './guard.js'
export { getPaths, journalFolder } from './paths.js'
export { environmentScope, scopeAtHand, type Takes } from './project.js'
export { resolveSession } from './session.js'
export {
  type Changes,
  settingNames,
  settings,
  shownProfile,
  toFieldName,
} from './settings.js'
export { isPattern, profilesIn, resolveProfiles } from './several.js'
export { checkName, openStore } from './store.js'
export { environmentToken, jobTokenFor } from './tokens/environment.js'
export { openKeyring } from './tokens/keyring.js'
export { openTokens } from './tokens/tokens.js'
export { userTokenKinds } from './tokens/value.js'
export { createTransport, type TransportSettings } from './transport.js'
export { profileInForce, vocabularyInForce } from './vocabulary.js'
