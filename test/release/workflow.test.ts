/** The workflow that puts a release together: who gets the key, and who may state where the files are from. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createFolder } from '../support/program.js'
import { createPath, runInShell } from '../support/shell.js'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
}
interface Workflow {
  readonly permissions: object
  readonly jobs: Readonly<
    Record<string, { needs?: string; permissions?: object; steps: readonly Step[] }>
  >
}

const { permissions, jobs }: Workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8'))
const steps = jobs.run?.steps ?? []

/** Runs the step that builds, with an `npm` that shows what it was given. */
const build = async (key: string) => {
  const tmp = createFolder()
  const shown = `echo "$* \${RELEASE_KEY-none}"; test -z "$SVCCTL_RELEASE_KEY" || {`
  const npm = `${shown} echo "$SVCCTL_RELEASE_KEY"; stat -c %a "$SVCCTL_RELEASE_KEY"; cat "$SVCCTL_RELEASE_KEY"; }`
  const { run = '' } = steps.find(({ run }) => run?.includes('npm run executables')) ?? {}
  const env = { RELEASE_KEY: key, TMPDIR: tmp, PATH: createPath({ npm }) }
  const ran = await runInShell(run, { env, shell: ['bash', '-e'] })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  return ran.stdout.split('\n')
}

describe.skipIf(process.platform !== 'linux')('the key of releases', () => {
  it('is in a file of its own while the release is put together, and no longer', async () => {
    const [called, file = '', mode, ...text] = await build('-----BEGIN-----\nabc\n-----END-----')
    expect([called, mode]).toEqual(['run executables none', '600'])
    expect(text).toEqual(['-----BEGIN-----', 'abc', '-----END-----'])
    expect(existsSync(file)).toBe(false)
  })

  it('may be absent', async () => {
    expect(await build('')).toEqual(['run executables none'])
  })

  it('is given to one step, after all that installs and tests', () => {
    const all = Object.values(jobs).flatMap((job) => job.steps)
    const given = all.filter((step) => JSON.stringify(step).includes('secrets.'))
    expect(given.map(({ env }) => env)).toEqual([
      { RELEASE_KEY: `\${{ secrets.SVCCTL_RELEASE_KEY }}` },
    ])
    const [tests, build] = [{ run: '.ci/run' }, given[0]].map((step) =>
      steps.findIndex(({ run }) => run === step?.run),
    )
    expect(tests).toBeGreaterThan(0)
    expect(build).toBe((tests ?? 0) + 1)
  })
})

it('is published only where no package has a serious advisory, and a second build is equal', () => {
  const order = steps.map(({ run, uses }) => (run ?? uses ?? '').split('@')[0]?.trim() ?? '')
  const wanted = ['npm audit --audit-level=high', '.ci/run', 'npm run reproducible']
  expect(order.filter((step) => wanted.includes(step))).toEqual(wanted)
  expect(order.at(-2)).toBe('npm run reproducible')
  expect(order.at(-1)).toBe('actions/upload-artifact')
})

describe('provenance', () => {
  it('is stated of what was built, by a job that runs nothing else', () => {
    const [upload] = steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact@'))
    const { provenance } = jobs
    expect(provenance?.needs).toBe('run')
    expect(
      provenance?.steps.map(({ uses, with: inputs }) => [uses?.split('@')[0], inputs]),
    ).toEqual([
      ['actions/download-artifact', { name: upload?.with?.name, path: 'release' }],
      ['actions/attest-build-provenance', { 'subject-path': 'release/*' }],
    ])
  })

  it('needs rights that no other job has', () => {
    expect(permissions).toEqual({ contents: 'read' })
    expect(jobs.provenance?.permissions).toEqual({
      contents: 'read',
      'id-token': 'write',
      attestations: 'write',
    })
    expect(jobs.run?.permissions).toBeUndefined()
  })
})
