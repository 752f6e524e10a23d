/** Provides a record with secrets wherever one can be, and with much harmless text. */
export const canary = 'c4n4ry'

/** Names that identify their values as secrets. */
export const names = [
  'db_password',
  'smtp_pass',
  'passphrase',
  'wifi_psk',
  'kubeconfig',
  'ci_job_jwt',
  'user_key',
  'service_account_key',
  'google_service_account_file_json',
  'connectionString',
  'azure_connection_string_primary',
  'CONNECTION-STRING',
  'hub_api_key',
  'apikey',
  'watchDSN',
  'client_secret',
  'web-hub-webhook',
] as const

/** Addresses with a secret part. */
export const addresses = {
  import_url: `https://user:${canary}@forge.test/a.git`,
  mirror_url: `https://${canary}@forge.test/a.git`,
  url: `https://hooks.test/x?a=1&token=${canary}#top`,
  elasticsearch_url: `http://u:${canary}@one.test:9200,http://u:${canary}@two.test:9200`,
  jdbc_url: `jdbc:postgresql://db.test/x?user=a&password=${canary}`,
  archive_url: `https://store.test/f?X-Amz-Signature=${canary}&X-Amz-Expires=60`,
  function_url: `https://run.test/f?code=${canary}`,
  relative: `/uploads/f?private_token=${canary}`,
} as const

const variables = [
  { key: 'DB', value: canary, protected: false, masked: true },
  { variable_type: 'file', key: 'CA', value: canary, masked: false },
  { value: canary, key: 'LATE', variable_type: 'env_var' },
] as const

/** Values that are no secrets; each of the texts must be shown. */
export const harmless = {
  description: 'kept-1: write to a@b.test? token=none',
  public_key: 'kept-2',
  key: 'kept-3',
  bypass: 'kept-4',
  ssh_url: 'ssh://git@forge.test:22/kept-5.git',
  web_url: 'https://forge.test/kept-6?assignee_id=7&sort=asc#note_1',
  avatar_url: 'https://avatars.test/kept-7?s=80&d=identicon',
  failure_reason: 'kept-8',
  value: 'kept-9',
  token_expires_at: 'kept-10',
  labels: [{ key: 'kept-11', value: 'kept-12', masked: false }],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in configurations of CI
  clone: 'kept-13: git clone https://ci:${CI_JOB_TOKEN}@forge.test/a.git',
} as const

/** The number of texts in `harmless` that must be kept. */
export const keptCount = 13

export const planted = {
  id: 1,
  ...Object.fromEntries(names.map((name) => [name, `${canary}-${name}`])),
  list_of_tokens: [canary],
  ...addresses,
  variables,
  nested: { deep: [{ [names[0]]: canary, ...addresses }] },
  ...harmless,
} as const

/** Returns the kept texts in an output. */
export const findKept = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/kept-\d+/g)].map(([one]) => one))
