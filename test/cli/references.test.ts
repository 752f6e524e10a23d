import { describe, expect, it } from 'vitest'
import { parseReference } from '../../src/engine/plan/arguments.js'

const base = 'https://host/forge'
const parseMr = (text: string) =>
  parseReference(text, { parameter: 'merge_request_iid' }, () => base)
const parseIssue = (text: string) => parseReference(text, { parameter: 'issue_iid' }, () => base)

describe('references', () => {
  it.each([
    ['42', { id: '42' }],
    ['!42', { id: '42' }],
    ['platform/app!42', { project: 'platform/app', id: '42' }],
    ['https://host/forge/platform/app/-/merge_requests/42', { project: 'platform/app', id: '42' }],
    [
      'https://host/forge/platform/app/-/merge_requests/42/diffs?view=inline#note_1',
      { project: 'platform/app', id: '42' },
    ],
  ])('%s', (text, reference) => {
    expect(parseMr(text)).toEqual(reference)
  })

  it('of another kind are refused by name', () => {
    expect(() => parseIssue('app!7')).toThrow(
      'app!7 is a merge request; this command expects an issue',
    )
    expect(() => parseMr('https://host/forge/a/b/-/issues/7')).toThrow(/address of an issue/)
  })

  it('to another instance are refused', () => {
    expect(() => parseMr('https://other/forge/a/b/-/merge_requests/1')).toThrow(
      /is not a web address on/,
    )
    expect(() => parseMr('https://host/elsewhere/a/b/-/merge_requests/1')).toThrow(
      /is not a web address on/,
    )
  })

  it('that are addresses of nothing are refused, without the query of any', () => {
    expect(() => parseMr('https://')).toThrow(/not a web address of a merge request/)
    for (const where of ['https://other/a/b', base, `${base}/a/b/-/issues/7`]) {
      const refused = () => parseMr(`${where}?private_token=canary`)
      expect(refused).toThrow(/https:/)
      expect(refused).not.toThrow(/canary/)
    }
  })

  it('are plain text where a command takes no references', () => {
    expect(parseReference('a!1', { parameter: 'key' }, () => base)).toEqual({ id: 'a!1' })
  })
})
