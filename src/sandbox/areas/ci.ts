/** CI configuration lint (API document 2, "CI configuration lint"). */
import type { ci } from '../../catalogue/areas/ci.js'
import { openTo } from '../access.js'
import type { Call } from '../call.js'
import { type Files, lint, type Occasion, type Verdict } from '../ci-lint/index.js'
import type { Handlers } from '../handlers.js'
import { notFound, unauthorized } from '../reply.js'
import type { ProjectRecord } from '../state/records.js'

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

const literal = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

/** `ci/*.yml` one folder deep, `ci/**.yml` any. */
const patternOf = (glob: string): RegExp => {
  const body = glob
    .split('**')
    .map((part) => part.split('*').map(literal).join('[^/]*'))
    .join('.*')
  return new RegExp(`^${body}$`)
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
    const pattern = patternOf(glob)
    return paths.filter((path) => pattern.test(path))
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

const result = ({ errors, warnings, merged = '' }: Verdict) => ({
  valid: errors.length === 0,
  merged_yaml: merged,
  errors: [...errors],
  warnings: [...warnings],
})

const inProject = async (
  call: Call,
  project: ProjectRecord,
  content: string,
  dryRun: boolean | undefined,
) =>
  result(
    await lint(content, {
      files: filesOf(call, project),
      ...(dryRun === true ? { occasion: occasionOf(call, project) } : {}),
    }),
  )

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
    const { errors, warnings, merged } = await lint(content, {})
    return {
      status: errors.length === 0 ? 'valid' : 'invalid',
      errors: [...errors],
      warnings: [...warnings],
      ...(include_merged_yaml ? { merged_yaml: merged ?? '' } : {}),
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
