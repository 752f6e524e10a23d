/** The guide's page on Ansible and Terraform: runs its examples unchanged against an embedded instance. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { listCodeBlocks } from '../support/pages.js'
import { createFolder } from '../support/program.js'
import { runInShell } from '../support/shell.js'
import { hasProgram } from '../support/terminal.js'

const page = ['.github/guide/bridges.md']
const token = 'sandbox-root-token'
const { url, send } = useSharedSandbox()

/** Creates a folder with the playbook and a declared state. */
const createPlaybook = () => {
  const cwd = createFolder()
  const [text = ''] = listCodeBlocks('yaml', page)
  writeFileSync(join(cwd, 'site.yml'), text.replace('https://svc.example', url()))
  writeFileSync(join(cwd, 'vault.json'), JSON.stringify({ svc_token: token }))
  mkdirSync(join(cwd, 'svcctl'))
  const declare = (approvals: number): void =>
    writeFileSync(
      join(cwd, 'svcctl/a.yml'),
      `version: 1\nprojects: {platform/app: {approval_rules: {Security: {approvals_required: ${approvals}}}}}\n`,
    )
  const env = {
    HOME: cwd,
    LC_ALL: 'C.UTF-8',
    ANSIBLE_NOCOLOR: '1',
    ANSIBLE_NOCOWS: '1',
    ANSIBLE_LOCALHOST_WARNING: 'false',
    ANSIBLE_INVENTORY_UNPARSED_WARNING: 'false',
  }
  /** Runs the playbook. Returns the tasks that changed something and those that failed. */
  const play = async (...flags: readonly string[]) => {
    const line = `ansible-playbook -e @vault.json ${flags.join(' ')} site.yml`
    const { code, stdout } = await runInShell(line, { cwd, env })
    expect(stdout).not.toContain(token)
    const results = [...stdout.matchAll(/^TASK \[(.+)\] \*+\n(\w+): \[localhost\]/gm)]
    const named = (wanted: string) =>
      results.flatMap(([, name, result]) => (result === wanted ? [name] : []))
    return { code, changed: named('changed'), failed: named('fatal') }
  }
  return { declare, play }
}

const getDescription = async () => (await send('GET /runners/1')).body.description

it.skipIf(!hasProgram('ansible-playbook'))(
  'Ansible reports what svcctl changed, once, and nothing that it only looked at',
  async () => {
    const { declare, play } = createPlaybook()
    declare(2)
    const before = await getDescription()
    expect(await play('--check')).toEqual({
      code: 0,
      changed: ['Apply the declared state', 'Report drift'],
      failed: [],
    })
    expect(await getDescription()).toBe(before)
    const writing = ['Apply the declared state', 'Update the runner']
    expect(await play()).toEqual({ code: 0, changed: writing, failed: [] })
    expect(await getDescription()).toBe('build host')
    expect(await play()).toEqual({ code: 0, changed: [], failed: [] })
    declare(-1)
    expect(await play()).toMatchObject({ code: 2, failed: ['Apply the declared state'] })
  },
  120_000,
)

/** Runs the program of the Terraform data source on the query that Terraform would write to it. */
const runDataSource = (query: object, env: Readonly<Record<string, string>> = {}) => {
  const script = listCodeBlocks('sh', page).find((text) => text.startsWith('#!/bin/sh'))
  const cwd = createFolder()
  writeFileSync(join(cwd, 'svcctl-project.sh'), script ?? '')
  writeFileSync(join(cwd, 'query.json'), JSON.stringify(query))
  const given = { SVC_BASE_URL: url(), SVC_TOKEN: token, ...env }
  return runInShell('sh svcctl-project.sh <query.json', { cwd, env: given })
}

it.skipIf(!hasProgram('jq'))('Terraform gets a flat object of texts', async () => {
  const { code, stdout, stderr } = await runDataSource({ project: 'platform/app' })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const result: Readonly<Record<string, unknown>> = JSON.parse(stdout)
  expect(Object.values(result).filter((value) => typeof value !== 'string')).toEqual([])
  const { body } = await send('GET /projects/1')
  expect(result).toMatchObject({ id: '1', path_with_namespace: 'platform/app' })
  expect(JSON.parse(String(result.topics))).toEqual(body.topics)
})

it.skipIf(!hasProgram('jq'))(
  'Terraform gets a message and no object where that fails',
  async () => {
    for (const [query, env, message] of [
      [{ project: 'no/where' }, {}, 'Project Not Found'],
      [{ project: '--help' }, {}, '--help'],
      [{ project: 'platform/app' }, { SVC_TOKEN: 'glpat-wrong' }, '401'],
      [{}, {}, 'the query has no project'],
    ] as const) {
      const { code, stdout, stderr } = await runDataSource(query, env)
      expect({ query, failed: code !== 0, stdout }).toEqual({ query, failed: true, stdout: '' })
      expect(stderr).toContain(message)
    }
  },
)

it.skipIf(!hasProgram('terraform'))('Terraform reads its example', async () => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'main.tf'), listCodeBlocks('hcl', page)[0] ?? '')
  const ran = await runInShell('terraform fmt -check -diff', { cwd })
  expect(ran).toMatchObject({ code: 0, stdout: '' })
})
