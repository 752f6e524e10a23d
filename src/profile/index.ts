/** The interface of `profile/`: sessions, profiles, credentials, default project and group, and the audit log. */

export { isAddress, readPlace } from './addresses.js'
export { type AuditEntry, auditFields, createAuditEntry, openAudit } from './audit.js'
export { environmentToken, jobTokenFor } from './environment.js'
export { makeDirectory } from './files.js'
export { getPaths, runFolder } from './paths.js'
export { environmentScope, findScope, type ScopeChoice } from './project.js'
export {
  checkReadOnly,
  confirmationFor,
  getActiveProfile,
  getActiveVocabulary,
  isPattern,
  nameMatches,
  profilesIn,
  resolveProfiles,
  resolveSession,
} from './session.js'
export {
  type Changes,
  settingNames,
  settings,
  shownProfile,
  toFieldName,
} from './settings.js'
export {
  changedProfile,
  checkAddress,
  checkName,
  openStore,
  removeProfile,
  signIn,
  signOut,
} from './store.js'
export { openKeyring, openTokens, userTokenKinds } from './tokens.js'
export { createTransport, type TransportSettings } from './transport.js'
