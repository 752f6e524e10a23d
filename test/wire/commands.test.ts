/**
 * Tests the requests that commands send, written by hand from the documents of the API: method, path, query and body, byte for byte.
 */
import { describe, expect, it } from 'vitest'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()

const run = (args: readonly string[], env: Record<string, string> = {}, input?: string) =>
  svcctl(args, {
    env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token', ...env },
    ...(input === undefined ? {} : { input }),
  })

const splitWords = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

describe('requests', () => {
  it.each<[string, string, string?]>([
    ['runners list', 'GET /runners?per_page=100'],
    ['runner list --instance --tag-list a,b --limit 5', 'GET /runners/all?tag_list=a,b&per_page=5'],
    [
      'runners list -P a/b.c --page 2 --per-page 50',
      'GET /projects/a%2Fb%2Ec/runners?page=2&per_page=50',
    ],
    [
      'runners list -G my/group --type group_type',
      'GET /groups/my%2Fgroup/runners?type=group_type&per_page=100',
    ],
    ['runners get 7', 'GET /runners/7'],
    ['runners pause 7', 'PUT /runners/7', '{"active":false}'],
    [
      "runners update 7 --tag-list '' --no-locked",
      'PUT /runners/7',
      '{"tag_list":[],"locked":false}',
    ],
    [
      'runners update 7 --maximum-timeout 3600 --tag-list x --tag-list y',
      'PUT /runners/7',
      '{"tag_list":["x","y"],"maximum_timeout":3600}',
    ],
    ['runners enable 9 -P 3', 'POST /projects/3/runners', '{"runner_id":9}'],
    ['runners disable 9 -P 3 --yes', 'DELETE /projects/3/runners/9'],
    ['jobs list -P 3 --scope failed', 'GET /projects/3/jobs?scope[]=failed&per_page=100'],
    [
      'jobs list -P 3 --pipeline 4 --include-retried',
      'GET /projects/3/pipelines/4/jobs?include_retried=true&per_page=100',
    ],
    ['artifacts keep 8 -P 3', 'POST /projects/3/jobs/8/artifacts/keep'],
    ['resource-groups get prod/eu -P 3', 'GET /projects/3/resource_groups/prod%2Feu'],
    ['commits get feature/x -P 3', 'GET /projects/3/repository/commits/feature%2Fx'],
    [
      'commits list -P 3 --since 2024-01-01T00:00:00+02:00',
      'GET /projects/3/repository/commits?since=2024-01-01T00:00:00%2B02:00&per_page=100',
    ],
    [
      'issues list --not labels=a,b --not assignee-username=x --not iids=3 --assignee-id None',
      'GET /issues?assignee_id=None&not[labels]=a,b&not[assignee_username][]=x&not[iids][]=3&per_page=100',
    ],
    [
      'issues list --assignee-username @ana,ben --not author-username=@cy',
      'GET /issues?assignee_username[]=ana&assignee_username[]=ben&not[author_username]=cy&per_page=100',
    ],
    [
      'mr list -P 3 --author-username @ana --reviewer-username any',
      'GET /projects/3/merge_requests?author_username=ana&reviewer_username=Any&per_page=100',
    ],
    ['events list --user @ana', 'GET /users/ana/events?per_page=100'],
    ['projects list --user @ana', 'GET /users/ana/projects?per_page=100'],
    [
      'issues spend platform/app#7 -- -1h',
      'POST /projects/platform%2Fapp/issues/7/add_spent_time',
      '{"duration":"-1h"}',
    ],
    [
      'mr rebase platform/app!42 --skip-ci',
      'PUT /projects/platform%2Fapp/merge_requests/42/rebase',
      '{"skip_ci":true}',
    ],
    ['mr rebase 42 -P 3', 'PUT /projects/3/merge_requests/42/rebase'],
    ['mr list -P 3 --state opened', 'GET /projects/3/merge_requests?state=opened&per_page=100'],
    [
      'members list -G g --inherited --user-ids 1,2',
      'GET /groups/g/members/all?user_ids[]=1&user_ids[]=2&per_page=100',
    ],
    [
      'members add 5 --access-level developer -P 3',
      'POST /projects/3/members',
      '{"user_id":5,"access_level":30}',
    ],
    [
      'members add 5 6 --access-level 30 -G g',
      'POST /groups/g/members',
      '{"user_id":"5,6","access_level":30}',
    ],
    [
      'members update 5 --expires-at 2030-01-01 -P 3',
      'PUT /projects/3/members/5',
      '{"expires_at":"2030-01-01"}',
    ],
    ['events list --user ana', 'GET /users/ana/events?per_page=100'],
    ['events list -P 3', 'GET /projects/3/events?per_page=100'],
    [
      'projects list --custom-attribute team=infra',
      'GET /projects?custom_attributes[team]=infra&per_page=100',
    ],
    ['projects list --user 4', 'GET /users/4/projects?per_page=100'],
    ['projects get a/b', 'GET /projects/a%2Fb'],
    [
      'settings update --domain-allowlist a.test,b.test -o json',
      'PUT /application/settings',
      '{"domain_allowlist":["a.test","b.test"]}',
    ],
    [
      "settings update --archive-builds-in-human-readable '1 day' -o json",
      'PUT /application/settings',
      '{"archive_builds_in_human_readable":"1 day"}',
    ],
    [
      "settings update --archive-builds-in-human-readable '' -o json",
      'PUT /application/settings',
      '{"archive_builds_in_human_readable":""}',
    ],
    ['deploy-keys list --instance', 'GET /deploy_keys?per_page=100'],
    ['pages-domains get www.x.test -P 3', 'GET /projects/3/pages/domains/www.x.test'],
    ['pages-domains get MÜNCHEN.test -P 3', 'GET /projects/3/pages/domains/xn--mnchen-3ya.test'],
    ['vulnerabilities create --finding-id 4 -P 3', 'POST /projects/3/vulnerabilities?finding_id=4'],
    [
      'dependencies list -P 3 --package-manager npm,yarn',
      'GET /projects/3/dependencies?package_manager=npm,yarn&per_page=100',
    ],
    ['geo nodes get 2', 'GET /geo_nodes/2'],
    ['geo status -o json', 'GET /geo_nodes/status?per_page=100'],
    [
      'error-tracking update --active -P 3',
      'PATCH /projects/3/error_tracking/settings',
      '{"active":true}',
    ],
    ['integrations list -P 3 --legacy-path', 'GET /projects/3/services?per_page=100'],
    [
      'storage-move schedule projects --source-storage-name a --destination-storage-name b --yes',
      'POST /project_repository_storage_moves',
      '{"source_storage_name":"a","destination_storage_name":"b"}',
    ],
    [
      'runners list --param x=1 --param y=a --param y=b',
      'GET /runners?x=1&y[]=a&y[]=b&per_page=100',
    ],
    [
      'runners update 7 --param new=null --param list=[1,2]',
      'PUT /runners/7',
      '{"new":null,"list":[1,2]}',
    ],
    ['api post projects/3/x --param a=1', 'POST /projects/3/x', '{"a":1}'],
  ])('%s', async (line, request, body) => {
    const ran = await run(splitWords(line))
    expect(server.lines().at(-1), ran.stderr).toBe(request)
    expect(server.seen.at(-1)?.body).toBe(body ?? '')
    expect(server.seen.at(-1)?.headers['private-token']).toBe('secret-token')
  })
})

