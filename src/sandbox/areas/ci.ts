/** Serves the endpoints that check CI configurations (`catalogue/reference/ci.md`). */
import { ci } from '../../catalogue/areas/ci.js'
import type { Call } from '../call.js'
import { isBlank } from '../check.js'
import { isVersion, type LintVerdict, lintContent, type Version } from '../ci-lint/index.js'
import { serve } from '../handlers.js'
import { invalid, notFound, unauthorized } from '../reply.js'
import { getRoleLevel } from '../rules/access.js'
import {
  configurationNames,
  createPushContext,
  readConfigurationAt,
  readFilesAt,
} from '../rules/configuration.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

/** True if anyone may sign up. In that case, requests without a credential may check configurations, too. */
const openSignup = ({ settings: { value: settings } }: Call['state']): boolean =>
  settings.signup_enabled === true &&
  settings.require_admin_approval_after_user_signup !== true &&
  settings.domain_denylist_enabled !== true &&
  settings.email_restrictions_enabled !== true &&
  isBlank(settings.domain_allowlist)

const getHeadRef = ({ default_branch }: ProjectRecord): string => `refs/heads/${default_branch}`

const toResult = async ({ errors, warnings, merged }: LintVerdict) => ({
  valid: errors.length === 0,
  merged_yaml: (await merged?.()) ?? '',
  errors: [...errors],
  warnings: [...warnings],
})

/** Returns an error if the acting user may not create a pipeline, and so may not simulate one; undefined otherwise. */
const getRefusal = (call: Call, project: ProjectRecord): string | undefined =>
  call.getProjectLevel(project) >= getRoleLevel('developer')
    ? undefined
    : 'Insufficient permissions to create a new pipeline'

/**
 * Returns the version by whose rules a configuration is checked. Only this instance has `as_of`, so that users can check configurations
 * before an upgrade.
 */
const parseLintVersion = ({ sent, instance }: Call): { readonly asOf?: Version } => {
  const { as_of: given = instance.asOf } = sent.params
  if (given === undefined || given === 'latest') return {}
  if (typeof given === 'string' && isVersion(given)) return { asOf: given }
  throw invalid('as_of does not have a valid value')
}

const lintInProject = async (
  call: Call,
  project: ProjectRecord,
  content: string,
  dryRun: boolean | undefined,
) => {
  const refusal = dryRun === true ? getRefusal(call, project) : undefined
  const revision = getHeadRef(project)
  const verdict = await lintContent(content, {
    ...parseLintVersion(call),
    files: readFilesAt(call, project, revision),
    occasion: createPushContext(call, project, { branch: project.default_branch, revision }),
    plan: dryRun === true && refusal === undefined,
  })
  return toResult(refusal === undefined ? verdict : { ...verdict, errors: [refusal] })
}

/** Returns the configuration at the head of the default branch. @throws Refusal 404 if the repository is empty */
const readHeadConfiguration = async (
  call: Call,
  project: ProjectRecord,
): Promise<string | undefined> => {
  const head = getHeadRef(project)
  const repository = await call.git.open(project)
  if ((await repository.line(['rev-parse', '--verify', '--quiet', head])) === undefined)
    throw notFound('Repository')
  return readConfigurationAt(call, project, head)
}

export const served = serve(ci, {
  lint: async (call, { content, include_merged_yaml = false }) => {
    if (call.user === undefined && !openSignup(call.state)) throw unauthorized()
    const { errors, warnings, merged } = await lintContent(content, parseLintVersion(call))
    return {
      status: errors.length === 0 ? 'valid' : 'invalid',
      errors: [...errors],
      warnings: [...warnings],
      ...(include_merged_yaml ? { merged_yaml: (await merged?.()) ?? '' } : {}),
    }
  },
  lintOfProject: (call, { id, content, dry_run }) =>
    lintInProject(call, call.requireProject(id, { member: 'reporter' }), content, dry_run),
  lintHead: async (call, { id, dry_run }) => {
    const project = call.requireProject(id, { member: 'reporter' })
    const content = await readHeadConfiguration(call, project)
    return content === undefined
      ? toResult({ errors: [`Please provide content of ${configurationNames[0]}`], warnings: [] })
      : lintInProject(call, project, content, dry_run)
  },
})
