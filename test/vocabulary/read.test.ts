/** Tests what a vocabulary may contain; each refusal names the line. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  checkVocabulary,
  createLookups,
  parseVocabulary,
  readVocabulary,
} from '../../src/vocabulary/index.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { invented } from './invented.js'

const check = async (text: string): Promise<void> => {
  const entries = await parseVocabulary(text, 'work.yml')
  await checkVocabulary(entries, createLookups(entries))
}

const buildVocabulary = (...rest: readonly string[]): string =>
  ['vocabulary: 1', ...rest, ''].join('\n')

describe('a vocabulary', () => {
  it('of eight invented words is one', async () => {
    await expect(check(invented)).resolves.toBeUndefined()
  })

  it('may be empty', async () => {
    await expect(check(buildVocabulary('words:', 'names: {}'))).resolves.toBeUndefined()
  })

  it.each<[string, string, string]>([
    ['no YAML', 'a: [', 'work.yml:1: invalid YAML'],
    ['no mapping', '- a', 'work.yml:1: a vocabulary must be a map'],
    ['nothing', '', 'work.yml:1: the file is empty'],
    ['another version', 'vocabulary: 2', 'work.yml:1: vocabulary must be 1'],
    [
      'an unknown section',
      buildVocabulary('word: {}'),
      'Failure: work.yml:2: word is not allowed here',
    ],
    ['a list of words', buildVocabulary('words: [a]'), 'work.yml:2: words must be a map'],
    [
      'a word twice',
      buildVocabulary('words:', '  cloud: a', '  cloud: b'),
      'work.yml:4: the key appears twice here',
    ],
    [
      'two words mapped onto one',
      buildVocabulary('words:', '  spamsvc: x', '  cloud: x'),
      'work.yml:4: spamsvc and cloud would both become x (see also work.yml:3)',
    ],
    [
      'two names mapped onto one',
      buildVocabulary('names:', '  monitor_site: x', '  monitor_env: x'),
      'work.yml:4: monitor_site and monitor_env would both become x (see also work.yml:3)',
    ],
    [
      'a chain of words',
      buildVocabulary('words:', '  cloud: spamsvc', '  spamsvc: x'),
      'work.yml:4: cloud becomes spamsvc, which is itself renamed (see also work.yml:3)',
    ],
    [
      'a name that becomes another of its endpoint',
      buildVocabulary('names:', '  monitor_site: monitor_env'),
      'work.yml:3: monitor_env and monitor_site of PUT /projects/:id/integrations/:slug would both be monitor_env',
    ],
    [
      'a name and a word that become one',
      buildVocabulary('words:', '  site: area', 'names:', '  monitor_env: monitor_area'),
      'monitor_area (see also work.yml:3)',
    ],
    [
      'a parameter that becomes a placeholder',
      buildVocabulary('names:', '  runner_id: id'),
      'work.yml:3: id and runner_id of POST /projects/:id/runners would both be id',
    ],
    [
      'a parameter that does not exist',
      buildVocabulary('names:', '  monitor_sight: x'),
      'work.yml:3: no parameter and no field is called "monitor_sight"',
    ],
    [
      'a word that nothing has',
      buildVocabulary('words:', '  clowd: x'),
      'Failure: work.yml:3: no API name contains the word "clowd',
    ],
    [
      'words of several',
      buildVocabulary('words: { cloud_x: y }'),
      'work.yml:2: "cloud_x" is not a valid word',
    ],
    [
      'signs in a name',
      buildVocabulary('names: { monitor_site: "a b" }'),
      'work.yml:2: "a b" is not a valid name',
    ],
    [
      'brackets in a name',
      buildVocabulary('names: { monitor_site: "a[b]" }'),
      'work.yml:2: "a[b]" is no',
    ],
    [
      'a long name',
      buildVocabulary(`names: { monitor_site: ${'x'.repeat(65)} }`),
      'work.yml:2: "xxxxxxxx',
    ],
    [
      'a name of every list',
      buildVocabulary('names: { per_page: size }'),
      'Failure: work.yml:2: per_page has the same name on every instance',
    ],
    [
      'another cookie',
      buildVocabulary('cookies: { other: x }'),
      'work.yml:2: other is not allowed here',
    ],
    [
      'a cookie’s value',
      buildVocabulary('cookies: { _svc_session: "x; y" }'),
      'work.yml:2: "x; y" is no',
    ],
    [
      'a cookie that loses its value',
      buildVocabulary('cookies: { _svc_session: "a=b" }'),
      'work.yml:2: "a=b" is not a valid name of a header or cookie',
    ],
    [
      'a path with dots',
      buildVocabulary('paths: { /geo_nodes: /../x }'),
      'work.yml:2: "/../x" is not a valid path',
    ],
    [
      'a path that is encoded',
      buildVocabulary('paths: { /geo_nodes: /%2e }'),
      'is not a valid path',
    ],
    [
      'a path with a query',
      buildVocabulary('paths: { /geo_nodes: "/x?y" }'),
      'is not a valid path',
    ],
    [
      'a path with a placeholder',
      buildVocabulary('paths: { /geo_nodes: /:id }'),
      'is not a valid path',
    ],
    [
      'an address',
      buildVocabulary('paths: { /geo_nodes: "//other.example" }'),
      'is not a valid path',
    ],
    [
      'a path that is none',
      buildVocabulary('paths: { /geo_nods: /x }'),
      'work.yml:2: no path has /geo_nods',
    ],
    [
      'a path of another endpoint',
      buildVocabulary('paths:', '  /geo_nodes: /runners'),
      'work.yml:3: POST /geo_nodes would become POST /runners',
    ],
    [
      'a path of what the documents only imply',
      buildVocabulary('paths:', '  /runners: /users'),
      'work.yml:3: /runners would become /users, which is GET /users',
    ],
    [
      'a path of an undocumented list',
      buildVocabulary('paths:', '  /geo_nodes: /x', '  /services: /resource_groups'),
      'work.yml:4: /services would become /resource_groups, which is GET /projects/:id/resource_groups',
    ],
    [
      'a path below another thing, though no route is known there',
      buildVocabulary('paths:', '  /geo_nodes: /runners/7'),
      'work.yml:3: POST /geo_nodes would become GET /runners/:id',
    ],
    [
      'a path of another method',
      buildVocabulary('paths: { /application/settings: /projects/7 }'),
      'work.yml:2: GET /application/settings would become GET /projects/:id',
    ],
    [
      'a word that makes a path one of what is implied',
      buildVocabulary('words:', '  runners: users'),
      'work.yml:3: GET /runners would become GET /users',
    ],
    [
      'an implied path that becomes a documented one',
      buildVocabulary('paths:', '  /users: /runners'),
      'work.yml:3: GET /users/:id/events would become GET /runners',
    ],
    [
      'the slug of another family',
      buildVocabulary('slugs: { monitoring: emails-on-push }'),
      'work.yml:2: monitoring would be emails-on-push, which is of the family emails-on-push',
    ],
    [
      'the name of another family',
      buildVocabulary('slugs:', '  monitoring: [a, chat-room]'),
      'work.yml:3: monitoring would be chat-room, which is of the family chat-room',
    ],
    [
      'one slug for two families',
      buildVocabulary('slugs:', '  monitoring: a', '  chat-room: [b, a]'),
      'work.yml:4: chat-room and monitoring would both be a (see also work.yml:3)',
    ],
    [
      'another header that is read',
      buildVocabulary('headers: { x-total: Retry-After }'),
      'work.yml:2: x-total would become Retry-After, which is another header',
    ],
    [
      'two paths that become one',
      buildVocabulary('paths:', '  /issues: /things', '  /merge_requests: /things'),
      'would both become /things (see also work.yml:3)',
    ],
    [
      'a word that makes one path another',
      buildVocabulary('words:', '  services: integrations'),
      'work.yml:3: GET /projects/:id/services would become GET /projects/:id/integrations',
    ],
    [
      'a word and a path that make two paths one',
      buildVocabulary('words:', '  services: x', 'paths:', '  /integrations: /x'),
      'would become',
    ],
    [
      'more than a line of what to do instead',
      buildVocabulary('gone: { "POST /ci/lint": "a\\e[31mb" }'),
      'work.yml:2: "a\\u001b[31mb" is not a valid replacement',
    ],
    [
      'no family',
      buildVocabulary('slugs: { monitorin: x }'),
      'Failure: work.yml:2: unknown integration family "monitorin',
    ],
    [
      'no values',
      buildVocabulary('values: { runners.descr: [x] }'),
      'Failure: work.yml:2: unknown parameter with values "runners.descr',
    ],
    ['no route', buildVocabulary('gone: { "POST /ci/lnt": x }'), 'work.yml:2: unknown route'],
    [
      'no secret',
      buildVocabulary('secrets:', '  - a', '  - "b c"'),
      'work.yml:4: "b c" is not a valid name',
    ],
    ...['PRIVATE-TOKEN', 'Job-Token', 'authorization', 'Sudo', 'Host', 'Cookie', 'Connection'].map(
      (name): [string, string, string] => [
        `the header ${name}`,
        buildVocabulary('headers:', `  ${name}: x-other`),
        `work.yml:3: the header ${name} cannot be renamed or used as a new name`,
      ],
    ),
    [
      'a header as a credential',
      buildVocabulary('headers: { accept: Private-Token }'),
      'cannot be renamed or used as a new name',
    ],
    [
      'the length of a body',
      buildVocabulary('headers: { Content-Length: x }'),
      'cannot be renamed or used as a new name',
    ],
    [
      'the framing',
      buildVocabulary('headers: { Transfer-Encoding: x }'),
      'cannot be renamed or used as a new name',
    ],
  ])('is refused with its line: %s', async (_, text, message) => {
    const failure = await check(text).catch((error: unknown) => error)
    expect(failure).toMatchObject({ category: 'usage' })
    expect(String(failure).replace(/(work\.yml:\d+):\d+/g, '$1')).toContain(message)
  })

  it.each([
    ['/runners: /users', '/users'],
    ['/merge_requests: /user', '/user'],
  ])('that renames %s is refused as it is read, whatever is asked', async (line, name) => {
    const file = join(createFolder(), 'work.yml')
    writeFileSync(file, buildVocabulary('paths:', `  ${line}`), { mode: 0o600 })
    const env = { SVC_VOCABULARY: file, SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'x' }
    for (const words of [
      ['runners', 'pause', '7'],
      ['geo', 'status'],
    ]) {
      const ran = await svcctl([...words, '--retries', '0'], { env })
      expect([words, ran.code]).toEqual([words, 2])
      expect(ran.stderr).toContain(`work.yml:3:3: ${line.replace(': ', ' would become ')}`)
      expect(ran.stderr).toContain(`GET ${name}`)
    }
  })

  it('names the nearest of what it does not find', async () => {
    await expect(check(buildVocabulary('names: { monitor_sites: x }'))).rejects.toMatchObject({
      details: { hint: 'Did you mean monitor_site?' },
    })
    await expect(check(buildVocabulary('gone: { "POST /ci/lnt": x }'))).rejects.toMatchObject({
      details: { hint: 'Did you mean POST /ci/lint?' },
    })
  })

  it('is read from where nobody else can have written it only', async () => {
    const file = join(createFolder(), 'work.yml')
    writeFileSync(file, invented)
    await expect(readVocabulary(file)).resolves.toMatchObject({
      words: [{ origin: { file } }, {}, {}, {}],
    })
    chmodSync(file, 0o666)
    await expect(readVocabulary(file)).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('other users can write to'),
    })
    writeFileSync(`${file}.long`, `# ${'x'.repeat(1 << 20)}\n${invented}`)
    await expect(readVocabulary(`${file}.long`)).rejects.toThrow('larger than 1 MB')
    await expect(readVocabulary(`${file}.no`)).rejects.toMatchObject({ category: 'usage' })
  })
})
