/** Tests the output of an instance with another vocabulary as input of a verb: its names work as well as the documented ones. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useWordsSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { everything, loadEveryWord } from './everything.js'

const { url } = useWordsSandbox(await loadEveryWord())
const file = join(createFolder(), 'every.yml')
writeFileSync(file, everything)
const config = createConfiguration()
const run = (line: string, input?: string): Promise<LineResult> =>
  svcctl(line.split(' '), {
    env: {
      SVC_CONFIG_DIR: config,
      SVC_BASE_URL: url(),
      SVC_TOKEN: 'sandbox-root-token',
      SVC_VOCABULARY: file,
    },
    ...(input === undefined ? {} : { input }),
  })
const getOutput = async (line: string): Promise<string> => (await run(line)).stdout

it.each([
  ['JSON', '-o json'],
  ['lines of JSON', '-o ndjson'],
  ['a table', ''],
  ['a sheet', '-o csv'],
  ['columns in the instance’s words', '-o csv --fields ownid,owndescription'],
  ['one column', '--fields ownid'],
  ['columns in those of the documents', '-o json --fields id'],
])('%s', async (_, how) => {
  const list = await getOutput(`runners list -L 2 ${how}`.trim())
  const ran = await run('runners get - --yes -o json --fields id', list)
  expect(ran.stderr).toBe('')
  expect(JSON.parse(ran.stdout)).toEqual([{ id: 1 }, { id: 2 }])
})

it.each([
  ['of several projects', '-P platform/app,web/site', '-o json'],
  ['of all of them', '--scope all', '-o json'],
  ['of all of them, as a table', '--scope all', ''],
  ['of all of them, as a sheet', '--scope all', '-o csv'],
])('numbers that bring their project along: %s', async (_, scope, how) => {
  const list = await getOutput(`mr list ${scope} -L 2 ${how}`.trim())
  const wanted = JSON.parse(await getOutput(`mr list ${scope} -L 2 -o json --fields iid,title`))
  const ran = await run('mr get - -o json --fields iid,title', list)
  expect(ran.stderr).toBe('')
  expect(JSON.parse(ran.stdout)).toEqual(wanted)
})

it('projects, as what a command is asked for', async () => {
  const list = await getOutput('projects list --where ownpath=app -o json')
  const ran = await run('mr list -P - -L 1 -o ndjson --fields iid', list)
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('"project":')])
})

it('what is of another kind is refused', async () => {
  const ran = await run('runners get -', await getOutput('mr list --scope all -L 1 -o json'))
  expect(ran.code).toBe(2)
  expect(ran.stderr).toContain('a list of objects other than runners')
})

it('what a list shows beside the fields of records is made of them', async () => {
  expect(await getOutput('mr list --scope all -L 1 -o csv --fields reference')).toMatch(
    /^reference\nplatform\/app!\d+\n$/,
  )
  const [, , row = ''] = (
    await getOutput('pages-domains list -P web/site --fields domain,expires_at')
  )
    .trim()
    .split('\n')
  expect(row).toMatch(/\t\d{4}-/)
  const chosen = await getOutput('pages-domains list -P web/site --where expires_at<2020 -o json')
  expect(JSON.parse(chosen)).toEqual([])
})

it('columns of the tool’s own are called as ever', async () => {
  const { stdout } = await run('settings update --owndefault-ownprojects-ownlimit 7')
  expect(stdout).toMatch(/^setting\told\tnew\nowndefault_ownprojects_ownlimit\t\d+\t7\n$/)
})

it('objects that are chosen by their records', async () => {
  const ran = await run(
    'runners resume --select owndescription=shared-linux-1 -o json --fields id --yes',
  )
  expect([ran.code, JSON.parse(ran.stdout)]).toEqual([0, [{ id: 1 }]])
})

it('a preview says what cannot be undone as it does without a vocabulary', async () => {
  const ran = await run('vulnerabilities confirm 1 --dry-run -o json')
  expect(ran.stderr).toBe('')
  const [preview] = JSON.parse(ran.stdout)
  expect(preview).toMatchObject({ changes: [{ attribute: 'ownstate', now: 'detected' }] })
  expect(preview).not.toHaveProperty('irreversible')
})

it('rows whose columns are attributes', async () => {
  const row = JSON.stringify({ ownid: 2, owndescription: 'by its own name' })
  const ran = await run('runners update - --row-fields owndescription --dry-run -o json', row)
  expect(ran.stderr).toBe('')
  expect(JSON.parse(ran.stdout)).toMatchObject([
    { changes: [{ attribute: 'owndescription', new: 'by its own name' }] },
  ])
  const wrong = await run('runners update - --row-fields owndescriptio --dry-run', row)
  expect(wrong.stderr).toContain('owndescription')
})

it('what journal undo restores, one object or several', async () => {
  await run('runners update 2 --owndescription x')
  const one = await run('journal undo last --yes')
  expect(one.stdout).toMatch(/^attribute\told\tnew\nowndescription\tx\t/)
  await run('runners update 2 3 --owndescription x --yes')
  const several = await run('journal undo last --yes -o csv')
  expect(several.stderr).not.toContain('no record has the field')
  expect(several.stdout).toMatch(/^ownid,owndescription,.*\n2,shared-linux-2,/)
})

it('what a planned run would change', async () => {
  await run('runners pause 1 --dry-run --save')
  const { stdout } = await run('journal list --planned -o value --fields id')
  const { stderr } = await run(`journal run ${stdout.trim()} --dry-run`)
  expect(stderr).toContain('    ownactive: true → false')
})

it('the memberships of a user', async () => {
  const { stdout, stderr } = await run('members where ana --direct -o csv')
  expect(stderr).not.toContain('no record has the field')
  expect(stdout).toMatch(/ownaccess_ownlevel,ownexpires_ownat\n.*,ana,direct,owner,/)
})
