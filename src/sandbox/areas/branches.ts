/** Serves the branches of a project and their protection, which the documented API has only as parts of other objects. */
import { boolean, integer, string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { createRoutes } from '../extra-routes.js'
import {
  findBranchHead,
  type GitBranch,
  listAllBranches,
  listMergedBranches,
  readCommit,
  readCommits,
  resolveCommit,
} from '../git/commits-and-refs.js'
import { isBranchName, moveBranch } from '../git/create-commits.js'
import { getManagedProject } from '../handlers.js'
import { showCommit, showProtection } from '../present/common.js'
import { badRequest, conflict, LazyList, notFound } from '../reply.js'
import { type ProjectInput, resource } from '../resource.js'
import { findProtection } from '../rules/access.js'
import { containsText, searchParameter } from '../rules/filters.js'
import { canPushTo, checkCanPush, recordPush, removeBranch } from '../rules/pushes.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

type BranchInput = ProjectInput & { readonly branch: string }

const developer = 30

/** Presents branches of a project. A branch is merged if the default branch contains its head. */
const showBranches = async (call: Call, project: ProjectRecord, rows: readonly GitBranch[]) => {
  const repository = await call.git.open(project)
  const head = await findBranchHead(repository, project.default_branch)
  const merged = head === undefined ? [] : await listMergedBranches(repository, head)
  const tips = await readCommits(
    repository,
    rows.map(({ id }) => id),
  )
  return rows.map(({ name, id }) => {
    const rule = findProtection(call.state, project, name)
    const tip = tips.get(id)
    return {
      name,
      merged: id !== head && merged.includes(name),
      protected: rule !== undefined,
      default: name === project.default_branch,
      developers_can_push: rule?.push_access_level === developer,
      developers_can_merge: rule?.merge_access_level === developer,
      can_push: canPushTo(call, project, name),
      web_url: call.getWebUrl(`${project.path_with_namespace}/-/tree/${name}`),
      commit: tip && showCommit(call, project, tip),
    }
  })
}

const findReadable = (call: Call, { id }: ProjectInput) =>
  call.requireProject(id, { member: 'reporter' })

/** True if a branch name matches a search. `^main` matches only the beginning of a name, and `main$` only the end. */
const matchesSearch = (name: string, search = ''): boolean => {
  if (search.startsWith('^')) return name.startsWith(search.slice(1))
  if (search.endsWith('$')) return name.endsWith(search.slice(0, -1))
  return containsText(search, [name])
}

const listBranches = async (
  call: Call,
  { search, ...input }: ProjectInput & { search?: string },
) => {
  const project = findReadable(call, input)
  const found = await listAllBranches(await call.git.open(project))
  const rows = found.filter(({ name }) => matchesSearch(name, search))
  return new LazyList(rows.length, (start, end) =>
    showBranches(call, project, rows.slice(start, end)),
  )
}

const findBranch = async (call: Call, project: ProjectRecord, name: string): Promise<GitBranch> => {
  const id = await findBranchHead(await call.git.open(project), name)
  if (id === undefined) throw notFound('Branch')
  return { name, id }
}

const showBranch = async (call: Call, input: BranchInput) => {
  const project = findReadable(call, input)
  const [shown] = await showBranches(call, project, [await findBranch(call, project, input.branch)])
  return shown
}

const createBranch = async (call: Call, input: BranchInput & { readonly ref: string }) => {
  const project = findReadable(call, input)
  const { branch, ref } = input
  checkCanPush(call, project, branch)
  const repository = await call.git.open(project)
  if (!(await isBranchName(repository, branch))) throw badRequest('Branch name is invalid')
  const to = await resolveCommit(repository, ref)
  if (to === undefined) throw badRequest(`Invalid reference name: ${ref}`)
  if (!(await moveBranch(repository, branch, undefined, to)))
    throw badRequest('Branch already exists')
  const { message } = await readCommit(repository, to)
  const title = message.split('\n')[0] ?? ''
  await recordPush(call, project, { branch, from: undefined, to, commits: 0, title })
  return showBranch(call, input)
}

const deleteBranch = async (call: Call, input: BranchInput): Promise<undefined> => {
  const project = findReadable(call, input)
  checkCanPush(call, project, input.branch)
  const { name, id } = await findBranch(call, project, input.branch)
  const { author } = await readCommit(await call.git.open(project), id)
  call.checkUnmodified({ updated_at: author.date })
  if (name === project.default_branch)
    throw badRequest('The default branch of a project cannot be deleted.')
  if (findProtection(call.state, project, name) !== undefined)
    throw badRequest('Protected branches cannot be deleted.')
  if (!(await removeBranch(call, project, name, id)))
    throw conflict('The branch has moved meanwhile')
}

// The protection of branches.

const ruleAttributes = {
  push_access_level: integer('who may push'),
  merge_access_level: integer('who may merge'),
  unprotect_access_level: integer('who may unprotect it'),
  allow_force_push: boolean('let those who push rewrite it'),
  code_owner_approval_required: boolean('want the approval of code owners'),
} as const

const rules = resource({
  table: 'protectedBranches',
  what: 'Protected Branch',
  parent: getManagedProject,
  key: ['name', 'name'],
  filters: searchParameter,
  search: ['name'],
  present: (_, rule) => ({
    ...showProtection(rule),
    allow_force_push: rule.allow_force_push ?? false,
    code_owner_approval_required: rule.code_owner_approval_required,
  }),
  attributes: { name: string('name', { required: true }), ...ruleAttributes },
  changes: ruleAttributes,
  accept: (call, given, project, rule) => {
    if (
      rule === undefined &&
      given.name &&
      findProtection(call.state, project, given.name) !== undefined
    )
      throw conflict(`Protected branch '${given.name}' already exists`)
    return given
  },
  defaults: (_, { id }) => ({
    project_id: id,
    push_access_level: 40,
    merge_access_level: 40,
    unprotect_access_level: 40,
    code_owner_approval_required: false,
  }),
  remove: ({ state }, { id }) => {
    state.protectedBranches.remove(id)
    for (const rule of state.approvalRules.filter((r) => r.protected_branch_ids.includes(id)))
      state.approvalRules.change(rule.id, {
        protected_branch_ids: rule.protected_branch_ids.filter((other) => other !== id),
      })
  },
})

export const branchRoutes = [
  ...createRoutes({
    path: '/projects/:id/repository/branches',
    one: { branch: string('name') },
    list: [searchParameter, listBranches],
    get: [{}, showBranch],
    create: [
      {
        branch: string('name', { required: true }),
        ref: string('branch, tag or commit that it begins at', { required: true }),
      },
      createBranch,
    ],
    delete: deleteBranch,
  }),
  ...createRoutes({
    path: '/projects/:id/protected_branches',
    one: { name: string('name') },
    access: 'at least Maintainer of the project',
    of: rules,
    update: [ruleAttributes, rules.update, { method: 'PATCH' }],
  }),
]
