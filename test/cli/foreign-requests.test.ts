/** Hints for operations that no command has: the requests of the line, with everything that was typed. */
import { describe, expect, it } from 'vitest'
import { svcctl } from '../support/within.js'

const hintOf = async (...words: readonly string[]): Promise<string> => {
  const { code, stderr } = await svcctl(words)
  expect(code).toBe(2)
  return /Run "(.*?)" to send (?:its requests?)/.exec(stderr)?.[1] ?? stderr
}

describe('the hint for an operation that the documents lack', () => {
  it.each([
    [
      'jobs retry 19 20 -P a/b',
      "for id in 19 20; do svcctl api POST 'projects/{project}/jobs/'$id/retry -P a/b; done",
    ],
    ['runners delete 1 2', 'for id in 1 2; do svcctl api DELETE runners/$id; done'],
    ['projects delete a/b c/d', 'for id in a%2Fb c%2Fd; do svcctl api DELETE projects/$id; done'],
    ['projects rename a/b c', 'svcctl api PUT projects/a%2Fb --param name=c'],
    [
      'mr merge a/b!4 a/b!5',
      "for id in 4 5; do svcctl api PUT 'projects/{project}/merge_requests/'$id/merge -P a/b; done",
    ],
    [
      'mr merge a/b!4 c!5',
      'for id in a%2Fb/merge_requests/4 c/merge_requests/5; do svcctl api PUT projects/$id/merge; done',
    ],
    ['jobs retry 19 -P a/b', "svcctl api POST 'projects/{project}/jobs/19/retry' -P a/b"],
  ])('has all objects: %s', async (line, hint) => {
    expect(await hintOf(...line.split(' '))).toBe(hint)
  })

  it.each([
    ['mr merge a/b!4', "svcctl api PUT 'projects/{project}/merge_requests/4/merge' -P a/b"],
    [
      'mr approve !4',
      "svcctl api POST 'projects/{project}/merge_requests/4/approve' -P group/project",
    ],
    [
      'mr approve a/b!4 -P a/b',
      "svcctl api POST 'projects/{project}/merge_requests/4/approve' -P a/b",
    ],
    [
      'issues close https://git.example/a/b/-/issues/3',
      "svcctl api PUT 'projects/{project}/issues/3' --param state_event=close -P a/b",
    ],
    [
      'jobs retry https://git.example:8443/scm/a/b/-/jobs/3 --base-url https://git.example:8443/scm',
      "svcctl api POST 'projects/{project}/jobs/3/retry' -P a/b --base-url https://git.example:8443/scm",
    ],
    ['projects archive https://git.example/a/b', 'svcctl api POST projects/a%2Fb/archive'],
    ['projects archive git@git.example:a/b.git', 'svcctl api POST projects/a%2Fb/archive'],
    ['groups delete https://git.example/groups/a/b', 'svcctl api DELETE groups/a%2Fb'],
  ])('names the object of a reference or a web address: %s', async (line, hint) => {
    expect(await hintOf(...line.split(' '))).toBe(hint)
  })

  it.each([
    ['projects transfer a/b --to c', 'svcctl api PUT projects/a%2Fb/transfer --param namespace=c'],
    ['projects transfer a/b c', 'svcctl api PUT projects/a%2Fb/transfer --param namespace=c'],
    [
      'groups transfer a/b --to=7 --sandbox',
      'svcctl api POST groups/a%2Fb/transfer --param group_id=7 --sandbox',
    ],
    ['repo fork a/b --to c', 'svcctl api POST projects/a%2Fb/fork --param namespace_path=c'],
    [
      'issue move 3 --to 7 -P a/b',
      "svcctl api POST 'projects/{project}/issues/3/move' --param to_project_id=7 -P a/b",
    ],
    [
      'issue transfer 3 c/d -P a/b --sandbox',
      "svcctl api POST 'projects/{project}/issues/3/move' --param to_project_id=$(svcctl projects get c/d -o value --fields id --sandbox) -P a/b --sandbox",
    ],
    [
      'issue transfer 3 c/d -P a/b -p north,south',
      "svcctl api POST 'projects/{project}/issues/3/move' --param to_project_id=ID -P a/b -p north,south",
    ],
    [
      'branches create x --from main -P a/b',
      "svcctl api POST 'projects/{project}/repository/branches' --param branch=x --param ref=main -P a/b",
    ],
    ['projects delete a/b --to c', 'svcctl api DELETE projects/a%2Fb --to c'],
  ])('gives a destination, a name or an origin its parameter: %s', async (line, hint) => {
    expect(await hintOf(...line.split(' '))).toBe(hint)
  })

  it.each(['--select status=offline', '--select=status=offline'])(
    'leaves out %s, since a request is about one object',
    async (flag) => {
      const words = ['runners', 'delete', ...flag.split(' '), '--dry-run']
      expect(await hintOf(...words)).toBe('svcctl api DELETE runners/ID --dry-run')
    },
  )

  it('keeps the value of a flag that is as an argument', async () => {
    expect(await hintOf('mr', 'create', 'foo', '-P', 'foo/bar', '--title', 'foo')).toContain(
      'title=foo',
    )
    expect(await hintOf('mr', 'create', 'foo', '-P', 'foo')).toContain('-P foo')
  })
})

