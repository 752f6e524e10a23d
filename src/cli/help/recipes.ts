/** `svcctl help recipes`: an administrator's jobs that take more than one object, as lines to copy. */
import { commandLine, indent, wrap } from './layout.js'

export interface Recipe {
  /** The job, as it would be given to a colleague. */
  readonly job: string
  /** What is to be known of it. */
  readonly about: string
  /** Lines of a shell, in order; each may be run by itself. */
  readonly lines: readonly string[]
}

export const recipes = {
  runners: {
    job: 'Offline runners paused, and resumed',
    about:
      'The second line lists the paused runners that have been silent for more than thirty days; --dry-run on the first shows what it would do. What was paused before stays so after the undo.',
    lines: [
      'svcctl runners pause --instance --select status=offline --yes',
      "svcctl runners list --instance --where 'active=false,contacted_at>30d' --fields id,description,status",
      'svcctl journal undo last --yes',
    ],
  },
  jobs: {
    job: 'Which jobs are stuck, and why',
    about: 'Waiting for more than an hour; why says which runners fit and what holds them.',
    lines: [
      "svcctl jobs list --all-projects --scope pending --where 'created_at>1h' --limit all",
      'svcctl jobs why 15 -P platform/app',
    ],
  },
  leaver: {
    job: 'A user leaves',
    about:
      'Where they belong, what would go, and a report for the ticket. The last owner of a group stays, and exit 8 says so; journal undo last adds the user again.',
    lines: [
      'svcctl members where eva',
      'svcctl members remove-everywhere eva --dry-run',
      'svcctl members remove-everywhere eva --yes -o markdown > leaver.md',
    ],
  },
  ci: {
    job: 'Every CI file of a repository checked, in CI',
    about:
      'Exit 0 when all are valid, 1 when one is not. An instance that checks only within a project wants --project.',
    lines: ['svcctl ci lint --strict --report junit lint.xml -- .gitlab-ci.yml ci/*.yml'],
  },
  rebase: {
    job: 'Ten merge requests rebased',
    about:
      'Those without conflicts, side by side, and waited for. --resume last tries what failed again.',
    lines: [
      "svcctl mr rebase -P platform/app --select 'state=opened,has_conflicts=false' --limit 10 --wait --yes",
    ],
  },
  storage: {
    job: 'A storage emptied',
    about: 'Each repository is read-only while it moves; --wait follows until no project is left.',
    lines: [
      'svcctl storage-move schedule projects --source-storage-name default --destination-storage-name second --wait --yes',
      'svcctl storage-move schedule snippets --source-storage-name default --destination-storage-name second --yes',
      'svcctl storage-move schedule groups --source-storage-name default --destination-storage-name second --yes',
    ],
  },
  settings: {
    job: 'Settings changed from a file once the difference was seen, and put back',
    about:
      'Apply changes only settings that the file declares. The last line restores the previous values.',
    lines: [
      'svcctl export settings > before.yml',
      'svcctl plan settings.yml',
      'svcctl apply settings.yml --yes',
      'svcctl apply before.yml --yes',
    ],
  },
  artifacts: {
    job: 'The last green artifact of a branch',
    about:
      'Of the latest successful pipeline; nothing is written until the whole archive is there.',
    lines: ['svcctl artifacts download -P platform/app --ref main --job build --extract --to out'],
  },
  'deploy-keys': {
    job: 'Rotate a deploy key in all projects',
    about:
      'What a list of many projects prints goes into any command: as projects to -P -, as objects to -. The old key goes when the new one is in use.',
    lines: [
      'svcctl deploy-keys list --group platform --where title=deploy --limit all -o ndjson > old.ndjson',
      'svcctl deploy-keys add --title deploy-2026 --key @ci.pub --project - --yes < old.ndjson',
      'svcctl deploy-keys delete - --yes < old.ndjson',
    ],
  },
  approvals: {
    job: 'Two approvals in every project of a group',
    about:
      'Every project of the group and of the groups below it. --dry-run shows what would be sent where.',
    lines: [
      "svcctl approvals rules create --name 'Two reviewers' --approvals-required 2 --group platform --dry-run",
      "svcctl approvals rules create --name 'Two reviewers' --approvals-required 2 --group platform --yes",
    ],
  },
  certificates: {
    job: 'Certificates that end within thirty days',
    about: 'Those that have ended, too.',
    lines: [
      "svcctl pages-domains list --instance --where 'certificate.expiration<+30d' --limit all",
    ],
  },
  replication: {
    job: 'Replication watched by cron',
    about:
      'One line; exit 0 only when every site is well, near enough and complete enough. Use -o prometheus for a file collector.',
    lines: ['svcctl check geo --warn 1m,99% --crit 10m,90% -o nagios'],
  },
  vulnerabilities: {
    job: 'The critical vulnerabilities of a group as one csv',
    about: 'One header, the project in the first column; a project without the feature is noted.',
    lines: [
      'svcctl vulnerabilities list --group platform --where severity=critical,state=detected --limit all --tolerate forbidden,not_found -o csv > critical.csv',
    ],
  },
  'error-tracking': {
    job: 'An address that takes errors of a project',
    about: 'It holds a key: only the command that makes it shows it whole.',
    lines: ['svcctl error-tracking keys create -P platform/app --fields errsvc_dsn -o value'],
  },
  time: {
    job: 'Time tracked',
    about: 'In quotes, since a shell may read # or ! as its own.',
    lines: [
      "svcctl issues estimate 'platform/app#1' 3d",
      "svcctl issues spend 'platform/app#1' 1h30m",
      "svcctl issues time-stats 'platform/app#1'",
    ],
  },
  members: {
    job: 'Every member of a group tree, with access level, as one csv',
    about: 'The group, the groups below it, and their projects; the first column says which.',
    lines: ['svcctl members list --group platform --recursive --limit all -o csv > members.csv'],
  },
} as const satisfies Readonly<Record<string, Recipe>>

const pageOf = ({ job, about, lines }: Recipe, width: number): string =>
  [
    job,
    ...wrap(about, width - indent.length).map((line) => indent + line),
    ...lines.map((line) => commandLine(line, width)),
  ].join('\n')

/** All of them, for a page of this width. */
export const recipesPage = (width: number): string =>
  Object.values(recipes)
    .map((recipe) => pageOf(recipe, width))
    .join('\n\n')
