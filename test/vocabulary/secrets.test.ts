/**
 * Tests that fields that a vocabulary declares secret are written nowhere: neither the values sent, nor those that the instance had
 * before.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLookups, parseVocabulary } from '../../src/vocabulary/index.js'
import { useWordsSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const text =
  'vocabulary: 1\nwords: { dsn: beacon }\nnames: { can_push: may_write }\nsecrets: [title, hub_blob]\n'
const { url } = useWordsSandbox(createLookups(await parseVocabulary(text, 'words.yml')))
const cwd = createFolder()
const config = createConfiguration()
writeFileSync(join(cwd, 'words.yml'), text)

const run = (line: string) =>
  svcctl(line.split(' '), {
    cwd,
    env: {
      SVC_CONFIG_DIR: config,
      SVC_BASE_URL: url(),
      SVC_TOKEN: 'sandbox-root-token',
      SVC_VOCABULARY: join(cwd, 'words.yml'),
    },
  })

const canary = 'canary-of-the-vocabulary'

it.each([
  ['a documented name', `--title ${canary}`, 'title'],
  ['a name that only the instance has', `--param hub_blob=${canary}`, 'hub_blob'],
  ['a name in the instance’s words', `--param errsvc_beacon=${canary}`, 'errsvc_dsn'],
])('%s', async (_, flag, name) => {
  const ran = await run(`deploy-keys update 1 -P platform/app --no-may-write ${flag}`)
  expect(ran.code, ran.stderr).toBe(0)
  const runs = join(config, 'state/runs')
  const written = readdirSync(runs).map((file) => readFileSync(join(runs, file), 'utf8'))
  expect(written.at(-1)).toContain(`"${name}":{"$secret":"given"}`)
  expect(written.at(-1)).toContain('"can_push":')
  expect([ran.stdout, ran.stderr, ...written].join('\n')).not.toContain(canary)
})

it('what it was before', async () => {
  const journal = join(cwd, 'before.ndjson')
  const line = `deploy-keys update 1 -P platform/app --title ${canary}-2 --journal ${journal}`
  expect((await run(line)).code).toBe(0)
  const lines = readFileSync(journal, 'utf8')
  expect(lines).toContain('"before":{"title":"[masked]"}')
  expect(lines).not.toContain(canary)
})
