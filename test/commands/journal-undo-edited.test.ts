/** Tests `journal undo` of a journal that was edited, or that an older version wrote: only what the run changed is restored. */
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { runners } from '../../src/catalogue/areas/runners.js'
import { createRuns } from '../engine/journaling/runs.js'

const { server, run, files, forget, fresh } = createRuns()

/** Objects of the instance, by path. */
const objects = new Map<string, Record<string, unknown>>()
beforeEach(() => {
  fresh()
  objects.clear()
  server.answer = ({ url, method, body }) => {
    const path = url.replace('/api/v4', '').replace(/\?.*/, '')
    if (path === '/user') return { body: { id: 1, username: 'ana' } }
    const found = objects.get(path)
    if (found === undefined) return method === 'GET' ? { body: [] } : { status: 404 }
    if (method === 'PUT') Object.assign(found, JSON.parse(body))
    if (method === 'DELETE') objects.delete(path)
    return method === 'DELETE' ? { status: 204 } : { body: found }
  }
})

const getJournalPath = (): string => files()[0] ?? ''
/** Edits the objects in the journal, and removes the checksums, which older versions did not write. */
const edit = (change: (line: Record<string, Record<string, unknown>>) => void): void => {
  const lines = readFileSync(getJournalPath(), 'utf8').trimEnd().split('\n')
  const edited = lines.map((text) => {
    const { c: _, ...line } = JSON.parse(text)
    if (line.state === 'begun' || line.state === 'done') change(line)
    return `${JSON.stringify(line)}\n`
  })
  writeFileSync(getJournalPath(), edited.join(''))
}
const listWrites = () =>
  server.seen
    .filter(({ method }) => method !== 'GET')
    .map(({ method, url, body }) => [`${method} ${url.replace('/api/v4', '')}`, body])
const undo = () => run(['journal', 'undo', getJournalPath(), '--yes'])

const updateRunner = async (): Promise<void> => {
  objects.set('/runners/7', { id: 7, description: 'old', locked: true, active: true })
  const ran = await run('runners update 7 --description new --undo-record')
  expect(ran.code, ran.stderr).toBe(0)
  forget()
}

describe('journal undo', () => {
  it('writes only what the run changed, whatever before holds', async () => {
    await updateRunner()
    const others = Object.keys(runners.update.params).filter((name) => name !== 'description')
    expect(others.length).toBeGreaterThan(5)
    edit(({ before }) => {
      for (const name of [...others, 'id', 'nosuch']) Object.assign(before ?? {}, { [name]: 1 })
    })
    const undone = await undo()
    expect([undone.code, listWrites()]).toEqual([0, [['PUT /runners/7', '{"description":"old"}']]])
    expect(undone.stderr).toContain('skipped, because the run did not change them')
    for (const name of [...others, 'nosuch']) expect(undone.stderr).toContain(name)
  })

  it('goes by what was sent, also where after was edited to agree', async () => {
    await updateRunner()
    edit((line) => {
      line.before = { locked: false }
      line.after = { locked: true }
    })
    const undone = await undo()
    expect([undone.code, listWrites()]).toEqual([0, []])
    expect(undone.stderr).toContain('skipped, because the run did not change them: locked')
  })

  it('names what the journal does not hold, since it was masked', async () => {
    objects.set('/runners/7', { id: 7, description: 'a-token-of-ana', maximum_timeout: 600 })
    await run('runners update 7 --description new --maximum-timeout 700 --undo-record')
    forget()
    const undone = await undo()
    expect([undone.code, listWrites()]).toEqual([
      0,
      [['PUT /runners/7', '{"maximum_timeout":600}']],
    ])
    expect(undone.stderr).toContain(
      'skipped, because the journal has no previous values: description',
    )
  })

  it('adds nobody else than was removed', async () => {
    objects.set('/groups/g/members/5', { id: 5, username: 'dov', access_level: 20 })
    objects.set('/groups/g/members', [
      { id: 5, username: 'dov', access_level: 20 },
    ] as unknown as Record<string, unknown>)
    const ran = await run('members remove 5 -G g --yes --undo-record')
    expect(ran.code, ran.stderr).toBe(0)
    forget()
    edit(({ before }) => Object.assign(before ?? {}, { id: 8, username: 'eve' }))
    const undone = await undo()
    expect([undone.code, listWrites()]).toEqual([2, []])
    expect(undone.stderr).toContain('the journal was edited: it records 8 for 5')
  })
})
