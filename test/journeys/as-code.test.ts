/**
 * Infrastructure as code: exports a state, changes the instance by hand, detects the drift, restores the state, and applies its files
 * to another instance.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const first = useSharedSandbox()
const second = useSharedSandbox()

/** Creates a function that runs lines against an instance. */
const createRunner = (box: typeof first, cwd: string) => (line: string | readonly string[]) =>
  svcctl(typeof line === 'string' ? line.split(' ') : line, {
    cwd,
    env: { SVC_BASE_URL: box.url(), SVC_TOKEN: 'sandbox-root-token' },
  })

const readFiles = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file.slice(root.length + 1), readFileSync(file, 'utf8')]),
  )

it('is told what was changed by hand, and restored', { timeout: 120_000 }, async () => {
  const cwd = createFolder()
  const run = createRunner(first, cwd)
  expect(await run('export --exact --to svcctl')).toMatchObject({ code: 0 })
  const before = readFiles(join(cwd, 'svcctl'))
  expect(await run('drift')).toMatchObject({ code: 0 })
  const changes: readonly (string | readonly string[])[] = [
    'settings update --diff-max-files 7',
    'members update 6 -G platform --access-level reporter',
    'approvals update -P platform/tools/cli --no-reset-approvals-on-push',
    [
      'approvals',
      'rules',
      'create',
      '-P',
      'web/shop',
      '--name',
      'By hand',
      '--approvals-required',
      '1',
    ],
    'deploy-keys delete 2 -P platform/core/engine --yes',
    'runners update 4 --maximum-timeout 777',
  ]
  for (const line of changes) expect(await run(line), String(line)).toMatchObject({ code: 0 })
  const drift = await run('drift -o json')
  expect(drift.code).toBe(1)
  const { actions } = JSON.parse(drift.stdout) as { actions: readonly { id: string }[] }
  expect(actions.map(({ id }) => id).sort()).toEqual([
    'create projects/platform/core/engine:deploy_keys/mirror',
    'delete projects/web/shop:approval_rules/By hand',
    'update groups/platform:members/eva',
    'update projects/platform/tools/cli:approvals',
    'update site:runners/4',
    'update site:settings',
  ])
  // A change that would leave a set empty needs a flag that names it.
  const refused = await run('apply --yes')
  expect(refused.code).toBe(2)
  const [, flag = ''] = /allow the changes, pass (--allow-empty \S+)\.\n/.exec(refused.stderr) ?? []
  expect(flag).toBe('--allow-empty projects/web/shop:approval_rules')
  const applied = await run(`apply --yes ${flag}`)
  expect(applied, applied.stderr).toMatchObject({ code: 0 })
  expect(await run('drift')).toMatchObject({ code: 0 })
  expect(await run('export --exact --to svcctl')).toMatchObject({ code: 0 })
  expect(readFiles(join(cwd, 'svcctl'))).toEqual(before)
})

it('makes another instance the same', { timeout: 120_000 }, async () => {
  const cwd = createFolder()
  const [here, there] = [createRunner(first, cwd), createRunner(second, cwd)]
  const emptied: readonly string[] = [
    'approvals rules delete 1 -P platform/app --yes',
    'deploy-keys delete 1 -P platform/app --yes',
    'integrations delete emails-on-push -P platform/app --yes',
    'settings update --default-projects-limit 1',
    'members update 4 -G web --access-level guest',
  ]
  expect(await here('export --to svcctl')).toMatchObject({ code: 0 })
  for (const line of emptied) expect(await there(line), line).toMatchObject({ code: 0 })
  expect((await there('drift')).code).toBe(1)
  const applied = await there('apply --yes')
  expect(applied, applied.stderr).toMatchObject({ code: 0 })
  expect(await there('drift')).toMatchObject({ code: 0 })
  const again = await there('plan -o json')
  expect(JSON.parse(again.stdout).actions).toEqual([])
})
