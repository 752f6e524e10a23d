/** Provides the example command lines of the tool's own commands. They run unchanged against the sample data. */
import type { Examples } from './examples.js'

/** The examples by the first word of the command and by the words after it, without `svcctl`. */
export const toolExamples: Examples = {
  sandbox: {
    serve: [
      'sandbox serve',
      'sandbox serve --port 8080 --state-dir ./instance',
      'sandbox serve --rate 100 --latency 20',
      'sandbox serve --vocabulary ./work.yml',
      'sandbox serve --as-of 14.5',
      'sandbox serve --testable --port 8080',
      'sandbox serve --speed 100 --jobs hold',
    ],
    status: ['sandbox status', 'sandbox status -o json'],
    reset: ['sandbox reset --yes', 'sandbox reset --state-dir ./instance --yes'],
    tokens: [
      'sandbox tokens',
      'sandbox tokens -o json | jq -r \'.[] | select(.kind == "job") | .value\'',
    ],
    alerts: ['sandbox alerts', 'sandbox alerts --endpoints -o json'],
  },
  overview: {
    '': ['overview', 'overview --parts runners,jobs', "overview -o json | jq '.runners.by_state'"],
  },
  access: {
    '': [
      'access platform/app',
      'access group:platform -o csv',
      'access @ben',
      'access platform/app web/site --matrix -o csv',
    ],
  },
  snapshot: {
    '': [
      'snapshot --to before',
      "snapshot 'runners list' 'approvals rules list --all-projects' --to approvals",
      'snapshot --to platform -G platform --dry-run',
    ],
  },
  check: {
    instance: ['check instance', 'check instance --warn 2s --crit 10s -o nagios'],
    runners: [
      'check runners',
      'check runners --warn 90% --crit 50%',
      'check runners -P platform/app -o nagios',
    ],
    geo: ['check geo', 'check geo --warn 1m,99% --crit 10m,90%', 'check geo -o prometheus'],
    certificates: [
      'check certificates -P web/site',
      'check certificates --warn 30d --crit 7d -o nagios',
    ],
    tokens: ['check tokens', 'check tokens --warn 30d --crit 7d', 'check tokens -o nagios'],
    policy: [
      'check policy policy.yml',
      'check policy policy.yml --from snapshot --fail-on warning',
      'check policy policy.yml -o prometheus',
    ],
  },
  auth: {
    login: [
      'auth login --base-url https://svc.example',
      'auth login staging --base-url https://staging.example --token-stdin < token.txt',
    ],
    status: ['auth status', 'auth status -o json'],
    logout: ['auth logout', 'auth logout staging'],
    switch: ['auth switch staging', 'auth switch default'],
    token: ['auth token', 'auth token -q'],
    'git-credential': ['auth git-credential get', 'auth git-credential store'],
  },
  profile: {
    list: ['profile list', 'profile list -o json'],
    get: ['profile get default', 'profile get default -o json'],
    set: [
      'profile set default --read-only',
      'profile set default --audit-log ./audit.ndjson --project platform/app',
    ],
    delete: ['profile delete staging --yes', 'profile delete default --yes'],
  },
  audit: {
    list: ['audit list --since 2026-01-31 --method DELETE', 'audit list --status 4xx -o ndjson'],
  },
  export: {
    '': [
      'export --to svcctl/',
      'export members approval_rules -G platform --exact',
      'export -P platform/app -o json',
      'export approvals --factor --to approvals.yml',
    ],
  },
  plan: {
    '': [
      'plan svcctl.yml',
      'plan svcctl.yml -P platform/app --only approval_rules --out plan.json',
      "plan svcctl.yml --explain 'projects/platform/app:approval_rules/Security'",
      'plan svcctl.yml -o json',
    ],
  },
  apply: {
    '': [
      'apply svcctl.yml --dry-run',
      'apply svcctl.yml --yes',
      'apply svcctl.yml -P platform/app --only approval_rules --max-deletes 20 --yes',
    ],
  },
  drift: {
    '': [
      'drift svcctl.yml',
      "drift svcctl.yml --ignore 'site:settings' --report junit=drift.xml",
      'drift svcctl.yml --report markdown=drift.md --quiet',
    ],
  },
  api: {
    '': [
      'api GET /runners/all',
      'api projects',
      'api -X PUT runners/1 -f description=linux -F active=true',
      'api get "projects/{project}/jobs" --paginate -o ndjson',
      'api "projects/{project}/members" -G platform --paginate',
      'runners list --instance --status offline | svcctl api "runners/{}" -',
    ],
  },
  journal: {
    list: [
      'journal list',
      'journal list -o json --fields id,command,failed',
      'journal list --planned',
    ],
    show: [
      'journal show last',
      'journal show last -o json --fields done,failed',
      'journal show part-1.ndjson part-2.ndjson',
    ],
    undo: [
      'journal undo last --dry-run',
      'journal undo last --yes',
      'journal undo part-1.ndjson --yes',
    ],
    run: [
      'journal run 20261201T080000-runners-pause --dry-run',
      'journal run 20261201T090000-runners-pause --dry-run',
    ],
    discard: [
      'journal discard 20261201T080000-runners-pause',
      'journal discard 20261201T080000-runners-pause 20261201T090000-runners-pause',
    ],
  },
  mcp: {
    serve: [
      'mcp serve --sandbox < /dev/null',
      'mcp serve --sandbox --toolsets runners,ci < /dev/null',
    ],
  },
  client: {
    types: ['client types', 'client types --to svc.d.ts'],
  },
  extend: {
    add: [
      'extend add daily.yml --dry-run',
      'extend add daily.yml',
      "extend add openapi.yml --only 'users/**' --name api",
    ],
    list: ['extend list', 'extend list -o json'],
    show: ['extend show daily', 'extend show daily --left-out'],
    update: [
      'extend update --dry-run',
      'extend update daily',
      'extend update daily daily.yml --dry-run',
    ],
    remove: ['extend remove daily --dry-run', 'extend remove daily', 'extend remove --all'],
    schema: ['extend schema', 'extend schema --to commands.schema.json'],
  },
  vocabulary: {
    learn: ['vocabulary learn', 'vocabulary learn --to words.yml -P platform/app'],
    check: ['vocabulary check work.yml', 'vocabulary check work.yml -o json'],
  },
  alias: {
    set: [
      "alias set stuck 'jobs list --all-projects --where status=pending'",
      "alias set mrp 'mr get $1 -P platform/app'",
      "alias set idle 'runners list --instance --where contacted_at>30d'",
    ],
    list: ['alias list', 'alias list -o json'],
    remove: ['alias remove stuck', 'alias remove idle -q'],
  },
  completion: {
    '': ['completion bash', 'completion zsh --install'],
  },
  explain: {
    '': [
      'explain runner',
      'explain runners list',
      'explain integrations update --family chat-webhook',
      'explain --openapi',
      'explain --config-schema',
      'explain --policy-schema',
    ],
  },
  commands: {
    '': ['commands', "commands -o json | jq -r '.[].command'"],
  },
  doctor: {
    '': ['doctor', 'doctor --refresh', 'doctor -o json'],
  },
  version: {
    '': ['version', 'version -p staging', 'version -o json'],
  },
}
