/** The guide's page on adoption: runs its commands in order against an embedded instance, with the files that a signed release installs. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildInstaller, companionFiles, sign, writeSums } from '../../.config/release/beside.js'
import { getOwnPlatform } from '../../.config/release/nodes.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { buildShellProgram } from '../support/lines-of-shells.js'
import { listCodeBlocks } from '../support/pages.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { createPath, runInShell } from '../support/shell.js'

const blocks = listCodeBlocks('sh', ['.github/guide/adoption.md'])
const { url, send } = useSharedSandbox()
const platform = getOwnPlatform()
const token = 'sandbox-root-token'

/** Creates a signed release that has this program in place of the executable. */
const createRelease = async (made: string): Promise<void> => {
  const key = join(createFolder(), 'key')
  await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const executable = join(made, `svcctl-0.0.0-${platform}`)
  writeFileSync(executable, await buildShellProgram())
  chmodSync(executable, 0o755)
  for (const file of companionFiles) cpSync(file, join(made, basename(file)))
  writeFileSync(join(made, 'install.sh'), buildInstaller(readFileSync(`${key}.pub`, 'utf8')))
  writeSums(made)
  sign(made, key)
}

describe.skipIf(platform === undefined || spawnSync('ssh-keygen', ['-?']).error !== undefined)(
  'the page on adoption',
  () => {
    const cwd = createFolder()
    const at = (name: string): string => join(cwd, name)
    const home = createFolder()
    /** The output of the lines by block, and the commands that sudo would run. */
    const printed: string[] = []
    const rooted: string[] = []

    beforeAll(async () => {
      mkdirSync(at('release'))
      await createRelease(at('release'))
      for (const name of ['read-token.txt', 'admin-token.txt'])
        writeFileSync(at(name), `${token}\n`)
      const asRoot = at('as-root')
      const env = {
        HOME: home,
        SVC_CONFIG_DIR: createConfiguration(),
        SVC_NO_KEYRING: '1',
        SHELL: '/bin/bash',
        // The installed program comes before these on the path; svcctl of this machine is not on it.
        PATH: createPath({ sudo: `echo "$@" >>'${asRoot}'`, svcctl: 'exit 97' }),
      }
      const rule = '-- next block --'
      const lines = blocks.map((block) => block.replaceAll('https://svc.example', url()))
      const { code, stdout, stderr } = await runInShell(lines.join(`\necho '${rule}'\n`), {
        cwd,
        env,
      })
      expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
      expect(`${stdout}${stderr}`).not.toContain(token)
      printed.push(...stdout.split(rule))
      rooted.push(...readFileSync(asRoot, 'utf8').trimEnd().split('\n'))
    }, 120_000)

    it('has these steps', () => expect(printed).toHaveLength(9))

    it('installs a signed release with completion, signs in, and finds nothing wrong', () => {
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
      expect(printed[0]).toContain(`svcctl ${version} is installed: ${home}/.local/bin/svcctl`)
      expect(readFileSync(join(home, '.bashrc'), 'utf8')).toContain('svcctl completion bash')
      expect(printed[1]).toMatch(/^instance\tok\t.*from profile prod\t/m)
      expect(printed[1]).not.toMatch(/^[^\t]*\tfailed\t/m)
    })

    it('keeps a snapshot and declares a state without drift', () => {
      expect(existsSync(at('before/manifest.json'))).toBe(true)
      expect(printed[2]).toMatch(/^group:platform\tmember\tana\towner\t/m)
      expect(printed[3]).toMatch(/^Plan: nothing to do/m)
      expect(printed[3]).toMatch(/^No drift/m)
    })

    it('checks the same rules on the snapshot and on the instance', () => {
      const found = printed[4]?.match(/^warning two-approvals platform\/app: .*$/gm)
      expect([found?.length, new Set(found).size]).toEqual([2, 1])
    })

    it('takes jobs and units that a release has', () => {
      expect(printed[5]).toMatch(/^ci\/component\.yml\ttrue\t/m)
      const units = rooted.flatMap((line) => line.match(/\bsvcctl-check@\w+\.timer/g) ?? [])
      expect(units.length).toBeGreaterThan(1)
      for (const unit of units) {
        const template = unit.replace(/@\w+/, '@')
        expect(existsSync(join('.config/release/monitoring', template))).toBe(true)
      }
      expect(printed[7]).toMatch(/^INSTANCE OK/m)
      expect(readFileSync(at('svcctl-runners.prom'), 'utf8')).toContain('svcctl_check_status{')
    })

    it('records what it changed, and undoes it', async () => {
      const methods = readFileSync(at('audit.ndjson'), 'utf8').match(/"method":"PUT"/g)
      expect(methods).toHaveLength(4)
      expect((await send('GET /runners/2')).body.active).toBe(true)
    })
  },
)
