/** Exports what other rooms use of `profile/`: sessions, profiles, credentials, the default project and group, and the audit log. */

export { cleanPath, isAddress, parsePlace, parseWebPath } from './addresses.js'
export { type AuditEntry, auditFields, createAuditEntry, openAudit } from './audit.js'
export { getEnvironmentToken, getJobToken } from './environment.js'
export { createWaitOptions, type LockWait } from './files.js'
export { getPaths, getRunFolder } from './paths.js'
export { findScope, getEnvironmentScope, type ScopeChoice } from './project.js'
export {
  checkReadOnly,
  checkSudo,
  decideConfirmation,
  findNamedProfiles,
  getActiveProfile,
  getActiveVocabulary,
  getLoginLine,
  isPattern,
  type NamedSession,
  nameMatches,
  parseProfiles,
  resolveProfiles,
  resolveSession,
} from './session.js'
export {
  type Changes,
  redactProfile,
  settingNames,
  settings,
  toFieldName,
} from './settings.js'
export {
  checkAddress,
  checkName,
  openStore,
  previewProfile,
  removeProfile,
  signIn,
  signOut,
} from './store.js'
export { openKeyring, openTokens, userTokenKinds } from './tokens.js'
export { createTransport, formatTransportOptions } from './transport.js'