describe('the hint for a name in the place of an ID', () => {
  it.each([
    ['issues promote Login -P a/b', 'svcctl issues promote --select title=Login -P a/b'],
    ['mr rebase fix/login -P a/b', 'svcctl mr rebase --select source_branch=fix/login -P a/b'],
    ['jobs get unit -P a/b', 'svcctl jobs list --where name=unit -P a/b'],
    ['mr get fix/login -P a/b', 'svcctl mr list --where source_branch=fix/login -P a/b'],
    ['vulnerabilities get xss', "svcctl vulnerabilities list --where 'title~xss' --all-projects"],
    ['jobs get 5x -P a/b', undefined],
    ['jobs get a|b -P a/b', undefined],
  ])('is a condition: %s', async (line, hint) => {
    const { code, stderr } = await svcctl(line.split(' '))
    expect([code, /^svcctl: <i?id> must be an integer/.test(stderr)]).toEqual([2, true])
    expect(/hint: Run "(.*)"\.$/m.exec(stderr)?.[1]).toBe(hint)
  })
})

describe('the hint for the projects of a list that has no form for them', () => {
  const idOf = (words: string): string => `$(svcctl projects get ${words})`
  it.each([
    ['-P a/b', `--where project_id=${idOf('a/b -o value --fields id')}`],
    ['-P a/b,7', `--where "project_id=${idOf('a/b -o value --fields id')}|7"`],
    [
      '-P a/b -P c/d --sandbox',
      `--where "project_id=${idOf('a/b -o value --fields id --sandbox')}|${idOf('c/d -o value --fields id --sandbox')}" --sandbox`,
    ],
  ])('asks for the ID of each: %s', async (flags, hint) => {
    const { code, stderr } = await svcctl(['issues', 'list', ...flags.split(' ')])
    expect(code).toBe(2)
    expect(stderr).toContain(`Run "svcctl issues list ${hint}"`)
  })

  it.each([
    ['--profile=north', '--profile north'],
    ['-pnorth --sudo=ana', '--profile north --sudo ana'],
    ['--base-url http://127.0.0.1:1 --insecure', '--base-url http://127.0.0.1:1 --insecure'],
  ])('asks the same instance in the same way: %s', async (flags, same) => {
    const { stderr } = await svcctl(['issues', 'list', ...flags.split(' '), '-P', 'a/b'])
    expect(stderr).toContain(`=${idOf(`a/b -o value --fields id ${same}`)}`)
  })

  it.each(['-p north,south', '--profile=@eu', '--all-profiles', '--from snap'])(
    'does not ask where no one line prints the ID: %s',
    async (flags) => {
      const { code, stderr } = await svcctl(['issues', 'list', ...flags.split(' '), '-P', 'a/b'])
      expect(code).toBe(2)
      expect(stderr).not.toContain('$(')
    },
  )
})

describe('a line with two mistakes', () => {
  it.each([
    ['overview --param x=1', undefined],
    ['runners list --stauts x', 'Did you mean --status?'],
    ['runners get 1 --all -p north', 'Did you mean --all-profiles?'],
    ['mr subscribe 1 2 -P a/b --all', 'Did you mean --select?'],
    ['geo nodes repair 9 -L 0', undefined],
    ['export -P a/b -G c -o wide', undefined],
    ['export a/b -o id', undefined],
    ['ci lint --file a.yml --report x', undefined],
    ['settings update --domain-denylist x --with-archived --template y', undefined],
  ])('is advised no line that is refused as well: %s', async (line, hint) => {
    const { code, stderr } = await svcctl(line.split(' '))
    expect(code).toBe(2)
    expect(stderr).not.toMatch(/Run "svcctl (?!.*--help)/)
    if (hint !== undefined) expect(stderr).toContain(hint)
  })
})
