/**
 * Tests the embedded instance, as three of its versions, with two public clients. A client that is not installed is skipped by name.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Version } from '../../../src/sandbox/ci-lint/index.js'
import { useSharedSandbox } from '../instance.js'

const getPath = (name: string): string => join(import.meta.dirname, name)
/** The path to which `.ci/run` installs python-gitlab. */
const installedPython = join('node_modules', '.cache', 'python-gitlab', 'bin', 'python')
const python = existsSync(installedPython) ? installedPython : 'python3'
const node = process.execPath

interface Client {
  readonly name: string
  /** A command that succeeds if the client is installed. */
  readonly probe: readonly [program: string, ...args: string[]]
  readonly command: readonly [program: string, ...args: string[]]
  /** The result of each call. */
  readonly gives: Readonly<Record<string, unknown>>
  /** Returns the class name of an error, which the client prints before the status. */
  readonly error: (doing: 'read' | 'write' | 'sign in') => string
}

const lintResult = [
  true,
  false,
  ['jobs:a:script config should be a string or a nested array of strings up to 10 levels deep'],
]

const clients: readonly Client[] = [
  {
    name: 'python-gitlab',
    probe: [python, '-c', 'import gitlab'],
    command: [python, getPath('python-gitlab.py')],
    error: (doing) =>
      ({
        read: 'GitlabGetError',
        write: 'GitlabUpdateError',
        'sign in': 'GitlabAuthenticationError',
      })[doing],
    gives: {
      pages: [5, 14, true, true, true],
      runners: ['of a client', ['linux', 'big'], [1], true],
      'enabled runners': true,
      members: ['gus', 40, true, 0],
      labels: ['written', []],
      issues: ['closed', 7200, 28800, ['of a client']],
      'merge requests': [1, true, 1, true],
      'approval rules': [1],
      branches: ['of-a-client', 30],
      commits: ['Write as a client [skip ci]', 'client.txt', ['main'], true],
      pipelines: [true, true],
      artifacts: 'PK',
      'CI lint': lintResult,
      'deploy keys': [['renamed'], true],
      groups: ['platform/of-a-client', true, true],
      users: [true, 'blocked'],
      events: [true, true],
      settings: true,
      'Pages domains': true,
      'replication nodes': ['north', 'south'],
      'acting as somebody else': ['ana', 6],
      nobody: true,
    },
  },
  {
    name: 'gitbeaker',
    probe: [node, '--print', "require.resolve('@gitbeaker/rest')"],
    command: [node, getPath('gitbeaker.mjs')],
    error: () => 'GitbeakerRequestError',
    gives: {
      pages: [5, 10, true, true],
      runners: ['of a client', ['linux', 'big']],
      members: ['gus', 40, true],
      labels: ['written', true],
      issues: ['closed', 7200, ['of a client']],
      'merge requests': [1, true, 1],
      'approval rules': ['of a client', 2],
      branches: ['of-a-client', 30],
      commits: ['Write as a client [skip ci]', 'client.txt'],
      pipelines: true,
      artifacts: 'PK',
      'CI lint': lintResult,
      groups: 'platform/of-a-client',
      events: true,
      settings: true,
      'acting as somebody else': 'ana',
    },
  },
]

const versions: readonly (Version | undefined)[] = [undefined, '15.11', '18.3']

describe.each(clients)('$name', ({ name, probe: [program, ...args], command, gives, error }) => {
  const there = spawnSync(program, args, { stdio: 'ignore' }).status === 0
  describe.skipIf(!there)(there ? 'is installed' : `${name} is not installed`, () => {
    describe.each(versions)('as of %s', (asOf) => {
      const { url } = useSharedSandbox(asOf === undefined ? {} : { asOf })
      let gave: Readonly<Record<string, unknown>> = {}
      beforeAll(async () => {
        const [program, ...args] = command
        const run = promisify(execFile)(program, [...args, url(), 'sandbox-root-token'])
        gave = JSON.parse((await run).stdout)
      })

      it.each(Object.entries(gives))('%s', (call, result) => {
        expect(gave[call]).toEqual(result)
      })

      it('knows who it is, and the version that it speaks to', () => {
        expect(gave['who and what']).toEqual(['root', `${asOf ?? '14.5'}.0`, true])
      })

      it.each([
        ['a record that does not exist', 'read', '404 404 Project Not Found'],
        ['a value that is refused', 'write', '400 access_level does not have a valid value'],
        ['a wrong token', 'sign in', '401 401 Unauthorized'],
      ] as const)('%s', (call, doing, says) => {
        expect(gave[call]).toBe(`${error(doing)} ${says}`)
      })
    })
  })
})
