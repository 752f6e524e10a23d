import { describe, expect, it } from 'vitest'
import { insertObject, readPipedObjects } from '../../src/commands/api-requests.js'
import { startLine } from '../support/within.js'
import { answerByRoute, createCaller } from './calling.js'

const { server, call, sent } = createCaller()

const readNames = async (chunks: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const some of readPipedObjects(chunks)) found.push(...some.map(({ text }) => text))
  return found
}

describe('objects of standard input', () => {
  it.each([
    ['1\n2\r\n\n 3 \n', ['1', '2', '3']],
    ['id\tname\n4\ta b\n5\tc\n', ['4', '5']],
    ['object\tid\na/b\t4\n', ['a/b']],
    ['id\n7\n', ['7']],
    ['[{"id": 1}, {"object": "x", "id": 2}, 3, "four"]', ['1', 'x', '3', 'four']],
    ['{"id": 1}\n{"id": 2}\n', ['1', '2']],
    ['{\n  "id": 1\n}\n[\n  {"id": 2}\n]\n', ['1', '2']],
    [
      '[{"id": 9007199254740993}, 9007199254740995, 1.0]',
      ['9007199254740993', '9007199254740995', '1'],
    ],
  ])('%j, at once and letter by letter', async (text, objects) => {
    expect(await readNames([text])).toEqual(objects)
    expect(await readNames([...text])).toEqual(objects)
  })

  it.each(['', 'a\tb\n1\t2\n', '{"name": "x"}', '[1,'])('refuses %j', async (text) => {
    await expect(readNames([text])).rejects.toThrow(/standard input/)
  })

  it('fill one segment of a path, and a query', () => {
    const template = { method: 'GET', path: '/x/{}/y?q={}&r=%7B%7D', headers: {} }
    expect(insertObject(template, 'a/b é?').path).toBe(
      '/x/a%2Fb%20%C3%A9%3F/y?q=a%2Fb%20%C3%A9%3F&r=a%2Fb%20%C3%A9%3F',
    )
    for (const object of ['.', '..', '']) expect(() => insertObject(template, object)).toThrow()
  })
})

describe('a request for each', () => {
  it('prints the records in the order of the input', async () => {
    server.answer = ({ url }) => ({ body: { id: Number(url.split('/').at(-1)), description: 'x' } })
    const { stdout, code } = await call('api runners/{} - -o ndjson', { input: '3\n1\n2\n' })
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    expect([code, ids]).toEqual([0, [3, 1, 2]])
  })

  it('sends the body as it stands, and tells an outcome each', async () => {
    server.answer = ({ url }) =>
      url.endsWith('/2') ? { status: 404, body: { message: 'no' } } : { body: { id: 1 } }
    const line = 'api PUT runners/{} - --param description={} -o ndjson'
    const { stdout, code } = await call(line, { input: '1\n2\n' })
    expect(code).toBe(8)
    expect(JSON.parse(stdout.trimEnd().split('\n')[1] ?? '')).toMatchObject({
      object: '2',
      outcome: 'failed',
      error: { category: 'not_found' },
    })
    expect(sent()).toEqual([
      { line: 'PUT /runners/1', body: { description: {} } },
      { line: 'PUT /runners/2', body: { description: {} } },
    ])
  })

  it('shows in one column what the documents do not know', async () => {
    server.answer = answerByRoute({ 'GET /odd/1': { a: 1 }, 'GET /odd/2': [{ b: 2 }] })
    const { stdout } = await call('api odd/{} - -o csv', { input: '1\n2\n' })
    expect(stdout).toBe('object,answer\n1,"{""a"":1}"\n2,"[{""b"":2}]"\n')
  })

  it('asks before it deletes, and only shows with --dry-run', async () => {
    const refused = await call('api DELETE x/{} -', { input: '1\n2\n' })
    expect([refused.code, server.lines()]).toEqual([2, []])
    const dry = await call('api DELETE x/{} - --dry-run', { input: '1\n2\n' })
    expect(JSON.parse(dry.stdout)).toMatchObject([
      { object: '1', request: 'DELETE /x/1' },
      { object: '2', request: 'DELETE /x/2' },
    ])
    expect(dry.stderr).toContain('  /x/1\n  /x/2\n')
    expect([dry.code, server.lines()]).toEqual([0, []])
  })

  it.each(['GET', 'PUT'])('goes out with %s while more are still to come', async (method) => {
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
    const line = startLine(['api', method, 'runners/{}', '-', '-o', 'ndjson'], { env })
    // A request that is held back until the input ends would never be sent.
    const sent = new Promise<void>((resolve) => {
      server.answer = ({ url }) => {
        if (url.endsWith('/runners/1')) resolve()
        return { body: { id: 1 } }
      }
    })
    void line.write('1\n2\n')
    await Promise.race([sent, line.ended])
    void line.write('3\n')
    line.endInput()
    const { code } = await line.ended
    const lines = server.lines().filter((line) => line.includes('/runners/'))
    expect([code, lines]).toEqual([0, [1, 2, 3].map((id) => `${method} /runners/${id}`)])
  })
})
