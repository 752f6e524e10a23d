/**
 * Tests that no output (`--to`, `--out`, `--report`, `--journal`) overwrites an input of the same line. The value of
 * --report is one word, and a report replaces only a report of its kind.
 */
import {
  createReadStream,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()

/** Files that the lines name. Each has a text of its own. */
const files: Readonly<Record<string, string>> = {
  'ci/1.yml': 'one: {script: [a]}\n',
  'ci/2.yml': 'two: {script: [a]}\n',
  '.gitlab-ci.yml': 'own: {script: [a]}\n',
  'f.yml': 'version: 1\n# declared\n',
  'svcctl/a.yml': 'version: 1\nprojects: {a/b: {deploy_keys: {ci: {key: {file: key.pub}}}}}\n',
  'svcctl/key.pub':
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIWYyEW09ebWNMXyrRnoUXfdQ+LfmgRlbZRV8z4ZVPnP',
  'plan.json': '{"a":"plan"}\n',
  'policy.yml': 'policy: 1\ninclude: [more.yml]\n',
  'more.yml': 'policy: 1\nrules:\n  - {name: one, list: runners list, where: status=offline}\n',
  'snap/manifest.json': '{"a":"manifest"}\n',
  'snap/runners.ndjson': '{"id":1}\n',
  'body.json': '{"description":"x"}\n',
  'key.pub': 'ssh-ed25519 AAAA\n',
  'cert.pem': '-----BEGIN CERTIFICATE-----\n',
  'j.ndjson': '{"a":"journal"}\n',
  'v.yml': 'fields: {}\n',
}

const writeSampleFiles = (): string => {
  const cwd = createFolder()
  for (const name of ['ci', 'svcctl', 'snap']) mkdirSync(join(cwd, name))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  symlinkSync('ci/1.yml', join(cwd, 'link.yml'))
  linkSync(join(cwd, 'ci/1.yml'), join(cwd, 'hard.yml'))
  return cwd
}
const run = (line: string, cwd: string) =>
  svcctl(line.split(' '), {
    cwd,
    env: { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'x', SVC_BASE_URL: server.url },
  })
const readFiles = (cwd: string) =>
  Object.fromEntries(
    Object.keys(files).map((name) => [name, readFileSync(join(cwd, name), 'utf8')]),
  )

describe('a file that the line reads', () => {
  it.each([
    'ci lint ci/1.yml --report junit=ci/1.yml',
    'ci lint ./ci/1.yml --report sarif=ci/../ci/1.yml',
    'ci lint link.yml --report junit=ci/1.yml',
    'ci lint ci/1.yml ci/2.yml --to link.yml',
    'ci lint hard.yml --to ci/1.yml',
    'ci lint ci/*.yml --to ci/2.yml',
    'ci lint --to .gitlab-ci.yml',
    'plan f.yml --to f.yml',
    'plan f.yml --out f.yml',
    'plan f.yml --report markdown=f.yml',
    'plan --to svcctl/a.yml',
    'plan --to svcctl/key.pub',
    'plan svcctl --explain projects/a/b --to svcctl/a.yml',
    'drift f.yml --report junit=f.yml',
    'apply f.yml --yes --report sarif=f.yml',
    'apply f.yml --yes --journal f.yml',
    'apply plan.json --yes --to plan.json',
    'check policy policy.yml --to policy.yml',
    'check policy policy.yml --to more.yml',
    'check policy policy.yml --from snap --to snap/runners.ndjson',
    'runners list --from snap --to snap/manifest.json',
    'runners list --since snap --to ./snap/runners.ndjson',
    'runners update 1 --input body.json --to body.json',
    'runners update 1 --param description=@body.json --to body.json',
    'deploy-keys add -P 1 --title x --key @key.pub --to key.pub',
    'pages-domains add a.test -P 1 --certificate cert.pem --to cert.pem',
    'commits create -P 1 --branch m -m x --create ci/1.yml --to ci/1.yml',
    'commits create -P 1 --branch m -m x --update ci/1.yml=a.yml --to hard.yml',
    'commits create -P 1 --branch m -m x --actions body.json --to body.json',
    'runners pause --resume j.ndjson --to j.ndjson',
    'journal show j.ndjson --to j.ndjson',
    'journal undo j.ndjson --yes --to j.ndjson',
    'journal show k.ndjson j.ndjson --to j.ndjson',
    'vocabulary check v.yml --to v.yml',
    'profile set x --ca-file cert.pem --audit-log cert.pem',
    'api PUT runners/1 --input body.json --to body.json',
  ])('is refused before anything is sent: %s', async (line) => {
    const cwd = writeSampleFiles()
    const before = readFiles(cwd)
    const ran = await run(line, cwd)
    expect([ran.code, ran.stdout], ran.stderr).toEqual([2, ''])
    expect(ran.stderr).toContain('would overwrite an input of this command: ')
    expect(server.lines()).toEqual([])
    expect(readFiles(cwd)).toEqual(before)
  })

  it('is refused where it is standard input', async () => {
    const cwd = writeSampleFiles()
    for (const [line, input] of [
      ['ci lint - --to ci/1.yml', 'ci/1.yml'],
      ['ci lint - --to link.yml', 'hard.yml'],
    ] as const) {
      const env = { SVC_TOKEN: 'x', SVC_BASE_URL: server.url }
      const io = {
        stdin: createReadStream(join(cwd, input)),
        inputFile: () => statSync(join(cwd, input), { bigint: true }),
      }
      const { code, stderr } = await svcctl(line.split(' '), { cwd, env, io })
      expect(code, stderr).toBe(2)
      expect(stderr).toContain('would overwrite an input of this command: standard input')
    }
    expect(readFiles(cwd)).toEqual(files)
  })

  it('is no other file: beside a snapshot, or of the same name elsewhere', async () => {
    const cwd = writeSampleFiles()
    writeFileSync(join(cwd, '1.yml'), 'old')
    const ran = await run('ci lint ci/1.yml --to 1.yml', cwd)
    expect(ran.stderr).toContain('wrote 1.yml')
    const list = await run('runners list --instance --to snap/list.txt', cwd)
    expect(list.code, list.stderr).toBe(0)
  })
})

describe('--report', () => {
  it.each([
    ['ci lint --report junit ci/1.yml ci/2.yml', '--report junit=ci/1.yml.'],
    ['ci lint ci/2.yml --report junit lint.xml --strict', '--report junit=lint.xml.'],
    ['ci lint ci/2.yml --report=junit lint.xml', '--report junit=lint.xml.'],
    ['ci lint ci/2.yml --report junit', '--report junit=FILE.'],
    ['ci lint ci/2.yml --report junit --strict', '--report junit=FILE.'],
    ['ci lint ci/2.yml --report sarif -- a.yml', '--report sarif=FILE.'],
    ['ci lint --report junit a.xml --report sarif b', '--report junit=a.xml --report sarif=b.'],
    ['plan f.yml --report markdown plan.md', '--report markdown=plan.md.'],
    ['drift --report junit drift.xml f.yml', '--report junit=drift.xml.'],
    ['apply f.yml --yes --report sarif a.sarif', '--report sarif=a.sarif.'],
    ['check policy --report junit policy.xml', '--report junit=policy.xml.'],
  ])('of two words is refused with the form of one: %s', async (line, text) => {
    const cwd = writeSampleFiles()
    const ran = await run(line, cwd)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain('--report takes one word, KIND=FILE')
    expect(ran.stderr).toContain(text)
    expect(server.lines()).toEqual([])
    expect(readFiles(cwd)).toEqual(files)
  })

  const sarif = '{"version":"2.1.0","runs":[]}'
  const junit = '<?xml version="1.0"?>\n<!-- of a run -->\n<testsuites/>'
  const note = '<!-- svcctl:plan -->\n'

  it.each([
    ['junit', 'a.txt', 'text'],
    ['junit', 'a.xml', '<?xml version="1.0"?><project/>'],
    ['junit', 'b.xml', '<testsuitesx/>'],
    ['junit', 'c.xml', '<!-- <testsuites> --><a/>'],
    ['junit', 'a.sarif', sarif],
    ['sarif', 'b.sarif', junit],
    ['sarif', 'c.sarif', '{"version":1,"runs":[]}'],
    ['sarif', 'd.sarif', '{"version":"2.1.0"}'],
    ['sarif', 'e.sarif', '{"version":"2.1.0","runs":['],
    ['markdown', 'a.md', '# Title\n'],
    ['markdown', 'b.md', ` ${note}`],
    ['markdown', 'c.md', junit],
  ])('replaces no other file: %s=%s', async (kind, name, text) => {
    const cwd = writeSampleFiles()
    writeFileSync(join(cwd, name), text)
    for (const line of ['plan f.yml', 'drift f.yml', 'apply f.yml --yes']) {
      const ran = await run(`${line} --report ${kind}=${name}`, cwd)
      expect([ran.code, ran.stdout], ran.stderr).toEqual([2, ''])
      expect(ran.stderr).toMatch(/exists and is not a (JUnit|SARIF|Markdown) report/)
    }
    expect(readFileSync(join(cwd, name), 'utf8')).toBe(text)
    expect(server.lines()).toEqual([])
  })

  it.each([
    ['junit', junit],
    ['junit', `\ufeff${junit}`],
    ['junit', '<testsuites name="other tool">'],
    ['junit', ''],
    ['sarif', sarif],
    ['sarif', ''],
  ])('replaces a report of its kind: %s', async (kind, text) => {
    const cwd = writeSampleFiles()
    writeFileSync(join(cwd, 'r'), text)
    server.answer = () => ({ body: { status: 'valid', errors: [], warnings: [] } })
    const ran = await run(`ci lint ci/1.yml --report ${kind}=r`, cwd)
    expect(ran.code, ran.stderr).toBe(0)
    expect(readFileSync(join(cwd, 'r'), 'utf8')).toContain('svcctl')
    expect((await run(`ci lint ci/1.yml --report ${kind}=r`, cwd)).code).toBe(0)
  })

  it('may be repeated, also of one kind', async () => {
    const cwd = writeSampleFiles()
    server.answer = () => ({ body: { status: 'valid', errors: [], warnings: [] } })
    const line = 'ci lint ci/1.yml --report junit=a --report junit=b,c --report sarif=d'
    expect((await run(line, cwd)).code).toBe(0)
    const [a, b] = ['a', 'b,c'].map((name) => readFileSync(join(cwd, name), 'utf8'))
    expect(a).toContain('<testsuites')
    expect(b).toBe(a)
  })

  it('goes to standard output in place of the result, and to devices', async () => {
    const cwd = writeSampleFiles()
    server.answer = () => ({ body: { status: 'valid', errors: [], warnings: [] } })
    const ran = await run('ci lint ci/1.yml --report junit=- -o json', cwd)
    expect(ran.stdout).toMatch(/^<\?xml[\s\S]*<\/testsuites>\n$/)
    const both = await run('ci lint ci/1.yml --report sarif=- --to answer', cwd)
    expect(JSON.parse(both.stdout)).toHaveProperty('runs')
    expect(readFileSync(join(cwd, 'answer'), 'utf8')).toContain('ci/1.yml')
    const device = await run('ci lint ci/1.yml --report junit=/dev/null', cwd)
    expect([device.code, device.stdout]).toEqual([0, expect.stringContaining('ci/1.yml')])
  })

  it('cannot be written where no folder is: nothing is sent', async () => {
    for (const path of ['no/r.xml', 'ci']) {
      const ran = await run(`ci lint ci/1.yml --report junit=${path}`, writeSampleFiles())
      expect([ran.code, ran.stdout]).toEqual([1, ''])
      expect(ran.stderr).toContain(`cannot write the JUnit report ${path}: `)
    }
    expect(server.lines()).toEqual([])
  })
})

describe('a link', () => {
  it.each([
    ['ci lint ci/1.yml --to', 'ci/1.yml'],
    ['ci lint ci/1.yml --report', 'testsuites'],
  ])('is written through: %s', async (line, text) => {
    const cwd = writeSampleFiles()
    server.answer = () => ({ body: { status: 'valid', errors: [], warnings: [] } })
    mkdirSync(join(cwd, 'out'))
    writeFileSync(join(cwd, 'out/old'), '<testsuites/>')
    for (const name of ['old', 'new']) {
      symlinkSync(`out/${name}`, join(cwd, name))
      const ran = await run(`${line} ${line.endsWith('--to') ? name : `junit=${name}`}`, cwd)
      expect(ran.code, ran.stderr).toBe(0)
      expect(lstatSync(join(cwd, name)).isSymbolicLink()).toBe(true)
      expect(readlinkSync(join(cwd, name))).toBe(`out/${name}`)
      expect(readFileSync(join(cwd, 'out', name), 'utf8')).toContain(text)
    }
  })
})

describe('~/ in a path that the shell left as it is', () => {
  it('is the home folder, in flags, in @ and in variables', async () => {
    const [home, cwd] = [createFolder(), writeSampleFiles()]
    const env = { HOME: home, SVC_BASE_URL: server.url, SVC_TOKEN: 'x', SVC_CONFIG_DIR: '~/conf' }
    server.answer = () => ({ body: { id: 1 } })
    writeFileSync(join(home, 'notes'), 'text of a file')
    const line = ['runners', 'update', '1', '--param', 'description=@~/notes', '--to=~/answer']
    expect(await svcctl([...line, '--journal=~/j'], { cwd, env })).toMatchObject({ code: 0 })
    expect(server.seen.at(-1)?.body).toBe('{"description":"text of a file"}')
    const set = ['profile', 'set', 'a', '--base-url', server.url, '--ca-file=~/ca.pem']
    expect(await svcctl(set, { cwd, env })).toMatchObject({ code: 0 })
    expect(readdirSync(home).toSorted()).toEqual(['answer', 'conf', 'j', 'notes'])
    expect(readFileSync(join(home, 'conf/config.json'), 'utf8')).toContain(join(home, 'ca.pem'))
    expect(readdirSync(cwd)).not.toContain('~')
  })
})
