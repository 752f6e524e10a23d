/** Declares the endpoints that read, create, cherry-pick and revert commits. */
import { endpoint, many, one } from '../endpoint.js'
import { boolean, datetime, integer, json, oneOf, project, string } from '../params.js'
import {
  ArrayOf,
  Int,
  maybe,
  nullable,
  Obj,
  OpenEnum,
  Str,
  Timestamp,
  Union,
  Unknown,
} from '../shapes/common.js'

const LastPipeline = nullable(Obj({ id: Int(), ref: Str(), sha: Str(), status: Str() }))
const ofEach = {
  id: Str({ description: 'commit hash' }),
  short_id: Str(),
  title: Str(),
  message: Str(),
  author_name: Str(),
  author_email: Str(),
  authored_date: Timestamp,
  committer_name: Str(),
  committer_email: Str(),
  committed_date: Timestamp,
  created_at: Timestamp,
  parent_ids: ArrayOf(Str()),
  web_url: Str(),
  trailers: maybe(Unknown({ description: 'present with trailers' })),
  stats: maybe(
    Obj(
      { additions: Int(), deletions: Int(), total: Int() },
      { description: 'present when requested' },
    ),
  ),
}
const Commit = Obj(
  { ...ofEach, status: maybe(nullable(Str())), last_pipeline: maybe(LastPipeline) },
  { title: 'Commit' },
)
/** The commit in the response to a read of a single one, which always has its status and last pipeline. */
const CommitDetails = Obj(
  { ...ofEach, status: nullable(Str()), last_pipeline: LastPipeline },
  { title: 'Commit details' },
)
const DryRun = Obj({ dry_run: OpenEnum(['success']) }, { title: 'Dry run' })
const CommitRef = Obj(
  { type: OpenEnum(['branch', 'tag']), name: Str() },
  { title: 'Commit reference' },
)

const sha = string('commit hash, branch or tag', { completes: 'commit' })
const stats = boolean('include the numbers of added and deleted lines', {
  default: true,
  echo: false,
})
const pushers = 'at least Developer of the project'
const applied = {
  branch: string('target branch of the new commit', { required: true, completes: 'branch' }),
  dry_run: boolean('check whether the commit applies; create no commit', { default: false }),
} as const

export const actionNames = ['create', 'delete', 'move', 'update', 'chmod'] as const

/** The parameters of an item in `actions[]`. */
export const fileAction = {
  action: oneOf(actionNames, 'action on the file', { required: true }),
  file_path: string('full path of the file', { required: true }),
  previous_path: string('previous path of a moved file'),
  content: string('content of the file; not for delete and chmod, optional for move'),
  encoding: oneOf(['text', 'base64'], 'encoding of the content', { default: 'text' }),
  last_commit_id: string('last known commit of the file, for update, move and delete'),
  execute_filemode: boolean('set the executable flag (chmod only)'),
} as const

const creation = {
  branch: string('branch to commit to; a new one with start_branch or start_sha', {
    required: true,
    completes: 'branch',
  }),
  commit_message: string('commit message', { required: true, format: 'text' }),
  start_branch: string('branch to start the new branch from', { completes: 'branch' }),
  start_sha: string('commit to start the new branch from'),
  start_project: project('project of the start branch or commit [this project]'),
  actions: json(
    'file actions: each with action (create, delete, move, update, chmod), file_path, and, as the action needs, previous_path, content, encoding (text, base64), last_commit_id, execute_filemode',
    { required: true, items: fileAction },
  ),
  author_email: string('author’s email address'),
  author_name: string('author’s name'),
  stats,
  force: boolean('overwrite the branch with a new commit based on start_branch or start_sha'),
} as const

export const commits = {
  list: endpoint('GET /projects/:id/repository/commits', many(Commit), {
    summary: 'List commits',
    command: 'list',
    path: { id: project() },
    params: {
      ref_name: string('branch, tag or revision range [default branch]', {
        name: 'ref',
        completes: 'ref',
      }),
      since: datetime('list commits from this time on'),
      until: datetime('list commits up to this time'),
      path: string('list commits that change this file'),
      all: boolean('list every commit of the repository'),
      with_stats: boolean('include the numbers of added and deleted lines'),
      first_parent: boolean('follow only the first parent of merge commits'),
      order: oneOf(
        ['default', 'topo'],
        'order: newest first (default) or children before parents (topo)',
        {
          default: 'default',
        },
      ),
      trailers: boolean('include the trailers of the message'),
    },
    columns: ['short_id', 'created_at', 'author_name', 'title'],
    lists: 'commit',
  }),
  create: endpoint('POST /projects/:id/repository/commits', one(Commit), {
    irreversible: 'a commit stays in the history; "commits revert" creates a commit that undoes it',
    summary: 'Create a commit with one or more file actions',
    command: 'create',
    path: { id: project() },
    params: creation,
    access: pushers,
  }),
  get: endpoint('GET /projects/:id/repository/commits/:sha', one(CommitDetails), {
    summary: 'Show a commit',
    command: 'get',
    args: ['sha'],
    path: { id: project(), sha },
    params: { stats },
  }),
  refs: endpoint('GET /projects/:id/repository/commits/:sha/refs', many(CommitRef), {
    summary: 'List the branches and tags that contain a commit',
    command: 'refs',
    args: ['sha'],
    path: { id: project(), sha },
    params: {
      type: oneOf(['branch', 'tag', 'all'], 'kind of refs to list', { default: 'all' }),
      page: integer('page', { default: 1, min: 1 }),
      per_page: integer('records per page', { default: 20, min: 1 }),
    },
    columns: ['type', 'name'],
    lists: 'commit',
  }),
  cherryPick: endpoint(
    'POST /projects/:id/repository/commits/:sha/cherry_pick',
    one(Union([Commit, DryRun])),
    {
      irreversible:
        'a commit stays in the history; "commits revert" creates a commit that undoes it',
      summary: 'Cherry-pick a commit onto a branch',
      command: 'cherry-pick',
      args: ['sha'],
      path: { id: project(), sha },
      params: {
        ...applied,
        message: string('message of the new commit', { format: 'text' }),
      },
      ownDryRun: true,
      access: pushers,
    },
  ),
  revert: endpoint(
    'POST /projects/:id/repository/commits/:sha/revert',
    one(Union([Commit, DryRun])),
    {
      irreversible:
        'a commit stays in the history; "commits revert" creates a commit that undoes it',
      summary: 'Revert a commit on a branch',
      command: 'revert',
      args: ['sha'],
      path: { id: project(), sha },
      params: applied,
      ownDryRun: true,
      access: pushers,
    },
  ),
  diff: endpoint('GET /projects/:id/repository/commits/:sha/diff', one(Unknown()), {
    summary: 'Show the diff of a commit',
    command: 'diff',
    args: ['sha'],
    path: { id: project(), sha },
    params: {},
  }),
} as const
