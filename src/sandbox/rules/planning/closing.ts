/** Issues that are closed by what messages say: `Closes #4, #6 and fixes platform/app#7`. */
import type { Call } from '../../call.js'
import type { ProjectRecord } from '../../state/people-and-projects.js'

const reference = String.raw`(?:[\w./-]+)?#\d+`
const closing = new RegExp(
  String.raw`\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +` +
    `(?:issues? +)?${reference}(?:(?:,? +and +|, *| +)(?:issues? +)?${reference})*`,
  'gi',
)

/** The issues of a project, by IID, that a text closes. */
export const closedIn = (text: string, { path_with_namespace: own }: ProjectRecord): number[] =>
  [...text.matchAll(closing)].flatMap(([part]) =>
    [...part.matchAll(/([\w./-]*)#(\d+)/g)].flatMap(([, path, iid]) =>
      path === '' || path === own ? [Number(iid)] : [],
    ),
  )

/** Closes those that are open, as far as the acting user may. */
export const closeIssues = (call: Call, project: ProjectRecord, iids: readonly number[]): void => {
  const user = call.signedIn()
  const level = call.projectLevel(project)
  const issues = call.state.issues.filter(
    (i) => i.project_id === project.id && i.state === 'opened' && iids.includes(i.iid),
  )
  for (const issue of issues) {
    const own = issue.author_id === user.id || issue.assignee_ids.includes(user.id)
    if (!project.issues_enabled || (level < 20 && !own)) continue
    const now = call.clock.iso()
    call.state.issues.change(issue.id, {
      state: 'closed',
      closed_at: now,
      closed_by_id: user.id,
      updated_at: now,
    })
    call.record({
      action: 'closed',
      project_id: project.id,
      target_type: 'Issue',
      target_id: issue.id,
      target_iid: issue.iid,
      target_title: issue.title,
    })
  }
}
