/** Tests that every command line that the program advises runs: each is read from the output and executed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSandbox } from '../support/sandbox.js'
import { runLine } from '../support/shell.js'

const place = useSandbox()

const run = (line: string, env: Readonly<Record<string, string>> = {}) => {
  const { cwd, config, sandbox } = place()
  return runLine(line, { cwd, env: { SVC_CONFIG_DIR: config, SVC_TOKEN: sandbox.token, ...env } })
}

const advicePattern = /\bsvcctl (?:[a-z-]+ )+.*--resume .*?(?= (?:completes|retries) )/

interface AdviceCase {
  /** Command line. `URL` stands for the address of the instance. */
  readonly line: string
  readonly files?: Readonly<Record<string, string>>
  readonly before?: readonly string[]
  /** The route whose first request fails. */
  readonly fails?: string
  readonly env?: Readonly<Record<string, string>>
  /** Exit code of the advised line where the failed objects cannot succeed. */
  readonly ends?: number
}

const stop = '--retries 0 --concurrency 1 --max-failures 1'
const pause = 'PUT /runners/:id'

const adviceCases: readonly AdviceCase[] = [
  // The objects come from arguments, filters, scopes or standard input.
  { line: `svcctl runners pause 1 2 4 ${stop}`, fails: pause },
  { line: `svcctl runners pause --instance --select status=online --yes ${stop}`, fails: pause },
  { line: `svcctl runners pause -G platform --select active=true --yes ${stop}`, fails: pause },
  { line: `svcctl runners pause -P platform/app --select active=true --yes ${stop}`, fails: pause },
  {
    line: `svcctl runners pause -P platform/app,web/shop --select active=true --yes ${stop}`,
    fails: pause,
  },
  { line: `svcctl runners pause --all-projects --select active=true --yes ${stop}`, fails: pause },
  {
    line: `svcctl runners pause -G platform --recursive --select active=true --yes ${stop}`,
    fails: pause,
  },
  { line: `printf '1\n2\n4\n' | svcctl runners pause - ${stop}`, fails: pause },
  {
    line: `svcctl runners list --instance -o csv | svcctl runners update - --row-fields description --maximum-timeout 900 ${stop}`,
    fails: pause,
  },
  { line: `svcctl runners drain 1 2 4 ${stop} --wait-timeout 5`, fails: pause },
  {
    line: `svcctl mr subscribe 'platform/app!1' 'web/site!1' 'platform/app!2' ${stop}`,
    fails: 'POST /projects/:id/merge_requests/:merge_request_iid/subscribe',
  },
  {
    line: `svcctl issues todo --select state=opened --yes ${stop}`,
    fails: 'POST /projects/:id/issues/:issue_iid/todo',
  },
  {
    line: `svcctl issues todo --select state=opened -G platform --yes ${stop}`,
    fails: 'POST /projects/:id/issues/:issue_iid/todo',
  },
  {
    line: `svcctl deploy-keys list --all-projects | svcctl deploy-keys update - --no-can-push ${stop}`,
    fails: 'PUT /projects/:id/deploy_keys/:key_id',
  },
  {
    line: `svcctl deploy-keys delete --all-projects --select id=1 --yes ${stop}`,
    fails: 'DELETE /projects/:id/deploy_keys/:key_id',
  },
  {
    line: `svcctl deploy-keys enable 3 -P platform/app,web/site,web/docs ${stop}`,
    fails: 'POST /projects/:id/deploy_keys/:key_id/enable',
  },
  {
    line: `printf 'web/site\nweb/docs\n' | svcctl deploy-keys enable 3 -P - ${stop}`,
    fails: 'POST /projects/:id/deploy_keys/:key_id/enable',
  },
  {
    line: `svcctl approvals rules create -G web --name Two --approvals-required 2 --yes ${stop}`,
    fails: 'POST /projects/:id/approval_rules',
  },
  {
    line: `svcctl members add 8 4 -P web/site,web/docs --access-level developer ${stop}`,
    fails: 'POST /projects/:id/members',
    // An addition that may have succeeded is not sent again.
    ends: 8,
  },
  {
    line: `svcctl members add - -G labs --row-fields access_level ${stop} < people.csv`,
    files: { 'people.csv': 'user_id,access_level\n2,30\n3,20\n4,20\n' },
    fails: 'POST /groups/:id/members',
  },
  // The values come from files, flags or parameters, some with quotes and blanks.
  {
    line: `svcctl runners update 1 2 --input 'it is.yml' ${stop}`,
    files: { 'it is.yml': 'maximum_timeout: 900\n' },
    fails: pause,
  },
  {
    line: `svcctl runners update 1 2 --description "it's "\\$HOME" --x" ${stop}`,
    fails: pause,
  },
  { line: `svcctl runners update 1 2 --description=-x --tag-list 'a b,c' ${stop}`, fails: pause },
  {
    line: `printf '1\n2\n4\n' | svcctl api PUT 'runners/{}' --param active=false - ${stop}`,
    fails: pause,
  },
  {
    line: `svcctl api POST 'projects/{project}/deploy_keys/3/enable' -P platform/app,web/site ${stop}`,
    fails: 'POST /projects/:id/deploy_keys/:key_id/enable',
  },
  {
    line: `svcctl apply site.yml --yes ${stop}`,
    files: {
      'site.yml':
        'version: 1\nprojects:\n  platform/app:\n    approvals: { reset_approvals_on_push: false }\n  web/site:\n    approvals: { reset_approvals_on_push: false }\n',
    },
    fails: 'POST /projects/:id/approvals',
  },
  {
    line: `svcctl members remove-everywhere gus --yes ${stop}`,
    fails: 'DELETE /projects/:id/members/:user_id',
  },
  // The instance comes from a flag or a profile, or the journal has a path of its own.
  {
    line: `svcctl runners pause 1 2 4 --base-url URL ${stop}`,
    fails: pause,
    env: { SVC_BASE_URL: '' },
  },
  { line: `svcctl runners pause 6 7 --sudo ana --insecure --rate 100/s ${stop}`, fails: pause },
  {
    line: `svcctl runners pause 1 2 4 -p 'my-own' ${stop}`,
    before: ['svcctl profile set my-own --base-url URL'],
    fails: pause,
    env: { SVC_BASE_URL: '' },
  },
  {
    line: `svcctl deploy-keys delete 1 -P platform/app,platform/tools/deploy -p kept --yes --confirm kept ${stop}`,
    before: ['svcctl profile set kept --base-url URL --protected'],
    fails: 'DELETE /projects/:id/deploy_keys/:key_id',
    env: { SVC_BASE_URL: '' },
  },
  { line: `svcctl runners pause 1 2 --journal "it's here.ndjson" ${stop}`, fails: pause },
  // With --sandbox no request can be made to fail, so the line names runner 99, which does not exist.
  {
    line: `svcctl runners pause 99 1 2 --sandbox ${stop}`,
    env: { SVC_BASE_URL: '', SVC_TOKEN: '' },
    ends: 8,
  },
  {
    line: `svcctl runners pause 1 2 -p one,two --yes ${stop}`,
    before: ['one', 'two'].map(
      (name) => `svcctl profile set ${name} --base-url URL --token-command 'echo TOKEN'`,
    ),
    fails: pause,
    env: { SVC_BASE_URL: '', SVC_TOKEN: '' },
  },
  {
    line: `svcctl off 2 4 ${stop}`,
    before: ["svcctl alias set off 'runners pause 1'"],
    fails: pause,
  },
]

