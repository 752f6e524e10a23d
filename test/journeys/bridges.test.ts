/** The guide's page on Ansible and Terraform: its examples, run as they stand against an embedded instance. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sandbox } from '../sandbox/instance.js'
import { blocksOf } from '../support/pages.js'
import { folder } from '../support/program.js'
import { inShell } from '../support/shell.js'
import { has } from '../support/terminal.js'

const page = ['.github/guide/bridges.md']
const token = 'sandbox-root-token'
const { url, send } = sandbox()

/** A folder with the playbook and a declared state, in which it is run. */
const playbook = () => {
  const cwd = folder()
  const [text = ''] = blocksOf('yaml', page)
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
  /** @returns which of its tasks changed something, or that it failed */
  const play = async (...flags: readonly string[]) => {
    const line = `ansible-playbook -e @vault.json ${flags.join(' ')} site.yml`
    const { code, stdout } = await inShell(line, { cwd, env })
    expect(stdout).not.toContain(token)
    const results = [...stdout.matchAll(/^TASK \[(.+)\] \*+\n(\w+): \[localhost\]/gm)]
    const named = (wanted: string) =>
      results.flatMap(([, name, result]) => (result === wanted ? [name] : []))
    return { code, changed: named('changed'), failed: named('fatal') }
  }
  return { declare, play }
}

const description = async () => (await send('GET /runners/1')).body.description

it.skipIf(!has('ansible-playbook'))(
  'Ansible reports what svcctl changed, once, and nothing that it only looked at',
  async () => {
    const { declare, play } = playbook()
    declare(2)
    const before = await description()
    expect(await play('--check')).toEqual({
      code: 0,
      changed: ['Apply the declared state', 'Report drift'],
      failed: [],
    })
    expect(await description()).toBe(before)
    const writing = ['Apply the declared state', 'Update the runner']
    expect(await play()).toEqual({ code: 0, changed: writing, failed: [] })
    expect(await description()).toBe('build host')
    expect(await play()).toEqual({ code: 0, changed: [], failed: [] })
    declare(-1)
    expect(await play()).toMatchObject({ code: 2, failed: ['Apply the declared state'] })
  },
  120_000,
)

/** The program of the data source, with what Terraform writes to it. */
const external = (query: object, env: Readonly<Record<string, string>> = {}) => {
  const script = blocksOf('sh', page).find((text) => text.startsWith('#!/bin/sh'))
  const cwd = folder()
  writeFileSync(join(cwd, 'svcctl-project.sh'), script ?? '')
  writeFileSync(join(cwd, 'query.json'), JSON.stringify(query))
  const given = { SVC_BASE_URL: url(), SVC_TOKEN: token, ...env }
  return inShell('sh svcctl-project.sh <query.json', { cwd, env: given })
}

it.skipIf(!has('jq'))('Terraform gets a flat object of texts', async () => {
  const { code, stdout, stderr } = await external({ project: 'platform/app' })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const result: Readonly<Record<string, unknown>> = JSON.parse(stdout)
  expect(Object.values(result).filter((value) => typeof value !== 'string')).toEqual([])
  const { body } = await send('GET /projects/1')
  expect(result).toMatchObject({ id: '1', path_with_namespace: 'platform/app' })
  expect(JSON.parse(String(result.topics))).toEqual(body.topics)
})

it.skipIf(!has('jq'))('Terraform gets a message and no object where that fails', async () => {
  for (const [query, env, message] of [
    [{ project: 'no/where' }, {}, 'Project Not Found'],
    [{ project: '--help' }, {}, '--help'],
    [{ project: 'platform/app' }, { SVC_TOKEN: 'glpat-wrong' }, '401'],
    [{}, {}, 'the query has no project'],
  ] as const) {
    const { code, stdout, stderr } = await external(query, env)
    expect({ query, failed: code !== 0, stdout }).toEqual({ query, failed: true, stdout: '' })
    expect(stderr).toContain(message)
  }
})

it.skipIf(!has('terraform'))('Terraform reads its example', async () => {
  const cwd = folder()
  writeFileSync(join(cwd, 'main.tf'), blocksOf('hcl', page)[0] ?? '')
  const ran = await inShell('terraform fmt -check -diff', { cwd })
  expect(ran).toMatchObject({ code: 0, stdout: '' })
})
