/** Tests which words and flags make a command, and the errors and hints for the others. */
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { processIo } from '../../src/base/io.js'
import { areas } from '../../src/catalogue/index.js'
import { adviseLine } from '../../src/cli/foreign/index.js'
import { completeLine } from '../../src/cli/tab.js'
import { listVerbs, parseTokens } from '../../src/cli/words/tree.js'
import { loadAllCommands } from '../../src/commands/index.js'
import { Failure } from '../../src/errors.js'
import { svcctl } from '../support/within.js'

const allCommands = (await loadAllCommands()).filter(({ words }) => words !== '')
/** The areas, each with the words of its commands. */
const firstWords = [...new Set(allCommands.map(({ area }) => area))].map((area) => ({
  area,
  words: allCommands.filter((one) => one.area === area).map(({ words }) => words),
}))

/** Completion without values of an instance. */
const noSource = { io: processIo, load: async () => [] }

const getHint = async (...words: string[]): Promise<string | undefined> => {
  try {
    await parseTokens(words, {})
  } catch (error) {
    if (error instanceof Failure) return (await adviseLine(error, words, processIo)).details.hint
  }
  return undefined
}

describe('the usual verbs', () => {
  it.each(['list', 'get', 'create', 'update', 'delete'])(
    '%s is answered by every area',
    async (verb) => {
      const silent: string[] = []
      let met = 0
      for (const { area, words } of firstWords) {
        const hint = words.includes(verb) ? 'is there' : await getHint(area, verb)
        met += 1
        if (hint === undefined || /Did you mean/.test(hint)) silent.push(`${area} ${verb}: ${hint}`)
      }
      expect(met).toBeGreaterThan(30)
      expect(silent).toEqual([])
    },
  )
})

describe('words of other tools', () => {
  it.each([
    ['deploy-keys remove 1 2 --yes 3', 'Run "svcctl deploy-keys delete 1 2 --yes 3".'],
    ['geo list', 'Run "svcctl geo nodes list".'],
    ['config use work', 'Run "svcctl auth switch work".'],
    ['auth show-token', 'Run "svcctl auth token".'],
    ['runners watch', 'Run "svcctl runners list --watch".'],
    ['approvals rule remove 1', 'Run "svcctl approvals rules delete 1".'],
    ['jobs list platform/app', 'Run "svcctl jobs list -P platform/app".'],
    ['members delete 5', 'Run "svcctl members remove 5".'],
    [
      'members update 5 --until 2027-01-01',
      'Run "svcctl members update 5 --expires-at 2027-01-01".',
    ],
    ['runners list --tags linux', 'Run "svcctl runners list --tag-list linux".'],
    ['runners update 1 --tags a,b', 'Run "svcctl runners update 1 --tag-list a,b".'],
    ['jobs list --branch main', 'Run "svcctl jobs list --where ref=main".'],
    ['artifacts download 7 --dir out', 'Run "svcctl artifacts download 7 --extract --to out".'],
    [
      'commits create -m x --branch main --add a',
      'Run "svcctl commits create -m x --branch main --create a".',
    ],
    [
      'commits create -m x --branch main --edit a',
      'Run "svcctl commits create -m x --branch main --update a".',
    ],
    [
      'commits create -m x --branch main --rm a',
      'Run "svcctl commits create -m x --branch main --delete a".',
    ],
    [
      'commits create -m x --branch main --mv a',
      'Run "svcctl commits create -m x --branch main --move a".',
    ],
    [
      'members create eva -G a --force',
      'Run "svcctl members add eva -G a --yes --access-level <access-level>".',
    ],
    [
      'members add eva -G a --role developer',
      'Run "svcctl members add eva -G a --access-level developer".',
    ],
    [
      'members create - --row-fields access_level',
      'Run "svcctl members add - --row-fields access_level".',
    ],
    ['journal get last', 'Run "svcctl journal show last".'],
    ['alias create x', 'Run "svcctl alias set x".'],
    ['runners create', 'Run "svcctl runners register".'],
    ['auth create', 'Run "svcctl auth login".'],
    ['approvals delete 1', 'Run "svcctl approvals rules delete 1".'],
    ['mcp list', 'Run "svcctl mcp --help".'],
    ['mr merge 5', "Run \"svcctl api PUT 'projects/{project}/merge_requests/5/merge'"],
    ['events create', 'The API documents have no such operation.'],
    [
      'projects delete 1',
      'The API documents have no such operation. Run "svcctl api DELETE projects/1"',
    ],
    ['login', 'Run "svcctl auth login".'],
    ['merge-requests list', 'Run "svcctl mr list".'],
    ['groups list', 'The API documents have no such operation. Run "svcctl api GET groups"'],
    ['user get 5', 'The API documents have no such operation. Run "svcctl api GET users/5"'],
    ['runers list', 'Run "svcctl runners list".'],
    ['--sandbx runners lsit', 'Run "svcctl runners list --sandbox".'],
    ['runners lst', 'Run "svcctl runners list".'],
    ['constructor', 'Run "svcctl --help" for a list of commands.'],
  ])('%s is told of its own word', async (line, hint) => {
    expect(await getHint(...line.split(' '))).toContain(hint)
  })
})

