import { describe, expect, it } from 'vitest'
import { processIo as io } from '../../src/base/io.js'
import { Failure } from '../../src/errors.js'
import { createNotes, formatFailure, getLiveness, printError } from '../../src/terminal/notes.js'
import { beginProgress, createMeter, formatProgressLine } from '../../src/terminal/progress.js'
import { canPrompt } from '../../src/terminal/prompts.js'
import { createStyle, useColor } from '../../src/terminal/style.js'
import { createFakeScreen } from './streams.js'

const plain = await createStyle({ isTTY: false }, {}, 'never')

describe('colour', () => {
  it.each([
    ['auto', {}, true, true],
    ['auto', {}, false, false],
    ['always', { NO_COLOR: '1' }, false, true],
    ['never', { FORCE_COLOR: '1' }, true, false],
    ['auto', { NO_COLOR: '1' }, true, false],
    ['auto', { NO_COLOR: '' }, true, true],
    ['auto', { CLICOLOR: '0' }, true, false],
    ['auto', { TERM: 'dumb' }, true, false],
    ['auto', { CI: 'true' }, true, false],
    ['auto', { CI: 'false' }, true, true],
    ['auto', { CI: 'true', FORCE_COLOR: '1' }, false, true],
    ['auto', { FORCE_COLOR: '0' }, true, false],
    ['auto', { FORCE_COLOR: '' }, false, false],
    ['auto', { FORCE_COLOR: '', NO_COLOR: '1' }, true, false],
    ['auto', { CI: 'FALSE' }, true, true],
    ['auto', { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    ['auto', { CLICOLOR_FORCE: '1' }, false, true],
    ['auto', { CLICOLOR_FORCE: '1', NO_COLOR: '1' }, false, true],
    ['auto', { CLICOLOR_FORCE: '1', FORCE_COLOR: '0' }, true, false],
    ['auto', { CLICOLOR_FORCE: '0' }, false, false],
    ['auto', { CLICOLOR_FORCE: '0' }, true, true],
  ] as const)('%s with %j, terminal %s: %s', (flag, env, terminal, expected) => {
    expect(useColor(flag, env, terminal)).toBe(expected)
  })
  it('is what a style paints with', async () => {
    const colored = await createStyle({ isTTY: true, columns: 100 }, {}, 'auto')
    expect(colored).toMatchObject({ terminal: true, color: true, width: 100 })
    expect(colored.mark('bad')).toBe('\u001b[31m✗\u001b[39m')
    expect(plain.mark('bad')).toBe('✗')
    expect(plain.bar(0.5, 4)).toBe('██░░')
    expect((await createStyle({ isTTY: true }, {})).width).toBe(80)
  })
})

describe('who may be asked, and shown progress', () => {
  const tty = { isTTY: true }
  const pipe = { isTTY: false }
  it.each([
    [tty, tty, {}, true],
    [pipe, tty, {}, false],
    [tty, pipe, {}, false],
    [tty, tty, { CI: '1' }, false],
    [tty, tty, { SVC_NO_PROMPT: '1' }, false],
    [tty, tty, { SVC_NO_PROMPT: '' }, true],
    [tty, tty, { SVC_NO_PROMPT: 'false' }, true],
    [tty, tty, { SVC_NO_PROMPT: 'no' }, true],
  ])('%j %j %j: %s', (stdin, stderr, env, expected) => {
    expect(canPrompt({ stdin, stderr }, env)).toBe(expected)
  })
  it.each([
    [tty, {}, false, 'live'],
    [tty, {}, true, 'off'],
    [pipe, {}, false, 'off'],
    [tty, { CI: 'true' }, false, 'off'],
    [tty, { SVC_ACCESSIBLE: '1' }, false, 'line'],
    [{ ...tty, columns: 0 }, {}, false, 'line'],
    [{ ...tty, columns: 80 }, {}, false, 'live'],
  ])('%j %j quiet %s: %s', (stream, env, quiet, expected) => {
    expect(getLiveness(stream, env, quiet)).toBe(expected)
  })
})

describe('notes', () => {
  it('go to their stream, control characters shown', () => {
    const stream = createFakeScreen()
    const notes = createNotes({ io, stream, style: plain })
    notes.note(['one\u001b[2J', 'two'])
    notes.note('a name\nthat ends its line')
    notes.warn('careful\r\nof it')
    expect(stream.text()).toBe(
      'one\\u001b[2J\ntwo\na name\\nthat ends its line\nwarning: careful\\r\\nof it\n',
    )
  })
  it('are silenced by quiet, failures are not', () => {
    const stream = createFakeScreen()
    const notes = createNotes({ io, stream, style: plain, quiet: true })
    notes.note('x')
    notes.warn('x')
    notes.report(new Failure('failed', 'no'))
    expect(stream.text()).toBe('svcctl: no\n')
  })
  it('say of several failures of a kind once what to do, and what is unknown each time', () => {
    const gone = (n: number) =>
      new Failure('not_found', '404 Not found', { hint: 'Check the id.', request: `GET /${n}` })
    const lost = new Failure('unreachable', 'no answer', {
      hint: 'Check the id.',
      request: 'PUT /4',
      unknownOutcome: true,
    })
    const stream = createFakeScreen()
    const notes = createNotes({ io, stream, style: plain })
    for (const n of [1, 2]) notes.report(gone(n), String(n))
    for (const n of [3, 4]) notes.report(lost, String(n))
    notes.report(gone(5))
    expect(stream.text().split('\n')).toEqual([
      'svcctl: 1: 404 Not found',
      '  tried: GET /1',
      '  hint: Check the id.',
      'svcctl: 2: 404 Not found',
      'svcctl: 3: no answer',
      '  tried: PUT /4',
      '  outcome: unknown: it may have been carried out',
      '  hint: Check the id.',
      'svcctl: 4: no answer',
      '  outcome: unknown: it may have been carried out',
      'svcctl: 404 Not found',
      '  tried: GET /5',
      '  hint: Check the id.',
      '',
    ])
  })
  it('are whole, each, where programs read them', () => {
    const stream = createFakeScreen()
    const notes = createNotes({ io, stream, style: plain, json: true })
    for (const n of [1, 2]) notes.report(new Failure('failed', 'no', { hint: 'Go.' }), String(n))
    const lines = stream.text().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).error)).toEqual(
      ['1', '2'].map((n) => expect.objectContaining({ message: `${n}: no`, hint: 'Go.' })),
    )
  })
})

