/** Serves the integrations of a project, under both spellings of the path (`catalogue/reference/integrations.md`). */
import { capitalize } from '../../base/text.js'
import {
  eventFlags,
  findFamilyBySlug,
  type IntegrationFamily,
  IntegrationSummary,
  integrationFamilies,
  integrationParameters,
  integrations,
} from '../../catalogue/areas/integrations.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { everywhere } from '../check.js'
import { getManagedProject, serve } from '../handlers.js'
import { toShape } from '../present/common.js'
import { createLazyList, invalid, missing, notFound } from '../reply.js'
import { type ProjectInput, resource } from '../resource.js'
import type { IntegrationRecord } from '../state/features.js'

type Properties = Readonly<Record<string, unknown>>

const isEvent = (name: string): boolean => eventFlags.some((flag) => flag === name)

/** True for passwords and tokens, which responses never contain. */
const isSecret = (name: string): boolean => ['api_key', 'token', 'password'].includes(name)

const showSummary = (record: IntegrationRecord) => {
  const flags = eventFlags.map((name) => [name, record.properties[name] === true])
  return toShape(IntegrationSummary, record, {
    ...(Object.fromEntries(flags) as Record<(typeof eventFlags)[number], boolean>),
    comment_on_event_enabled: true,
  })
}

const showDetails = (record: IntegrationRecord) => ({
  ...showSummary(record),
  properties: Object.fromEntries(
    Object.entries(record.properties).filter(([name]) => !isEvent(name) && !isSecret(name)),
  ),
})

const stored = resource({
  table: 'integrations',
  what: 'Integration',
  parent: getManagedProject,
  key: ['slug', 'slug'],
  present: (_, record) => showDetails(record),
})

const getRequired = (family: IntegrationFamily): string[] =>
  Object.entries(family.params).flatMap(([name, p]) => (p.required === true ? [name] : []))

/**
 * Finds the family of a slug: the documented one, or the family that matches the given parameters best. The documentation omits the slugs
 * that are product names. Returns undefined if no family matches.
 */
const findFamily = (slug: string, given: Properties): IntegrationFamily | undefined => {
  const named = findFamilyBySlug(slug) ?? integrationFamilies.find((f) => f.name === slug)
  if (named !== undefined) return named
  const score = (f: IntegrationFamily): number => {
    const lacking = getRequired(f).filter((name) => given[name] === undefined).length
    const known = Object.keys(given).filter((name) => Object.hasOwn(f.params, name)).length
    return known - 100 * lacking
  }
  const telling = Object.keys(given).filter((name) => !isEvent(name))
  return integrationFamilies
    .filter(({ params }) => telling.some((name) => Object.hasOwn(params, name)))
    .sort((a, b) => score(b) - score(a))[0]
}

const buildTitle = (slug: string): string => capitalize(slug.replaceAll('-', ' '))

/** The parameters of a request that are not attributes of an integration. */
const outside = ['id', 'slug', ...everywhere]

/** Returns the parameters that no documented family has. They are stored without a check. */
const getFurther = (call: Call): Properties =>
  Object.fromEntries(
    Object.entries(call.sent.params).filter(
      ([name]) => !Object.hasOwn(integrationParameters, name) && !outside.includes(name),
    ),
  )

type Input = CheckedOf<(typeof integrations)['update']>

const getProperties = (
  call: Call,
  family: IntegrationFamily,
  given: Properties,
  old: Properties,
) => {
  const events = Object.keys(family.params).filter(isEvent)
  return {
    ...Object.fromEntries(events.map((name) => [name, true])),
    ...old,
    ...Object.fromEntries(
      Object.entries(given).filter(([name]) => Object.hasOwn(family.params, name)),
    ),
    ...getFurther(call),
  }
}

const update = (call: Call, { id, slug, ...given }: Input) => {
  const project = getManagedProject(call, { id })
  if (!/^[a-z0-9][a-z0-9_-]*$/.test(slug)) throw invalid('slug does not have a valid value')
  const family = findFamily(slug, given)
  if (family === undefined) throw notFound('Integration')
  const [lacking] = getRequired(family).filter((name) => {
    const value = (given as Properties)[name]
    return value === undefined || value === ''
  })
  if (lacking !== undefined) throw missing(lacking)
  const now = call.clock.iso()
  const record = call.state.integrations.find({ project_id: project.id, slug })
  const properties = getProperties(call, family, given, record?.properties ?? {})
  const title = typeof properties.title === 'string' ? properties.title : buildTitle(slug)
  const patch = { title, properties, active: true, updated_at: now }
  if (record === undefined)
    return showDetails(
      call.state.integrations.add({ project_id: project.id, slug, created_at: now, ...patch }),
    )
  call.state.integrations.change(record.id, patch)
  return showDetails(record)
}

/** Lists the active integrations. */
const list = (call: Call, input: ProjectInput) => {
  const all = stored.select(call, getManagedProject(call, input), {})
  return createLazyList(
    all.filter(({ active }) => active),
    showSummary,
  )
}

export const served = serve(integrations, {
  list,
  get: stored.get,
  update,
  delete: stored.delete,
  listServices: list,
  getService: stored.get,
  updateService: update,
  deleteService: stored.delete,
})