describe('a run that stopped early advises the line that completes it', () => {
  it.each(adviceCases)('$line', async ({ line, files = {}, before = [], fails, env, ends = 0 }) => {
    const { cwd, sandbox } = place()
    const variables = { SVC_BASE_URL: sandbox.url, ...env }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
    const filled = (text: string): string =>
      text.replaceAll('URL', sandbox.url).replaceAll('TOKEN', sandbox.token)
    for (const one of before) expect(await run(filled(one), variables)).toMatchObject({ code: 0 })
    if (fails !== undefined) sandbox.fail(fails, { status: 500 })
    const broken = await run(filled(line), variables)
    expect(broken.code, broken.stderr).not.toBe(0)
    const [again = ''] = advicePattern.exec(broken.stderr) ?? []
    expect(again, broken.stderr).not.toBe('')
    expect({ again, ...(await run(again, variables)) }).toMatchObject({ code: ends })
    if (ends === 0) expect((await run(again, variables)).stderr).toContain('nothing is left to do')
  })
})

describe('a line on another profile than the current one', () => {
  const env = { SVC_BASE_URL: '', SVC_TOKEN: '' }
  const createProfiles = async (): Promise<void> => {
    const { sandbox } = place()
    const command = `--token-command 'echo ${sandbox.token}'`
    for (const line of [
      `svcctl profile set prod --base-url ${sandbox.url} ${command}`,
      'svcctl profile set other --base-url http://127.0.0.1:9 --no-token-command',
      'svcctl auth switch other',
    ])
      await run(line, env)
  }

  it.each([
    ['runners get 99 -p prod', 'svcctl auth status --profile prod'],
    ['runners pause 1 -p prod --sudo chi', 'svcctl auth status --profile prod --sudo chi'],
  ])('is advised lines that ask the same instance: %s', async (line, hint) => {
    await createProfiles()
    const { stderr } = await run(`svcctl ${line}`, env)
    expect(stderr).toContain(`\`${hint}\``)
    expect(await run(hint, env)).toMatchObject({ stdout: expect.stringContaining('prod') })
  })

  it('is advised to diagnose the instance that did not answer', async () => {
    const line = `runners pause ${Array.from({ length: 25 }, (_, i) => i + 1).join(' ')}`
    const dead = ['--base-url', 'http://127.0.0.1:9', '--retries', '0', '--journal', 'none']
    const { stderr } = await run(`svcctl ${line} ${dead.join(' ')}`, { ...env, SVC_TOKEN: 'x' })
    expect(stderr).toContain('twenty times in a row')
    expect(stderr).toContain('`svcctl doctor --base-url http://127.0.0.1:9`')
  })

  it('is advised the line that carries out its plan, and runs that can be undone', async () => {
    await createProfiles()
    const saved = await run('svcctl runners pause 1 -p prod --dry-run --save', env)
    const line = /carry it out with: (.*)/.exec(saved.stderr)?.[1] ?? ''
    expect(line).toContain('-p prod')
    expect(await run(`${line} --dry-run`, env)).toMatchObject({ code: 0 })
    expect(await run('svcctl runners pause 1 -p prod', env)).toMatchObject({ code: 0 })
    const named = await run('svcctl journal undo', env)
    const undo = /: (svcctl journal undo .*)/.exec(named.stderr)?.[1] ?? ''
    expect(undo).toContain('-p prod')
    // A later run without objects cannot be undone, so the hint names the one before it.
    await run('svcctl runners pause 4 -p prod --journal none', env)
    const before = await run('svcctl journal undo', env)
    expect(before.stderr).toContain(`can be undone is`)
    expect(before.stderr).toContain(undo)
    expect(await run(`${undo} --yes`, env)).toMatchObject({ code: 0 })
  })

  it('is advised by jobs why lines on the same instance', async () => {
    await createProfiles()
    const { stdout } = await run(
      'svcctl jobs why 15 -P platform/app -p prod -o json --jq ".next[]"',
      env,
    )
    const lines = stdout.trim().split('\n')
    expect(lines.length).toBeGreaterThan(0)
    for (const one of lines) expect(one).toContain('--profile prod')
  })
})
