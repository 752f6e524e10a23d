/** CI configuration lint (`catalogue/reference/ci.md`). */
import type { ci } from '../../catalogue/areas/ci.js'
import type { Call } from '../call.js'
import {
  type Files,
  isVersion,
  type LintVerdict,
  lint,
  type Occasion,
  type Version,
} from '../ci-lint/index.js'
import type { Handlers } from '../handlers.js'
import { invalid, notFound, unauthorized } from '../reply.js'
import { levelOf, openTo } from '../rules/people/access.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

/** Whether signing up is open to anyone, so that anyone may lint. */
const openSignup = ({ settings }: Call['state']): boolean => {
  const filled = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''
  return (
    settings.signup_enabled === true &&
    settings.require_admin_approval_after_user_signup !== true &&
    settings.domain_denylist_enabled !== true &&
    settings.email_restrictions_enabled !== true &&
    !filled(settings.domain_allowlist)
  )
}

const read = async (
  call: Call,
  project: ProjectRecord,
  path: string,
  revision: string,
): Promise<string | undefined> => {
  const repository = await call.git.open(project)
  const bytes = await repository.read(['cat-file', 'blob', `${revision}:${path}`])
  return bytes?.toString('utf8')
}

/** Whether `ci/*.yml` (one folder deep) or `ci/**.yml` (any) means a path; in linear time. */
const matching = async (glob: string): Promise<(path: string) => boolean> => {
  const { RE2JS } = await import('re2js')
  const body = glob
    .split('**')
    .map((part) => part.split('*').map(RE2JS.quote).join('[^/]*'))
    .join('.*')
  const pattern = RE2JS.compile(`^${body}$`, RE2JS.DOTALL)
  return (path) => pattern.matcher(path).find()
}

/** Whether the acting user may read the code of a project. */
const readsCode = (call: Call, project: ProjectRecord): boolean =>
  call.sees(project) && (openTo(project.visibility, call.user) || call.projectLevel(project) >= 20)

const filesOf = (call: Call, project: ProjectRecord): Files => ({
  local: (path) => read(call, project, path, `refs/heads/${project.default_branch}`),
  matching: async (glob) => {
    const repository = await call.git.open(project)
    const args = ['ls-tree', '-r', '-z', '--name-only', `refs/heads/${project.default_branch}`]
    const paths = (await repository.read(args))?.toString('utf8').split('\0') ?? []
    return paths.filter(await matching(glob))
  },
  other: async (name, path, ref) => {
    const other = call.findProject(name)
    if (other === undefined || !readsCode(call, other)) return undefined
    return read(call, other, path, ref ?? `refs/heads/${other.default_branch}`)
  },
})

/** A pipeline for a push to the default branch, with the project's own variables. */
const occasionOf = (call: Call, project: ProjectRecord): Occasion => ({
  branch: project.default_branch,
  variables: {
    CI: 'true',
    CI_COMMIT_BRANCH: project.default_branch,
    CI_COMMIT_REF_NAME: project.default_branch,
    CI_DEFAULT_BRANCH: project.default_branch,
    CI_PIPELINE_SOURCE: 'push',
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_PATH: project.path_with_namespace,
    CI_SERVER_URL: call.base,
    ...project.variables,
  },
})

const result = async ({ errors, warnings, merged }: LintVerdict) => ({
  valid: errors.length === 0,
  merged_yaml: (await merged?.()) ?? '',
  errors: [...errors],
  warnings: [...warnings],
})

/** A simulated pipeline is one of the acting user, who has to be one that may make pipelines. */
const refusalOf = (call: Call, project: ProjectRecord): string | undefined =>
  call.projectLevel(project) >= levelOf('developer')
    ? undefined
    : 'Insufficient permissions to create a new pipeline'

/**
 * The version as of which it lints. `as_of` is a parameter of this instance alone, for rehearsals: the
 * version of an instance is what it is.
 */
const versionOf = ({ sent, instance }: Call): { readonly asOf?: Version } => {
  const { as_of: given = instance.asOf } = sent.params
  if (given === undefined || given === 'latest') return {}
  if (typeof given === 'string' && isVersion(given)) return { asOf: given }
  throw invalid('as_of does not have a valid value')
}

const inProject = async (
  call: Call,
  project: ProjectRecord,
  content: string,
  dryRun: boolean | undefined,
) => {
  const refusal = dryRun === true ? refusalOf(call, project) : undefined
  const verdict = await lint(content, {
    ...versionOf(call),
    files: filesOf(call, project),
    ...(dryRun === true && refusal === undefined ? { occasion: occasionOf(call, project) } : {}),
  })
  return result(refusal === undefined ? verdict : { ...verdict, errors: [refusal] })
}

const names = ['.gitlab-ci.yml', '.svc-ci.yml']

/** The configuration at the head of the default branch; 404 for an empty repository. */
const headOf = async (call: Call, project: ProjectRecord): Promise<string | undefined> => {
  const head = `refs/heads/${project.default_branch}`
  const repository = await call.git.open(project)
  if ((await repository.line(['rev-parse', '--verify', '--quiet', head])) === undefined)
    throw notFound('Repository')
  for (const name of names) {
    const content = await read(call, project, name, head)
    if (content !== undefined) return content
  }
  return undefined
}

export const handlers: Handlers<typeof ci> = {
  lint: async (call, { content, include_merged_yaml = false }) => {
    if (call.user === undefined && !openSignup(call.state)) throw unauthorized()
    const { errors, warnings, merged } = await lint(content, versionOf(call))
    return {
      status: errors.length === 0 ? 'valid' : 'invalid',
      errors: [...errors],
      warnings: [...warnings],
      ...(include_merged_yaml ? { merged_yaml: (await merged?.()) ?? '' } : {}),
    }
  },
  lintOfProject: (call, { id, content, dry_run }) =>
    inProject(call, call.project(id, { member: 'reporter' }), content, dry_run),
  lintHead: async (call, { id, dry_run }) => {
    const project = call.project(id, { member: 'reporter' })
    const content = await headOf(call, project)
    return content === undefined
      ? result({ errors: [`Please provide content of ${names[0]}`], warnings: [] })
      : inProject(call, project, content, dry_run)
  },
}
