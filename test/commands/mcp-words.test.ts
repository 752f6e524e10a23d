/** Tests what `mcp serve` tells an agent when something goes wrong: it names arguments and tools, never those of the command line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { getOffers, type Offer } from '../../src/commands/mcp/offers.js'
import { type McpServer, serve } from '../support/mcp.js'
import { createFolder } from '../support/program.js'
import { type ScriptedAnswer, useRecorder } from '../support/recorder.js'

const instance = useRecorder()
const offers = getOffers(await loadAllCommands())
let served: McpServer
beforeAll(async () => {
  const env = { SVC_CONFIG_DIR: createFolder(), SVC_NO_KEYRING: '1', PATH: process.env.PATH ?? '' }
  served = await serve({ env: { ...env, SVC_BASE_URL: instance.url, SVC_TOKEN: 'x' } })
})
afterAll(() => served.close())

const createFault = (status: number, message: string): ScriptedAnswer => ({
  status,
  body: { message },
})
const page = { body: '<html>', headers: { 'content-type': 'text/html' } }
const faults: Readonly<Record<string, ScriptedAnswer>> = {
  '400': createFault(400, 'bad'),
  '401': createFault(401, '401 Unauthorized'),
  '403': createFault(403, '403 Forbidden'),
  'a missing scope': { status: 403, body: { error: 'insufficient_scope', scope: 'api' } },
  '404': createFault(404, '404 Not found'),
  'no such route': { status: 404, body: { error: '404 Not Found' } },
  '409': createFault(409, 'Conflict'),
  'a redirect': { status: 302, headers: { location: '/users/sign_in' } },
  'a page': page,
  'half an answer': { body: '[{"id": 1,' },
}

/** Creates values for the parameters that say what a command is about. */
const createArguments = ({ data }: Offer): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    data
      .filter(({ name, flag, required }) => flag === undefined || required || name === 'project')
      .map(({ name, param }) => {
        if (param.type === 'enum') return [name, param.values[0]]
        const text = name === 'project' ? 'platform/app' : 'x1'
        return [name, param.type === 'integer' ? 1 : param.type === 'list' ? [text] : text]
      }),
  )

/**
 * Creates inputs: none, one unknown value, each needed value left out, and for each type a wrong value (text for one
 * command, a boolean for the next).
 */
const createInputs = (offer: Offer, n: number): readonly Readonly<Record<string, unknown>>[] => {
  const whole = createArguments(offer)
  const kinds = new Map(offer.data.map(({ name, param }) => [param.type, name]))
  return [
    {},
    { ...whole, nosuch: 1 },
    ...Object.keys(whole).map((name) =>
      Object.fromEntries(Object.entries(whole).filter(([other]) => other !== name)),
    ),
    ...[...kinds.values()].map((name, i) => ({
      ...whole,
      [name]: (n + i) % 2 === 0 ? 'zz$' : true,
    })),
  ]
}

/** Matches what only a person at a terminal can type, set or do. */
const terminalWords =
  /(?<![\w-])--?[a-zA-Z]|svcctl|\bSVC_|\bCI_|\benv:|@file|standard input|<[a-z-]+>|auth login/

/** Calls the tool of a command, and returns all messages of its answer. */
const readMessages = async (offer: Offer, values: object, more: object = {}): Promise<string> => {
  const tool = offer.reads ? 'read' : 'plan'
  const { data } = await served.call(tool, { command: offer.name, arguments: values, ...more })
  const {
    message = '',
    hint = '',
    notes = [],
  } = data as {
    message?: string
    hint?: string
    notes?: readonly string[]
  }
  return [message, hint, ...notes].join('\n')
}

