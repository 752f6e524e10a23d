/** The thirty jobs: each line that is typed works, or its error names the line that does. Other lines are dead ends, and there are few. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { copyConfiguration, createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { exitCodes, jobs } from './jobs.js'

/**
 * The outcome of a line: it works, its error names the line that does, its error names the request of an undocumented operation, or
 * none of these.
 */
type Outcome = 'works' | 'hint' | 'undocumented' | 'dead end'

/** Maximum number of dead ends in all thirty jobs. */
const maxDeadEnds = 10

const token = 'sandbox-root-token'
const csv = 'username\nfay\ngus\n'
const policy =
  'policy: 1\nrules:\n  - { name: no-project-public, list: projects list, where: visibility=public }\n'

let sandbox: Sandbox
/** A configuration with two profiles of the instance. */
let signedIn: string
let names: Readonly<Record<string, string>>
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: token, SVC_CONFIG_DIR: createConfiguration() }
  const commit = ['commits', 'list', '-P', 'platform/app', '-L', '1', '-o', 'id']
  const { stdout } = await svcctl(commit, { env })
  signedIn = await signIn()
  names = {
    '{URL}': sandbox.url,
    '{SHA}': stdout.trim(),
    '{BRANCH}': 'stable',
    '{PATH}': 'dist/docs/index.html',
  }
})
afterAll(() => sandbox.close())

const signIn = async (): Promise<string> => {
  const config = createConfiguration()
  for (const name of ['staging', 'prod']) {
    const login = ['auth', 'login', name, '--base-url', sandbox.url, '--token-stdin']
    await svcctl(login, { env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }, input: token })
  }
  return config
}

/** Opens a folder and a configuration with both profiles, for the lines of one job. */
const openPlace = () => {
  const cwd = createFolder()
  mkdirSync(join(cwd, 'ci'))
  for (const name of ['.gitlab-ci.yml', 'ci/a.yml'])
    writeFileSync(join(cwd, name), 'build:\n  script: [make]\n')
  writeFileSync(join(cwd, 'policy.yml'), policy)
  return { cwd, env: { SVC_CONFIG_DIR: copyConfiguration(signedIn), SVC_NO_KEYRING: '1' } }
}

const run = (line: string, place: ReturnType<typeof openPlace>) => {
  const [words = '', file] = line.replace(/^svcctl /, '').split(' < ')
  const input = file === undefined ? (words.includes('--token-stdin') ? token : undefined) : csv
  return svcctl(splitCommand(words), { ...place, input })
}

/** Returns the words of a command and the names of its flags, without those that only confirm, preview or print. */
const parseLine = (line: string) => {
  const [words = ''] = line.split(/ (?=-|\d|')/)
  const flags = line.match(/(?<= )--?[a-zA-Z][\w-]*/g) ?? []
  const printing = /^(?:--yes|--dry-run|--token-stdin|-o|--to|-[PG])$/
  return { words, flags: flags.filter((flag) => !printing.test(flag)) }
}

/** True if the output contains a line with the same command and flags as the next one, with any values. */
const includesLine = (said: string, next: string): boolean => {
  const { words, flags } = parseLine(next)
  const lines = said.match(/svcctl [^"`\n]+/g) ?? []
  return lines.some(
    (line) =>
      !line.includes('--help') &&
      line.startsWith(words.split(' ').slice(0, 3).join(' ')) &&
      flags.every((flag) => line.includes(flag)),
  )
}

const judge = (works: boolean, said: string, next: string | undefined): Outcome => {
  if (works) return 'works'
  if (next !== undefined && includesLine(said, next)) return 'hint'
  return /no such operation[.] Run "svcctl api \w+ '/.test(said) ? 'undocumented' : 'dead end'
}

const outcomes: { readonly line: string; readonly outcome: Outcome }[] = []

it.each(jobs)('$job', { timeout: 60_000 }, async ({ lines }) => {
  const place = openPlace()
  const filled = lines.map((line) => line.replace(/\{\w+\}/g, (name) => names[name] ?? name))
  for (const [i, line] of filled.entries()) {
    const { code, stdout, stderr } = await run(line, place)
    const said = stdout + stderr
    const wanted = exitCodes[line] ?? 0
    if (i === filled.length - 1) expect({ line, code, said }).toEqual({ line, code: wanted, said })
    outcomes.push({ line, outcome: judge(code === wanted, said, filled[i + 1]) })
  }
})

it('have few dead ends', () => {
  const dead = outcomes.filter(({ outcome }) => outcome === 'dead end').map(({ line }) => line)
  expect(jobs).toHaveLength(30)
  expect(dead.length, dead.join('\n')).toBeLessThanOrEqual(maxDeadEnds)
})
