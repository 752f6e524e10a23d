import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  listAlertEndpoints,
  listReceivedAlerts,
  readState,
  type Sandbox,
  startSandbox,
} from '../../src/sandbox/index.js'
import { loadSampleState } from '../../src/sandbox/seed/index.js'
import { createSender } from './instance.js'

const own = '//platform/app/alerts/notify/monitoring/3a1f0c5d9b7e2468.json'
const probes = '//platform/app/alerts/notify/probes/86420e7b9d5c0f1a.json'

describe('alert endpoints', () => {
  let folder = ''
  let instance: Sandbox | undefined
  const ask = createSender(() => instance?.url ?? '')
  const alert = (json: unknown, authorization = 'Bearer sandbox-alert-key', path = own) =>
    ask(`POST ${path}`, { as: '', json, headers: { authorization } })
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const stop = async () => {
    await instance?.close()
    instance = undefined
  }
  const received = async () => {
    await stop()
    return listReceivedAlerts(await readState(folder))
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svcctl-alerts-'))
    const now = () => new Date('2026-11-20T12:00:00Z')
    instance = await startSandbox({ stateDir: folder, now })
  })
  afterEach(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('take the key by Bearer or by Basic with an empty user name', async () => {
    expect((await alert({})).body).toEqual([{ iid: 1, title: 'New: Alert' }])
    expect((await alert({}, basic(':sandbox-alert-key'))).status).toBe(200)
    expect((await alert({}, basic('me:sandbox-alert-key'))).status).toBe(401)
    expect((await alert({}, 'Bearer wrong')).status).toBe(401)
    expect((await alert({}, '')).status).toBe(401)
    expect((await ask(`POST ${own}`, { json: {} })).status).toBe(401)
    expect((await alert({}, undefined, own.replace('3a1f', 'ffff'))).status).toBe(404)
  })

  it('fill in title, time and severity', async () => {
    await alert({ severity: 'HIGH', title: 'a' })
    await alert({ severity: 'catastrophic', title: 'b' })
    await alert({ title: 'c', start_time: '2026-11-20T10:00:00+01:00', hosts: 'h1' })
    expect(await received()).toMatchObject([
      { title: 'c', severity: 'critical', started_at: '2026-11-20T09:00:00.000Z', hosts: ['h1'] },
      { title: 'b', severity: 'critical' },
      { title: 'a', severity: 'high', started_at: '2026-11-20T12:00:00.000Z', hosts: [] },
    ])
  })

  it('count what is identical but for time and hosts', async () => {
    await alert({ title: 'x', extra: { a: 1, b: [2] }, hosts: ['h1'] })
    await alert({ extra: { b: [2], a: 1 }, title: 'x', start_time: '2026-11-20T11:00:00Z' })
    await alert({ title: 'x', extra: { a: 2, b: [2] } })
    const all = await received()
    expect(all.map((a) => a.events)).toEqual([1, 2])
    expect(all[1]?.payload.extra).toEqual({ a: 1, b: [2] })
  })

  it('are grouped by fingerprint, resolved by end_time, and then begin anew', async () => {
    await alert({ title: 'x', fingerprint: ['f', 'g'] })
    await alert({ title: 'y', fingerprint: ['f', 'g'], end_time: '2026-11-20T11:59:00Z' })
    await alert({ title: 'z', fingerprint: ['f', 'g'] })
    expect(await received()).toMatchObject([
      { iid: 2, title: 'z', state: 'triggered', events: 1 },
      { iid: 1, title: 'x', state: 'resolved', ended_at: '2026-11-20T11:59:00.000Z', events: 1 },
    ])
  })

  it('read mapped properties from where they are in the payload', async () => {
    const json = { check: { name: 'Probe', level: 'low' } }
    const came = await alert(json, 'Bearer sandbox-probe-key', probes)
    expect(came.body).toHaveProperty('0.title', 'Probe')
    expect((await received())[0]).toMatchObject({ severity: 'low', endpoint: 'probes' })
  })

  it('refuse times that are none', async () => {
    expect((await alert({ start_time: 'yesterday' })).status).toBe(400)
  })
})

describe('alertEndpointsOf', () => {
  it('says where to send alerts', () => {
    expect(listAlertEndpoints(loadSampleState(), 'http://h')[0]).toEqual({
      project: 'platform/app',
      name: 'monitoring',
      url: `http://h${own.slice(1)}`,
      key: 'sandbox-alert-key',
      active: true,
    })
  })
})
