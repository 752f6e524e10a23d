/**
 * Tests ten tasks of an agent, with the official client against the embedded instance: the number of calls, the number
 * of o200k tokens, and no dead end. The guide lists the tasks.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type McpServer, serve } from '../support/mcp.js'

interface Step {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** Text that the answer contains. */
  readonly shows: string
}
const find = (query: string, shows: string): Step => ({
  tool: 'find_commands',
  input: { query },
  shows,
})
const read = (command: string, values: object, shows: string): Step => ({
  tool: 'read',
  input: { command, arguments: values },
  shows,
})
const plan = (command: string, values: object, shows: string): Step => ({
  tool: 'plan',
  input: { command, arguments: values },
  shows,
})
const app = { project: 'platform/app' }

/** Steps of each task, as an agent takes them that knows only the previous answers. */
const tasks: Readonly<Record<string, readonly Step[]>> = {
  'why a job is stuck': [
    find('stuck job', '"jobs why"'),
    read('jobs why', { ...app, job_id: 15 }, 'the only matching runner is paused'),
  ],
  'pause all offline runners, with preview': [
    find('pause runner', '"runners pause"'),
    {
      tool: 'plan',
      input: { command: 'runners pause', where: 'status=offline' },
      shows: '"objects":2',
    },
  ],
  'an overview of the instance': [
    find('overview', '"overview"'),
    read('overview', {}, '"runners":'),
  ],
  'certificates that expire': [
    find('certificates', '"check certificates"'),
    read('check certificates', {}, '"status":"critical"'),
  ],
  'check a CI file': [
    find('lint', '"ci lint"'),
    read('ci lint', { content: 'job: { script: [make] }\n' }, '"status":"valid"'),
  ],
  'one setting': [
    find('application settings', '"settings get"'),
    read('settings get', {}, '"admin_mode":'),
    plan('settings update', { admin_mode: true }, '--admin-mode'),
  ],
  'a leaver': [
    find('member leave', '"members where"'),
    read('members where', { user: 'ben' }, '"access_level"'),
    plan('members remove', { group: 'platform', user_id: 'ben' }, 'svcctl members remove ben'),
  ],
  'jobs that wait in a project': [
    find('waiting jobs', '"jobs list"'),
    read('jobs list', { ...app, scope: ['pending'] }, '"status":"pending"'),
  ],
  'rebase a merge request': [
    find('rebase merge request', '"mr rebase"'),
    plan('mr rebase', { ...app, merge_request_iid: 1 }, 'svcctl mr rebase 1'),
  ],
  'a value that is newer than the documents': [
    read('runners list', { instance: true, status: 'stale' }, 'must be one of'),
    read('runners list', { instance: true, status: 'offline' }, '"status":"offline"'),
  ],
}
/** Tasks in which an error advises the next step: the error is expected, and no dead end. */
const refused = ['a value that is newer than the documents']

interface TaskCost {
  readonly task: string
  readonly calls: number
  readonly tokens: number
}

describe('ten tasks', () => {
  let agent: McpServer
  const measured: TaskCost[] = []
  beforeAll(async () => {
    agent = await serve({ globals: { sandbox: 'true' } })
  })
  afterAll(() => agent.close())

  it('begin with at most 700 tokens of definitions', async () => {
    const { tools } = await agent.client.listTools()
    expect(countTokens(JSON.stringify(tools))).toBeLessThanOrEqual(700)
  })

  it.each(Object.entries(tasks))('%s', async (task, steps) => {
    let tokens = 0
    for (const [i, { tool, input, shows }] of steps.entries()) {
      const answer = await agent.call(tool, input)
      expect(answer.text, `${task}: ${tool}`).toContain(shows)
      expect([i, answer.isError]).toEqual([i, refused.includes(task) && i === 0])
      if (answer.isError) expect(answer.text).toContain('"hint"')
      tokens += countTokens(JSON.stringify(input)) + countTokens(answer.text)
    }
    measured.push({ task, calls: steps.length, tokens })
    expect(steps.length).toBeLessThanOrEqual(4)
    expect(tokens).toBeLessThanOrEqual(12_000)
  })

  it('are in the guide with the calls that they take', () => {
    const page = readFileSync(join(import.meta.dirname, '../../.github/guide/agents.md'), 'utf8')
    for (const [task, steps] of Object.entries(tasks))
      expect(page).toContain(`| ${task} | ${steps.map(({ tool }) => `\`${tool}\``).join(', ')} |`)
    // Prints the measurements, for an update of the figures in the notes.
    if (process.env.SHOW_TASKS !== undefined) console.log(JSON.stringify(measured))
  })
})
