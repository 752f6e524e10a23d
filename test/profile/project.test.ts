import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseRemoteProject } from '../../src/profile/addresses.js'
import {
  findScope,
  getEnvironmentScope,
  parseRemotes,
  readGitRemotes,
  type ScopeChoice,
} from '../../src/profile/project.js'
import type { Environment, Profile } from '../../src/profile/types.js'
import { createDirectory, getFailure } from './setup.js'

const forge = 'https://forge.test'

describe('parseRemoteProject', () => {
  it.each([
    ['git@forge.test:platform/app.git', forge, 'platform/app'],
    ['forge.test:platform/sub/app', forge, 'platform/sub/app'],
    ['git@forge.test:/platform/app.git', forge, 'platform/app'],
    ['ssh://git@forge.test/platform/app.git', forge, 'platform/app'],
    ['ssh://git@forge.test:2222/platform/app.git/', forge, 'platform/app'],
    ['https://forge.test/platform/app.git', forge, 'platform/app'],
    ['https://me:secret@forge.test/platform/app', forge, 'platform/app'],
    ['http://forge.test/platform/app.git', forge, 'platform/app'],
    ['https://FORGE.test:443/platform/app.git', forge, 'platform/app'],
    ['git@FORGE.test:platform/app.git', forge, 'platform/app'],
    ['https://forge.test/platform/a%2Bb.git', forge, 'platform/a+b'],
    ['https://forge.test/platform/app.github', forge, 'platform/app.github'],
    ['https://forge.test:8443/platform/app', `${forge}:8443`, 'platform/app'],
    ['ssh://git@forge.test:22/platform/app', `${forge}:8443`, 'platform/app'],
    ['git@[::1]:platform/app.git', 'http://[::1]:3000', 'platform/app'],
    ['https://forge.test/code/platform/app.git', `${forge}/code`, 'platform/app'],
    ['git@forge.test:code/platform/app.git', `${forge}/code`, 'platform/app'],
    ['git@forge.test:platform/app.git', `${forge}/code`, 'platform/app'],
    ['ssh://git@forge.test:2222/platform/app.git', `${forge}/code`, 'platform/app'],
    ['git+ssh://git@forge.test/platform/app.git', forge, 'platform/app'],
    ['git@bücher.test:platform/app.git', 'https://bücher.test', 'platform/app'],
    ['git@forge.test:platform/app.wiki.git', forge, 'platform/app'],
    ['https://forge.test/platform/app.wiki', forge, 'platform/app.wiki'],
  ])('%s on %s is %s', (remote, baseUrl, project) => {
    expect(parseRemoteProject(remote, baseUrl)).toBe(project)
  })

  it.each([
    ['git@other.test:platform/app.git', forge],
    ['git@forge.test.evil.test:platform/app.git', forge],
    ['https://forge.test@evil.test/platform/app', forge],
    ['https://forge.test:8443/platform/app', forge],
    ['https://forge.test/platform/app', `${forge}/code`],
    ['https://forge.test/coder/platform/app', `${forge}/code`],
    ['https://forge.test/app.git', forge],
    ['https://forge.test/', forge],
    ['https://forge.test/platform/../app', forge],
    ['git@forge.test:platform//app', forge],
    ['git@forge.test:../etc/app', forge],
    ['git://forge.test/platform/app', forge],
    ['file:///srv/forge.test/platform/app', forge],
    ['/srv/git/platform/app.git', forge],
    ['../app', forge],
    ['https://', forge],
    ['', forge],
  ])('%j on %s is none', (remote, baseUrl) => {
    expect(parseRemoteProject(remote, baseUrl)).toBeUndefined()
  })
})

describe('git remotes', () => {
  it('are read as git prints them', () => {
    const text =
      'origin\thttps://a.test/b c/d (fetch) [blob:none]\norigin\tx (push)\nup\ty:z (fetch)\n'
    expect(parseRemotes(text)).toEqual([
      { name: 'origin', url: 'https://a.test/b c/d' },
      { name: 'up', url: 'y:z' },
    ])
  })
  it('are none where there is no repository or no directory', async () => {
    expect(await readGitRemotes(createDirectory(), process.env)).toEqual([])
    expect(await readGitRemotes('/nowhere/at/all', process.env)).toEqual([])
  })
})