describe('a failure', () => {
  const failure = new Failure('not_found', 'no runner 7\nor it is private\u009b', {
    status: 404,
    request: 'GET https://forge.test/api/v4/runners/7',
    hint: 'Sign in.',
    requestId: 'r1',
    unknownOutcome: true,
  })
  it('says what was tried, what came back and what to do', () => {
    expect(formatFailure(failure, plain)).toBe(
      [
        'svcctl: no runner 7',
        '    or it is private\\u009b',
        '  tried: GET https://forge.test/api/v4/runners/7',
        '  outcome: unknown: it may have been carried out',
        '  request id: r1',
        '  hint: Sign in.',
        '',
      ].join('\n'),
    )
  })
  it('is folded at spaces on a terminal, but never inside of a command', async () => {
    const narrow = await createStyle({ isTTY: true, columns: 40 }, {}, 'never')
    const long = new Failure('auth', 'the credential is not accepted by this instance', {
      hint: 'It may have expired: sign in with `svcctl auth login --profile work`.',
    })
    expect(formatFailure(long, narrow)).toBe(
      [
        'svcctl: the credential is not accepted',
        '    by this instance',
        '  hint: It may have expired: sign in',
        '    with',
        '    `svcctl auth login --profile work`.',
        '',
      ].join('\n'),
    )
  })
  it('is one JSON object a line under JSON', async () => {
    const stream = createFakeScreen()
    await printError(failure, { io, json: true, env: {}, stream })
    expect(stream.text().split('\n')).toHaveLength(2)
    expect(stream.text()).not.toContain('\u009b')
    expect(JSON.parse(stream.text())).toEqual({
      error: {
        category: 'not_found',
        message: 'no runner 7\nor it is private\u009b',
        status: 404,
        request: 'GET https://forge.test/api/v4/runners/7',
        hint: 'Sign in.',
        outcome: 'unknown',
        request_id: 'r1',
      },
    })
  })
})

describe('progress', () => {
  it('is a line with a bar that fits', () => {
    expect(formatProgressLine('loading', 0.5, 80)).toBe(
      `${'█'.repeat(12)}${'░'.repeat(12)}  50 %  loading`,
    )
    expect(formatProgressLine('loading', undefined, 80)).toBe('loading')
    expect(formatProgressLine('a\nb'.repeat(50), 0.5, 40).length).toBe(37)
  })
  it('shows nothing where it is off or the work is quick', async () => {
    const stream = createFakeScreen()
    const target = stream as unknown as NodeJS.WriteStream
    await beginProgress('x', { io, liveness: 'off', stream: target }).end()
    await beginProgress('x', { io, liveness: 'live', stream: target }).end()
    expect(stream.text()).toBe('')
  })
  it('is one plain line for screen readers', async () => {
    const stream = createFakeScreen()
    const target = stream as unknown as NodeJS.WriteStream
    const how = { io, liveness: 'line', stream: target } as const
    // A quick action prints nothing, on a stream as at a terminal.
    const quick = beginProgress('quick', how)
    quick.say('more', 0.1)
    await quick.end()
    const waiting = beginProgress('waiting', { ...how, delay: 0 })
    while (stream.text() === '') await new Promise((r) => setImmediate(r))
    waiting.say('more', 0.1)
    await waiting.end()
    expect(stream.text()).toBe('waiting …\n')
  })
  it('is drawn while work goes on, and gone after it', async () => {
    const screen = createFakeScreen()
    let drawn = ''
    const stream = Object.assign(screen, {
      cursorTo: () => true,
      clearLine: () => {
        drawn = screen.text()
        return true
      },
      moveCursor: () => true,
    })
    const target = stream as unknown as NodeJS.WriteStream
    const work = beginProgress('start', { io, liveness: 'live', stream: target, delay: 0 })
    work.say('half', 0.5)
    while (!stream.text().includes('half')) await new Promise((r) => setImmediate(r))
    await work.end()
    const after = stream.text()
    await new Promise((r) => setImmediate(r))
    expect(stream.text()).toBe(after)
    expect(after).toContain('50 %  half')
    // The last output is cleared, and nothing is drawn after that.
    expect(after.slice(drawn.length)).not.toContain('half')
  })
  it('is not drawn for work that ended while the line was loading', async () => {
    const screen = createFakeScreen()
    const actions = { cursorTo: () => true, clearLine: () => true, moveCursor: () => true }
    const stream = Object.assign(screen, actions) as unknown as NodeJS.WriteStream
    const meter = createMeter({ io, name: 'runners pause', liveness: 'live', stream, delay: 0 })
    // The meter asks for the waiting time before it loads the line.
    const work = meter.begin(5, () => void queueMicrotask(() => work.end()))
    while (screen.text() === '') await new Promise((r) => setImmediate(r))
    // Two frames of the line later.
    await new Promise((r) => setTimeout(r, 200))
    expect(screen.text()).not.toContain('runners pause')
  })
})