it('an input that changes nothing is refused before anything is sent', async () => {
  const ran = await run(splitWords('runners update 7 --input -'), {}, '{}')
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain('nothing to change')
  expect(server.seen).toEqual([])
})

describe('answers without anything to show', () => {
  it.each([
    ['deploy-keys delete 9 -P 3 --yes', { status: 200, body: 'null' }, 'key_id', 'done'],
    ['deploy-keys delete 9 -P 3 --yes', { status: 202 }, 'key_id', 'done'],
    ['deploy-keys delete 9 -P 3 --yes', { status: 204 }, 'key_id', 'done'],
    ['mr subscribe 9 -P 3', { status: 304 }, 'iid', 'unchanged'],
  ])('%s: %j', async (line, answer, name, outcome) => {
    const record = `{"${name}":9,"outcome":"${outcome}"}`
    // Programs get the outcome of the object, people a note.
    const printed = {
      table: '',
      csv: '',
      json: record,
      ndjson: `${record}\n`,
      yaml: `${name}: 9\noutcome: ${outcome}\n`,
    }
    for (const [format, text] of Object.entries(printed)) {
      server.answer = () => answer
      const ran = await run([...splitWords(line), '-o', format])
      expect([ran.code, ran.stdout.trimEnd()], ran.stderr).toEqual([0, text.trimEnd()])
      expect(ran.stderr).not.toBe('')
    }
  })
})