describe('the scope of the environment', () => {
  const rows: [ScopeChoice, Environment, string | undefined][] = [
    ['project', { SVC_PROJECT: 'a/b', CI_PROJECT_ID: '7' }, 'project a/b SVC_PROJECT'],
    ['project', { SVC_PROJECT: '', CI_PROJECT_ID: '7' }, 'project 7 CI_PROJECT_ID'],
    ['project', { SVC_PROJECT: 'a/b', SVC_GROUP: 'g' }, 'project a/b SVC_PROJECT'],
    ['project', { SVC_GROUP: 'g' }, undefined],
    ['group', { SVC_PROJECT: 'a/b', SVC_GROUP: 'g' }, 'group g SVC_GROUP'],
    ['group', { SVC_PROJECT: 'a/b', CI_PROJECT_ID: '7' }, undefined],
    ['either', { SVC_GROUP: 'g', CI_PROJECT_ID: '7' }, 'group g SVC_GROUP'],
    ['either', { SVC_PROJECT: 'a/b', CI_PROJECT_ID: '7' }, 'project a/b SVC_PROJECT'],
    ['either', { CI_PROJECT_ID: '7' }, 'project 7 CI_PROJECT_ID'],
    ['either', {}, undefined],
  ]
  it.each(rows)('for %s of %j is %s', (takes, env, expected) => {
    const scope = getEnvironmentScope(takes, env)
    expect(scope && `${scope.kind} ${scope.value} ${scope.source}`).toBe(expected)
  })
  it('is refused when a command takes either and both are set', async () => {
    const env = { SVC_PROJECT: 'a/b', SVC_GROUP: 'g' }
    const failure = await getFailure(() => getEnvironmentScope('either', env))
    expect(failure.category).toBe('usage')
    expect(failure.message).toContain('SVC_PROJECT and SVC_GROUP')
  })
})

describe('the scope at hand', () => {
  const repository = (...remotes: [string, string][]): string => {
    const directory = createDirectory()
    const git = (...args: string[]) => execFileSync('git', args, { cwd: directory })
    git('init', '-q')
    for (const [name, url] of remotes) git('remote', 'add', name, url)
    return directory
  }
  const profile: Profile = { name: 'prod', baseUrl: forge, project: 'of/profile' }
  const session = { baseUrl: forge, profile }

  it('is the git remote of the working directory, origin first', async () => {
    const here = repository(
      ['backup', 'git@forge.test:copies/app.git'],
      ['origin', 'git@forge.test:platform/app.git'],
    )
    mkdirSync(path.join(here, 'deep'))
    expect(await findScope('project', {}, session, path.join(here, 'deep'))).toEqual({
      kind: 'project',
      value: 'platform/app',
      source: 'git remote origin',
    })
    expect((await findScope('either', {}, session, here))?.value).toBe('platform/app')
  })

  it('is that of an alias in the configuration of SSH, which gets no signs for a shell', async () => {
    const folder = createDirectory()
    const asked = path.join(folder, 'asked')
    const script = `#!/bin/sh\necho "$@" >> '${asked}'\necho user git\necho hostname forge.test\n`
    writeFileSync(path.join(folder, 'ssh'), script, { mode: 0o755 })
    const env = { PATH: `${folder}:${process.env.PATH}` }
    const here = repository(
      ['odd', 'ssh://$(x)/platform/app.git'],
      ['origin', 'git@work:platform/app.wiki.git'],
    )
    expect((await findScope('project', env, session, here))?.value).toBe('platform/app')
    const odd = repository(['origin', 'git@-oProxyCommand=x:a/b.git'], ['up', 'git@a$(x):a/b'])
    expect((await findScope('project', env, session, odd))?.value).toBe('of/profile')
    expect(readFileSync(asked, 'utf8')).toBe('-G -o CanonicalizeHostname=no work\n')
  })

  it('passes over remotes of other instances', async () => {
    const here = repository(
      ['origin', 'git@elsewhere.test:platform/app.git'],
      ['mirror', 'https://forge.test/mirrors/app.git'],
    )
    expect((await findScope('project', {}, session, here))?.value).toBe('mirrors/app')
  })

  it('is the environment before the remote, the profile after it', async () => {
    const here = repository(['origin', 'git@forge.test:platform/app.git'])
    const env = { CI_PROJECT_ID: '7' }
    expect((await findScope('project', env, session, here))?.source).toBe('CI_PROJECT_ID')
    const nowhere = createDirectory()
    const scope = await findScope('project', {}, session, nowhere)
    expect(scope).toEqual({
      kind: 'project',
      value: 'of/profile',
      source: 'the project of profile prod',
    })
    expect(await findScope('group', {}, session, here)).toBeUndefined()
    const both = { baseUrl: forge, profile: { ...profile, group: 'g' } }
    expect((await findScope('group', {}, both, here))?.value).toBe('g')
    expect(await findScope('either', {}, both, nowhere)).toBeUndefined()
  })
})
