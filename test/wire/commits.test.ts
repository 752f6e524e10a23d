import { commits } from '../../src/catalogue/areas/commits.js'
import { checkRequests } from './pin.js'

checkRequests('commits', commits, [
  {
    key: 'list',
    values: {
      id: 3,
      ref_name: 'main..next',
      since: '2026-01-01T00:00:00+02:00',
      path: 'src/a b.ts',
      all: true,
      with_stats: true,
      first_parent: true,
      order: 'topo',
      trailers: true,
    },
    sends:
      'GET /projects/3/repository/commits?ref_name=main..next&since=2026-01-01T00:00:00%2B02:00&path=src/a%20b.ts&all=true&with_stats=true&first_parent=true&order=topo&trailers=true',
  },
  {
    key: 'list',
    values: { id: 3, until: '2026-02-01T00:00:00Z' },
    sends: 'GET /projects/3/repository/commits?until=2026-02-01T00:00:00Z',
  },
  {
    key: 'create',
    values: {
      id: 3,
      branch: 'next',
      commit_message: 'One\n\nTwo',
      start_branch: 'main',
      start_project: 4,
      actions: [
        { action: 'create', file_path: 'a/b', content: 'YQ==', encoding: 'base64' },
        { action: 'chmod', file_path: 'c', execute_filemode: true },
      ],
      author_name: 'Ana',
      stats: false,
      force: true,
    },
    sends: 'POST /projects/3/repository/commits',
    body: '{"branch":"next","commit_message":"One\\n\\nTwo","start_branch":"main","start_project":4,"actions":[{"action":"create","file_path":"a/b","content":"YQ==","encoding":"base64"},{"action":"chmod","file_path":"c","execute_filemode":true}],"author_name":"Ana","stats":false,"force":true}',
  },
  {
    key: 'get',
    values: { id: 3, sha: 'feature/x', stats: false },
    sends: 'GET /projects/3/repository/commits/feature%2Fx?stats=false',
  },
  {
    key: 'refs',
    values: { id: 3, sha: 'abc', type: 'tag' },
    sends: 'GET /projects/3/repository/commits/abc/refs?type=tag',
  },
  {
    key: 'cherryPick',
    values: { id: 3, sha: 'abc', branch: 'main', dry_run: true, message: 'M' },
    sends: 'POST /projects/3/repository/commits/abc/cherry_pick',
    body: '{"branch":"main","dry_run":true,"message":"M"}',
  },
  {
    key: 'revert',
    values: { id: 3, sha: 'abc', branch: 'main' },
    sends: 'POST /projects/3/repository/commits/abc/revert',
    body: '{"branch":"main"}',
  },
  {
    key: 'diff',
    values: { id: 3, sha: 'v1.0' },
    sends: 'GET /projects/3/repository/commits/v1.0/diff',
  },
])
