/** Declares recipes: command lines for an administrator's common tasks, for the guide, `svcctl help recipes` and agents. */
/** The command lines for one task. */
export interface Recipe {
  /** The task, as one would describe it to a colleague. */
  readonly job: string
  /** The description of the recipe. */
  readonly about: string
  /** The shell command lines in order. Each can be run alone. */
  readonly lines: readonly string[]
}

/** The recipes by name, in the order of the page. */
export const recipes = {
  runners: {
    job: 'Pause the offline runners, and undo it',
    about:
      'To preview the run, add --dry-run to the first line. The second line lists the paused runners that were silent for more than 30 days. Runners that were paused before stay paused after the undo.',
    lines: [
      'svcctl runners pause --instance --select status=offline --yes',
      "svcctl runners list --instance --where 'active=false,contacted_at>30d' --fields id,description,status",
      'svcctl journal undo last --yes',
    ],
  },
  versions: {
    job: 'List the runners older than a version',
    about: 'Versions are compared part by part. The oldest comes first.',
    lines: [
      "svcctl runners list --instance --where 'version<14.7' --sort version --fields id,description,version --limit all",
    ],
  },
  jobs: {
    job: 'Find stuck jobs and the reason',
    about:
      'The first line lists the jobs that have waited for more than an hour. The second line shows which runners match a job and what blocks it.',
    lines: [
      "svcctl jobs list --all-projects --scope pending --where 'created_at>1h' --limit all",
      'svcctl jobs why 15 -P platform/app',
    ],
  },
  'slowest-jobs': {
    job: 'List the slowest jobs of a week',
    about: "For the last seven days, use --where 'created_at<7d'.",
    lines: [
      "svcctl jobs list --all-projects --where 'created_at>=2026-10-05,created_at<2026-10-12,duration>0' --sort=-duration --limit 10 --fields id,name,ref,duration",
    ],
  },
  'resource-group': {
    job: 'Find the job that holds a resource group',
    about:
      'The first line names the resource group and the job that holds it. The second line lets the newest waiting job go first.',
    lines: [
      'svcctl jobs why 29 -P platform/app',
      'svcctl resource-groups update production -P platform/app --process-mode newest_first --yes',
    ],
  },
  runaway: {
    job: 'Stop the jobs of a runaway project',
    about:
      'The documented API does not cancel jobs. The first line prints the requests that many instances accept; remove --curl to send them. The second line pauses the runners of the project, so that no further job starts. These include shared runners, which then serve no project.',
    lines: [
      "svcctl jobs list -P platform/app --scope running,pending --limit all -o id | xargs -I{} svcctl api POST '/projects/platform%2Fapp/jobs/{}/cancel' --curl",
      'svcctl runners pause -P platform/app --select status=online --yes',
      'svcctl journal undo last --yes',
    ],
  },
  freeze: {
    job: 'Freeze and thaw an instance',
    about:
      'The documented settings have no maintenance mode. The first two lines stop all runners and new projects, and the last two restore what was there before.',
    lines: [
      'svcctl runners pause --instance --select active=true --journal runners.ndjson --yes',
      'svcctl settings update --default-project-creation no-one --journal settings.ndjson --yes',
      'svcctl journal undo settings.ndjson --yes',
      'svcctl journal undo runners.ndjson --yes',
    ],
  },
  leaver: {
    job: 'Remove a user who leaves',
    about:
      'The lines list the memberships, preview the removal, and remove them with a report for the ticket. The last owner of a group is not removed, and the exit code is then 8. "svcctl journal undo last" adds the user again.',
    lines: [
      'svcctl members where eva',
      'svcctl members remove-everywhere eva --dry-run',
      'svcctl members remove-everywhere eva --yes -o markdown > leaver.md',
    ],
  },
  onboarding: {
    job: 'Add thirty people from a CSV file',
    about:
      'The file has the columns id, access_level and expires_at. The first line is a preview. The documented API does not create users, so they must exist.',
    lines: [
      'svcctl members add - -G web --row-fields access_level,expires_at --dry-run < people.csv',
      'svcctl members add - -G web --row-fields access_level,expires_at --yes < people.csv',
    ],
  },
  owners: {
    job: 'List every owner of a group',
    about: 'The first column is the group. For the owners of projects, use --all-projects.',
    lines: [
      'svcctl members list --all-groups --where access_level=owner --limit all -o csv > owners.csv',
    ],
  },
  members: {
    job: 'Export all members of a group tree as CSV',
    about:
      'The file contains the members of the group, its subgroups and all their projects, with access levels. The first column is the group or the project.',
    lines: ['svcctl members list --group platform --recursive --limit all -o csv > members.csv'],
  },
  ci: {
    job: 'Check all CI files of a repository',
    about:
      'The exit code is 0 if all files are valid, and 1 if one is not. If the instance checks CI files only within a project, add --project.',
    lines: ['svcctl ci lint --strict --report junit=lint.xml -- .gitlab-ci.yml ci/*.yml'],
  },
  rebase: {
    job: 'Rebase ten merge requests',
    about:
      'The line rebases merge requests without conflicts in parallel and waits for them. To retry the failed ones, add --resume last.',
    lines: [
      "svcctl mr rebase -P platform/app --select 'state=opened,has_conflicts=false' --limit 10 --wait --yes",
    ],
  },
  stale: {
    job: 'List stale merge requests',
    about: 'The line lists open merge requests without activity for two weeks, oldest first.',
    lines: [
      "svcctl mr list --scope all --where 'state=opened,updated_at>14d' --sort updated_at,id --limit all --fields references.full,title,updated_at -o markdown",
    ],
  },
  storage: {
    job: 'Move everything off a storage',
    about:
      'Each repository is read-only while it moves. --wait follows the moves until no project is left.',
    lines: [
      'svcctl storage-move schedule projects --source-storage-name default --destination-storage-name second --wait --yes',
      'svcctl storage-move schedule snippets --source-storage-name default --destination-storage-name second --yes',
      'svcctl storage-move schedule groups --source-storage-name default --destination-storage-name second --yes',
    ],
  },
  'user-storage': {
    job: 'Move the projects of a user to another storage',
    about:
      'The documented API moves whole storages only. The first line prints the requests that newer instances accept; remove --curl to send them. The second line waits until all projects of the user have moved.',
    lines: [
      "svcctl projects list --user ben --limit all --fields id -o value | xargs -I{} svcctl api POST '/projects/{}/repository_storage_moves' --param destination_storage_name=second --curl",
      'svcctl projects list --user ben --limit all --wait-until repository_storage=second --wait-timeout 3600 --fields id,path_with_namespace,repository_storage',
    ],
  },
  settings: {
    job: 'Change settings from a file, and restore them',
    about:
      'Apply changes only the settings in the file. The last line restores the previous values.',
    lines: [
      'svcctl export settings > before.yml',
      'svcctl plan settings.yml',
      'svcctl apply settings.yml --yes',
      'svcctl apply before.yml --yes',
    ],
  },
  compare: {
    job: 'Compare the settings of two instances',
    about: 'The plan shows each setting in which prod differs from staging. It changes nothing.',
    lines: ['svcctl export settings -p staging > staging.yml', 'svcctl plan staging.yml -p prod'],
  },
  artifacts: {
    job: 'Download the latest artifacts of a branch',
    about:
      'The artifacts are those of the latest successful pipeline. svcctl writes files only after it has read the whole archive.',
    lines: ['svcctl artifacts download -P platform/app --ref main --job build --extract --to out'],
  },
  'large-artifacts': {
    job: 'Delete artifacts larger than 100 MB',
    about:
      'The documented API cannot change when artifacts expire, so the last line deletes them. The size is in bytes.',
    lines: [
      "svcctl jobs list --all-projects --where 'artifacts_file.size>100000000' --limit all -o ndjson > large.ndjson",
      'svcctl artifacts delete - --dry-run < large.ndjson',
      'svcctl artifacts delete - --yes < large.ndjson',
    ],
  },
  'deploy-keys': {
    job: 'Rotate a deploy key in all projects',
    about:
      'The list of keys is piped twice: as projects to "--project -", and as objects to "-". Delete the old keys when the new key is in use.',
    lines: [
      'svcctl deploy-keys list --group platform --where title=deploy --limit all -o ndjson > old.ndjson',
      'svcctl deploy-keys add --title deploy-2026 --key @ci.pub --project - --yes < old.ndjson',
      'svcctl deploy-keys delete - --yes < old.ndjson',
    ],
  },
  'push-keys': {
    job: 'List the deploy keys that can push',
    about: 'The first column is the project.',
    lines: [
      'svcctl deploy-keys list --all-projects --where can_push=true --limit all --fields id,title,created_at',
    ],
  },
  approvals: {
    job: 'Require two approvals in all projects of a group',
    about: 'The lines include subgroups. The first line is a preview.',
    lines: [
      "svcctl approvals rules create --name 'Two reviewers' --approvals-required 2 --group platform --dry-run",
      "svcctl approvals rules create --name 'Two reviewers' --approvals-required 2 --group platform --yes",
    ],
  },
  'no-approvals': {
    job: 'List the projects without approval rules',
    about: 'The last line prints the projects that are in the first list and not in the second.',
    lines: [
      'svcctl projects list --no-archived --limit all --fields path_with_namespace -o value | sort > all.txt',
      'svcctl approvals rules list --all-projects --limit all --fields id -o csv | cut -d, -f1 | sort -u > ruled.txt',
      'comm -23 all.txt ruled.txt',
    ],
  },
  integrations: {
    job: 'Disable an integration, and enable it again',
    about:
      'The API does not tell which integrations fail, so choose from the list. It has no switch either: delete disables an integration, and update enables it with its parameters. The file keeps the parameters that are not secret.',
    lines: [
      'svcctl integrations list --all-projects --where active=true --limit all',
      'svcctl integrations get emails-on-push -P platform/app -o yaml > before.yml',
      'svcctl integrations delete emails-on-push -P platform/app --yes',
      'svcctl integrations update emails-on-push -P platform/app --recipients team@example.test --yes',
    ],
  },
  certificates: {
    job: 'List certificates that expire within 30 days',
    about: 'Expired certificates are included.',
    lines: [
      "svcctl pages-domains list --instance --where 'certificate.expiration<+30d' --limit all",
    ],
  },
  replication: {
    job: 'Monitor replication',
    about:
      'The line prints one line for Nagios. It exits with 0 only if all sites are healthy and within the thresholds. For Prometheus, use -o prometheus.',
    lines: ['svcctl check geo --warn 1m,99% --crit 10m,90% -o nagios'],
  },
  vulnerabilities: {
    job: 'Export the critical vulnerabilities of a group as CSV',
    about:
      'The first column is the project. Projects without the feature are reported on standard error.',
    lines: [
      'svcctl vulnerabilities list --group platform --where severity=critical,state=detected --limit all --tolerate forbidden,not_found -o csv > critical.csv',
    ],
  },
  'error-tracking': {
    job: 'Create a DSN for error tracking',
    about: 'The DSN contains a key. Only the command that creates it shows the whole key.',
    lines: ['svcctl error-tracking keys create -P platform/app --fields errsvc_dsn -o value'],
  },
  time: {
    job: 'Track time on issues',
    about: 'Quote the reference, because shells give # and ! a meaning of their own.',
    lines: [
      "svcctl issues estimate 'platform/app#1' 3d",
      "svcctl issues spend 'platform/app#1' 1h30m",
      'svcctl issues list --scope all --where project_id=1 --fields iid,title,time_stats.time_estimate,time_stats.total_time_spent',
    ],
  },
  'access-review': {
    job: 'Review who can do what in a group and its projects',
    about:
      'The file has a row for each member and a column for each place. The page shows where each access level comes from.',
    lines: [
      'svcctl access group:platform platform/app platform/tools/cli --matrix -o csv --to access.csv',
      'svcctl access group:platform platform/app platform/tools/cli -o html --to access.html',
    ],
  },
  seats: {
    job: 'Count seats, and list who was inactive for 90 days',
    about: 'The instance keeps the day of the last activity, and none for who was never active.',
    lines: [
      'svcctl members billable list -G platform --count',
      "svcctl members billable list -G platform --where 'last_activity_on>90d' --where last_activity_on=null --fields username,last_activity_on --limit all",
    ],
  },
  queue: {
    job: 'Compare the waiting time of jobs by runner',
    about:
      'Times are in seconds in files, and in readable units on the terminal. Jobs without a runner still wait.',
    lines: [
      'svcctl jobs list --all-projects --group-by runner.description --count --p95 queued_duration --sort=-p95',
      'svcctl jobs list --all-projects --group-by name --count --p95 duration --sort=-p95 --limit 10',
    ],
  },
  'artifact-size': {
    job: 'Add up the artifacts of each project',
    about: 'The sizes are those of the archives.',
    lines: [
      'svcctl jobs list --all-projects --group-by project --sum artifacts_file.size --sort=-sum',
    ],
  },
  changes: {
    job: 'See what changed since last week',
    about: 'Take the snapshot in a weekly job, and keep it in git or as an artifact.',
    lines: [
      'svcctl snapshot --to last-week',
      'svcctl members list --all-projects --since last-week -o markdown',
      'svcctl projects list --since last-week -o markdown',
    ],
  },
  evidence: {
    job: 'Collect evidence for an auditor',
    about:
      'The snapshot says what was read, when and by whom, with a checksum of each list. The report says for each rule of the policy what breaks it. With findings, the exit code of the second line is 1.',
    lines: [
      'svcctl snapshot --to evidence',
      'svcctl check policy policy.yml --from evidence --report junit=evidence/policy.xml -o markdown --to evidence/policy.md',
    ],
  },
} as const satisfies Readonly<Record<string, Recipe>>
