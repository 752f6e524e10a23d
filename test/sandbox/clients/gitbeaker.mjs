/** Calls of gitbeaker, as its documentation writes them. Prints what each gave, as one JSON object. */
import { Gitlab } from '@gitbeaker/rest'

const [host, token] = process.argv.slice(2)
const api = new Gitlab({ host, token })
const gave = {}

const call = async (name, run) => {
  try {
    gave[name] = await run()
  } catch (error) {
    const { cause, name: kind, message } = error
    gave[name] = `${kind} ${cause?.response?.status} ${cause?.description ?? message}`
  }
}

const project = 'platform/app'

await call('who and what', async () => [
  (await api.Users.showCurrentUser()).username,
  (await api.Metadata.show()).version,
  (await api.PersonalAccessTokens.show()).id > 0,
])
await call('pages', async () => {
  const { data, paginationInfo } = await api.Runners.all({
    perPage: 5,
    page: 2,
    showExpanded: true,
  })
  const all = await api.Projects.all({ perPage: 4 })
  const keyset = await api.Projects.all({ pagination: 'keyset', orderBy: 'id', perPage: 4 })
  return [data.length, paginationInfo.total, all.length === keyset.length, all.length > 4]
})
await call('runners', async () => {
  const changed = await api.Runners.edit(1, {
    description: 'of a client',
    tagList: ['linux', 'big'],
  })
  const again = await api.Runners.show(1)
  return [changed.description, again.tag_list]
})
await call('members', async () => {
  const [gus] = await api.Users.all({ username: 'gus' })
  const added = await api.ProjectMembers.add('web/docs', 30, { userId: gus.id })
  const edited = await api.ProjectMembers.edit('web/docs', gus.id, 40)
  const all = await api.ProjectMembers.all('web/docs', { includeInherited: true })
  await api.ProjectMembers.remove('web/docs', gus.id)
  return [added.username, edited.access_level, all.some(({ id }) => id === gus.id)]
})
await call('labels', async () => {
  const label = await api.ProjectLabels.create(project, 'of a client', '#8899aa')
  const edited = await api.ProjectLabels.edit(project, label.id, {
    newName: 'of another client',
    description: 'written',
  })
  await api.ProjectLabels.remove(project, label.id)
  return [edited.description, (await api.ProjectLabels.all(project)).length > 0]
})
await call('issues', async () => {
  const issue = await api.Issues.create(project, 'of a client', { labels: 'bug' })
  const spent = await api.Issues.addSpentTime(project, issue.iid, '2h')
  const closed = await api.Issues.edit(project, issue.iid, { stateEvent: 'close' })
  const listed = await api.Issues.all({
    projectId: project,
    state: 'closed',
    search: 'of a client',
  })
  await api.Issues.remove(project, issue.iid)
  return [closed.state, spent.total_time_spent, listed.map(({ title }) => title)]
})
await call('merge requests', async () => {
  const request = await api.MergeRequests.show(project, 1)
  const listed = await api.MergeRequests.all({ projectId: project, state: 'opened', maxPages: 1 })
  const approvals = await api.MergeRequestApprovals.showConfiguration(project, {
    mergerequestIId: 1,
  })
  return [request.iid, listed.length > 0, approvals.approvals_required]
})
await call('approval rules', async () => {
  const rule = await api.MergeRequestApprovals.createApprovalRule(project, 'of a client', 2)
  await api.MergeRequestApprovals.removeApprovalRule(project, rule.id)
  return [rule.name, rule.approvals_required]
})
await call('branches', async () => {
  const branch = await api.Branches.create(project, 'of-a-client', 'main')
  const guarded = await api.ProtectedBranches.create(project, 'of-a-client', {
    mergeAccessLevel: 30,
  })
  await api.ProtectedBranches.remove(project, 'of-a-client')
  await api.Branches.remove(project, 'of-a-client')
  return [branch.name, guarded.merge_access_levels[0].access_level]
})
await call('commits', async () => {
  const action = { action: 'create', filePath: 'client.txt', content: 'x\n' }
  const commit = await api.Commits.create(project, 'main', 'Write as a client [skip ci]', [action])
  const [diff] = await api.Commits.showDiff(project, commit.id)
  return [commit.title, diff.new_path]
})
await call('pipelines', async () => {
  const [pipeline] = await api.Pipelines.all(project, { maxPages: 1 })
  const [job] = await api.Jobs.all(project, { pipelineId: pipeline.id })
  return (await api.Jobs.show(project, job.id)).pipeline.id === pipeline.id
})
await call('artifacts', async () => {
  const archive = await api.JobArtifacts.downloadArchive(6, {
    job: 'build',
    artifactPath: undefined,
    ref: 'main',
  })
  return Buffer.from(await archive.arrayBuffer())
    .subarray(0, 2)
    .toString()
})
await call('CI lint', async () => {
  const good = await api.Lint.lint(project, 'a: {script: x}')
  const wrong = await api.Lint.lint(project, 'a: {script: 1}')
  return [good.valid, wrong.valid, wrong.errors]
})
await call('groups', async () => {
  const { id } = await api.Groups.show('platform')
  const below = await api.Groups.create('Of a client', 'of-a-client', { parentId: id })
  await api.Groups.remove(below.id)
  return below.full_path
})
await call('events', async () => (await api.Events.all({ projectId: project })).length > 0)
await call('settings', async () => {
  const { signup_enabled: before } = await api.ApplicationSettings.show()
  const after = await api.ApplicationSettings.edit({ signupEnabled: !before })
  return after.signup_enabled !== before
})
await call('acting as somebody else', async () => {
  const as = new Gitlab({ host, token, sudo: 'ana' })
  return (await as.Users.showCurrentUser()).username
})
await call('a record that does not exist', async () => api.Projects.show('no/such'))
await call('a value that is refused', async () => api.Runners.edit(1, { accessLevel: 'none' }))
await call('a wrong token', async () =>
  new Gitlab({ host, token: 'wrong' }).Users.showCurrentUser(),
)
console.log(JSON.stringify(gave))