describe('a username', () => {
  it('is looked up, and sent as an ID', async () => {
    server.answer = ({ method }) =>
      method === 'GET' ? { body: [{ id: 5, username: 'Ana' }] } : { status: 201, body: { id: 5 } }
    await run(splitWords('members add ana -P 3 --access-level guest'))
    expect(server.lines()).toEqual([
      'GET /projects/3/members/all?query=ana&per_page=100',
      'POST /projects/3/members',
    ])
    expect(server.seen[1]?.body).toBe('{"user_id":5,"access_level":10}')
  })
  it('that nobody has is exit 4, and nothing is written', async () => {
    server.answer = () => ({ body: [{ id: 6, username: 'anabel' }] })
    const ran = await run(splitWords('members add ana -P 3 --access-level guest'))
    expect(ran.code).toBe(4)
    expect(ran.stderr).toContain('unknown user "ana"; members of project 3: anabel (6')
    expect(server.lines()).toEqual([
      'GET /projects/3/members/all?query=ana&per_page=100',
      'GET /users?username=ana&per_page=100',
    ])
  })
  it('that several have is exit 2, with the candidates', async () => {
    const body = [
      { id: 6, username: 'Ana' },
      { id: 7, username: 'ana' },
    ]
    server.answer = () => ({ body })
    const ran = await run(splitWords('members get ana -G g'))
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('Ana (6), ana (7)')
  })
  it.each([
    [
      'members get ana -G g',
      'GET /groups/g/members?query=ana&per_page=100',
      'GET /groups/g/members/5',
    ],
    [
      'members get @ana -P 3 --inherited',
      'GET /projects/3/members/all?query=ana&per_page=100',
      'GET /projects/3/members/all/5',
    ],
    [
      'members billable memberships ana -G g',
      'GET /groups/g/billable_members?search=ana&per_page=100',
      'GET /groups/g/billable_members/5/memberships?per_page=100',
    ],
    [
      'members billable remove ana -G g --yes',
      'GET /groups/g/billable_members?search=ana&per_page=100',
      'DELETE /groups/g/billable_members/5',
    ],
  ])('%s', async (line, looks, then) => {
    server.answer = ({ method }) =>
      method === 'GET' ? { body: [{ id: 5, username: 'ana' }] } : { status: 204 }
    expect((await run(splitWords(line))).code).toBe(0)
    expect(server.lines()).toEqual([looks, then])
  })
  it('of digits is an ID', async () => {
    server.answer = () => ({ body: { id: 5 } })
    await run(splitWords('members get 5 -G g'))
    expect(server.lines()).toEqual(['GET /groups/g/members/5'])
  })
})

describe('members update', () => {
  it('reads the access level where it is not given, which the API requires', async () => {
    server.answer = () => ({ body: { id: 5, access_level: 35 } })
    await run(splitWords('members update 5 -P 3 --expires-at 2030-01-01'))
    expect(server.lines()).toEqual(['GET /projects/3/members/5', 'PUT /projects/3/members/5'])
    expect(JSON.parse(server.seen[1]?.body ?? '')).toEqual({
      access_level: 35,
      expires_at: '2030-01-01',
    })
  })
  it('sends one request where it is given, and none where nothing is to change', async () => {
    server.answer = () => ({ body: { id: 5, access_level: 35 } })
    await run(splitWords('members update 5 -G g --access-level guest --no-undo-record'))
    expect(server.lines()).toEqual(['PUT /groups/g/members/5'])
    expect((await run(splitWords('members update 5 -G g'))).code).toBe(2)
  })
})

describe('strings that hold several items', () => {
  it.each([
    ['--recipients a@x --recipients b@x,c@x', '{"recipients":"a@x b@x c@x"}', undefined],
    ['--input -', '{"recipients":"a@x b@x"}', '{"recipients":["a@x","b@x"]}'],
  ])('emails-on-push %s', async (flags, body, input) => {
    await run(splitWords(`integrations update emails-on-push -P 3 ${flags}`), {}, input)
    expect(server.seen.at(-1)?.body).toBe(body)
  })
})

describe('api', () => {
  it.each([
    ['api projects', 'GET /projects'],
    ['api get projects', 'GET /projects'],
    ['api get', 'GET /get'],
    ['api post projects/3/x', 'POST /projects/3/x'],
  ])('%s', async (line, sent) => {
    await run(splitWords(line))
    expect(server.lines()).toEqual([sent])
  })
})

describe('a DELETE', () => {
  it('says what it did', async () => {
    server.answer = () => ({ status: 204 })
    const ran = await run(splitWords('artifacts delete 5 -P 3 --yes'))
    expect(ran.stderr).toContain('5 of project 3: deleted')
    const own = await run(splitWords('runners disable 5 -P 3 --yes'))
    expect(own.stderr).toContain('5 of project 3: disabled')
  })
})

describe('projects get', () => {
  it.each<[Record<string, string>, string]>([
    [{ SVC_PROJECT: 'a/b' }, 'GET /projects/a%2Fb'],
    [{ CI_PROJECT_ID: '9' }, 'GET /projects/9'],
  ])('takes the project at hand: %j', async (env, request) => {
    await run(['projects', 'get'], env)
    expect(server.lines()).toEqual([request])
  })
})

describe('an empty list', () => {
  it.each([
    ['issues list', 'nothing found; the default scope is created_by_me, see --scope'],
    ['issues list --scope all', 'nothing found\n'],
    ['mr list -P 3', 'nothing found\n'],
    ['runners list', 'nothing found\n'],
  ])('%s says %j', async (line, says) => {
    expect((await run(splitWords(line))).stderr).toContain(says)
  })
})
