/** `geo status` as a page a node, and `geo nodes update` from the record. */
import { describe, expect, it } from 'vitest'
import { answerByRoute, createCaller } from './calling.js'

const { server, call, sent, atTerminal } = createCaller()

const well = {
  geo_node_id: 1,
  healthy: true,
  health: 'Healthy',
  health_status: 'Healthy',
  db_replication_lag_seconds: 119,
  version: '16.1',
  revision: 'abc',
  lfs_objects_count: 200,
  lfs_objects_synced_count: 50,
  lfs_objects_failed_count: 0,
  lfs_objects_synced_in_percentage: '25.00%',
}
const ill = {
  geo_node_id: 2,
  healthy: false,
  health: 'The clock is wrong',
  health_status: 'Unhealthy',
  db_replication_lag_seconds: 300,
  last_event_id: 7,
  cursor_last_event_id: 5,
  replication_slots_count: 3,
  replication_slots_used_count: 2,
  job_artifacts_count: 40,
  job_artifacts_synced_count: 10,
  job_artifacts_failed_count: 4,
  wikis_count: 0,
  wikis_synced_count: 0,
}

describe('geo status', () => {
  it('gives programs the records of the API', async () => {
    server.answer = () => ({ body: [well, ill] })
    expect(JSON.parse((await call('geo status -o json')).stdout)).toEqual([well, ill])
    expect((await call('geo status')).stdout).toMatch(/^geo_node_id\t/)
  })

  it('is a page a node on a terminal', async () => {
    server.answer = () => ({ body: [well, ill] })
    await atTerminal('geo status', async (terminal) => {
      const screen = await terminal.until(/ended with 0/)
      expect(screen).toMatch(/✓ Node 1 {2}Healthy/)
      expect(screen).toMatch(/replication lag +119 s$/m)
      expect(screen).toMatch(/version +16\.1 \(abc\)/)
      expect(screen).toMatch(/lfs objects +[^ ]+ +25\.0% +50 of 200 synced$/m)
      expect(screen).toMatch(/✗ Node 2 {2}Unhealthy/)
      expect(screen).toMatch(/health +The clock is wrong/)
      expect(screen).toMatch(/replication lag +5 min$/m)
      expect(screen).toMatch(/version +– \(–\)/)
      expect(screen).toMatch(/replication slots +2 of 3 used/)
      expect(screen).toMatch(/last event +7, cursor 5/)
      expect(screen).toMatch(/job artifacts +[^ ]+ +25\.0% +10 of 40 synced +✗ 4 failed/)
      expect(screen).toMatch(/wikis +– +0 of 0 synced$/m)
    })
  })
})

describe('geo nodes update', () => {
  const record = { id: 2, name: 'west', url: 'https://west.example', enabled: true }

  it('reads name and address where they stay as they are, which the API requires', async () => {
    server.answer = answerByRoute({ 'GET /geo_nodes/2': record, 'PUT ': record })
    const ran = await call('geo nodes update 2 --no-enabled')
    expect(ran.code).toBe(0)
    expect(server.lines()).toEqual(['GET /geo_nodes/2', 'PUT /geo_nodes/2'])
    expect(sent()[0]?.body).toEqual({ enabled: false, name: 'west', url: 'https://west.example' })
  })

  it('reads what is missing only, and nothing where both are given', async () => {
    server.answer = answerByRoute({ 'GET /geo_nodes/2': record, 'PUT ': record })
    await call('geo nodes update 2 --name east')
    expect(sent()[0]?.body).toEqual({ name: 'east', url: 'https://west.example' })
    server.seen.length = 0
    await call('geo nodes update 2 --name east --url https://east.example --no-undo-record')
    expect(server.lines()).toEqual(['PUT /geo_nodes/2'])
  })

  it('shows with --curl what is read first, and what it sends with its fields', async () => {
    const { stdout, stderr } = await call('geo nodes update 2 --no-enabled --curl')
    const [read = '', write = '', ...more] = stdout.trim().split('\n')
    expect(read).toMatch(/^curl (?!.*PUT).*\/api\/v4\/geo_nodes\/2$/)
    expect(write).toContain('PUT')
    expect(write).toContain('{"name":"<name>","url":"<url>","enabled":false}')
    expect(more).toEqual([])
    expect(stderr).toContain(
      'nothing is sent; <name> stands for the output of the previous command',
    )
    const own = await call('geo nodes update 2 --name a --url https://a.example --curl')
    expect(own.stdout).toMatch(/^curl --request PUT [^\n]*\n$/)
    expect(server.seen).toEqual([])
  })
})
