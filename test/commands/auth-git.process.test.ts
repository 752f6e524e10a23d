/** `auth git-credential` as the helper of the real git. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { quoteWord } from '../../src/base/shell-words.js'
import { createFolder, getCleanEnv, program } from '../support/program.js'
import { useSandbox } from '../support/sandbox.js'
import { runProgram } from '../support/starting.js'
import { svcctl } from '../support/within.js'

const place = useSandbox()

const hasGit = (): boolean => {
  try {
    return execFileSync('git', ['--version']).length > 0
  } catch {
    return false
  }
}

it.runIf(hasGit())('answers "git credential fill" for its own instance alone', async () => {
  const { sandbox, config } = place()
  const signIn = ['auth', 'login', 'work', '--base-url', sandbox.url, '--token-stdin']
  await svcctl(signIn, { env: { SVC_CONFIG_DIR: config }, input: sandbox.token })
  const helper = [process.execPath, program].map(quoteWord).join(' ')
  const file = join(createFolder(), 'gitconfig')
  writeFileSync(file, `[credential]\n\thelper = "!${helper} auth git-credential"\n`)
  const fill = (address: string, verb = 'fill', more = '') =>
    runProgram('git', ['credential', verb], {
      cwd: createFolder(),
      env: {
        ...getCleanEnv(),
        SVC_CONFIG_DIR: config,
        SVC_NO_KEYRING: '1',
        GIT_CONFIG_GLOBAL: file,
        GIT_CONFIG_SYSTEM: file,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_ASKPASS: '',
        SSH_ASKPASS: '',
      },
      input: `url=${address}\n${more}\n`,
    })
  const own = await fill(`${sandbox.url}/platform/app.git`)
  expect(own.code).toBe(0)
  expect(own.stdout.toString()).toContain(`username=oauth2\npassword=${sandbox.token}\n`)
  const other = await fill('https://svc.example/platform/app.git')
  expect(other.code).not.toBe(0)
  expect(other.stdout.toString()).not.toContain(sandbox.token)
  const kept = `username=oauth2\npassword=${sandbox.token}\n`
  for (const verb of ['approve', 'reject'])
    expect((await fill(`${sandbox.url}/platform/app.git`, verb, kept)).code, verb).toBe(0)
  const token = await svcctl(['auth', 'token'], { env: { SVC_CONFIG_DIR: config } })
  expect(token.stdout).toBe(`${sandbox.token}\n`)
})
