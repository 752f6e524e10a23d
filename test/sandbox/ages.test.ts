/** The instance as of other versions: the routes, parameters and fields of that age. */
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/base/objects.js'
import { useSharedSandbox } from './instance.js'

const versions = ['13.12', '14.5', '15.11', '16.11', '17.11', '18.3'] as const
const instances = versions.map((asOf) => [asOf, useSharedSandbox({ asOf })] as const)

/** A path, a field of its (first) record, and the versions that have it. */
const fields: readonly (readonly [path: string, field: string, since: string])[] = [
  ['/projects/1', 'topics', '14.5'],
  ['/projects?per_page=1', 'topics', '14.5'],
  ['/projects/1/error_tracking/settings', 'integrated', '14.5'],
  ['/projects/1/pipelines?per_page=1', 'iid', '15.11'],
  ['/projects/1/merge_requests/1', 'merge_user', '15.11'],
  ['/projects/1/merge_requests?per_page=1', 'detailed_merge_status', '15.11'],
  ['/merge_requests?scope=all&per_page=1', 'detailed_merge_status', '15.11'],
  ['/runners/1', 'paused', '15.11'],
  ['/runners/all?per_page=1', 'paused', '15.11'],
  ['/projects/1/runners?per_page=1', 'paused', '15.11'],
  ['/version', 'kas', '15.11'],
  ['/version', 'enterprise', '15.11'],
]
/** A request, and the versions in which it is known. */
const routes: readonly (readonly [route: string, known: readonly string[]])[] = [
  ['GET /projects/1/integrations', versions.slice(1)],
  ['GET /projects/1/services', versions],
  ['GET /metadata', versions.slice(2)],
  ['GET /personal_access_tokens/self', versions.slice(2)],
  ['GET /projects/1/error_tracking/client_keys', versions.slice(1)],
  ['PATCH /projects/1/protected_branches/main', versions.slice(2)],
  ['POST /ci/lint', versions.slice(0, 3)],
  ['PUT /projects/1/error_tracking/settings', versions.slice(2)],
  ['GET /runners/all?status=never_contacted', versions.slice(2)],
]

describe.each(instances)('the instance as of %s', (asOf, { send }) => {
  it('says that it is of that version', async () => {
    expect((await send('GET /version')).text).toContain(`"${asOf}.0"`)
  })

  it.each(fields)('shows of %s the field %s from %s on', async (path, field, since) => {
    const body: unknown = JSON.parse((await send(`GET //api/v4${path}`)).text)
    const record: unknown = Array.isArray(body) ? body[0] : body
    expect(isObject(record) && field in record).toBe(
      versions.indexOf(asOf) >= versions.map(String).indexOf(since),
    )
  })

  it.each(routes)('knows %s', async (route, known) => {
    const json = { content: 'a: {script: x}', allow_force_push: false, active: true }
    const sent = route.startsWith('GET') ? {} : { json }
    const { status } = await send(route.replace(' ', ' //api/v4'), sent)
    expect(status < 300).toBe(known.includes(asOf))
  })

  it('says that a route is gone which earlier versions had, and of no other', async () => {
    const json = { content: 'a: {script: x}' }
    const lint = await send('POST //api/v4/ci/lint', { json })
    const isGone = versions.indexOf(asOf) >= 3
    expect([lint.status, JSON.parse(lint.text).message]).toEqual(
      isGone ? [410, '410 Gone'] : [200, undefined],
    )
    const integrations = await send('GET //api/v4/projects/1/integrations')
    expect(integrations.status).toBe(asOf === '13.12' ? 404 : 200)
  })

  it('lets the approval of code owners be changed in every version, and the rest of a protection later', async () => {
    const path = 'PATCH //api/v4/projects/1/protected_branches/main'
    const json = { code_owner_approval_required: true, push_access_level: 30 }
    const { status, text } = await send(path, { json })
    expect(status).toBe(200)
    const shown = JSON.parse(text)
    expect(shown.code_owner_approval_required).toBe(true)
    expect(shown.push_access_levels[0].access_level).toBe(versions.indexOf(asOf) < 2 ? 40 : 30)
  })

  it('says of its agent server only what its age says', async () => {
    if (versions.indexOf(asOf) < 2) return
    const { kas } = JSON.parse((await send('GET //api/v4/metadata')).text)
    expect('externalK8sProxyUrl' in kas).toBe(versions.indexOf(asOf) >= 4)
  })

  it('takes a parameter that it does not know for nothing', async () => {
    const path = 'PATCH //api/v4/projects/1/error_tracking/settings'
    const { status } = await send(path, { json: { active: true, integrated: 'odd' } })
    expect(status).toBe(asOf === '13.12' ? 200 : 400)
  })

  it('has runners in the words of its age', async () => {
    const list = async (query: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
      JSON.parse((await send(`GET //api/v4/runners/all?per_page=100${query}`)).text)
    const later = versions.indexOf(asOf) >= 2
    const [all, paused] = [await list(''), await list('&paused=true')]
    const words = all.map(({ status }) => status)
    expect(words).toContain(later ? 'never_contacted' : 'not_connected')
    expect(words).not.toContain(later ? 'not_connected' : 'never_contacted')
    expect(paused.length < all.length).toBe(later)
    if (!later) return
    expect(paused.every(({ paused, active }) => paused === true && active === false)).toBe(true)
    const found = await list('&status=never_contacted')
    expect(found.map(({ id }) => id)).toEqual(
      all.filter(({ status }) => status === 'never_contacted').map(({ id }) => id),
    )
    const put = async (value: unknown) =>
      (await send('PUT //api/v4/runners/1', { json: { paused: value } })).text
    expect(JSON.parse(await put(true))).toMatchObject({ paused: true, active: false })
    expect(JSON.parse(await put(false))).toMatchObject({ paused: false, active: true })
    expect(JSON.parse(await put('odd'))).toEqual({ error: 'paused is invalid' })
  })
})
