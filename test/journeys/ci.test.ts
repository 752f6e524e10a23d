/** Follows a change from its push to its merge, with a job that is stuck on the way. */
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { createLinePath } from '../support/shell.js'
import { hasProgram } from '../support/terminal.js'
import { runScript } from './scripts.js'

it('a stuck change gets through', async ({ skip }) => {
  skip(!hasProgram('jq'), 'jq is not installed')
  const ran = await runScript('ci.sh')
  expect(ran.all).toContain('it got through')
  expect(ran.exitCode).toBe(0)
}, 120_000)

it('an instance of a process a command is the same one', async () => {
  const cwd = createFolder()
  const env = {
    PATH: await createLinePath(),
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_SANDBOX: '1',
  }
  const script = `set -e
export SVC_PROJECT=platform/app SVC_SANDBOX_JOBS=hold
printf 'mac: { script: [x], tags: [macos] }' > ci.yml
svcctl commits create --branch feature/auto -m 'On a Mac' --update ci.yml=.gitlab-ci.yml -q >commit
job=$(svcctl jobs list --where name=mac -o csv --fields id | tail -n 1)
svcctl jobs why "$job" -o csv --fields reason
svcctl runners update 3 --tag-list gpu -q >runner
svcctl jobs why "$job" -o csv --fields reason
svcctl runners update 3 --tag-list macos --active -q >runner
svcctl jobs list --scope running --sort id -o csv --fields name,runner.id
svcctl runners drain 3 -q --journal none >runner
svcctl jobs get 15 -o csv --fields status`
  const ran = await execa('bash', ['-c', script], { cwd, env, reject: false, all: true })
  expect(ran.all?.split(/\r?\n/)).toEqual([
    'reason',
    'the only matching runner is paused',
    'reason',
    'none of 6 runners has the tag macos',
    'name,runner.id',
    'unit,1',
    'lint,3',
    'build,4',
    'status',
    'success',
  ])
}, 120_000)
