/** Where one project, group or user is meant, several and `-` are refused rather than sent. */
import { describe, expect, it } from 'vitest'
import { svcctl } from '../support/within.js'

describe('a scope that is not one', () => {
  it.each([
    ['runners get 1 -P a,b', 'takes one project, not "a,b"'],
    ['runners get 1 -P -', 'takes one project, not "-"'],
    ['runners get 1 -G a,b', 'takes one group, not "a,b"'],
    ['projects get a/b,c/d', 'takes one project'],
    ['projects list --user -', 'takes one user, not "-"'],
    ['events list --user ana,ben', 'takes one user'],
    [
      'commits create -P platform/app --branch x --commit-message x --actions [] --start-project a,b',
      'takes one project',
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
    expect(ran.stderr).toContain('takes one project')
  })

  it('given twice alike is one', async () => {
    const line = ['deploy-keys', 'list', '--sandbox', '--curl', '-P', 'a/b', '-P', 'a/b']
    expect(await svcctl(line)).toMatchObject({ code: 0 })
  })
})