describe('what an agent is told', () => {
  it('of wrong arguments names arguments, whatever the command', async () => {
    const texts: string[] = []
    for (const [n, offer] of offers.entries())
      for (const values of createInputs(offer, n)) texts.push(await readMessages(offer, values))
    expect(texts.length).toBeGreaterThan(500)
    expect(texts.filter((text) => terminalWords.test(text))).toEqual([])
  })

  // Each command is tried with two of the faults, and each fault with a fifth of the commands.
  const met = Object.entries(faults).map(([name, fault], i) => ({
    name,
    fault,
    some: offers.filter((_, n) => n % 5 === i % 5),
  }))
  it.each(met)('of $name is nothing that only a person can do', async ({ fault, some }) => {
    instance.answer = () => fault
    const texts: string[] = []
    for (const offer of some)
      texts.push(
        await readMessages(
          offer,
          createArguments(offer),
          offer.reads ? { fields: ['nosuch'] } : {},
        ),
      )
    expect(texts.filter((text) => terminalWords.test(text))).toEqual([])
    expect(texts.some((text) => text !== '')).toBe(true)
  })

  it.each([
    ['jobs list', {}, 'jobs list needs project', 'describe_command lists the arguments.'],
    ['runners list', { project: 'a', group: 'b' }, 'project and group exclude each other', ''],
    [
      'runners get',
      { id: 'env:SVC_X' },
      'id must be an integer, not "env:SVC_X"',
      'describe_command',
    ],
    ['runners get', {}, 'runners get needs id', 'runner ID. describe_command lists'],
    [
      'runners update',
      { id: 1 },
      'runners update: nothing to change',
      'Pass at least one attribute.',
    ],
    ['mr get', { project: 'a' }, 'mr get needs merge_request_iid', 'merge request IID.'],
  ])('of %s with %j is in its own words', async (command, values, message, hint) => {
    const offer = offers.find(({ name }) => name === command)
    if (offer === undefined) throw new Error(`there is no ${command}`)
    const [first = '', second = ''] = (await readMessages(offer, values)).split('\n')
    expect([first, second]).toEqual([
      expect.stringContaining(message),
      expect.stringContaining(hint),
    ])
  })

  it('of what only a person may confirm leaves that to one', async () => {
    const config = createFolder()
    const work = { baseUrl: instance.url, tokenCommand: ['printf', 'x'] }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles: { work } }), {
      mode: 0o600,
    })
    const writer = await serve({
      env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', PATH: process.env.PATH ?? '' },
      globals: { profile: 'work' },
      flags: { toolsets: ['approvals'], 'allow-write': true },
    })
    instance.answer = () => ({
      body: { id: 2, name: 'QA', users: [{ id: 5, username: 'ana', name: 'Ana' }], groups: [] },
    })
    const values = { project: 1, approval_rule_id: 2, approvals_required: 1, user_ids: ['8'] }
    const { data, isError } = await writer.call('approvals_rules_update', values)
    expect([isError, data]).toEqual([
      true,
      {
        message: 'confirmation required, and there is no terminal to ask on.',
        hint: 'Only a person can confirm this. plan returns the command line for them.',
      },
    ])
    expect(instance.seen.every(({ method }) => method === 'GET')).toBe(true)
    await writer.close()
  })

  it.each([
    ['401', /credential is wrong, expired or revoked\. Tell the person who runs this server/],
    ['403', /The user of this server is not permitted to do this\. describe_command/],
    ['a missing scope', /lacks the scope api\. Tell the person/],
    ['404', /or the user of this server cannot see it\. Check the ID or path\./],
    ['400', /Correct the named values and try again\./],
    ['half an answer', /Try again\. If it fails again, tell the person who runs this server\./],
  ])('of %s says what to do next', async (fault, words) => {
    instance.answer = () => faults[fault]
    const { data } = await served.call('read', { command: 'runners get', arguments: { id: 1 } })
    expect((data as { hint?: string }).hint).toMatch(words)
  })

  it.each([
    [13, /^a record is larger than 12 MiB.*no tool can return so large a record/s],
    [65, /larger than 64 MiB.*would fail again\. Request less with the command’s filters/s],
  ])('of %i MiB does not say to try again', async (size, words) => {
    instance.answer = () => ({ body: { id: 1, description: 'x'.repeat(size << 20) } })
    const { data } = await served.call('read', { command: 'runners get', arguments: { id: 1 } })
    const { message, hint } = data as { message?: string; hint?: string }
    expect(`${message}\n${hint}`).toMatch(words)
    expect(hint).not.toContain('Try again')
  })
})
