import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { openapi } from '../../src/commands/openapi.js'
import { documented, implied } from '../laws/documents.js'

const document = await openapi('0.0.0')

describe('the OpenAPI document', () => {
  it('is accepted by a standard validator', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
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
    const list = paths['/projects/{id}/jobs']?.get?.parameters
    expect(JSON.stringify(list)).toContain('"scope[]"')
  })
})
