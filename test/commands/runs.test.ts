/** Journals of runs as the commands say them: the line that goes on with one. */
import { describe, expect, it } from 'vitest'
import { againBy } from '../../src/engine/journaling/runs.js'

const none = { sandbox: false }

describe('the line that goes on with a run', () => {
  it.each([
    [{}, 'apply --resume last'],
    [{ sandbox: true }, 'apply --sandbox --resume last'],
    [{ profile: 'my own' }, "apply --profile 'my own' --resume last"],
    [{ journal: 'x y.ndjson' }, "apply --resume 'x y.ndjson'"],
    // Of several runs the last may be another one by now.
    [{ resume: '20261121T120102-apply' }, 'apply --resume 20261121T120102-apply'],
  ])('with %j', (globals, line) => {
    expect(againBy('apply', { ...none, ...globals })).toBe(line)
  })
})
