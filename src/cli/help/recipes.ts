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
  approvals: {
    job: 'Two approvals in every project of a group',
    about:
      'Every project of the group and of the groups below it. --dry-run shows what would be sent where.',
    lines: [
      "svcctl approvals rules create --name 'Two reviewers' --approvals-required 2 --group platform --dry-run",
      "svcctl approvals rules create --name 'Two reviewers' --approvals-required 2 --group platform --yes",
    ],
  },
  vulnerabilities: {
    job: 'The critical vulnerabilities of a group as one csv',
    about: 'One header, the project in the first column; a project without the feature is noted.',
    lines: [
      'svcctl vulnerabilities list --group platform --where severity=critical,state=detected --limit all --tolerate forbidden,not_found -o csv > critical.csv',
    ],
  },
  members: {
    job: 'Every member of a group tree, with access level, as one csv',
    about: 'The group, the groups below it, and their projects; the first column says which.',
    lines: ['svcctl members list --group platform --recursive --limit all -o csv > members.csv'],
  },
  'deploy-keys': {
    job: 'A deploy key rotated wherever it is used',
    about:
      'What a list of many projects prints goes into any command: as projects to -P -, as objects to -. The old key goes when the new one is in use.',
    lines: [
      'svcctl deploy-keys list --group platform --where title=deploy --limit all -o ndjson > old.ndjson',
      'svcctl deploy-keys add --title deploy-2026 --key @ci.pub --project - --yes < old.ndjson',
      'svcctl deploy-keys delete - --yes < old.ndjson',
    ],
  },
  jobs: {
    job: 'The stuck jobs of all projects',
    about: 'Waiting for a runner for more than an hour.',
    lines: ["svcctl jobs list --all-projects --scope pending --where 'created_at>1h' --limit all"],
  },
  runners: {
    job: 'Runners that are silent for thirty days paused, and resumed by undo',
    about:
      'One that never connected is not silent. What is paused already stays so after the undo.',
    lines: [
      "svcctl runners pause --instance --select 'contacted_at>30d' --dry-run",
      "svcctl runners pause --instance --select 'contacted_at>30d' --yes",
      'svcctl journal undo last --yes',
    ],
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
