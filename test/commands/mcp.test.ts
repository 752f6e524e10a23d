/** Tests `mcp serve` as the official client sees it: its tools, what they answer, and what they never do. */

import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseDataGiven } from '../../src/answer/data-given.js'
import type { JsonValues } from '../../src/base/objects.js'
import { splitCommand } from '../../src/base/shell-words.js'
import { getMethod, writes } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { parseTokens } from '../../src/cli/words/tree.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import { maxBytes } from '../../src/commands/mcp/answers.js'
import { getOffers } from '../../src/commands/mcp/offers.js'
import { getCommandName } from '../../src/engine/command/derive.js'
import { getData } from '../../src/engine/command/flags.js'
import { parseGiven } from '../../src/engine/plan/given.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { toRecords } from '../sandbox/instance.js'
import { type McpServer, serve } from '../support/mcp.js'
import { createFolder } from '../support/program.js'

let sandbox: Sandbox
/** Requests that reached the instance, one line each. */
const seen: string[] = []
const recorder = createServer((request, response) => {
  seen.push(`${request.method} ${request.url}`)
  const { port } = new URL(sandbox.url)
  const { method, url: path, headers } = request
  const onward = forward({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  request.pipe(onward)
})
let env: Readonly<Record<string, string>>
let url = ''
let reading: McpServer
/** A configuration folder with profiles for the instance. */
const config = createFolder()
const auditLog = join(config, 'audit.jsonl')

beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`
  const tokenCommand = ['printf', 'sandbox-root-token']
  const profile = { baseUrl: url, tokenCommand, project: 'platform/app' }
  const profiles = {
    work: { ...profile, auditLog },
    kept: { ...profile, protected: true },
    reads: { ...profile, readOnly: true },
  }
  writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
  const own = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', PATH: process.env.PATH ?? '' }
  env = { ...own, SVC_BASE_URL: url, SVC_TOKEN: 'sandbox-root-token' }
  reading = await serve({ env })
})
afterAll(async () => {
  await reading.close()
  recorder.closeAllConnections()
  recorder.close()
  await sandbox.close()
})

const listTools = async ({ client }: McpServer) => (await client.listTools()).tools
/** Lists the tools of areas, which follow the four general tools. */
const listAreaTools = async (served: McpServer) => (await listTools(served)).slice(4)
const all = await loadAllCommands()
const offers = getOffers(all)

describe('mcp serve', () => {
  it('has four tools and no other, which all say that they change nothing', async () => {
    const tools = await listTools(reading)
    expect(tools.map(({ name }) => name)).toEqual([
      'find_commands',
      'describe_command',
      'read',
      'plan',
    ])
    for (const { annotations, inputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
      expect(Object.keys(inputSchema.properties ?? {})).toEqual(
        expect.arrayContaining(inputSchema.required ?? []),
      )
    }
    // A token of o200k has at least four characters here: a count gave 501 tokens.
    expect(JSON.stringify(tools).length / 4).toBeLessThan(700)
  })

  it('has the recipes that only read as prompts', async () => {
    const { client } = reading
    const { prompts } = await client.listPrompts()
    expect(prompts).toContainEqual({
      name: 'list-the-runners-older-than-a-version',
      title: 'List the runners older than a version',
    })
    expect(prompts.length).toBeGreaterThan(2)
    for (const { name } of prompts) {
      expect(name).toMatch(/^[a-z][a-z0-9-]{4,59}$/)
      const { messages } = await client.getPrompt({ name })
      expect(JSON.stringify(messages)).not.toMatch(/svcctl \S+ (update|delete|pause|undo)\b/)
    }
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow()
  })

  it('has the records that commands get as resources, by the URI of a template', async () => {
    const { client } = reading
    const { resourceTemplates } = await client.listResourceTemplates()
    const templates = new Map(resourceTemplates.map((one) => [one.name, one.uriTemplate]))
    expect(templates.get('geo nodes get')).toBe('svc://geo/nodes/{id}')
    expect(templates.get('runners get')).toBe('svc://runners/{id}')
    expect(templates.get('deploy-keys get')).toBe('svc://deploy-keys/{project}/{key_id}')
    const uri = 'svc://deploy-keys/platform%2Fapp/1'
    const { contents } = await client.readResource({ uri })
    const [{ text = '{}', ...rest } = {}, ...others] = toRecords(contents)
    expect([rest, others]).toEqual([{ uri, mimeType: 'application/json' }, []])
    expect(JSON.parse(String(text))).toMatchObject({
      data: { records: [{ id: 1, title: 'deploy' }] },
    })
    for (const unknown of ['svc://deploy-keys/1', 'svc://deploy-keys/platform/app/1', 'file:///a'])
      await expect(client.readResource({ uri: unknown })).rejects.toThrow('unknown resource')
  })

  it('answers a resource that cannot be read with an error, and never as its contents', async () => {
    const { client } = reading
    const missing = client.readResource({ uri: 'svc://runners/99999' })
    await expect(missing).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('the resource cannot be read'),
      data: { error: { category: 'not_found', status: 404 } },
    })
  })

  it.each([0, 7, '', 'a'])(
    'ends a call with the ID %j that is cancelled, and answers it not',
    async (id) => {
      const silent = createServer()
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void silent.close())
      const { port } = silent.address() as AddressInfo
      const own = { ...env, SVC_BASE_URL: `http://127.0.0.1:${port}` }
      const served = await serve({ env: own })
      const say = (message: object) =>
        served.raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      const read = { command: 'runners get', arguments: { id: 7 } }
      const reached = once(silent, 'connection')
      const earlier = served.written.length
      say({ id, method: 'tools/call', params: { name: 'read', arguments: read } })
      const [socket] = await reached
      const left = once(socket, 'close')
      say({ method: 'notifications/cancelled', params: { requestId: id } })
      await left
      await served.client.ping()
      expect(served.written.slice(earlier).map((line) => JSON.parse(line).id)).not.toContain(id)
      await served.close()
    },
  )

  it('declares one schema for all that is read, which the client holds every answer to', async () => {
    const served = await serve({ env, flags: { toolsets: ['runners', 'ci'] } })
    const tools = await listTools(served)
    const schemas = new Set(
      tools
        .filter(({ name }) => !['find_commands', 'describe_command', 'plan'].includes(name))
        .map(({ outputSchema }) => JSON.stringify(outputSchema)),
    )
    expect([...schemas].map((one) => Object.keys(JSON.parse(one).properties))).toEqual([
      ['data', 'cursor', 'cut'],
    ])
    const runner = { command: 'runners get', arguments: { id: 1 } }
    for (const [name, input] of [
      ['read', runner],
      ['read', { ...runner, arguments: { id: 99_999 } }],
      ['read', { command: 'no such' }],
      ['runners_list', { instance: true }],
      ['plan', { command: 'runners pause', arguments: { id: 1 } }],
      ['plan', { command: 'runners pause' }],
    ] as const)
      expect(await served.call(name, input), name).toHaveProperty('data')
    await served.close()
  })

  it('gives its answer as text, too, for clients that show nothing else', async () => {
    for (const [name, input] of [
      ['find_commands', { query: 'pause runners' }],
      ['describe_command', { command: 'runners list' }],
      ['read', { command: 'runners get', arguments: { id: 1 } }],
      ['plan', { command: 'runners pause', arguments: { id: 1 } }],
      ['read', { command: 'runners get' }],
    ] as const) {
      const { content, structuredContent } = await reading.client.callTool({
        name,
        arguments: input,
      })
      expect(content, name).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
    }
  })

  it('refuses a tool that it does not have, and one of an area that nobody asked for', async () => {
    for (const name of ['apply', 'runners_list', 'runners_update', '__proto__'])
      await expect(reading.client.callTool({ name, arguments: {} })).rejects.toThrow(/unknown tool/)
  })

  it('offers every command of the areas but those of files and of secrets, and none of the tool', async () => {
    const left = all.filter((one) => !offers.some(({ name }) => name === getCommandName(one)))
    const own = left.filter(({ area }) => !areas.some(({ name }) => name === area))
    expect(left.filter((one) => !own.includes(one)).map(getCommandName)).toEqual([
      'runners register',
      'artifacts download',
      'artifacts file',
      'alerts send',
    ])
    expect(own.length).toBeGreaterThan(20)
    for (const command of ['auth status', 'api', 'doctor', 'profile list', 'sandbox tokens', ''])
      expect(await reading.call('read', { command })).toMatchObject({
        error: { category: 'usage' },
      })
  })

  it('finds commands by words, and all of them by area', async () => {
    const { commands } = (await reading.call('find_commands', {
      query: 'Pause runners',
    })) as unknown as { commands: readonly { command: string; tool: string }[] }
    expect(commands[0]).toMatchObject({ command: 'runners pause', tool: 'plan' })
    // A match in a name ranks above a match in the text about a command.
    const part = await reading.call('find_commands', { query: 'run' })
    expect(part).toHaveProperty('commands.0.command', 'runners list')
    const { areas: found } = (await reading.call('find_commands')) as unknown as {
      areas: readonly { area: string; read: string[]; plan: string[] }[]
    }
    const count = found.flatMap(({ read, plan }) => [...read, ...plan]).length
    expect(count).toBe(offers.length)
    expect(found.find(({ area }) => area === 'ci')?.read).toEqual(['lint'])
  })

  it('describes a command by its parameters, as JSON Schema', async () => {
    const described = await reading.call('describe_command', { command: 'members add' })
    expect(described).toMatchObject({
      tool: 'plan',
      arguments: {
        additionalProperties: false,
        properties: {
          project: { type: ['integer', 'string'] },
          access_level: { type: ['integer', 'string'] },
        },
      },
    })
    expect(JSON.stringify(described)).toContain('developer')
    expect(described).toMatchObject({
      access: ['Owners of the group', 'at least Maintainer of the project'],
    })
    const geo = await reading.call('describe_command', { command: 'geo nodes update' })
    expect(geo).toMatchObject({
      // The schema lists no values here, because null is not one of them and would be rejected.
      arguments: { properties: { selective_sync_type: { type: ['string', 'null'] } } },
    })
    const lists = await reading.call('describe_command', { command: 'mr list' })
    expect(lists).toMatchObject({
      arguments: { properties: { approved_by_ids: { type: ['array', 'string'], maxItems: 5 } } },
    })
    expect(JSON.stringify(geo)).not.toContain('"enum":["namespaces"')
  })

  it('describes each within what an answer may hold', async () => {
    const { client } = reading
    const sizes = new Map<string, number>()
    for (const { name } of offers) {
      const input = { name: 'describe_command', arguments: { command: name } }
      const { structuredContent } = await client.callTool(input)
      sizes.set(name, Buffer.byteLength(JSON.stringify(structuredContent)))
    }
    expect(Math.max(...sizes.values())).toBeLessThanOrEqual(maxBytes)
    expect(sizes.size).toBeGreaterThan(100)
  })

  it('reads a list and one record, and only the fields that were asked for', async () => {
    const list = await reading.call('read', {
      command: 'runners list',
      arguments: { instance: true, status: 'offline' },
      fields: ['id', 'status'],
    })
    expect(list.data.records[0]).toEqual({ id: 2, status: 'offline' })
    const one = await reading.call('read', { command: 'runners get', arguments: { id: 1 } })
    expect(one.data.records).toMatchObject([{ id: 1, description: 'shared-linux-1' }])
  })

  it('checks CI configurations, whose text is an argument', async () => {
    const content = 'job: { stage: nowhere }'
    const { data } = await reading.call('read', { command: 'ci lint', arguments: { content } })
    expect(data.records).toMatchObject([{ status: 'invalid' }])
  })

  it.each([
    ['a name that it does not have', { statuss: 'x' }, 'Did you mean status'],
    ['a value that is none of them', { status: 'asleep' }, 'active, paused'],
    ['another kind of value', { status: 7 }, 'a string'],
    ['a list that is none', { tag_list: 'linux' }, 'list'],
    ['a text for a yes', { instance: 'true' }, 'true or false'],
    ['two projects', { project: 'platform/app,web/site' }, 'a single project'],
    ['nothing', { status: null }, 'not null'],
  ])('refuses %s, and sends nothing', async (_, values, words) => {
    seen.length = 0
    const input = { command: 'runners list', arguments: values }
    const { error, data, isError } = await reading.call('read', input)
    expect([isError, error?.category]).toEqual([true, 'usage'])
    expect(JSON.stringify(data)).toContain(words)
    expect(seen).toEqual([])
  })

  it.each([
    ['its environment', {}, { SVC_PROJECT: 'platform/app' }],
    ['its profile', { profile: 'work' }, {}],
  ])('takes no project from %s', async (_, globals, more) => {
    const served = await serve({ globals, env: { ...env, ...more } })
    const { data } = await served.call('read', { command: 'jobs list' })
    expect(JSON.stringify(data)).toContain('jobs list needs project')
    await served.close()
  })

  it('goes on where the answer ended, and says it only once', async () => {
    const ids: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await reading.call('read', {
        command: 'projects list',
        ...(cursor === undefined ? {} : { cursor }),
      })
      ids.push(...page.data.records.map((one) => (one as { id: number }).id))
      ;({ cursor } = page)
    } while (cursor !== undefined)
    const { data } = await reading.call('read', { command: 'projects list', fields: ['id'] })
    expect(ids).toEqual(data.records.map((one) => (one as { id: number }).id))
    expect(ids.length).toBeGreaterThan(10)
  })
})

