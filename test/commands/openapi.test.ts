import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { type Endpoint, getMethod, getPath } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { createOpenApi } from '../../src/catalogue/openapi.js'
import { documented, implied } from '../laws/documents.js'

const document = await createOpenApi('0.0.0')

describe('the OpenAPI document', () => {
  it('is accepted by a standard validator', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  it('says the same of the tool, of pages and of errors, whatever the endpoints are', async () => {
    const { paths: _, webhooks: __, components, ...others } = structuredClone(document)
    const { schemas, ...shared } = components as Record<string, Record<string, object>>
    const errors = Object.entries(schemas ?? {}).filter(([name]) => name.endsWith('Error'))
    const fixed = { ...others, components: { ...shared, schemas: Object.fromEntries(errors) } }
    await expect(`${JSON.stringify(fixed, null, 2)}\n`).toMatchFileSnapshot('golden/openapi.txt')
  })

  it('holds every endpoint', () => {
    const { paths, webhooks } = document as Record<string, Record<string, object>>
    const routes = Object.entries(paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const templated = [...documented, ...implied]
      .filter((route) => !route.includes('<'))
      .map((route) => route.replace(/[:*]([a-z_]+)/g, '{$1}'))
    expect(routes.sort()).toEqual(templated.sort())
    expect(Object.keys(webhooks ?? {})).toEqual(['alert_endpoint_url'])
  })

  it('describes parameters, bodies and answers', () => {
    const { paths, components } = document as {
      paths: Record<string, Record<string, Record<string, unknown>>>
      components: { schemas: Record<string, { properties?: object }> }
    }
    const update = paths['/runners/{id}']?.put
    expect(JSON.stringify(update?.requestBody)).toContain('"maximum_timeout"')
    expect(JSON.stringify(update?.responses)).toContain('#/components/schemas/Runner')
    expect(Object.keys(components.schemas.Runner?.properties ?? {})).toContain('tag_list')
    const scopeOf = (path: string) => {
      const all = paths[path]?.get?.parameters as { name: string; schema: object }[] | undefined
      return all?.find(({ name }) => name === 'scope')?.schema
    }
    expect(scopeOf('/issues')).toHaveProperty('default', 'created_by_me')
    for (const path of ['/projects/{id}/merge_requests', '/groups/{id}/issues'])
      expect(scopeOf(path)).toHaveProperty('default', 'all')
    for (const row of implied) {
      const [method = '', path = ''] = row
        .toLowerCase()
        .replace(/[:*]([a-z_]+)/g, '{$1}')
        .split(' ')
      expect(paths[path]?.[method], row).toHaveProperty('x-implied', true)
    }
    expect(paths['/runners']?.get).not.toHaveProperty('x-implied')
    const form = 'requestBody.content.multipart/form-data'.split('.')
    expect(paths['/projects/{id}/pages/domains']?.post).toHaveProperty(form)
    expect(paths['/runners/{id}']?.put).toHaveProperty('requestBody')
    expect(paths['/runners/{id}']?.put).not.toHaveProperty(form)
    expect(paths['/runners']?.get).not.toHaveProperty('requestBody')
    expect(paths['/runners/all']?.get).toHaveProperty('x-access', 'administrators')
    expect(paths['/runners/{id}/jobs']?.get).not.toHaveProperty('x-access')
    expect(paths['/projects/{id}/dependencies']?.get).toHaveProperty('x-edition', 'ULTIMATE')
    const list = paths['/projects/{id}/jobs']?.get?.parameters
    expect(JSON.stringify(list)).toContain('"scope[]"')
  })
})

interface Operation {
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> }
  readonly responses: Readonly<Record<string, Answer>>
  readonly security: readonly Readonly<Record<string, unknown>>[]
}
interface Answer {
  readonly $ref?: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, unknown>>
}
interface Schema {
  readonly type?: string
  readonly deprecated?: boolean
  readonly description?: string
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

const { paths, webhooks, components } = document as unknown as {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, Schema>>
}
const findOperation = (route: string): Operation => {
  const [method = '', path = ''] = route.split(' ')
  const found = paths[path]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`no ${route}`)
  return found
}
const loadEndpoints = async () =>
  (await Promise.all(areas.map((area) => area.load()))).flatMap((endpoints) =>
    Object.values(endpoints).filter((e) => getPath(e).startsWith('/')),
  )
const getOperation = (e: Endpoint): Operation =>
  findOperation(`${getMethod(e)} ${getPath(e).replace(/[:*]([a-z_]+)/g, '{$1}')}`)

describe('what operations share', () => {
  it('every list takes pages and answers with their headers, and nothing else does', async () => {
    for (const e of await loadEndpoints()) {
      const { parameters, responses } = getOperation(e)
      const names = parameters.map(({ $ref, name }) => name ?? $ref?.split('/').at(-1))
      const isList = e.returns.kind === 'many'
      expect([e.route, names.includes('page'), names.includes('per_page')]).toEqual([
        e.route,
        isList,
        isList,
      ])
      const headers = Object.keys(responses[e.status ?? 200]?.headers ?? {})
      expect([e.route, headers.includes('Link'), headers.includes('X-Next-Page')]).toEqual([
        e.route,
        isList,
        isList,
      ])
    }
    expect(components.parameters?.per_page).toMatchObject({ schema: { maximum: 100, default: 20 } })
  })

  it('every operation says which credentials it takes', async () => {
    const names = (route: string) => findOperation(route).security.map((s) => Object.keys(s).join())
    expect(names('GET /job')).toEqual(['job'])
    expect(names('GET /projects/{id}/jobs/{job_id}/artifacts')).toContain('job')
    expect(names('GET /projects/{id}/jobs')).toEqual(['token', 'bearer', 'session'])
    expect(names('POST /runners')).toEqual([])
    expect(names('POST /ci/lint')).toContain('')
    expect(webhooks.alert_endpoint_url?.post?.security).toEqual([{ bearer: [] }, { key: [] }])
    for (const e of await loadEndpoints())
      for (const scheme of getOperation(e).security.flatMap((s) => Object.keys(s)))
        expect(Object.keys(components.securitySchemes ?? {})).toContain(scheme)
  })

  it('every error has a schema', async () => {
    for (const e of await loadEndpoints()) {
      const { responses } = getOperation(e)
      const errors = Object.entries(responses).filter(([s]) => s === 'default' || Number(s) >= 400)
      expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['403', 'default']))
      expect([e.route, '412' in responses]).toEqual([e.route, getMethod(e) === 'DELETE'])
      for (const [, { $ref = '' }] of errors)
        expect(components.responses?.[$ref.split('/').at(-1) ?? '']).toMatchObject({
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        })
    }
    const withoutPath = findOperation('GET /runners').responses
    expect(Object.keys(withoutPath)).not.toContain('404')
  })

  it('archives, file actions and what is deprecated are described', () => {
    const types = (route: string) => Object.keys(findOperation(route).responses[200]?.content ?? {})
    expect(types('GET /projects/{id}/jobs/{job_id}/artifacts')).toEqual(['application/zip'])
    expect(types('GET /projects/{id}/jobs/{job_id}/artifacts/{artifact_path}')).toEqual([
      'application/octet-stream',
    ])
    const body = findOperation('POST /projects/{id}/repository/commits').requestBody?.content
    const actions = body?.['application/json']?.schema.properties?.actions
    expect([actions?.type, actions?.items?.required]).toEqual(['array', ['action', 'file_path']])
    expect(actions?.items?.properties?.action?.enum).toContain('chmod')
    expect(body?.['application/json']?.schema.properties?.start_project).toMatchObject({
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    })
    const { Issue, MergeRequest, Project } = components.schemas ?? {}
    for (const field of [
      Issue?.properties?.assignee,
      Issue?.properties?.epic_iid,
      MergeRequest?.properties?.assignee,
      MergeRequest?.properties?.work_in_progress,
      Project?.properties?.tag_list,
    ])
      expect(field).toMatchObject({
        deprecated: true,
        description: expect.stringMatching(/^deprecated: use /),
      })
    expect(JSON.stringify(components.schemas)).not.toMatch(/"anyOf":\[\{[^}]*"deprecated"/)
    const scope = findOperation('GET /runners').parameters.find(({ name }) => name === 'scope')
    expect(scope).toMatchObject({
      deprecated: true,
      description: expect.stringContaining('deprecated: type or status'),
    })
  })
})