describe('a group of verbs', () => {
  it('has help wherever there is one, in singular and plural', async () => {
    const groups: (readonly [string, string])[] = []
    for (const { name } of areas)
      for (const verb of await listVerbs(name)) {
        const [group = '', second] = verb.split(' ')
        if (second !== undefined) groups.push([name, group])
      }
    expect(new Set(groups.map(String)).size).toBeGreaterThanOrEqual(5)
    for (const [area, group] of groups)
      for (const word of [group, group.replace(/s$/, '')])
        expect(await parseTokens([area, word, '--help'], {})).toEqual({
          kind: 'help',
          of: { kind: 'area', area, group },
        })
  })
  it('prints its verbs, with 0 when asked for and 2 on standard error when not', async () => {
    const asked = await svcctl(['geo', 'nodes', '--help'])
    expect(asked).toMatchObject({ code: 0, stderr: '' })
    expect(asked.stdout).toContain('svcctl geo nodes <verb>')
    expect(asked.stdout).toMatch(/^ {2}repair <id…>/m)
    expect(asked.stdout).not.toContain('status')
    expect(await svcctl(['help', 'geo', 'nodes'])).toEqual(asked)
    expect(await svcctl(['help', 'geo', '--no-pager', 'node'])).toEqual(asked)
    expect(await svcctl(['geo', 'node'])).toEqual({ code: 2, stdout: '', stderr: asked.stdout })
  })
})

