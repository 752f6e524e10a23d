/** Where and who: files, environment, keyring and helper commands, and which of them wins. */
export { removeProfile, type SignIn, signIn, signOut } from './account.js'
export {
  type AuditEntry,
  type Audited,
  type AuditLog,
  auditEntry,
  auditFields,
  openAudit,
} from './audit.js'
export { type AuditEnd, type AuditFilter, readAudit } from './audit-read.js'
export { environmentToken, isTheirs, jobTokenFor } from './environment-tokens.js'
export { makeDirectory } from './files.js'
export {
  type Confirmation,
  type Consent,
  checkReadOnly,
  confirmationFor,
  nameMatches,
} from './guard.js'
export { openKeyring } from './keyring.js'
export { type Paths, pathsOf } from './paths.js'
export { environmentScope, profileScope, type Scope, scopeAtHand, type Takes } from './project.js'
export { gitRemotes, projectOfRemote, type Remote, remoteProject } from './remotes.js'
export { resolveSession, type SessionServices } from './session.js'
export {
  type Changes,
  checkSetting,
  fieldOf,
  type SettingName,
  settingNames,
  settings,
  shownProfile,
} from './settings.js'
export { openStore, type Store } from './store.js'
export { checkToken, userTokenKinds } from './token-value.js'
export { openTokens, type StoredToken, type Tokens } from './tokens.js'
export { type TransportSettings, transportOf } from './transport.js'
