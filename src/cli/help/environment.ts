/** The environment variables that the tool reads, as data: `help environment` and README derive from it. */
export const environment: readonly { readonly name: string; readonly meaning: string }[] = [
  { name: 'SVC_BASE_URL', meaning: 'address of the instance' },
  { name: 'SVC_TOKEN', meaning: 'credential; with SVC_BASE_URL for that instance only' },
  { name: 'SVC_TOKEN_KIND', meaning: 'its kind: personal (unless given), oauth, session' },
  {
    name: 'SVC_JOB_TOKEN',
    meaning: 'job token, likewise; CI_JOB_TOKEN, for CI_SERVER_URL only, where it is not set',
  },
  { name: 'SVC_PROFILE', meaning: 'profile to use' },
  { name: 'SVC_VOCABULARY', meaning: 'file with the words of the instance; then the profile’s' },
  { name: 'SVC_SANDBOX', meaning: '1: use the embedded instance' },
  {
    name: 'SVC_SANDBOX_JOBS',
    meaning: 'how jobs of the embedded instance end: pass, fail=<glob of names>, hold',
  },
  { name: 'SVC_OUTPUT', meaning: 'output format' },
  { name: 'SVC_SUDO', meaning: 'user to act as' },
  { name: 'SVC_PROJECT', meaning: 'project at hand; then CI_PROJECT_ID, then the git remote' },
  { name: 'SVC_GROUP', meaning: 'group at hand' },
  { name: 'SVC_ALERT_ENDPOINT', meaning: 'address that alerts send talks to' },
  { name: 'SVC_ALERT_KEY', meaning: 'its authorization key' },
  { name: 'SVC_CONFIG_DIR', meaning: 'folder for configuration, state and cache' },
  { name: 'SVC_NO_KEYRING', meaning: '1: keep tokens in a file, not in the keyring' },
  { name: 'SVC_NO_PROMPT', meaning: '1: never ask' },
  {
    name: 'SVC_ACCESSIBLE',
    meaning: '1: words in place of symbols and bars, no redrawing, prompts as lines',
  },
  { name: 'SVC_PAGER', meaning: 'pager for long output; PAGER where it is not set' },
  { name: 'NO_COLOR, FORCE_COLOR, CLICOLOR', meaning: 'colour off, on, off when 0' },
  {
    name: 'HTTP_PROXY, HTTPS_PROXY, NO_PROXY',
    meaning: 'proxies, by the scheme of the instance; this machine itself is reached without',
  },
  { name: 'CI', meaning: 'set in CI: no questions, no progress, no colour unless forced' },
]
