/** Reads the CI configuration of a project at a commit, and creates the context in which a pipeline is planned. */
import type { Call } from '../call.js'
import type { Files, PushContext } from '../ci-lint/index.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import { isVisibleTo } from './access.js'

const read = async (
  call: Call,
  project: ProjectRecord,
  path: string,
  revision: string,
): Promise<string | undefined> => {
  const repository = await call.git.open(project)
  const args = ['cat-file', 'blob', `${revision}:${path}`]
  const bytes = await repository.read(args, { about: [revision] })
  return bytes?.toString('utf8')
}

/** Returns the paths that a git command prints. Each ends with a NUL. */
const listPaths = async (
  call: Call,
  project: ProjectRecord,
  args: readonly string[],
): Promise<readonly string[]> => {
  const repository = await call.git.open(project)
  const paths = (await repository.read(args))?.toString('utf8').split('\0') ?? []
  return paths.filter((path) => path !== '')
}

const buildListing = (revision: string): readonly string[] => [
  ...['ls-tree', '-r', '-z', '--name-only'],
  revision,
]

/** Compiles a glob to a predicate for paths, in linear time. `ci/*.yml` matches files in one folder, and `ci/**.yml` at any depth. */
const compileGlob = async (glob: string): Promise<(path: string) => boolean> => {
  const { RE2JS } = await import('re2js')
  const body = glob
    .split('**')
    .map((part) => part.split('*').map(RE2JS.quote).join('[^/]*'))
    .join('.*')
  const pattern = RE2JS.compile(`^${body}$`, RE2JS.DOTALL)
  return (path) => pattern.matcher(path).find()
}

/** True if the acting user may read the code of a project. */
const canReadCode = (call: Call, project: ProjectRecord): boolean =>
  call.canSeeProject(project) &&
  (isVisibleTo(project.visibility, call.user) || call.getProjectLevel(project) >= 20)

/** Returns the reader for files that a configuration at a commit may include. */
export const readFilesAt = (call: Call, project: ProjectRecord, revision: string): Files => ({
  project: project.path_with_namespace,
  local: (path) => read(call, project, path, revision),
  matching: async (glob) =>
    (await listPaths(call, project, buildListing(revision))).filter(await compileGlob(glob)),
  other: async (name, ref) => {
    const other = call.findProject(name)
    if (other === undefined || !canReadCode(call, other)) return 'project'
    const at = ref ?? `refs/heads/${other.default_branch}`
    const repository = await call.git.open(other)
    const commit = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${at}^{commit}`]
    const found = await repository.line(commit)
    return found === undefined ? 'reference' : readFilesAt(call, other, found)
  },
})

/** A branch and its head, with the head before the push (undefined for a new branch). */
export interface BranchCommit {
  readonly branch: string
  readonly revision: string
  readonly before?: string | undefined
  /** The source of the pipeline; a push if absent. */
  readonly source?: 'push' | 'api'
  /** The variables that only this pipeline has. */
  readonly variables?: Readonly<Record<string, string>>
}

/** Creates the context of a pipeline for a branch, with the variables of the project. */
export const createPushContext = (
  call: Call,
  project: ProjectRecord,
  { branch, revision, before, source = 'push', variables }: BranchCommit,
): PushContext => ({
  branch,
  variables: {
    CI: 'true',
    CI_COMMIT_BRANCH: branch,
    CI_COMMIT_REF_NAME: branch,
    CI_DEFAULT_BRANCH: project.default_branch,
    CI_PIPELINE_SOURCE: source,
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_PATH: project.path_with_namespace,
    CI_SERVER_URL: call.base,
    ...project.variables,
    ...variables,
  },
  changed: async () =>
    before === undefined
      ? undefined
      : listPaths(call, project, ['diff-tree', '-r', '-z', '--name-only', before, revision]),
  files: () => listPaths(call, project, buildListing(revision)),
})

/** The accepted file names of a configuration. The documented name comes first. */
export const configurationNames = ['.gitlab-ci.yml', '.svc-ci.yml'] as const

/** Reads the text of the configuration at a commit. */
export const readConfigurationAt = async (
  call: Call,
  project: ProjectRecord,
  revision: string,
): Promise<string | undefined> => {
  for (const name of configurationNames) {
    const content = await read(call, project, name, revision)
    if (content !== undefined) return content
  }
  return undefined
}
