/** Provides the example command lines of the areas of the API. They run unchanged against the sample data. */

/** Examples by area and by the words of the command, without `svcctl`. */
export type Examples = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** The examples of the commands of the API. */
export const examples: Examples = {
  runners: {
    list: [
      'runners list --status offline',
      'runners list --instance --tag-list linux -o json',
      'runners list -G platform',
    ],
    get: ['runners get 7', 'runners get 6 7 --fields id,description,status,contacted_at'],
    update: [
      "runners update 7 --description 'GPU, second rack' --tag-list gpu,linux",
      "runners update 7 --tag-list '' --run-untagged",
    ],
    jobs: ['runners jobs 1', 'runners jobs 1 --status running'],
    enable: ['runners enable 9 -P platform/app', 'runners enable 8 9 -P platform/app'],
    disable: [
      'runners disable 7 -P platform/core/engine --yes',
      'runners disable 7 -P platform/app --yes -o json',
    ],
    register: [
      "runners register --token sandbox-project-1-registration --description 'app builder'",
      'runners register --token sandbox-group-platform-registration --info version=16.1 --no-active -o json',
    ],
    pause: [
      'runners pause 1',
      'runners list --status offline --tag-list linux | svcctl runners pause -',
    ],
    resume: [
      'runners resume 3',
      'runners list --status paused --type project_type | svcctl runners resume -',
    ],
    drain: [
      'runners drain 2 --wait-timeout 60',
      "runners drain 2 5 --resume-after 'echo serviced'",
    ],
  },
  jobs: {
    list: [
      'jobs list -P platform/app --scope failed',
      'jobs list -P platform/app --pipeline 2 --include-retried',
    ],
    bridges: [
      'jobs bridges -P platform/app --pipeline 2',
      'jobs bridges -P platform/app --pipeline 2 --scope success -o json',
    ],
    get: [
      'jobs get 19 -P platform/app',
      'jobs get 18 19 -P platform/app --fields id,name,status,duration',
    ],
    current: ['jobs current', 'jobs current -o json --fields id,name,pipeline.id'],
    agents: ['jobs agents', 'jobs agents -o json'],
    why: ['jobs why 15 -P platform/app', 'jobs why 15 -P platform/app -o json'],
  },
  artifacts: {
    download: [
      'artifacts download 13 --project platform/app',
      'artifacts download --ref main --job build --project platform/app --extract --to out',
    ],
    file: [
      'artifacts file dist/app.txt --job-id 13 --project platform/app',
      'artifacts file dist/app.txt --ref main --job build --project platform/app --to -',
    ],
    keep: ['artifacts keep 4 -P platform/app', 'artifacts keep 10 13 -P platform/app'],
    delete: [
      'artifacts delete 11 -P platform/app --yes',
      'artifacts delete 10 18 -P platform/app --yes',
    ],
  },
  'resource-groups': {
    get: [
      'resource-groups get production -P platform/app',
      'resource-groups get review/feature/login -P platform/app -o json',
    ],
    update: [
      'resource-groups update production --process-mode oldest_first -P platform/app',
      'resource-groups update staging production --process-mode newest_first -P platform/app',
    ],
  },
  ci: {
    lint: [
      'ci lint',
      'ci lint .gitlab-ci.yml deploy/*.yml --strict',
      'ci lint - < .gitlab-ci.yml',
      'ci lint --report junit=lint.xml',
      'ci lint --sandbox --as-of 14.5',
    ],
  },
  commits: {
    list: [
      'commits list -P platform/app --ref main --limit 5',
      'commits list -P platform/app --path README.md --since 2020-01-01T00:00:00Z',
    ],
    create: [
      "commits create --branch main -m 'Say what it is for' --create README.md=docs/about.md --project platform/app",
      "commits create --branch tidy --start-branch main -m 'Tidy up' --move LICENSE=COPYING --chmod +x=scripts/build.sh --project platform/app",
    ],
    get: [
      'commits get main -P platform/app',
      'commits get v1.0.0 feature/login -P platform/app --stats -o json',
    ],
    refs: ['commits refs main -P platform/app', 'commits refs v1.0.0 --type tag -P platform/app'],
    'cherry-pick': [
      'commits cherry-pick feature/auto --branch main --dry-run --project platform/app',
      "commits cherry-pick feature/draft --branch main --message 'Try another port' --project platform/app",
    ],
    revert: [
      'commits revert main --branch main --dry-run --project platform/app',
      'commits revert main --branch main --project platform/app',
    ],
    diff: [
      'commits diff main --project platform/app',
      "commits diff main --project platform/app -o json | jq -r '.[].new_path'",
    ],
  },
  issues: {
    list: [
      'issues list --scope all --labels bug --state opened',
      'issues list -G platform --assignee-id None --not labels=incident',
      'issues list --scope all --search sign --in title -o json',
    ],
    unsubscribe: [
      'issues unsubscribe 1 -P platform/app --sudo dov',
      'issues unsubscribe platform/app#1 --sudo chi',
    ],
    todo: ['issues todo platform/app#7', 'issues todo 2 3 -P platform/app'],
    'related-mrs': [
      'issues related-mrs platform/app#1',
      'issues related-mrs 2 -P platform/app -o json',
    ],
    promote: [
      'issues promote 3 --project platform/app --yes',
      'issues promote platform/app#1 --body /promote --yes',
    ],
    'time-stats': [
      'issues time-stats platform/app#1',
      'issues time-stats 1 2 -P platform/app -o json',
    ],
    estimate: ['issues estimate platform/app#2 3w1h', 'issues estimate 3 2h30m -P platform/app'],
    'reset-estimate': [
      'issues reset-estimate platform/app#1',
      'issues reset-estimate 2 3 -P platform/app',
    ],
    spend: [
      "issues spend platform/app#2 1h30m --summary 'looked into it'",
      'issues spend 1 -P platform/app -- -1h',
    ],
    'reset-spent': ['issues reset-spent platform/app#1', 'issues reset-spent 2 3 -P platform/app'],
  },
  mr: {
    list: [
      'mr list --scope all --state opened --labels bug',
      'mr list -P platform/app --wip no --fields iid,title,merge_status',
    ],
    get: [
      "mr get 'platform/app!1'",
      'mr get 1 --include-rebase-in-progress -P platform/app -o json',
    ],
    rebase: [
      'mr rebase 1 --project platform/app --wait',
      "mr rebase 'platform/app!1' 'platform/app!2' --skip-ci",
    ],
    'cancel-auto-merge': [
      "mr cancel-auto-merge 'platform/app!7'",
      'mr cancel-auto-merge 7 -P platform/app -o json',
    ],
    'closes-issues': [
      "mr closes-issues 'platform/app!1'",
      'mr closes-issues 1 -P platform/app --fields iid,title,state',
    ],
    subscribe: ["mr subscribe 'platform/app!1'", 'mr subscribe 2 4 -P platform/app'],
    unsubscribe: ["mr unsubscribe 'platform/app!1'", 'mr unsubscribe 2 4 -P platform/app'],
  },
  approvals: {
    get: ['approvals get -P platform/app', 'approvals get -P platform/app -o json'],
    update: [
      'approvals update --reset-approvals-on-push -P platform/app',
      'approvals update --no-merge-requests-author-approval -P platform/app',
    ],
    'rules list': [
      'approvals rules list -P platform/app',
      'approvals rules list -P platform/app --fields id,name,users.0.username -o json',
    ],
    'rules create': [
      'approvals rules create --name QA --approvals-required 1 --user-ids dov,3 --project platform/app',
      'approvals rules create --name Docs --approvals-required 0 --group-ids 1 --project platform/app',
    ],
    'rules get': [
      'approvals rules get 2 -P platform/app',
      'approvals rules get 1 2 -P platform/app -o json',
    ],
    'rules update': [
      'approvals rules update 2 --approvals-required 2 --keep --project platform/app',
      'approvals rules update 2 --user-ids gus --keep --project platform/app',
    ],
    'rules delete': [
      'approvals rules delete 2 -P platform/app --yes',
      'approvals rules delete 1 -P platform/app --yes -q',
    ],
    'mr get': ["approvals mr get 'platform/app!1'", 'approvals mr get 1 4 -P platform/app -o json'],
    'mr update': [
      "approvals mr update 'platform/app!1' --approvals-required 2",
      'approvals mr update 1 4 --approvals-required 1 -P platform/app',
    ],
    'mr state': [
      "approvals mr state 'platform/app!1'",
      'approvals mr state 1 -P platform/app -o json',
    ],
  },
  members: {
    list: [
      'members list -P platform/app --inherited',
      'members list -G platform --query ben -o json',
    ],
    get: [
      'members get 8 --project platform/app',
      'members get ben 3 --group platform --inherited --fields id,username,access_level',
    ],
    add: [
      'members add 6 --access-level developer --project platform/app',
      'members add 5 8 --access-level reporter --expires-at 2027-06-30 --group web',
    ],
    update: [
      'members update 8 --access-level reporter --project platform/app',
      'members update dov eva --expires-at 2027-06-30 --group platform',
    ],
    remove: [
      'members remove 8 --project platform/app --yes',
      'members remove dov eva --group platform --yes',
    ],
    'billable list': [
      'members billable list -G platform',
      'members billable list -G platform --sort last_activity_on_desc --limit 3',
    ],
    'billable memberships': [
      'members billable memberships 4 --group platform',
      'members billable memberships ben --group platform -o json',
    ],
    'billable remove': [
      'members billable remove 6 --group platform --yes',
      'members billable remove dov chi --group platform --yes',
    ],
    where: ['members where ben', 'members where 8 --direct -o csv'],
    'remove-everywhere': [
      'members remove-everywhere gus --dry-run',
      'members remove-everywhere gus --yes -o markdown',
    ],
  },
  events: {
    list: [
      'events list --project platform/app --action pushed',
      'events list --user ana --after 2026-01-01 --target-type issue',
    ],
  },
  projects: {
    list: [
      'projects list --membership --order-by name --sort asc',
      'projects list --visibility public --simple -o ndjson',
      'projects list --user ana',
    ],
    get: [
      'projects get platform/app',
      'projects get 1 6 --fields id,path_with_namespace,visibility',
    ],
  },
  integrations: {
    list: [
      'integrations list --project platform/app',
      'integrations list --project platform/app --fields slug,push_events,tag_push_events',
    ],
    get: [
      'integrations get emails-on-push --project platform/app',
      'integrations get emails-on-push --legacy-path --project platform/app -o json',
    ],
    update: [
      "integrations update emails-on-push --recipients 'team@example.test ops@example.test' --project platform/app",
      'integrations update custom-issue-tracker --project-url https://t.example.test --issues-url https://t.example.test/:id --new-issue-url https://t.example.test/new --project platform/app',
    ],
    delete: [
      'integrations delete emails-on-push -P platform/app --yes',
      'integrations delete emails-on-push --legacy-path -P platform/app --yes',
    ],
  },
  alerts: {
    send: [
      "alerts send --endpoint /platform/app/alerts/notify/monitoring/3a1f0c5d9b7e2468.json --authorization-key sandbox-alert-key --title 'Disk full' --severity high --hosts db1",
      "alerts send --endpoint /platform/app/alerts/notify/monitoring/3a1f0c5d9b7e2468.json --authorization-key sandbox-alert-key --title 'Disk full' --resolve",
    ],
  },
  settings: {
    get: ['settings get', 'settings get default_project_visibility signup_enabled'],
    update: [
      'settings update --default-project-visibility internal',
      'settings update --domain-allowlist example.com,example.org',
    ],
  },
  'deploy-keys': {
    list: [
      'deploy-keys list --instance',
      'deploy-keys list -P platform/app --fields id,title,can_push',
    ],
    get: ['deploy-keys get 1 -P platform/app', 'deploy-keys get 1 -P platform/app -o json'],
    add: [
      'deploy-keys add --title ci --key @ci.pub --project platform/app',
      'deploy-keys add --title robot --key @robot.pub --can-push --project web/site',
    ],
    update: [
      "deploy-keys update 1 --title 'deploy, read only' --no-can-push -P platform/app",
      'deploy-keys update 1 --can-push -P platform/app',
    ],
    delete: [
      'deploy-keys delete 1 -P platform/app --yes',
      'deploy-keys list -P platform/app -o json | jq \'.[] | select(.title == "deploy") | .id\' | svcctl deploy-keys delete - -P platform/app --yes',
    ],
    enable: [
      'deploy-keys enable 2 -P platform/app',
      'deploy-keys enable 1 2 -P platform/app -o json',
    ],
  },
  'pages-domains': {
    list: ['pages-domains list --project web/site', 'pages-domains list --instance'],
    get: [
      'pages-domains get www.example.test -P web/site',
      'pages-domains get site.example.test auto.example.test -P web/site -o json',
    ],
    add: [
      'pages-domains add new.example.test --project web/site',
      'pages-domains add secure.example.test --auto-ssl-enabled --project web/site',
    ],
    update: [
      'pages-domains update www.example.test --auto-ssl-enabled --project web/site',
      'pages-domains update site.example.test --no-certificate --project web/site --yes',
    ],
    delete: [
      'pages-domains delete auto.example.test -P web/site --yes',
      'pages-domains delete www.example.test site.example.test -P web/site --yes',
    ],
  },
  vulnerabilities: {
    list: [
      'vulnerabilities list --project platform/app',
      'vulnerabilities list --project platform/app -o json --fields id,severity,title',
    ],
    create: [
      'vulnerabilities create --finding-id 5 -P platform/app',
      'vulnerabilities create --finding-id 6 -P platform/app -o json',
    ],
    get: ['vulnerabilities get 1', 'vulnerabilities get 1 2 --fields id,severity,state,title'],
    confirm: ['vulnerabilities confirm 1', 'vulnerabilities confirm 3 4 --quiet'],
    resolve: ['vulnerabilities resolve 2', 'vulnerabilities resolve 1 4 -o json'],
    dismiss: ['vulnerabilities dismiss 1', 'vulnerabilities dismiss 2 3 -o json'],
    revert: ['vulnerabilities revert 1', 'vulnerabilities revert 2 3'],
  },
  dependencies: {
    list: [
      'dependencies list --project platform/app --package-manager npm,yarn',
      'dependencies list --project platform/app -o cyclonedx',
    ],
  },
  geo: {
    'nodes create': [
      'geo nodes create --name east --url https://east.example.test/',
      'geo nodes create --name west --url https://west.example.test/ --no-enabled',
    ],
    'nodes list': ['geo nodes list', 'geo nodes list -o json --fields id,name,enabled'],
    'nodes get': ['geo nodes get 2', 'geo nodes get 1 2 -o yaml'],
    'nodes update': [
      'geo nodes update 2 --repos-max-capacity 30',
      'geo nodes update 2 --no-enabled',
    ],
    'nodes delete': ['geo nodes delete 2 --yes', 'geo nodes delete 2 --yes --curl'],
    'nodes repair': ['geo nodes repair 2', 'geo nodes repair 2 -o json'],
    status: ['geo status', "geo status -o json | jq '.[] | select(.healthy | not)'"],
  },
  'error-tracking': {
    get: ['error-tracking get -P platform/app', 'error-tracking get -P platform/app -o json'],
    update: [
      'error-tracking update --no-active -P platform/app',
      'error-tracking update --active --integrated -P platform/app',
    ],
    'keys list': [
      'error-tracking keys list -P platform/app',
      'error-tracking keys list -P platform/app --show-secrets -o json',
    ],
    'keys create': [
      'error-tracking keys create --project platform/app',
      'error-tracking keys create --project platform/app -o json --fields errsvc_dsn',
    ],
    'keys delete': [
      'error-tracking keys delete 1 -P platform/app --yes',
      'error-tracking keys delete 1 2 -P platform/app --yes',
    ],
  },
  'storage-move': {
    schedule: [
      'storage-move schedule projects --source-storage-name default --destination-storage-name second --yes',
      'storage-move schedule snippets --source-storage-name default --destination-storage-name second --yes',
    ],
  },
}
