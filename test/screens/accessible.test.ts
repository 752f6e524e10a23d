/** Tests SVC_ACCESSIBLE=1 at a terminal: the output for a screen reader is words, line by line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processIo } from '../../src/base/io.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createPrompts } from '../../src/terminal/prompts.js'
import { createFolder } from '../support/program.js'
import { openScreen } from '../support/screen.js'
import { svcctl } from '../support/within.js'
import { createFakeKeyboard, createFakeScreen } from '../terminal/streams.js'

let sandbox: Sandbox
const cwd = createFolder()
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  writeFileSync(join(cwd, 'ci.yml'), 'build: { scrip: [make] }\n')
  writeFileSync(
    join(cwd, 'wanted.yml'),
    `version: 1
site: { settings: { default_project_visibility: internal, domain_allowlist: [example.com] } }
projects:
  platform/app:
    approval_rules: { New: { approvals_required: 1 }, All members: null }
`,
  )
})
afterAll(() => sandbox.close())

const createEnv = (): Record<string, string> => ({
  SVC_TOKEN: sandbox.users[0]?.token ?? '',
  SVC_BASE_URL: sandbox.url,
  NO_COLOR: '1',
})

/** Returns the output of a line at a wide terminal without colours. */
const runAtTerminal = async (
  line: string,
  more: Readonly<Record<string, string>>,
): Promise<string> => {
  const env = { ...createEnv(), ...more }
  const screen = openScreen([`${line} --no-pager`], { cwd, env, columns: 160 })
  await screen.ended
  await screen.close()
  return screen.written()
}

/** Arrows, blocks, shapes and checks, which a screen reader skips or reads by their names. */
const symbols = /[\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u2b00-\u2bff‖›·±]/u
const pages: Readonly<Record<string, readonly [line: string, word: RegExp]>> = {
  overview: ['overview', /^ {2}(ok|problem|warning): /m],
  doctor: ['doctor', /^(ok|warning): \w/m],
  'Explain why a job is waiting': ['jobs why 15 -P platform/app', /^next: /m],
  replication: ['geo status', /^problem: Node/m],
  'a configuration': ['ci lint ci.yml', /^problem: ci\.yml/m],
  plan: ['plan wanted.yml', /^ {2}(create|delete): approval_rules/m],
  drift: ['drift wanted.yml', /^ {2}changed: settings/m],
  'a check': ['check runners', /^runners/m],
  'a list': ['runners list --instance', /online/],
  'a list of what expires': ['members list -G platform', /access_level/],
  'a record': ["mr get 'platform/app!1'", /opened|merged|closed/],
}

describe('SVC_ACCESSIBLE=1', () => {
  it.each(Object.entries(pages))('says in words what others show: %s', async (_, [line, word]) => {
    const spoken = await runAtTerminal(line, { SVC_ACCESSIBLE: '1' })
    expect(spoken).toMatch(word)
    expect(symbols.exec(spoken)?.[0], spoken).toBeUndefined()
  })

  it('has the parts of the overview below each other, where others see them side by side', async () => {
    const titles = ['Runners', 'Jobs waiting', 'Pages certificates', 'Replication', 'Projects by']
    const atLineStart = (text: string) =>
      titles.filter((title) => new RegExp(`^${title}`, 'm').test(text))
    expect(atLineStart(await runAtTerminal('overview', { SVC_ACCESSIBLE: '1' }))).toEqual(titles)
    expect(atLineStart(await runAtTerminal('overview', {})).length).toBeLessThan(titles.length)
  })

  it('changes nothing that goes into a file', async () => {
    const piped = async (env: Readonly<Record<string, string>>) => {
      const { stdout } = await svcctl(['plan', 'wanted.yml', '--sandbox'], { cwd, env })
      return stdout.replace(/, \d+ s\)/, ')')
    }
    expect(await piped({ SVC_ACCESSIBLE: '1' })).toBe(await piped({}))
  })
})

it('asks for a secret in one line that is not drawn again', async () => {
  const input = createFakeKeyboard()
  const output = createFakeScreen()
  const answer = createPrompts({ io: processIo, input, output }, { SVC_ACCESSIBLE: '1' }).secret(
    'Token:',
  )
  await expect.poll(() => output.text()).toContain('Token:')
  input.write('s3cr3t ')
  input.write('x\r')
  expect(await answer).toBe('s3cr3t x')
  expect(output.text()).toBe('Token: (hidden input) \n')
})
