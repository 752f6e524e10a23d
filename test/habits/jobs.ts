/**
 * Thirty jobs of an administrator, as somebody who knows other tools and has not read our documentation types them: line by line, each
 * after reading the output of the one before. `{ID}` and the like stand for values of an earlier output.
 */

/** A job, and the lines that are typed for it in order. The last line of each job has to work. */
export interface Job {
  readonly job: string
  readonly lines: readonly string[]
}

/** Lines that exit with another code although they worked, with that code: their check found something. */
export const exitCodes: Readonly<Record<string, number>> = {
  'svcctl check geo': 1,
  'svcctl check certificates': 1,
  'svcctl check policy policy.yml --report junit=policy.xml': 1,
}

export const jobs: readonly Job[] = [
  {
    job: 'sign in to a second instance, and switch',
    lines: [
      'svcctl login',
      'svcctl auth login --hostname {URL}',
      'svcctl auth login staging --base-url {URL} --token-stdin',
      'svcctl auth switch prod',
      'svcctl auth status -p staging',
    ],
  },
  { job: 'who am I, and what can my token do', lines: ['svcctl whoami', 'svcctl auth status'] },
  {
    job: 'which runners are offline since when',
    lines: [
      'svcctl get runners',
      'svcctl runners list',
      'svcctl runners list --offline',
      'svcctl runners list --status offline',
      'svcctl runners list --instance --status offline',
      'svcctl runners list --instance --status offline --fields id,description,contacted_at',
    ],
  },
  {
    job: 'pause all offline runners: see first, do, undo',
    lines: [
      'svcctl runners pause --instance --status offline --dry-run',
      'svcctl runners pause --instance --select status=offline --dry-run',
      'svcctl runners pause --instance --select status=offline --yes',
      'svcctl undo',
      'svcctl journal undo',
      'svcctl journal undo last --yes',
    ],
  },
  {
    job: 'why is a job stuck',
    lines: [
      'svcctl jobs list -P platform/app --scope pending',
      'svcctl jobs view 15 -P platform/app',
      'svcctl jobs why 15 -P platform/app',
    ],
  },
  {
    job: 'retry the failed jobs of the last pipeline of a project',
    lines: [
      'svcctl jobs list -P platform/app --status failed',
      'svcctl jobs list -P platform/app --where status=failed',
      'svcctl jobs retry 3 -P platform/app',
      'svcctl jobs list -P platform/app --scope failed -o id',
    ],
  },
  {
    job: 'follow the log of a job',
    lines: [
      'svcctl jobs logs 15 -P platform/app',
      'svcctl jobs trace 15 -P platform/app',
      'svcctl jobs get 15 -P platform/app',
    ],
  },
  {
    job: 'the artifact of the latest successful build on main, and one file of it',
    lines: [
      'svcctl artifacts download --ref main --job build -P platform/app --to build.zip',
      'svcctl artifacts file {PATH} --ref main --job build -P platform/app --to one.txt',
    ],
  },
  {
    job: 'delete artifacts older than 30 days in a group',
    lines: [
      "svcctl artifacts delete -G platform --select 'created_at>30d' --dry-run",
      "svcctl artifacts delete -G platform --select 'created_at>30d' --yes",
    ],
  },
  {
    job: 'lint one file, ten in CI with JUnit, an error with its place',
    lines: [
      'svcctl lint .gitlab-ci.yml',
      'svcctl ci lint .gitlab-ci.yml',
      'svcctl ci lint --report junit=lint.xml -- .gitlab-ci.yml ci/a.yml',
    ],
  },
  {
    job: 'rebase and wait, and merge',
    lines: [
      'svcctl mr rebase 4 -P platform/app --wait',
      'svcctl mr merge 4 -P platform/app',
      'svcctl mr get 4 -P platform/app --fields iid,state,merge_status',
    ],
  },
  {
    job: 'approval rules of all projects of a group to 2, without losing approvers',
    lines: [
      'svcctl approvals rules list -G platform',
      'svcctl approvals rules update -G platform --select rule_type=regular --approvals-required 2 --dry-run',
      'svcctl approvals rules update -G platform --select rule_type=regular --approvals-required 2 --yes',
    ],
  },
  {
    job: 'a developer in three projects with an end date, and people from a CSV',
    lines: [
      'svcctl members add fay -P platform/app,platform/tools/cli,web/docs --access-level developer --expires-at 2027-01-31 --yes',
      'svcctl members add @people.csv -G platform --access-level developer --yes',
      'svcctl members add - -G platform --access-level developer --yes < people.csv',
    ],
  },
  {
    job: 'a person leaves, with a report',
    lines: [
      'svcctl members remove eva --everywhere --dry-run',
      'svcctl members remove-everywhere eva --dry-run',
      'svcctl members remove-everywhere eva --yes -o csv --to left.csv',
    ],
  },
  {
    job: 'who has access to a project, and why',
    lines: [
      'svcctl members list platform/app',
      'svcctl members list -P platform/app',
      'svcctl access platform/app',
    ],
  },
  {
    job: 'memberships that ended or end soon, in groups and projects',
    lines: [
      "svcctl members list --all-groups --where 'expires_at<+30d'",
      "svcctl members list --all-projects --where 'expires_at<+30d'",
    ],
  },
  {
    job: 'one setting: old value, change, undo',
    lines: [
      'svcctl settings get default_project_visibility',
      'svcctl settings set default_project_visibility internal',
      'svcctl settings update --default-project-visibility internal',
      'svcctl journal undo last --yes',
    ],
  },
  {
    job: 'compare the settings of two instances',
    lines: [
      'svcctl settings diff prod staging',
      'svcctl settings get -p prod,staging',
      'svcctl settings get -p prod,staging -o csv',
    ],
  },
  {
    job: 'a group as files: change, plan, apply, drift every night',
    lines: [
      'svcctl plan',
      'svcctl export -G platform --to svcctl/',
      'svcctl plan svcctl/',
      'svcctl apply -f svcctl/ --yes',
      'svcctl apply svcctl/ --yes',
      'svcctl drift svcctl/ --report junit=drift.xml',
    ],
  },
  {
    job: 'move all projects of one storage, and watch it',
    lines: [
      'svcctl storage-move schedule projects --source default --destination second --dry-run',
      'svcctl storage-move schedule projects --source-storage-name default --destination-storage-name second --yes',
      'svcctl projects list --repository-storage default --count',
    ],
  },
  {
    job: 'replication, with an exit code for monitoring',
    lines: ['svcctl geo status', 'svcctl check geo'],
  },
  { job: 'certificates that end', lines: ['svcctl check certificates'] },
  {
    job: 'deploy keys used in many projects, and one removed everywhere',
    lines: [
      'svcctl deploy-keys list --all-projects --group-by title --count',
      'svcctl deploy-keys delete --all-projects --select title=deploy --dry-run',
      'svcctl deploy-keys delete --all-projects --select title=deploy --yes',
    ],
  },
  {
    job: 'critical vulnerabilities of a group as CSV, and counts by severity as a page',
    lines: [
      'svcctl vulnerabilities list -G platform --severity critical -o csv',
      'svcctl vulnerabilities list -G platform --where severity=critical -o csv',
      'svcctl vulnerabilities list -G platform --group-by severity --count -o html --to page.html',
    ],
  },
  { job: 'dependencies of a project', lines: ['svcctl dependencies list -P platform/app'] },
  {
    job: 'issues of a milestone',
    lines: [
      'svcctl issues list -P platform/app --milestone v1.0',
      'svcctl issues list --where project_id=1 --milestone v1.0',
      'svcctl issues list --scope all --milestone v1.0',
    ],
  },
  {
    job: 'commits of last week by author, and one of them picked',
    lines: [
      'svcctl commits list -P platform/app --author ana',
      'svcctl commits list -P platform/app --since 7d',
      "svcctl commits list -P platform/app --where 'author_name~Ana'",
      'svcctl commits cherry-pick {SHA} --branch {BRANCH} -P platform/app --dry-run',
    ],
  },
  {
    job: 'a raw request with paging, for jq',
    lines: ['svcctl api projects --paginate -o ndjson'],
  },
  {
    job: 'a chat webhook for all projects of a group',
    lines: [
      'svcctl integrations update slack -G platform --webhook https://chat.example/hook --dry-run',
      'svcctl integrations update slack -G platform --webhook https://chat.example/hook --yes',
    ],
  },
  {
    job: 'a snapshot, what changed since, and a policy in CI',
    lines: [
      'svcctl snapshot',
      'svcctl snapshot --to before',
      'svcctl members list --all-projects --since before',
      'svcctl check policy policy.yml --report junit=policy.xml',
    ],
  },
]
