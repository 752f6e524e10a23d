/** `--select`: the objects of a verb out of its own list, all of them before the first write. */
import { describe, expect, it } from 'vitest'
import { writes } from '../../../src/catalogue/endpoint.js'
import { allCommands, commandNamed, named, selectsOf } from '../../../src/commands/derive/index.js'
import { svcctl } from '../../support/program.js'
import { recording } from '../../support/recorder.js'

const runner = (id: number) => ({ id, description: `d${id}`, active: true, status: 'online' })

describe('with --select', () => {
  const recorder = recording()
  const run = (...args: string[]) =>
    svcctl(args, { env: { SVC_BASE_URL: recorder.url, SVC_TOKEN: 'any' } })
  const written = (): string[] => recorder.lines().filter((line) => !line.startsWith('GET'))
  const runners = (count: number): void => {
    recorder.answer = ({ method, url }) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
      if (method !== 'GET') return { body: runner(Number(/runners\/(\d+)/.exec(url)?.[1])) }
      const next = `<${recorder.url}/api/v4/runners/all?page=${page + 1}>; rel="next"`
      return { body: [runner(page)], headers: page < count ? { link: next } : {} }
    }
  }

  it('reads the whole list before the first write, and knows no limit', async () => {
    runners(120)
    const { stdout, code } = await run(
      ...['runners', 'pause', '--instance', '--select', 'id>1', '--yes'],
    )
    const methods = recorder.seen.map(({ method }) => method)
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 120])
    expect(methods.lastIndexOf('GET')).toBeLessThan(methods.indexOf('PUT'))
    expect(recorder.lines()[0]).toBe('GET /runners/all?per_page=100')
    expect(written()).toHaveLength(119)
  })

  it('writes nothing unless it is confirmed', async () => {
    runners(3)
    const { stderr, code } = await run('runners', 'pause', '--select', 'id>1')
    expect([code, written()]).toEqual([2, []])
    expect(stderr).toContain('runners pause works on 2 objects that match')
  })

  it('does nothing where nothing matches', async () => {
    runners(3)
    const { stderr, code } = await run('runners', 'pause', '--select', 'id=9', '--yes')
    expect([code, written()]).toEqual([0, []])
    expect(stderr).toContain('nothing matches in runners list')
  })

  it('takes each issue in the project that its record names, out of all there are', async () => {
    recorder.answer = ({ method }) =>
      method === 'GET'
        ? { body: [{ iid: 4, project_id: 2, references: { full: 'a/b#4' }, state: 'opened' }] }
        : { body: { id: 1 } }
    const { code } = await run('issues', 'todo', '--select', 'state=opened', '--yes')
    expect(code).toBe(0)
    expect(recorder.lines()).toEqual([
      'GET /issues?scope=all&state=opened&per_page=100',
      'POST /projects/a%2Fb/issues/4/todo',
    ])
  })

  it('chooses among the objects of the project that the verb is given', async () => {
    recorder.answer = () => ({ body: [{ id: 5, title: 'ci' }] })
    const line = ['deploy-keys', 'delete', '-P', 'a/b', '--select', 'title=ci', '--yes']
    expect((await run(...line)).code).toBe(0)
    expect(recorder.lines()).toEqual([
      'GET /projects/a%2Fb/deploy_keys?per_page=100',
      'DELETE /projects/a%2Fb/deploy_keys/5',
    ])
  })

  it.each<[string, RegExp]>([
    ['runners pause 5 --select id=1', /stands in place of ids/],
    ['runners pause --select id=1 --curl', /needs a list first/],
    ['runners pause 5 --instance', /--instance goes with --select/],
    ['runners pause --select id=x --yes', /id is compared with a number/],
    ['runners pause --select id=1 --page 2', /--page/],
    ['runners pause --select id=1 --watch', /--watch/],
    ['deploy-keys delete --select id=1 --yes', /needs --project/],
    ['deploy-keys delete -P a/b,c/d --select id=1 --yes', /among the objects of one project/],
    ['runners register --select id=1', /takes no objects from a list/],
    ['resource-groups update -P a/b --select key=1', /takes no objects from a list/],
    ['alerts send --select id=1', /takes no objects from a list/],
  ])('refuses %s, and sends nothing', async (line, message) => {
    const { stderr, code } = await run(...line.split(' '))
    expect([code, recorder.lines()]).toEqual([2, []])
    expect(stderr).toMatch(message)
  })
})

describe('the list that a verb selects from', () => {
  it('is of its own objects, and every verb over several has one but these', async () => {
    const without: string[] = []
    for (const command of await allCommands()) {
      const [first] = command.args
      if (first?.variadic !== true || !Object.values(command.endpoints).some(writes)) continue
      const fact = selectsOf(command)
      if (fact === undefined) {
        without.push(named(command))
        continue
      }
      const [area = '', ...words] = fact.list.split(' ')
      const list = await commandNamed(area, words.join(' '))
      const kinds = Object.values(list?.endpoints ?? {}).map((endpoint) => endpoint.lists)
      expect([named(command), new Set(kinds)]).toEqual([
        named(command),
        new Set([first.param?.completes]),
      ])
      for (const name of fact.by ?? [])
        expect(Object.values(list?.endpoints ?? {}).some((e) => e.when?.flag === name)).toBe(true)
    }
    expect(without.sort()).toEqual([
      'commits cherry-pick',
      'commits revert',
      'deploy-keys enable',
      'members add',
      'pages-domains add',
      'resource-groups update',
      'runners enable',
    ])
  })
})
