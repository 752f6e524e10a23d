/** Fields of the documents that are masked: by their names alone, and by declarations of their endpoints. */
import { expect, it } from 'vitest'
import { isObject } from '../../src/base/objects.js'
import { isSecretName } from '../../src/base/secrets/names.js'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { getSecretFields } from '../../src/catalogue/fields.js'
import { areas } from '../../src/catalogue/index.js'
import type { Params } from '../../src/catalogue/params.js'

const endpoints = (await Promise.all(areas.map(({ load }) => load()))).flatMap((all) =>
  Object.values<Endpoint>(all),
)

const collectFields = (schema: unknown, found: Set<string>, seen = new Set<unknown>()): void => {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return
  seen.add(schema)
  if (isObject(schema) && isObject(schema.properties))
    for (const name of Object.keys(schema.properties)) found.add(name)
  for (const inner of Object.values(schema)) collectFields(inner, found, seen)
}

const collectNames = (params: Params, found: Set<string>): void => {
  for (const [name, param] of Object.entries(params)) {
    found.add(name)
    if (param.type === 'hash' && param.keys !== undefined) collectNames(param.keys, found)
    if (param.type === 'json' && param.items !== undefined) collectNames(param.items, found)
  }
}

const names = new Set<string>()
for (const { params, returns } of endpoints) {
  collectFields(returns.shape, names)
  collectNames(params, names)
}

it('by their names these are masked, and no other of the documents', () => {
  expect(names.size).toBeGreaterThan(650)
  expect(
    [...names].filter(isSecretName).sort(),
    'list the new name here if its values are secrets; else give the endpoint its own secret fields',
  ).toEqual([
    'api_key',
    'asset_proxy_secret_key',
    'cloud_access_key_id',
    // A boolean: for names that only look secret, only texts are masked.
    'disable_feed_token',
    'errsvc_dsn',
    'external_pipeline_validation_service_token',
    'password',
    'runners_token',
    'spamsvc_api_key',
    'token',
    'webhook',
  ])
})

it('an endpoint declares these, and the names are those of fields', () => {
  const declared = new Set(endpoints.flatMap((endpoint) => [...getSecretFields(endpoint)]))
  expect([...declared].filter((name) => !isSecretName(name)).sort()).toEqual(['key', 'public_key'])
  expect(
    [...declared].filter((name) => !names.has(name)),
    'an endpoint declares a secret field that no shape has: correct its name',
  ).toEqual([])
})

it('no text of the documents is masked as the value of a variable', () => {
  expect([...names].filter((name) => ['variable_type', 'masked'].includes(name))).toEqual([])
})
