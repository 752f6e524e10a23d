/** The shapes of commands on which the law of pairs tries every flag, with one line for each. */

export interface Shape {
  readonly name: string
  readonly line: readonly string[]
  /** Standard input. */
  readonly input?: string
  /** Output of the command: records (of a list or by ID), a document of its own form, or files. */
  readonly answer: 'records' | 'document' | 'file'
  /** Set if the command writes. */
  readonly writes?: true
  /** Set if the command waits for the instance, in real time. */
  readonly waits?: true
  /** Files in the working folder, by name. */
  readonly files?: Readonly<Record<string, string>>
}

const desired =
  'version: 1\nprojects:\n  platform/app:\n    members:\n      gus: { access_level: maintainer }\n'

export const shapes: readonly Shape[] = [
  { name: 'list', line: ['runners', 'list', '--instance'], answer: 'records' },
  { name: 'list-of-parent', line: ['jobs', 'list', '-P', 'platform/app'], answer: 'records' },
  {
    name: 'list-of-parents',
    line: ['members', 'list', '-P', 'platform/app', '-P', 'web/docs'],
    answer: 'records',
  },
  { name: 'get', line: ['runners', 'get', '1'], answer: 'records' },
  { name: 'get-several', line: ['runners', 'get', '1', '2'], answer: 'records' },
  {
    name: 'create',
    line: [
      'deploy-keys',
      'add',
      '-P',
      'web/docs',
      '--title',
      'new',
      '--key',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICoS6+d5khSc162e66Mf1y02Paf7xqFPI+Qs29NEEi0O',
    ],
    answer: 'records',
    writes: true,
  },
  {
    name: 'update',
    line: ['runners', 'update', '1', '--description', 'new'],
    answer: 'records',
    writes: true,
  },
  {
    name: 'delete',
    line: ['deploy-keys', 'delete', '1', '-P', 'platform/app', '--yes'],
    answer: 'records',
    writes: true,
  },
  {
    name: 'action-with-wait',
    line: [
      ...['storage-move', 'schedule', 'projects', '--source-storage-name', 'default'],
      ...['--destination-storage-name', 'second', '--yes', '--wait'],
    ],
    answer: 'records',
    writes: true,
    waits: true,
  },
  {
    name: 'several',
    line: ['runners', 'pause', '1', '2', '--yes'],
    answer: 'records',
    writes: true,
  },
  {
    name: 'several-from-input',
    line: ['runners', 'pause', '-', '--yes'],
    input: '1\n2\n',
    answer: 'records',
    writes: true,
  },
  {
    name: 'several-by-select',
    line: ['runners', 'pause', '--instance', '--select', 'id<3', '--yes'],
    answer: 'records',
    writes: true,
  },
  { name: 'overview', line: ['overview'], answer: 'document' },
  { name: 'access', line: ['access', 'platform/app'], answer: 'document' },
  { name: 'check', line: ['check', 'runners'], answer: 'document' },
  {
    name: 'download',
    line: ['artifacts', 'download', '18', '-P', 'platform/app'],
    answer: 'file',
  },
  { name: 'api-get', line: ['api', 'GET', 'runners/1'], answer: 'records' },
  { name: 'api-list', line: ['api', 'GET', 'runners/all'], answer: 'records' },
  {
    name: 'api-put',
    line: ['api', 'PUT', 'runners/1', '--param', 'description=new'],
    answer: 'records',
    writes: true,
  },
  {
    name: 'plan',
    line: ['plan', 'svcctl.yml'],
    answer: 'document',
    files: { 'svcctl.yml': desired },
  },
  {
    name: 'apply',
    line: ['apply', 'svcctl.yml', '--yes'],
    answer: 'document',
    writes: true,
    files: { 'svcctl.yml': desired },
  },
  { name: 'export', line: ['export', '-P', 'platform/app'], answer: 'file' },
  { name: 'undo', line: ['journal', 'undo', 'last', '--yes'], answer: 'records', writes: true },
  {
    name: 'ci-lint',
    line: ['ci', 'lint', 'ci.yml'],
    answer: 'document',
    files: { 'ci.yml': 'build:\n  script: [make]\n' },
  },
  {
    name: 'snapshot',
    line: ['snapshot', 'runners list --instance', '--to', 'snap'],
    answer: 'file',
  },
]
