/** Where one project, group or user is meant, several and `-` are refused rather than sent. */
import { describe, expect, it } from 'vitest'
import { svcctl } from '../support/within.js'

describe('a scope that is not one', () => {
  it.each([
    ['runners get 1 -P a,b', '--project takes a single project, not "a,b'],
    ['runners get 1 -P -', '--project takes a single project, not "-'],
    ['runners get 1 -G a,b', '--group takes a single group, not "a,b'],
    ['projects get a/b,c/d', 'takes a single project'],
    ['projects list --user -', 'user takes a single user, not "-'],
    ['events list --user ana,ben', 'user takes a single user, not "ana,ben'],
    [
      'commits create -P platform/app --branch x --commit-message x --actions [] --start-project a,b',
      'takes a single project',
    ],
  ])('%s', async (line, message) => {
    const ran = await svcctl([...line.split(' '), '--sandbox', '--curl'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
  })

  it.each([['-'], ['platform/app,web/site']])('SVC_PROJECT=%s', async (project) => {
    const ran = await svcctl(['jobs', 'list', '--sandbox', '--curl'], {
      env: { SVC_PROJECT: project },
    })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('takes a single project')
  })

  it('given twice alike is one', async () => {
    const line = ['deploy-keys', 'list', '--sandbox', '--curl', '-P', 'a/b', '-P', 'a/b']
    expect(await svcctl(line)).toMatchObject({ code: 0 })
  })
})
