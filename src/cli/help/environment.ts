/** Lists the environment variables that svcctl reads; `help environment` and the README are made of it. */

/** The environment variables that the tool reads, as data: `help environment` and README derive from it. */
interface EnvironmentVariable {
  readonly name: string
  readonly meaning: string
}

/** The environment variables, in the order of the help. */
export const environmentVariables: readonly EnvironmentVariable[] = [
  { name: 'SVC_BASE_URL', meaning: 'base URL of the instance' },
  { name: 'SVC_TOKEN', meaning: 'token; with SVC_BASE_URL, for that instance only' },
  { name: 'SVC_TOKEN_KIND', meaning: 'kind of the token: personal (default), oauth, session' },
  {
    name: 'SVC_JOB_TOKEN',
    meaning: 'job token, likewise; if unset, CI_JOB_TOKEN for CI_SERVER_URL only',
  },
  { name: 'SVC_PROFILE', meaning: 'profile to use' },
  {
    name: 'SVC_VOCABULARY',
    meaning: 'vocabulary file of the instance; takes precedence over the profile’s',
  },
  { name: 'SVC_SANDBOX', meaning: '1: use the embedded instance' },
  {
    name: 'SVC_SANDBOX_JOBS',
    meaning: 'result of jobs on the embedded instance: pass, fail=<glob of names>, hold',
  },
  { name: 'SVC_OUTPUT', meaning: 'output format' },
  { name: 'SVC_SUDO', meaning: 'user to act as (sudo)' },
  {
    name: 'SVC_PROJECT',
    meaning: 'default project; otherwise CI_PROJECT_ID, then the git remote',
  },
  { name: 'SVC_GROUP', meaning: 'default group' },
  { name: 'SVC_ALERT_ENDPOINT', meaning: 'URL for "alerts send"' },
  { name: 'SVC_ALERT_KEY', meaning: 'authorization key for "alerts send"' },
  { name: 'SVC_CONFIG_DIR', meaning: 'folder for the configuration, state and cache' },
  { name: 'SVC_NO_KEYRING', meaning: '1: keep tokens in a file, not in the keyring' },
  { name: 'SVC_NO_PROMPT', meaning: '1: never prompt' },
  {
    name: 'SVC_ACCESSIBLE',
    meaning: '1: words instead of symbols and bars, no redrawing, line prompts',
  },
  { name: 'SVC_PAGER', meaning: 'pager for long output; otherwise PAGER' },
  {
    name: 'NO_COLOR, FORCE_COLOR, CLICOLOR',
    meaning: 'no color; color everywhere; no color if 0',
  },
  {
    name: 'HTTP_PROXY, HTTPS_PROXY, NO_PROXY',
    meaning: 'proxies by URL scheme, and hosts without a proxy; never used for this machine',
  },
  { name: 'CI', meaning: 'set in CI: no prompts, no progress, no color unless forced' },
]
