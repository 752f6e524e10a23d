/** Declares the endpoints that check CI configurations. */
import { endpoint, one } from '../endpoint.js'
import { boolean, project, string } from '../params.js'
import { ArrayOf, Bool, maybe, Obj, OpenEnum, Str } from '../shapes/common.js'

const findings = { errors: ArrayOf(Str()), warnings: ArrayOf(Str()) }

/** The response of the endpoint without a project, which has a word where that of a project has a boolean. */
const LintStatus = Obj(
  {
    status: OpenEnum(['valid', 'invalid']),
    ...findings,
    merged_yaml: maybe(Str({ description: 'present with include_merged_yaml' })),
  },
  { title: 'Lint status' },
)
const LintResult = Obj(
  { valid: Bool(), merged_yaml: maybe(Str()), ...findings },
  { title: 'Lint result' },
)

const content = string('content of the CI configuration', { required: true, format: 'text' })
const dryRun = boolean('simulate pipeline creation instead of a static check only', {
  default: false,
})

export const ci = {
  lint: endpoint('POST /ci/lint', one(LintStatus), {
    summary: 'Check CI configurations',
    command: 'lint',
    safe: true,
    path: {},
    params: {
      content,
      include_merged_yaml: boolean('include the expanded configuration'),
    },
    access: 'anyone if sign-up is open and unrestricted, otherwise any signed-in user',
    credential: 'optional',
    status: 200,
    successor: 'Newer instances check files only in the context of a project: add --project',
    notes: ['Without a project, local includes cannot be resolved.'],
  }),
  lintOfProject: endpoint('POST /projects/:id/ci/lint', one(LintResult), {
    summary: 'Check a CI configuration in the context of a project',
    command: 'lint',
    safe: true,
    path: { id: project() },
    params: { content, dry_run: dryRun },
    ownDryRun: true,
    status: 200,
  }),
  lintHead: endpoint('GET /projects/:id/ci/lint', one(LintResult), {
    summary: 'Check the CI configuration on a project’s default branch',
    command: 'lint',
    path: { id: project() },
    params: { dry_run: dryRun },
    ownDryRun: true,
  }),
} as const