describe('flags without a command', () => {
  it('give the version beside other flags', async () => {
    const alone = await svcctl(['--version'])
    expect(alone.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(await svcctl(['--version', '--sandbox'])).toEqual(alone)
  })
})

/** Parses a line that runs a command into its words, arguments and flags. */
const parseLine = async (...tokens: string[]) => {
  const line = await parseTokens(tokens, {})
  if (line.kind !== 'run') throw new Error(`a line that asks for ${line.kind}`)
  return {
    words: line.command.words,
    args: line.raw.args,
    flags: Object.fromEntries(line.raw.flags),
  }
}

describe('a name of another tool', () => {
  it.each([
    ['runners show 7', 'get', ['7']],
    ['runner view 7', 'get', ['7']],
    ['runners ls', 'list', []],
    ['integrations rm slack', 'delete', ['slack']],
    ['geo nodes rm 1', 'nodes delete', ['1']],
    ['members rm eva', 'remove', ['eva']],
    ['journal show last', 'show', ['last']],
  ])('%s is accepted', async (line, words, args) => {
    expect(await parseLine(...line.split(' '))).toMatchObject({ words, args })
  })
  it.each(['runners rm 1', 'geo ls', 'geo rm 1', 'journal view last', 'projects rm 1'])(
    '%s stands for no verb of the same depth',
    async (line) => {
      await expect(parseLine(...line.split(' '))).rejects.toThrow('has no verb')
    },
  )
  it('is shown nowhere', async () => {
    const { items } = await completeLine(['runners', ''], noSource)
    expect(items.map(({ value }) => value)).not.toContain('ls')
    await expect(parseLine('runners', 'lz')).rejects.toThrow(
      /has no verb "lz"; it has list, get, update/,
    )
  })
})

describe('a boolean flag', () => {
  it.each([
    ['--active=true', 'true'],
    ['--active=1', 'true'],
    ['--active=FALSE', 'false'],
    ['--active=0', 'false'],
    ['--no-active', 'false'],
  ])('takes %s', async (flag, text) => {
    expect(await parseLine('runners', 'update', '1', flag)).toMatchObject({
      flags: { active: [text] },
    })
  })
  it('takes it before the verb and before the area', async () => {
    expect(
      await parseLine('--quiet=1', 'runners', '--sandbox=false', 'list', '--pager=0'),
    ).toMatchObject({
      flags: { quiet: ['true'], sandbox: ['false'], pager: ['false'] },
    })
  })
  it('leaves the value of another flag as it is, and what follows --', async () => {
    const tokens = ['runners', 'update', '1', '--description', '--active=false', '--', '--locked=0']
    expect(await parseLine(...tokens)).toEqual({
      words: 'update',
      args: ['1', '--locked=0'],
      flags: { description: ['--active=false'] },
    })
  })
  it.each([
    [['--active=hunter2'], /^--active must be true or false$/],
    [['--no-active=false'], /^--no-active takes no value$/],
    [['--active', 'false'], /^--active takes its value after =$/],
  ])('refuses %j', async (flags, message) => {
    await expect(parseLine('runners', 'update', '1', ...flags)).rejects.toThrow(message)
  })
  it('chooses the instance, and asks for help, in this form as well', async () => {
    expect(await svcctl(['runners', 'list', '--sandbox=true', '-q'])).toMatchObject({ code: 0 })
    expect(await svcctl(['runners', 'list', '--help=true'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('flags on several levels', () => {
  it('leave a verb its own values, which Commander by default would take for the program’s', async () => {
    expect(await parseLine('runners', 'update', '1', '--description', '-y', '2')).toEqual({
      words: 'update',
      args: ['1', '2'],
      flags: { description: ['-y'] },
    })
    const program = new Command().option('-y, --yes')
    const update = program.command('update').argument('[id...]').option('--description <text>')
    update.action(() => {})
    program.parse(['update', '1', '--description', '-y', '2'], { from: 'user' })
    expect([program.opts(), update.opts()]).toEqual([{ yes: true }, { description: '2' }])
  })
  it('are the most specific level’s where several have one', async () => {
    const line = ['-o', 'json', 'runners', '-o', 'csv', 'list', '-o', 'yaml']
    expect((await parseLine(...line)).flags).toEqual({ output: ['yaml'] })
    expect((await parseLine(...line.slice(0, -2))).flags).toEqual({ output: ['csv'] })
    expect((await parseLine('-P', 'a', 'runners', 'list', '-P', 'b')).flags).toEqual({
      project: ['b'],
    })
    expect((await parseLine('-q', 'geo', '-v', 'nodes', '-v', 'list')).flags).toEqual({
      quiet: ['true'],
      verbose: ['true'],
    })
    expect((await parseLine('--quiet', 'runners', 'list', '--no-quiet')).flags).toEqual({
      quiet: ['false'],
    })
  })
  it('keep the order of one level, and make nothing of what was not given', async () => {
    expect(
      (await parseLine('runners', 'list', '-v', '--fields', 'b', '-v', '--fields', 'a')).flags,
    ).toEqual({ verbose: ['true', 'true'], fields: ['b', 'a'] })
    expect((await parseLine('runners', 'update', '1', '--no-locked')).flags).toEqual({
      locked: ['false'],
    })
    expect((await parseLine('runners', 'list', '--watch')).flags).toEqual({ watch: [''] })
  })
  it('are refused where the command does not take them', async () => {
    await expect(parseLine('--limit', '3', 'runners', 'get', '1')).rejects.toThrow(
      "unknown option '--limit'",
    )
    await expect(parseLine('-P', 'a', 'doctor')).rejects.toThrow("unknown option '--project'")
    await expect(parseLine('doctor', '-var', 'a=b')).rejects.toThrow("unknown option '-var'")
    await expect(parseLine('doctor', '-key=secret')).rejects.toThrow(/^unknown option '-key'$/)
    await expect(parseLine('runners', 'list', '-output', 'json')).rejects.toThrow(
      "unknown option '-output'",
    )
    await expect(parseLine('-version')).rejects.toThrow("unknown option '-version'")
    await expect(parseLine('--version', 'runners', 'list')).rejects.toThrow(
      "unknown option '--version'",
    )
  })
})

describe('what follows --', () => {
  it('is an argument, and no word of a command', async () => {
    expect(await parseLine('issues', 'spend', '7', '--', '-1h')).toMatchObject({
      args: ['7', '-1h'],
    })
    expect(await parseTokens(['--'], {})).toEqual({ kind: 'help', of: { kind: 'root' } })
    for (const line of ['-- runners list', 'runners -- list', '-p a -- runners list'])
      await expect(parseTokens(line.split(' '), {})).rejects.toThrow('-- stands before the command')
    expect(await parseLine('runners', 'get', '--', '--help')).toMatchObject({ args: ['--help'] })
  })
})

describe('help', () => {
  it.each([
    '--help runners list',
    'runners -h list --no-such',
    'runner list --status --help',
    'runners list -qh',
  ])('is shown for %s, whatever else is wrong', async (line) => {
    expect(await parseTokens(line.split(' '), {})).toMatchObject({
      kind: 'help',
      of: { kind: 'command', command: { area: 'runners', words: 'list' } },
    })
  })
})

describe('a topic', () => {
  it('is shown whatever flags stand beside it, and is nothing that objects bring along', async () => {
    const topic = await svcctl(['help', 'flags'])
    expect(topic.stdout).toContain('--insecure')
    expect(await svcctl(['help', 'flags', '--no-pager'])).toEqual(topic)
    expect(await svcctl(['help', 'constructor'])).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('the value behind an unknown flag', () => {
  it('is not repeated: it may be a secret', async () => {
    for (const words of [['runners', 'list'], ['runners'], []])
      await expect(parseLine(...words, '--tokn=hunter2')).rejects.toThrow(/^(?!.*hunter2)/s)
  })
})

describe('a line that is being written', () => {
  it.each([
    [
      ['geo', 'node'],
      ['create', 'list', 'get', 'update', 'delete', 'repair'],
    ],
    [
      ['-o', 'json', 'geo'],
      ['nodes', 'status'],
    ],
    [['geo', 'nothing'], []],
  ])('%j is followed as far as its words lead', async (words, wanted) => {
    const { items } = await completeLine([...words, ''], noSource)
    expect(items.map(({ value }) => value)).toEqual(wanted)
  })
})

describe('a global flag with a value', () => {
  const sandboxed = { env: { SVC_SANDBOX: '1' } }

  it.each([
    ['before the area', ['--limit', '2', 'runners', 'list', '--instance']],
    ['between area and verb', ['runners', '--limit', '2', 'list', '--instance']],
    ['behind the verb', ['runners', 'list', '--instance', '--limit', '2']],
  ])('counts %s', async (_, line) => {
    const { code, stdout } = await svcctl([...line, '-o', 'json'], sandboxed)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveLength(2)
  })
})