describe('--toolsets', () => {
  it('makes the reading commands of areas tools of their own, and none that writes', async () => {
    const served = await serve({ env, flags: { toolsets: ['runners', 'ci'] } })
    const tools = await listAreaTools(served)
    expect(tools.map(({ name }) => name)).toEqual([
      'runners_list',
      'runners_get',
      'runners_jobs',
      'ci_lint',
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    const { data } = await served.call('runners_list', { instance: true, fields: ['id'] })
    expect(data.records[0]).toEqual({ id: 1 })
    await served.close()
  })

  it('refuses an area that is none, with the nearest', async () => {
    await expect(serve({ env, flags: { toolsets: ['runner'] } })).rejects.toMatchObject({
      category: 'usage',
      details: { hint: 'Did you mean runners?' },
    })
  })

  it('has no argument twice, and none beside those of a tool of its own', () => {
    for (const { name, data } of offers) {
      const names = [...data.map((one) => one.name), 'fields', 'cursor']
      expect(new Set(names).size, name).toBe(names.length)
    }
  })
})

describe('--allow-write', () => {
  const flags = { toolsets: ['runners', 'artifacts', 'storage-move'], 'allow-write': true } as const
  const own = { ...{ SVC_NO_KEYRING: '1', PATH: process.env.PATH ?? '' }, SVC_CONFIG_DIR: config }

  it.each([
    [
      'without a --allow-write requires a named profile and no other choice of instance',
      {},
      /--allow-write requires a named profile and no other choice of instance/,
    ],
    [
      'on the embedded instance',
      { sandbox: 'true' },
      /--allow-write requires a named profile and no other choice of instance/,
    ],
    [
      'with another address',
      { profile: 'work', 'base-url': 'same' },
      /--allow-write requires a named profile and no other choice of instance/,
    ],
    ['of a read-only profile', { profile: 'reads' }, /read-only/],
    ['of a protected one', { profile: 'kept' }, /protected/],
  ])('is refused %s', async (_, globals, words) => {
    const there = 'base-url' in globals ? { ...globals, 'base-url': url } : globals
    await expect(serve({ env, globals: there, flags })).rejects.toThrow(words)
  })

  it('is refused without toolsets, and so are shown secrets', async () => {
    const alone = serve({ env: own, globals: { profile: 'work' }, flags: { 'allow-write': true } })
    await expect(alone).rejects.toThrow('--toolsets')
    await expect(serve({ env, globals: { 'show-secrets': 'true' } })).rejects.toThrow('secrets')
  })

  it('writes what destroys nothing, and offers neither what destroys nor what waits', async () => {
    const served = await serve({ env: own, globals: { profile: 'work' }, flags })
    const tools = await listAreaTools(served)
    expect(tools.map(({ name }) => name)).toEqual([
      'runners_list',
      'runners_get',
      'runners_update',
      'runners_jobs',
      'runners_enable',
      'runners_pause',
      'runners_resume',
      'artifacts_keep',
    ])
    expect(tools.find(({ name }) => name === 'runners_update')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
    })
    expect(tools.find(({ name }) => name === 'runners_enable')?.annotations).toMatchObject({
      idempotentHint: false,
    })
    seen.length = 0
    const done = await served.call('runners_update', { id: 4, description: 'by an agent' })
    expect(done).toMatchObject({ applied: true, isError: false })
    expect(seen.filter((one) => !one.startsWith('GET'))).toEqual(['PUT /api/v4/runners/4'])
    expect(done.data.records).toMatchObject([{ id: 4, description: 'by an agent' }])
    await served.close()
  })

  it('has every call on record, with what it was about and no other value', async () => {
    writeFileSync(auditLog, '')
    const served = await serve({ env: own, globals: { profile: 'work' }, flags })
    await served.call('find_commands', { query: 'anything' })
    await served.call('read', { command: 'runners get', arguments: { id: 4 } })
    await served.call('read', { command: 'runners get', arguments: { id: 99_999 } })
    await served.call('runners_update', { id: 4, description: 'a-value-of-nobody' })
    await served.call('plan', { command: 'runners get', arguments: { id: 4 } })
    await served.call('read', { command: 'runners get', arguments: { id: 'x'.repeat(999) } })
    await served.close()
    const lines = readFileSync(auditLog, 'utf8').trim().split('\n')
    const kept = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(kept.map(({ method, path, outcome }) => `${method} ${path} ${outcome}`)).toEqual([
      'MCP find_commands done',
      'MCP read runners get id=4 done',
      'MCP read runners get id=99999 refused',
      'PUT /api/v4/runners/4 done',
      'MCP runners_update id=4 done',
      'MCP plan runners get id=4 not_sent',
      `MCP ${'read runners get id='.padEnd(300, 'x')} not_sent`,
    ])
    expect(lines.join()).not.toContain('a-value-of-nobody')
  })

  it('does nothing that would not be on record', async () => {
    await expect(
      serve({
        env: { ...own, SVC_CONFIG_DIR: createBadLogConfig() },
        globals: { profile: 'work' },
      }),
    ).rejects.toThrow(/audit log/)
  })

  it.skipIf(!existsSync('/dev/full'))('does nothing more once its record broke', async () => {
    const globals = { profile: 'work' }
    const full = { ...own, SVC_CONFIG_DIR: createBadLogConfig('/dev/full') }
    const served = await serve({ env: full, globals })
    const read = () => served.call('read', { command: 'runners get', arguments: { id: 4 } })
    await read()
    seen.length = 0
    expect((await read()).text).toContain('not executed, because the audit log cannot be written')
    expect(seen).toEqual([])
    await served.close()
  })
})

/** Creates a configuration whose audit log cannot be opened, or the one in `log`, which cannot be written. */
const createBadLogConfig = (log?: string): string => {
  const place = createFolder()
  const work = { baseUrl: url, tokenCommand: ['printf', 'x'], auditLog: log ?? place }
  writeFileSync(join(place, 'config.json'), JSON.stringify({ profiles: { work } }), { mode: 0o600 })
  return place
}

/** Parses an example line that has no shell syntax, and returns what it asks for as data. */
const parseExample = async (line: string) => {
  const meant = await parseTokens(
    splitCommand(line).filter((word) => word !== '--yes'),
    {},
  )
  if (meant.kind !== 'run') throw new Error(`${line} runs nothing`)
  const { command, raw } = meant
  const stdin = async () => ''
  const { args, flags } = await parseGiven(command, raw, {
    env: {},
    now: new Date(0),
    readStdin: stdin,
    note: () => {},
    warn: () => {},
  })
  return { command, args, flags, tokens: [...raw.flags.keys()] }
}

describe('plan', () => {
  const writing = offers.filter(({ reads }) => !reads)

  it('is there for every verb that writes', () => {
    expect(writing).toHaveLength(56)
    const bare = writing.filter(({ command }) => !Object.values(command.endpoints).some(writes))
    expect(bare.map(({ name, destroys }) => [name, destroys])).toEqual([
      ['members remove-everywhere', true],
    ])
  })

  it.each(writing.map((offer) => [offer.name, offer] as const))(
    'of %s sends GETs only, and gives the line that asks the same',
    async (name, offer) => {
      const original = all.find((one) => getCommandName(one) === name)
      const examples = original === undefined ? [] : await loadExamples(original)
      const names = new Set(offer.data.map(({ flag }) => flag?.name))
      const usable: Awaited<ReturnType<typeof parseExample>>[] = []
      for (const line of examples.filter((one) => !/ \| |[ =]@/.test(one))) {
        const found = await parseExample(line)
        if (found.tokens.every((flag) => names.has(flag))) usable.push(found)
      }
      const { args, flags } = usable[0] ?? { args: [], flags: {} as JsonValues }
      const byPosition = offer.data.filter(({ flag }) => flag === undefined)
      const values = Object.fromEntries(
        offer.data.flatMap((datum) => {
          const { name: key, flag, param } = datum
          const value = flag === undefined ? args[byPosition.indexOf(datum)] : flags[flag.name]
          if (value === undefined) return []
          const number = param.type === 'integer' && /^\d+$/.test(String(value))
          return [[key, number ? Number(value) : value] as const]
        }),
      )
      seen.length = 0
      const planned = await reading.call('plan', { command: name, arguments: values })
      expect(seen.filter((one) => !one.startsWith('GET '))).toEqual([])
      if (usable.length === 0) return expect(planned.isError).toBe(true)
      expect(planned, JSON.stringify([values, planned])).toMatchObject({ applied: false })
      expect(planned.data.changes).toHaveLength(1)
      const [program = '', ...words] = splitCommand(planned.command_line ?? '')
      expect(program).toBe('svcctl')
      const again = await parseExample(words.map((word) => JSON.stringify(word)).join(' '))
      const given = parseDataGiven(offer.command, values, { note: () => {}, now: new Date() })
      expect({ args: again.args, flags: again.flags }).toEqual({
        args: given.args,
        flags: given.flags,
      })
    },
  )

  it('names the instance that it is of', async () => {
    const own = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', PATH: process.env.PATH ?? '' }
    const served = await serve({ env: own, globals: { profile: 'work' } })
    const { command_line: line } = await served.call('plan', {
      command: 'runners pause',
      arguments: { id: 1 },
    })
    expect(line).toBe('svcctl runners pause 1 -p work')
    await served.close()
  })

  it('shows what would be lost, and says that nothing was done', async () => {
    const planned = await reading.call('plan', {
      command: 'members remove',
      arguments: { user_id: 8, project: 'platform/app' },
    })
    expect(planned.data.changes).toMatchObject([
      { request: 'DELETE /projects/platform%2Fapp/members/8', read: true },
    ])
    expect(planned).toMatchObject({ applied: false })
    expect(planned.command_line).toContain('svcctl members remove 8')
  })

  it('sends nothing but GETs for what the API tries out by itself', async () => {
    const { data } = await reading.call('read', {
      command: 'commits list',
      arguments: { project: 'platform/app' },
      fields: ['id'],
    })
    const sha = (data.records[0] as { id: string }).id
    seen.length = 0
    const planned = await reading.call('plan', {
      command: 'commits revert',
      arguments: { sha, branch: 'main', project: 'platform/app' },
    })
    expect(planned).toMatchObject({ applied: false })
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter((one) => !one.startsWith('GET '))).toEqual([])
  })

  it('leaves reading commands to read, and writing ones to itself', async () => {
    for (const [tool, command] of [
      ['plan', 'runners list'],
      ['read', 'runners pause'],
      ['read', 'runners drain'],
    ] as const)
      expect(await reading.call(tool, { command, arguments: {} })).toMatchObject({
        error: { category: 'usage' },
      })
  })
})

describe('read', () => {
  it('reaches GETs, and what the catalogue marks as reading, and nothing else', () => {
    const routes = offers
      .filter(({ reads }) => reads)
      .flatMap(({ command }) => Object.values(command.endpoints))
    expect(routes.length).toBeGreaterThan(50)
    const others = routes.filter((one) => getMethod(one) !== 'GET')
    expect(others.map(({ route }) => route)).toEqual([
      'POST /ci/lint',
      'POST /projects/:id/ci/lint',
    ])
    expect(others.every(({ safe }) => safe === true)).toBe(true)
  })

  it('has no value of a file, and no flag of the tool itself', () => {
    for (const { name, command, data } of offers) {
      expect(getData(command)).toEqual(data)
      for (const { param, flag } of data) {
        expect(param.completes, name).not.toBe('file')
        expect(param.type === 'string' && param.format === 'pem', name).toBe(false)
        expect(flag?.beyond, name).toBeUndefined()
      }
    }
    const lint = offers.find(({ name }) => name === 'ci lint')
    expect([lint?.plain, lint?.command.args, 'run' in (lint?.command ?? {})]).toEqual([
      true,
      [],
      false,
    ])
  })
})
