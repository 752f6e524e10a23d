/** Tests the files for monitoring systems (units, rules and a dashboard), each with its own tool if that is installed. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createFolder } from '../support/program.js'
import { hasProgram } from '../support/terminal.js'
import { svcctl } from '../support/within.js'

const place = '.config/release/monitoring'
const readConfig = (name: string): string => readFileSync(join(place, name), 'utf8')

/** Returns the metrics that the checks print. */
const listPrintedMetrics = async (): Promise<ReadonlySet<string>> => {
  const names = new Set<string>()
  for (const check of ['instance', 'runners', 'geo', 'certificates', 'tokens']) {
    const env = { SVC_SANDBOX: '1' }
    const { stdout } = await svcctl(['check', check, '-o', 'prometheus'], { env })
    for (const [, name = ''] of stdout.matchAll(/^# TYPE (\S+)/gm)) names.add(name)
  }
  return names
}

const listNamedMetrics = (from: string): readonly string[] =>
  [...from.matchAll(/\bsvcctl_\w+/g)].map(([name]) => name)

describe('monitoring', () => {
  it('asks for metrics that the checks print', async () => {
    const known = await listPrintedMetrics()
    for (const name of ['alerts.yml', 'dashboard.json']) {
      const asked = listNamedMetrics(readConfig(name))
      expect(asked.length).toBeGreaterThan(4)
      expect(asked.filter((metric) => !known.has(metric))).toEqual([])
    }
  })

  it('prints these metrics, on which the rules of others rest', async () => {
    expect([...(await listPrintedMetrics())].sort()).toEqual([
      'svcctl_certificates_left_seconds',
      'svcctl_check_status',
      'svcctl_geo_failed',
      'svcctl_geo_lag_seconds',
      'svcctl_geo_synced_ratio',
      'svcctl_instance_answer_seconds',
      'svcctl_runners_offline',
      'svcctl_runners_online_ratio',
    ])
  })

  it('has panels with a place and a query each', () => {
    const { panels } = JSON.parse(readConfig('dashboard.json')) as {
      readonly panels: readonly { id: number; targets: readonly { expr: string }[] }[]
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { targets } of panels) expect(targets[0]?.expr).toMatch(/svcctl_/)
  })

  it('has rules that say what happened and where', () => {
    const { groups } = parse(readConfig('alerts.yml')) as {
      readonly groups: readonly { rules: readonly { annotations: { summary: string } }[] }[]
    }
    for (const { annotations } of groups.flatMap(({ rules }) => rules))
      expect(annotations.summary).toContain('{{ $labels.')
  })

  it.skipIf(!hasProgram('promtool'))('has rules that Prometheus takes', () => {
    const { status, stdout } = spawnSync('promtool', ['check', 'rules', join(place, 'alerts.yml')])
    expect([status, String(stdout)]).toEqual([0, expect.stringContaining('6 rules found')])
  })

  it.skipIf(!hasProgram('systemd-analyze'))('has units that systemd takes', () => {
    const at = createFolder()
    for (const name of ['svcctl-check@.service', 'svcctl-check@.timer'])
      writeFileSync(join(at, name), readConfig(name).replace('/usr/bin/svcctl', '/bin/true'))
    const units = ['svcctl-check@runners.service', 'svcctl-check@runners.timer']
    const options = ['verify', '--man=no', ...units.map((unit) => join(at, unit))]
    const { status, stderr } = spawnSync('systemd-analyze', options, { encoding: 'utf8' })
    const own = stderr.split('\n').filter((line) => line.includes('svcctl'))
    expect([status, own]).toEqual([0, []])
  })

  it('writes what the file collector reads, whole', async () => {
    const [, line = ''] = /^ExecStart=\S+ (.*)$/m.exec(readConfig('svcctl-check@.service')) ?? []
    const at = createFolder()
    const words = line
      .replaceAll('%i', 'runners')
      .replace(/\$\{SVCCTL_COLLECTOR\}/, at)
      .split(' ')
    const { code } = await svcctl(words, { env: { SVC_SANDBOX: '1' } })
    expect(code).toBe(1)
    expect(readFileSync(join(at, 'svcctl-runners.prom'), 'utf8')).toContain('svcctl_check_status{')
  })
})
