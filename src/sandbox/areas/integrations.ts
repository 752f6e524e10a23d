/** Integrations of a project (`catalogue/reference/integrations.md`), under both spellings of the path. */
import {
  eventFlags,
  familyOfSlug,
  type IntegrationFamily,
  IntegrationSummary,
  integrationFamilies,
  integrationParameters,
  integrations,
} from '../../catalogue/areas/integrations.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { everywhere } from '../check.js'
import { managedProject, serve } from '../handlers.js'
import { presentAs } from '../present/common.js'
import { invalid, lazily, missing, notFound } from '../reply.js'
import { type ProjectInput, resource } from '../resource.js'
import type { IntegrationRecord } from '../state/features.js'

type Properties = Readonly<Record<string, unknown>>

const isEvent = (name: string): boolean => eventFlags.some((flag) => flag === name)

/** Passwords and tokens go in and never come out. */
const isSecret = (name: string): boolean => ['api_key', 'token', 'password'].includes(name)

const summary = (record: IntegrationRecord) => {
  const flags = eventFlags.map((name) => [name, record.properties[name] === true])
  return presentAs(IntegrationSummary, record, {
    ...(Object.fromEntries(flags) as Record<(typeof eventFlags)[number], boolean>),
    comment_on_event_enabled: true,
  })
}

const details = (record: IntegrationRecord) => ({
  ...summary(record),
  properties: Object.fromEntries(
    Object.entries(record.properties).filter(([name]) => !isEvent(name) && !isSecret(name)),
  ),
})

const stored = resource({
  table: 'integrations',
  what: 'Integration',
  parent: managedProject,
  key: ['slug', 'slug'],
  present: (_, record) => details(record),
})

const getRequired = (family: IntegrationFamily): string[] =>
  Object.entries(family.params).flatMap(([name, p]) => (p.required === true ? [name] : []))

/**
 * The family of a slug: the documented one, else the one that what was given fits best. The documents leave out the slugs
 * that name products; one that nothing tells a family of is unknown.
 */
const familyFor = (slug: string, given: Properties): IntegrationFamily | undefined => {
  const named = familyOfSlug(slug) ?? integrationFamilies.find((f) => f.name === slug)
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

const titled = (slug: string): string => {
  const text = slug.replaceAll('-', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What travels beside the parameters of an integration. */
const outside = ['id', 'slug', ...everywhere]

/** Parameters that no documented family knows: kept as they came. */
const further = (call: Call): Properties =>
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
    ...further(call),
  }
}

const update = (call: Call, { id, slug, ...given }: Input) => {
  const project = managedProject(call, { id })
  if (!/^[a-z0-9][a-z0-9_-]*$/.test(slug)) throw invalid('slug does not have a valid value')
  const family = familyFor(slug, given)
  if (family === undefined) throw notFound('Integration')
  const [lacking] = getRequired(family).filter((name) => {
    const value = (given as Properties)[name]
    return value === undefined || value === ''
  })
  if (lacking !== undefined) throw missing(lacking)
  const now = call.clock.iso()
  const record = call.state.integrations.find((i) => i.project_id === project.id && i.slug === slug)
  const properties = getProperties(call, family, given, record?.properties ?? {})
  const title = typeof properties.title === 'string' ? properties.title : titled(slug)
  const patch = { title, properties, active: true, updated_at: now }
  if (record === undefined)
    return details(
      call.state.integrations.add({ project_id: project.id, slug, created_at: now, ...patch }),
    )
  call.state.integrations.change(record.id, patch)
  return details(record)
}

/** A list has the active ones. */
const list = (call: Call, input: ProjectInput) => {
  const all = stored.select(call, managedProject(call, input), {})
  return lazily(
    all.filter(({ active }) => active),
    summary,
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
